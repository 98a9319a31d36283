"""One bad race, one bad gateway: nobody else notices."""

import asyncio

import grpc
import pytest
from tests.counted import counted
from tests.game_service.racing import RACE, WAIT_S, gateway, replica

from game_service.judge import Chain
from game_service.outbox import MOST_WAITING
from game_service.service import random_seed
from tilerace.game.v1 import game_pb2
from wire import keys
from wire.ids import RaceId
from wire.refusal import Refusal, from_rpc_error
from wire.slides import APPLIED

OTHER = "K7QM2XWQ.1"


def test_every_race_gets_a_seed_of_its_own() -> None:
    seeds = {random_seed() for _ in range(50)}
    assert len(seeds) == 50
    assert {len(seed) for seed in seeds} == {32}


@pytest.mark.parametrize("damage", ["not a hash", "not a state", "not a deal"])
async def test_a_damaged_race_is_unavailable_and_spoils_no_other(store_url: str, damage: str) -> None:
    async with replica(store_url) as game, gateway(game) as gate:
        await game.deal(RACE)
        await game.deal(OTHER)
        key = keys.race_key(RaceId(OTHER))
        match damage:
            case "not a hash":
                await game.store.client.set(key, b"nonsense")
            case "not a state":
                await game.store.client.hset(key, "s", b"nonsense")
            case _:
                await game.store.client.hset(key, "meta", b"nonsense")
        await gate.subscribe(OTHER)
        await gate.subscribe(RACE)
        await gate.ask_attach(2, seat=1, race=OTHER)
        racer = await gate.attach(1, seat=1)
        assert await gate.detached(2) == Refusal.UNAVAILABLE.number
        assert (await gate.slide_once(racer)).code == APPLIED
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await game.stub.GetRace(game_pb2.GetRaceRequest(race=OTHER))
        refused = from_rpc_error(caught.value)
        assert refused is not None
        assert refused.refusal is Refusal.UNAVAILABLE


async def test_a_fault_of_ours_in_one_race_stops_no_other(
    store_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with replica(store_url) as game, gateway(game) as gate:
        await game.deal(RACE)
        await game.deal(OTHER)
        broken = await gate.attach(2, seat=1, race=OTHER)
        racer = await gate.attach(1, seat=1)
        judge = Chain._slide

        def faulty(chain: Chain, asked: object, index: int) -> None:
            if asked.handle.number == 2:  # type: ignore[attr-defined]
                raise RuntimeError("a fault of ours")
            judge(chain, asked, index)  # type: ignore[arg-type]

        monkeypatch.setattr(Chain, "_slide", faulty)
        await gate.slide((2, 1, broken.useful[0]), (1, 1, racer.useful[0]))
        assert (await gate.answer(1)).code == APPLIED
        assert await gate.detached(2) == Refusal.UNAVAILABLE.number
        monkeypatch.setattr(Chain, "_slide", judge)
        again = await gate.attach(3, seat=1, race=OTHER, attempt=2)
        assert (await gate.slide_once(again)).slides == 1


async def test_a_gateway_that_reads_nothing_is_dropped_and_slows_nobody(
    store_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with replica(store_url) as game, gateway(game) as gate, gateway(game) as slow:
        await game.deal()
        racer = await gate.attach(1, seat=1)
        pings = [game_pb2.LinkCall(ping=game_pb2.Ping(ping=number)) for number in range(MOST_WAITING + 1)]
        with counted("tilerace_dropped_total", what="link"):
            await slow.send(*pings)
            assert (await gate.slide_once(racer)).code == APPLIED
            await slow.until_ended()
        assert not gate.ended
    assert "a gateway reads too slowly; its stream is ended" in caplog.messages


async def test_a_gateway_that_says_nothing_is_let_go(store_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("game_service.link.SILENT_S", 0.5)
    async with replica(store_url) as game, gateway(game) as silent, gateway(game) as gate:
        async with asyncio.timeout(WAIT_S):
            while not silent.ended:
                await gate.send(game_pb2.LinkCall(ping=game_pb2.Ping(ping=1)))
                await asyncio.sleep(0.05)
        assert not gate.ended


async def test_a_gateway_that_attaches_or_follows_without_end_is_let_go(
    store_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("game_service.link.MOST_HELD", 3)
    attaches = [game_pb2.Attach(handle=number, race="K7QM2XWP.1") for number in range(4)]
    follows = [game_pb2.Subscribe(race=f"K7QM2XWP.{number}") for number in range(1, 5)]
    async with replica(store_url) as game, gateway(game) as gate:
        for calls in (
            [game_pb2.LinkCall(attach=attach) for attach in attaches],
            [game_pb2.LinkCall(subscribe=follow) for follow in follows],
        ):
            async with gateway(game) as greedy:
                await greedy.send(*calls[:3])
                assert not greedy.ended
                await greedy.send(*calls[3:])
                await greedy.until_ended()
        assert not gate.ended


async def test_what_is_no_message_ends_its_own_stream_alone(
    store_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with replica(store_url) as game, gateway(game) as gate, gateway(game) as other:
        await gate.stream.write(b"\xff\xff\xff")
        await gate.until_ended()
        await game.deal()
        await other.attach(1, seat=1)
    assert "a gateway sent what is no message of ours; its stream is ended" in caplog.messages
