"""Start, deadline and offers: ended by the store's clock, on time, whoever is there."""

import asyncio

import pytest
from tests.game_service.racing import RACE, gateway, load, replica

from game_service import commits, racelog
from game_service.places import Places
from tilerace.game.v1 import game_pb2
from wire import keys
from wire.ids import RaceId
from wire.refusal import Refusal
from wire.slides import APPLIED


async def test_a_race_in_memory_ends_at_its_deadline_by_itself(store_url: str) -> None:
    async with replica(store_url) as game, gateway(game) as gate:
        dealt = await game.deal(clock_ms=300)
        await gate.subscribe()
        news = await gate.news(lambda news: news.HasField("verdict"))
        assert news.verdict.reason == game_pb2.REASON_TIME_UP
        _, snapshot = await load(game.store)
        assert snapshot.ended_at == dealt.times.deadline == dealt.times.starts_at + 300


async def test_a_slide_after_the_deadline_is_refused_and_ends_the_race_at_the_deadline(
    store_url: str,
) -> None:
    async with replica(store_url) as game, gateway(game) as gate:
        dealt = await game.deal(clock_ms=150)
        racer = await gate.attach(1, seat=1)
        # No timer, and a clock that lags: only the script can tell.
        game.races._alarms.disarm(game.races.running[RaceId(RACE)])
        game.store.clock._best = game.store.clock._previous = -1e15
        await asyncio.sleep(0.3)
        game.store.clock._best = game.store.clock._previous = -1e15
        await gate.slide((1, 1, racer.useful[0]))
        answer = await gate.answer(1)
        assert (answer.code, answer.slides) == (Refusal.RACE_OVER.number, 0)
        _, snapshot = await load(game.store)
        assert snapshot.ended_at == dealt.times.deadline


async def test_a_slide_at_the_end_of_the_countdown_counts(store_url: str) -> None:
    async with replica(store_url) as game, gateway(game) as gate:
        dealt = await game.deal(countdown_ms=100)
        racer = await gate.attach(1, seat=1)
        while game.store.clock.now() < dealt.times.starts_at + 5:
            await asyncio.sleep(0.005)
        await gate.slide((1, 1, racer.useful[0]))
        assert (await gate.answer(1)).code == APPLIED


async def test_resigning_counts_before_the_start_and_a_slide_beside_it_does_not(store_url: str) -> None:
    async with replica(store_url) as game, gateway(game) as gate:
        await game.deal(seats=(1, 2, 3), countdown_ms=3_000)
        racer = await gate.attach(1, seat=1)
        await gate.attach(2, seat=2)
        act = game_pb2.LinkCall(act=game_pb2.Act(handle=2, action=game_pb2.ACTION_RESIGN, call=1))
        await gate.slide((1, 1, racer.useful[0]))
        await gate.send(act)
        assert (await gate.acted(2, 1)).refusal == 0
        assert (await gate.answer(1)).code == Refusal.NOT_STARTED_YET.number
        log = list(racelog.read(await commits.read_log(game.store, RaceId(RACE))))
        assert len(log) == 1
        assert log[0].ms < 0


async def test_an_offer_before_the_start_is_refused(store_url: str) -> None:
    async with replica(store_url) as game, gateway(game) as gate:
        await game.deal(countdown_ms=3_000)
        await gate.attach(1, seat=1)
        assert (await gate.act(1, game_pb2.ACTION_OFFER)).refusal == Refusal.NOT_STARTED_YET.number


async def test_an_offer_lapses_by_itself(store_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.offer.OFFER_STANDS_MS", 200)
    async with replica(store_url) as game, gateway(game) as gate:
        await game.deal()
        await gate.subscribe()
        await gate.attach(1, seat=1)
        await gate.act(1, game_pb2.ACTION_OFFER)
        offered = await gate.news(lambda news: news.HasField("offer"))
        lapsed = await gate.news(lambda news: news.HasField("last_offer"))
        assert lapsed.last_offer.outcome == game_pb2.OFFER_OUTCOME_LAPSED
        _, snapshot = await load(game.store)
        assert snapshot.last >= offered.offer.until


async def test_expiring_before_the_deadline_changes_nothing(store_url: str) -> None:
    async with replica(store_url) as game:
        await game.deal(clock_ms=700)
        before = (await load(game.store))[1]
        answer = await game.stub.Expire(game_pb2.ExpireRequest(race=RACE))
        assert not answer.over
        assert (await load(game.store))[1] == before


async def test_a_race_nobody_follows_ends_when_it_is_told_to_expire(store_url: str) -> None:
    async with replica(store_url) as game:
        dealt = await game.deal(clock_ms=50)
        await asyncio.sleep(0.2)
        assert (await load(game.store))[1].record.race.verdict is None
        assert (await game.stub.Expire(game_pb2.ExpireRequest(race=RACE))).over
        assert (await game.stub.Expire(game_pb2.ExpireRequest(race=RACE))).over
        race = await game.stub.GetRace(game_pb2.GetRaceRequest(race=RACE))
        assert race.times.ended_at == dealt.times.deadline
        assert list(race.verdict.tied) == [1, 2]


async def test_the_sweep_is_woken_to_settle_at_the_end(store_url: str) -> None:
    async with replica(store_url) as game, gateway(game) as gate:
        await game.deal()
        await gate.attach(1, seat=1)
        pubsub = game.store.client.pubsub()
        await pubsub.ssubscribe(Places.of(RaceId(RACE)).tables_channel)
        await gate.act(1, game_pb2.ACTION_RESIGN)
        async with asyncio.timeout(10):
            while (message := await pubsub.get_message(timeout=1)) is None or message["type"] != "smessage":
                pass
        assert message["data"] == b"!"
        clocks = keys.clocks_key(keys.bucket_of_race(RaceId(RACE)))
        assert await game.store.client.zrange(clocks, 0, -1) == [b"settle:K7QM2XWP.1"]
        await pubsub.aclose()
