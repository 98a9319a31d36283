"""A store that falls back: followers start afresh, and a verdict that is held is committed again and only then revealed."""

import asyncio

import pytest
from tests.game_service.racing import RACE, SEED, WAIT_S, gateway, load, replica

from engine import draw
from game_service import commits, reveals
from tilerace.game.v1 import game_pb2
from wire import keys
from wire.ids import RaceId, TableId
from wire.refusal import Refusal
from wire.slides import APPLIED
from wire.store import Store


async def record(store: Store) -> list[bytes]:
    """Read a race's record as it stands: fields and values in turn."""
    raw = await store.client.hgetall(keys.race_key(RaceId(RACE)))
    return [bytes(part) for pair in raw.items() for part in pair]  # type: ignore[arg-type]


async def put_back(store: Store, saved: list[bytes]) -> None:
    await store.client.hset(keys.race_key(RaceId(RACE)), items=saved)


async def not_durable(_bucket: int) -> bool:
    return False


async def test_a_store_that_fell_back_starts_followers_afresh(store_url: str) -> None:
    async with replica(store_url) as game, gateway(game) as gate:
        await game.deal()
        await gate.subscribe()
        racer = await gate.attach(1, seat=1)
        saved = await record(game.store)
        made = await gate.slide_once(racer)
        await put_back(game.store, saved)
        await gate.kind("rewound")
        assert await gate.detached(1) == Refusal.UNAVAILABLE.number
        again = await gate.attach(1, seat=1, attempt=2)
        assert again.slides == 0
        await gate.slide((1, 1, made.direction))
        assert (await gate.answer(1)).cells == racer.cells


async def test_who_slides_otherwise_after_the_store_fell_back_meets_the_same_draw(store_url: str) -> None:
    async with replica(store_url) as game, gateway(game) as gate:
        await game.deal()
        await gate.subscribe()
        racer = await gate.attach(1, seat=1)
        one, other = racer.useful[:2]
        saved = await record(game.store)
        await gate.slide((1, 1, one))
        seen = await gate.answer(1)
        await put_back(game.store, saved)
        await gate.kind("rewound")
        await gate.detached(1)
        await gate.attach(1, seat=1, attempt=2)
        await gate.slide((1, 1, other))
        again = await gate.answer(1)
        assert (again.code, again.slides) == (APPLIED, 1)
        assert again.tile_exponent == seen.tile_exponent == draw(SEED, 2).exponent


async def test_a_verdict_that_the_store_lost_is_committed_again(store_url: str) -> None:
    async with replica(store_url) as game, gateway(game) as gate:
        await game.deal()
        await game.store.client.hset(keys.table_key(TableId("K7QM2XWP")), "v", 1)
        await gate.subscribe()
        racer = await gate.attach(1, seat=1)
        await gate.slide_once(racer)
        saved = await record(game.store)
        await gate.act(1, game_pb2.ACTION_RESIGN)
        await gate.kind("reveal")
        log = await commits.read_log(game.store, RaceId(RACE))
        await put_back(game.store, saved)
        await game.store.client.set(keys.log_key(RaceId(RACE)), log[:6])
        async with asyncio.timeout(10):
            while (await load(game.store))[1].record.race.verdict is None:
                await asyncio.sleep(0.02)
        assert await commits.read_log(game.store, RaceId(RACE)) == log
        assert "rewound" not in gate.kinds


async def test_a_verdict_lost_before_it_was_durable_is_committed_again_and_then_revealed(
    store_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with replica(store_url) as game, gateway(game) as gate:
        await game.deal()
        await game.store.client.hset(keys.table_key(TableId("K7QM2XWP")), "v", 1)
        await gate.subscribe()
        racer = await gate.attach(1, seat=1)
        await gate.slide_once(racer)
        saved = await record(game.store)
        monkeypatch.setattr(game.store, "durable", not_durable)
        await gate.act(1, game_pb2.ACTION_RESIGN)
        await gate.news(lambda news: news.HasField("verdict"))
        await put_back(game.store, saved)
        async with asyncio.timeout(WAIT_S):
            while (await load(game.store))[1].record.race.verdict is None:
                await asyncio.sleep(0.02)
        assert "reveal" not in gate.kinds
        monkeypatch.undo()
        await gate.kind("reveal")
        assert "rewound" not in gate.kinds


async def test_who_comes_between_the_verdict_and_word_that_it_is_durable_is_told_the_verdict_alone(
    store_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with replica(store_url) as game, gateway(game) as gate, gateway(game) as late:
        await game.deal()
        await gate.attach(1, seat=1)
        monkeypatch.setattr(game.store, "durable", not_durable)
        await gate.act(1, game_pb2.ACTION_RESIGN)
        await late.subscribe()
        await late.news(lambda news: news.HasField("verdict"))
        again = await late.attach(2, seat=2)
        assert again.seat == 2
        assert "reveal" not in late.kinds
        monkeypatch.undo()
        await late.kind("reveal")


async def test_where_verdict_and_replica_are_lost_together_the_race_goes_on_and_nobody_knows_its_seed(
    store_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with replica(store_url) as game, gateway(game) as gate:
        await game.deal()
        await gate.subscribe()
        racer = await gate.attach(1, seat=1)
        await gate.slide_once(racer)
        saved, log = await record(game.store), await commits.read_log(game.store, RaceId(RACE))
        asked = []

        async def never(bucket: int) -> bool:
            asked.append(bucket)
            return False

        monkeypatch.setattr(game.store, "durable", never)
        await gate.act(1, game_pb2.ACTION_RESIGN)
        await gate.news(lambda news: news.HasField("verdict"))
        while len(asked) < 2 and "reveal" not in gate.kinds:
            await asyncio.sleep(0.02)
        assert "reveal" not in gate.kinds
    async with replica(store_url) as game, gateway(game) as gate:
        await put_back(game.store, saved)
        await game.store.client.set(keys.log_key(RaceId(RACE)), log)
        await gate.subscribe()
        again = await gate.attach(2, seat=1, attempt=2)
        await gate.slide_once(again)
        await gate.news(lambda news: news.standings[0].slides == 2)
        assert "reveal" not in gate.kinds


async def test_a_verdict_that_nobody_follows_is_held_until_it_is_durable(
    store_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with replica(store_url) as game:
        await game.deal()
        await game.store.client.hset(keys.table_key(TableId("K7QM2XWP")), "v", 1)
        saved = await record(game.store)
        monkeypatch.setattr(game.store, "durable", not_durable)
        await game.stub.Resign(game_pb2.ResignRequest(race=RACE, seat=1))
        await put_back(game.store, saved)
        async with asyncio.timeout(WAIT_S):
            while (await load(game.store))[1].record.race.verdict is None:
                await asyncio.sleep(0.02)
        monkeypatch.undo()
        monkeypatch.setattr(reveals, "HELD_S", 4.0)
        async with asyncio.timeout(WAIT_S):
            while not game.races.running[RaceId(RACE)].revealed:
                await asyncio.sleep(0.02)
        assert game.races.running[RaceId(RACE)].held
        async with asyncio.timeout(10):
            while game.races.running:
                await asyncio.sleep(0.02)


async def test_a_replay_waits_for_the_verdict_to_be_durable(
    store_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with replica(store_url) as game:
        await game.deal()
        await game.stub.Resign(game_pb2.ResignRequest(race=RACE, seat=1))
        monkeypatch.setattr(game.store, "durable", not_durable)
        asked = asyncio.ensure_future(game.stub.GetReplay(game_pb2.GetReplayRequest(race=RACE)))
        await asyncio.wait([asked], timeout=0.7)
        assert not asked.done()
        monkeypatch.undo()
        assert (await asked).verdict.winner == 2
