"""`python -m game_service` as it is started: ready, serving, stopped, and clear about what is wrong."""

import asyncio
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from tests.game_service.racing import RACE, gateway_of
from tests.stack import Valkey, free_port

from tilerace.game.v1 import game_pb2, game_pb2_grpc
from wire.serving import LIVENESS, channel

START_S = 60


@asynccontextmanager
async def process(**settings: str) -> AsyncIterator[asyncio.subprocess.Process]:
    started = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "game_service", env=settings, stderr=asyncio.subprocess.PIPE
    )
    try:
        yield started
    finally:
        if started.returncode is None:
            started.kill()
        await started.communicate()


async def wait_serving(opened: grpc.aio.Channel) -> None:
    check = health_pb2_grpc.HealthStub(opened).Check  # type: ignore[attr-defined]  # missing in the stubs
    async with asyncio.timeout(START_S):
        while True:
            try:
                answer = await check(health_pb2.HealthCheckRequest(service="tilerace.game.v1.GameService"))
            except grpc.aio.AioRpcError:
                await asyncio.sleep(0.05)
                continue
            if answer.status == health_pb2.HealthCheckResponse.SERVING:
                return
            await asyncio.sleep(0.05)


async def test_the_service_starts_races_and_stops(store_url: str) -> None:
    listen = f"127.0.0.1:{free_port()}"
    async with (
        process(TILERACE_GAME_LISTEN=listen, TILERACE_REDIS_URL=store_url) as service,
        channel(listen) as opened,
    ):
        await wait_serving(opened)
        stub = game_pb2_grpc.GameServiceStub(opened)
        entrants = [game_pb2.Entrant(seat=seat, name="Ann", browser=bytes([seat]) * 32) for seat in (1, 2)]
        dealt = await stub.Deal(game_pb2.DealRequest(race=RACE, entrants=entrants, rules=game_pb2.Rules()))
        assert len(dealt.commitment) == 64
        async with gateway_of(listen) as gate:
            await gate.subscribe()
            assert len((await gate.news()).standings) == 2
            service.send_signal(signal.SIGTERM)
            await gate.kind("draining")
        assert await service.wait() == 0


async def test_a_store_that_is_away_is_told_in_one_sentence_and_waited_for(tmp_path: Path) -> None:
    valkey, listen = Valkey(tmp_path), f"127.0.0.1:{free_port()}"
    url = valkey.url.replace("//", "//default:hidden@")
    async with (
        process(TILERACE_GAME_LISTEN=listen, TILERACE_REDIS_URL=url) as service,
        channel(listen) as opened,
    ):
        assert service.stderr is not None
        told = await service.stderr.readline()
        assert b"cannot be reached" in told
        assert b"hidden" not in told
        try:
            await asyncio.to_thread(valkey.start)
            await wait_serving(opened)
        finally:
            valkey.stop()


async def test_whoever_waits_for_the_store_is_alive_and_ends_when_told_to() -> None:
    listen = f"127.0.0.1:{free_port()}"
    nowhere = f"redis://127.0.0.1:{free_port()}/0"
    async with (
        process(TILERACE_GAME_LISTEN=listen, TILERACE_REDIS_URL=nowhere) as service,
        channel(listen) as opened,
    ):
        async with asyncio.timeout(START_S):
            await opened.channel_ready()
        check = health_pb2_grpc.HealthStub(opened).Check  # type: ignore[attr-defined]  # missing in the stubs
        answer = await check(health_pb2.HealthCheckRequest(service=LIVENESS))
        assert answer.status == health_pb2.HealthCheckResponse.SERVING
        service.send_signal(signal.SIGTERM)
        assert await service.wait() == 0


@pytest.mark.parametrize("setting", ["TILERACE_GAME_LISTEN", "TILERACE_GAME_LISTENS"])
async def test_a_setting_that_cannot_be_used_is_named(setting: str) -> None:
    async with process(**{setting: "nonsense"}) as service:
        _, told = await service.communicate()
    assert service.returncode == 1
    assert setting.encode() in told
