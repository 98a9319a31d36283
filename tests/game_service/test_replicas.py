"""Several replicas, lost replies, pauses: whatever happens, each slide once, and one truth for all."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence, Sized

import pytest
from tests.game_service.racing import RACE, WAIT_S, Gateway, Racer, gateway, load, replica
from tests.proxy import Loss, Proxy

from engine import SlideEvent
from game_service import commits, racelog
from game_service.commands import SlideAsked
from game_service.commits import Stored
from game_service.races import Races
from game_service.records import Record, pack
from tilerace.game.v1 import game_pb2
from wire import keys
from wire.ids import RaceId
from wire.refusal import Refusal
from wire.slides import APPLIED, REPEATED
from wire.store import Store, WrongType


async def logged_slides(store: Store) -> list[tuple[int, int]]:
    log = await commits.read_log(store, RaceId(RACE))
    return [
        (each.event.seat, int(each.event.direction))
        for each in racelog.read(log)
        if isinstance(each.event, SlideEvent)
    ]


@contextlib.asynccontextmanager
async def connected(url: str) -> AsyncIterator[Store]:
    store = await Store.connect(url)
    yield store
    await store.aclose()


async def slide_until(gate: Gateway, racer: Racer, count: int) -> list[int]:
    return [(await gate.slide_once(racer)).direction for _ in range(count)]


async def test_two_replicas_serve_one_race_and_each_slide_counts_once(store_url: str) -> None:
    async with replica(store_url) as one, replica(store_url) as two, gateway(one) as ann, gateway(two) as bob:
        await one.deal()
        first, second = await ann.attach(1, seat=1), await bob.attach(2, seat=2)
        made, also_made = await asyncio.gather(slide_until(ann, first, 40), slide_until(bob, second, 40))
        order = await logged_slides(one.store)
        assert [direction for seat, direction in order if seat == 1] == made
        assert [direction for seat, direction in order if seat == 2] == also_made
        _, snapshot = await load(one.store)
        assert [racer.board.cells for racer in snapshot.record.race.racers] == [first.cells, second.cells]


async def test_news_of_one_replica_reaches_followers_of_another(store_url: str) -> None:
    async with (
        replica(store_url) as one,
        replica(store_url) as two,
        gateway(one) as ann,
        gateway(two) as watcher,
    ):
        await one.deal()
        await watcher.subscribe()
        await ann.attach(1, seat=1)
        await ann.act(1, game_pb2.ACTION_RESIGN)
        assert (await watcher.news(lambda news: news.HasField("verdict"))).verdict.winner == 2
        await watcher.kind("reveal")


async def test_a_gateway_that_comes_from_another_replica_is_told_nothing_older_than_it_heard_there(
    store_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("game_service.races.POLL_S", 60.0)
    monkeypatch.setattr(Races, "_on_news", lambda *_: None)
    async with (
        replica(store_url) as one,
        replica(store_url) as two,
        gateway(one) as ann,
        gateway(two) as early,
        gateway(two) as late,
    ):
        await one.deal()
        await early.subscribe()
        await early.news(lambda _: True)
        await slide_until(ann, await ann.attach(1, seat=1), 3)
        _, snapshot = await load(one.store)
        await late.subscribe()
        assert (await late.news(lambda _: True)).version == snapshot.version


async def test_a_gateway_that_comes_while_a_race_is_read_is_told_nothing_older_either(
    store_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("game_service.races.POLL_S", 60.0)
    monkeypatch.setattr(Races, "_on_news", lambda *_: None)
    read = commits.load
    was_read, goes_on = asyncio.Event(), asyncio.Event()

    async with (
        replica(store_url) as one,
        replica(store_url) as two,
        gateway(one) as ann,
        gateway(two) as early,
        gateway(two) as late,
    ):

        async def read_slowly(store: Store, races: Sequence[RaceId]) -> list[Stored | WrongType | None]:
            found = await read(store, races)
            if store is two.store:
                was_read.set()
                await goes_on.wait()
            return found

        monkeypatch.setattr(commits, "load", read_slowly)
        await one.deal()
        await early.subscribe()
        await was_read.wait()
        await slide_until(ann, await ann.attach(1, seat=1), 3)
        _, snapshot = await load(one.store)
        await late.subscribe()
        async with asyncio.timeout(WAIT_S):
            while len(two.races.get(RaceId(RACE)).newcomers) < 2:
                await asyncio.sleep(0.005)
        goes_on.set()
        assert (await late.news(lambda _: True)).version == snapshot.version


async def test_a_seat_that_moved_to_another_replica_is_told_so_at_the_first(store_url: str) -> None:
    async with (
        replica(store_url) as one,
        replica(store_url) as two,
        gateway(one) as ann,
        gateway(two) as again,
    ):
        await one.deal()
        await ann.attach(1, seat=1, connection=5)
        await again.attach(1, seat=1, connection=6)
        assert await ann.detached(1) == Refusal.MOVED.number


async def test_a_slide_whose_reply_was_lost_counts_once_and_is_answered_once(
    store_url: str, store_port: int
) -> None:
    async with Proxy.to(store_port) as proxy, replica(proxy.store_url) as game, gateway(game) as gate:
        await game.deal()
        racer = await gate.attach(1, seat=1)
        direction = racer.useful[0]
        proxy.loss = Loss(b"EVALSHA")
        await gate.slide((1, 1, direction))
        async with connected(store_url) as store:
            while (await load(store))[1].record.race.racers[0].slides == 0:
                await asyncio.sleep(0.01)
            answer = await gate.answer(1)
            assert (answer.code, answer.slides) == (REPEATED, 1)
            assert await logged_slides(store) == [(1, direction)]
        await gate.send(game_pb2.LinkCall(ping=game_pb2.Ping(ping=1)))
        await gate.kind("pong")
        assert "answers" not in gate.kinds


async def test_what_a_store_that_stood_still_was_given_is_not_made_once_it_was_refused(
    store_url: str, store_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("game_service.judge.STALE_MS", 200)
    async with Proxy.to(store_port) as proxy, replica(proxy.store_url) as game, gateway(game) as gate:
        await game.deal(seats=(1, 2, 3))
        racer = await gate.attach(1, seat=1)
        await gate.attach(2, seat=2)
        proxy.up.stall()
        await gate.send(game_pb2.LinkCall(act=game_pb2.Act(handle=2, action=game_pb2.ACTION_RESIGN, call=1)))
        await gate.slide((1, 1, racer.useful[0]))
        await asyncio.sleep(0.3)
        await gate.send(game_pb2.LinkCall(detach=game_pb2.Detach(handle=2, refused=True)))
        await gate.send(game_pb2.LinkCall(ping=game_pb2.Ping(ping=1)))
        await gate.kind("pong")
        proxy.up.flow()
        assert (await gate.answer(1)).code == APPLIED
        async with connected(store_url) as store:
            assert (await load(store))[1].record.race.racers[1].out is None


async def test_what_a_closed_socket_had_asked_for_is_made(store_url: str, store_port: int) -> None:
    async with Proxy.to(store_port) as proxy, replica(proxy.store_url) as game, gateway(game) as gate:
        await game.deal(seats=(1, 2, 3))
        await gate.attach(2, seat=2)
        proxy.up.stall()
        await gate.send(game_pb2.LinkCall(act=game_pb2.Act(handle=2, action=game_pb2.ACTION_RESIGN, call=1)))
        await gate.send(game_pb2.LinkCall(detach=game_pb2.Detach(handle=2)))
        proxy.up.flow()
        async with connected(store_url) as store, asyncio.timeout(10):
            while (await load(store))[1].record.race.racers[1].out is None:
                await asyncio.sleep(0.01)


async def test_a_slide_sent_again_to_another_replica_counts_once(store_url: str) -> None:
    async with (
        replica(store_url) as one,
        replica(store_url) as two,
        gateway(one) as ann,
        gateway(two) as again,
    ):
        await one.deal()
        racer = await ann.attach(1, seat=1)
        made = await ann.slide_once(racer)
        await again.attach(1, seat=1, attempt=2)
        await again.slide((1, 1, made.direction))
        answer = await again.answer(1)
        assert (answer.code, answer.slides, answer.cells) == (REPEATED, 1, racer.cells)


async def test_what_waits_in_a_paused_replica_is_dropped_once_the_socket_attached_elsewhere(
    store_url: str, store_port: int
) -> None:
    """A useless slide and its successor wait in a paused replica; the page renumbers the successor elsewhere."""
    async with (
        Proxy.to(store_port) as proxy,
        replica(proxy.store_url) as paused,
        replica(store_url) as other,
        gateway(paused) as before,
        gateway(other) as after,
    ):
        await other.deal()
        racer = await before.attach(1, seat=1)
        rival = await before.attach(2, seat=2)
        while not racer.useless:
            await before.slide_once(racer)
        n = racer.slides + 1
        proxy.up.stall()
        await before.slide((2, 1, rival.useful[0]))
        await before.slide((1, n, racer.useless[0]), (1, n + 1, racer.useful[0]))
        await until_waiting(paused.races.running[RaceId(RACE)].waiting, 2)

        racer = await after.attach(1, seat=1, attempt=2)
        await after.slide((1, n, racer.useful[0]))
        assert (await after.answer(1)).code == APPLIED
        proxy.up.flow()

        assert (await before.answer(2)).code == APPLIED
        _, snapshot = await load(other.store)
        assert snapshot.record.race.racers[0].slides == n
        assert [seat for seat, _ in await logged_slides(other.store)] == [1] * n + [2]


async def until_waiting(waiting: Sized, count: int) -> None:
    async with asyncio.timeout(10):
        while len(waiting) < count:
            await asyncio.sleep(0.005)


async def test_a_lost_message_costs_a_second_and_no_more(store_url: str) -> None:
    async with replica(store_url) as one, gateway(one) as watcher:
        await one.deal()
        await watcher.subscribe()
        await watcher.news()
        async with connected(store_url) as store:
            await resign_in_silence(store)
        assert (await watcher.news(lambda news: news.HasField("verdict"))).verdict.winner == 2


async def test_an_act_is_refused_by_what_the_store_holds_and_not_by_what_was_heard(
    store_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Races, "_on_news", lambda *_: None)
    monkeypatch.setattr("game_service.races.POLL_S", 60)
    async with (
        replica(store_url) as one, replica(store_url) as other, gateway(one) as near, gateway(other) as far,
    ):  # fmt: skip
        await one.deal(seats=(1, 2, 3))
        await near.attach(1, seat=1)
        await far.attach(2, seat=2)
        await far.attach(3, seat=3)
        assert (await near.act(1, game_pb2.ACTION_OFFER, 1)).refusal == 0
        assert (await far.act(2, game_pb2.ACTION_AGREE, 2)).refusal == 0
        assert (await near.act(1, game_pb2.ACTION_RESIGN, 3)).refusal == 0
        assert (await far.act(3, game_pb2.ACTION_OFFER, 4)).refusal == Refusal.OFFER_STANDS.number
        assert (await far.act(3, game_pb2.ACTION_DECLINE, 5)).refusal == 0
        assert (await far.act(2, game_pb2.ACTION_DECLINE, 6)).refusal == Refusal.NO_OFFER.number


async def resign_in_silence(store: Store) -> None:
    """Commit a resignation without telling anybody."""
    deal, snapshot = await load(store)
    race = snapshot.record.race.resign(
        snapshot.record.race.racers[0].seat, now=snapshot.record.race.starts_at
    )
    state = pack(Record(race, snapshot.record.tracks))
    mapping = {"v": snapshot.version + 1, "s": state, "ea": snapshot.last + 1, "last": snapshot.last + 1}
    await store.client.hset(keys.race_key(RaceId(RACE)), mapping=mapping)  # type: ignore[arg-type]
    assert deal.seats == (1, 2)


async def test_a_race_that_vanished_is_unknown(store_url: str) -> None:
    async with replica(store_url) as game, gateway(game) as gate:
        await game.deal()
        await gate.subscribe()
        await gate.attach(1, seat=1)
        await game.store.client.flushall()
        assert await gate.detached(1) == Refusal.RACE_NOT_RUNNING.number
        await gate.kind("unknown")


async def test_too_many_waiting_commands_ask_the_newest_to_attach_again(store_port: int) -> None:
    async with Proxy.to(store_port) as proxy, replica(proxy.store_url) as game, gateway(game) as gate:
        await game.store.client.flushall()
        await game.deal()
        racer = await gate.attach(1, seat=1)
        proxy.up.stall()
        await gate.slide((1, 1, racer.useful[0]))
        await gate.slide(*((1, 2 + number, 0) for number in range(600)))
        assert await gate.detached(1) == Refusal.UNAVAILABLE.number
        assert all(isinstance(each, SlideAsked) for each in game.races.running[RaceId(RACE)].waiting)
        proxy.up.flow()


async def test_a_replica_goes_on_where_the_store_forgot_its_scripts(store_url: str) -> None:
    async with replica(store_url) as game, gateway(game) as gate:
        await game.deal()
        racer = await gate.attach(1, seat=1)
        await game.store.client.script_flush()
        assert (await gate.slide_once(racer)).code == APPLIED


async def test_a_store_that_refuses_a_commit_is_told_to_the_racer(store_url: str) -> None:
    async with replica(store_url) as game, gateway(game) as gate:
        await game.deal()
        racer = await gate.attach(1, seat=1)
        await game.store.client.rpush(keys.log_key(RaceId(RACE)), "no log")
        await gate.slide((1, 1, racer.useful[0]))
        answer = await gate.answer(1)
        assert (answer.code, answer.cells) == (Refusal.UNAVAILABLE.number, racer.cells)
        await game.store.client.delete(keys.log_key(RaceId(RACE)))
        assert (await gate.slide_once(racer)).slides == 1


async def test_nothing_of_a_race_stays_in_memory_once_nobody_follows(store_url: str) -> None:
    async with replica(store_url) as game:
        async with gateway(game) as gate:
            await game.deal(clock_ms=60_000)
            await gate.subscribe()
            await gate.attach(1, seat=1)
            assert list(game.races.running) == [RACE]
        async with asyncio.timeout(10):
            while game.races.running:
                await asyncio.sleep(0.01)
        assert not game.races.running
