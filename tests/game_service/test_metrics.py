"""What game-service counts, where it happens: on a real store, over a real Link."""

import asyncio

from tests.counted import counted, value
from tests.game_service.racing import RACE, gateway, replica
from tests.game_service.test_rewinds import put_back, record
from tests.proxy import Loss, Proxy

from game_service import metrics
from game_service.commits import MOST_IN_A_BATCH, Outcome
from game_service.service import GameService
from tilerace.game.v1 import game_pb2
from wire import keys
from wire.ids import RaceId
from wire.slides import APPLIED


def test_whatever_becomes_of_a_commit_is_counted() -> None:
    assert metrics.OUTCOMES.keys() == set(Outcome)
    assert set(metrics.OUTCOMES.values()) <= metrics.COMMITS.keys()


def test_the_fullest_batch_has_a_bucket() -> None:
    assert value("tilerace_commit_size_bucket", le=str(float(MOST_IN_A_BATCH))) >= 0


async def test_a_slide_is_a_commit_and_its_way_through_is_timed(store_url: str) -> None:
    async with replica(store_url) as game, gateway(game) as gate:
        await game.deal()
        racer = await gate.attach(1, seat=1)
        with (
            counted("tilerace_commits_total", 3, outcome="made"),
            counted("tilerace_commit_size_count", 3),
            counted("tilerace_commit_size_sum", 3),
            counted("tilerace_slide_apply_seconds_count", 3),
            counted("tilerace_slide_apply_seconds_bucket", 3, le="10.0"),
            counted("tilerace_store_call_seconds_count", 3, call="commit"),
        ):
            for _ in range(3):
                await gate.slide_once(racer)


async def test_a_slide_that_had_been_applied_is_a_duplicate_and_no_commit(store_url: str) -> None:
    async with replica(store_url) as game, gateway(game) as gate:
        await game.deal()
        racer = await gate.attach(1, seat=1)
        made = await gate.slide_once(racer)
        with counted("tilerace_duplicates_total"), counted("tilerace_commits_total", 0, outcome="made"):
            await gate.slide((1, 1, made.direction))
            await gate.answer(1)
        with counted("tilerace_duplicates_total", 0):
            await gate.slide((1, 1, (made.direction + 1) % 4))
            await gate.answer(1)


async def test_a_commit_that_another_replica_came_before_is_a_conflict(store_url: str) -> None:
    async with replica(store_url) as one, replica(store_url) as two, gateway(one) as ann, gateway(two) as bo:
        await one.deal()
        first, second = await ann.attach(1, seat=1), await bo.attach(2, seat=2)
        before = value("tilerace_commits_total", outcome="conflict")
        async with asyncio.timeout(10):
            while value("tilerace_commits_total", outcome="conflict") == before:
                await asyncio.gather(ann.slide_once(first), bo.slide_once(second))


async def test_a_commit_without_an_answer_is_unknown(store_url: str, store_port: int) -> None:
    assert store_url
    async with Proxy.to(store_port) as line, replica(line.store_url) as game, gateway(game) as gate:
        await game.deal()
        racer = await gate.attach(1, seat=1)
        line.loss = Loss(b"EVALSHA")
        before = value("tilerace_store_errors_total", kind="unknown")
        with (
            counted("tilerace_commits_total", outcome="unknown"),
            counted("tilerace_duplicates_total"),
            counted("tilerace_slide_apply_seconds_count"),
        ):
            await gate.slide((1, 1, racer.useful[0]))
            await gate.answer(1)
        assert value("tilerace_store_errors_total", kind="unknown") > before


async def test_a_commit_that_the_store_does_not_take_is_refused(store_url: str) -> None:
    async with replica(store_url) as game, gateway(game) as gate:
        await game.deal()
        racer = await gate.attach(1, seat=1)
        await game.store.client.rpush(keys.log_key(RaceId(RACE)), "no log")
        with counted("tilerace_commits_total", outcome="refused"):
            await gate.slide((1, 1, racer.useful[0]))
            await gate.answer(1)


async def test_a_slide_before_the_start_is_untimely(store_url: str) -> None:
    async with replica(store_url) as game, gateway(game) as gate:
        await game.deal(countdown_ms=60_000)
        racer = await gate.attach(1, seat=1)
        with counted("tilerace_commits_total", outcome="untimely"):
            await gate.slide((1, 1, racer.useful[0]))
            assert (await gate.answer(1)).code != APPLIED


async def test_a_store_that_fell_back_is_a_rewind(store_url: str) -> None:
    async with replica(store_url) as game, gateway(game) as gate:
        await game.deal()
        await gate.subscribe()
        racer = await gate.attach(1, seat=1)
        saved = await record(game.store)
        await gate.slide_once(racer)
        with counted("tilerace_rewinds_total"):
            await put_back(game.store, saved)
            await gate.kind("rewound")


async def test_races_and_what_waits_are_shown_as_they_are(store_url: str, store_port: int) -> None:
    assert store_url
    async with Proxy.to(store_port) as line, replica(line.store_url) as game, gateway(game) as gate:
        service = GameService(game.store, game.races)
        await game.deal()
        await game.deal("AAAAAAAA.1")
        await gate.subscribe("AAAAAAAA.1")
        racer = await gate.attach(1, seat=1)
        await gate.attach(2, seat=1, race="AAAAAAAA.1")
        await gate.act(2, game_pb2.ACTION_RESIGN)
        service.look()
        assert (value("tilerace_races"), value("tilerace_races_running")) == (2, 1)
        assert value("tilerace_queue_depth", queue="race") == 0
        line.up.stall()
        running = game.races.running[RaceId(RACE)]
        await gate.slide((1, 1, racer.useful[0]))
        async with asyncio.timeout(10):
            while running.flying is None:
                await asyncio.sleep(0.01)
            await gate.slide((1, 2, 0), (1, 3, 0))
            while len(running.waiting) != 2:
                await asyncio.sleep(0.01)
        service.look()
        assert value("tilerace_queue_depth", queue="race") == 2
        line.up.flow()
