"""`python -m table_service` as it is started: stopped, paused and gone on, and clear about what is wrong."""

import asyncio
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from tests.stack import START_S, Service, Valkey, free_port, make_stack
from tests.table_service.conftest import Caller, new_browser
from tests.table_service.gateway import Gateway, connecting, holder, replica

from tilerace.table.v1 import table_pb2, table_pb2_grpc
from wire.serving import channel

NAME = b"g" * 16


@pytest.fixture
def service(store_url: str, tmp_path: Path) -> Service:
    return make_stack(store_url, tmp_path).table


def told(**settings: str) -> tuple[int, str]:
    """Start the service with what it cannot use; give its exit code and words."""
    ended = subprocess.run(
        [sys.executable, "-m", "table_service"], env=settings, capture_output=True, timeout=30, check=False
    )
    return ended.returncode, ended.stderr.decode()


async def test_a_replica_that_goes_away_says_so_and_ends_well(service: Service) -> None:
    service.start()
    try:
        async with channel(service.environment["TILERACE_TABLE_LISTEN"]) as opened:
            async with asyncio.timeout(START_S):
                await opened.channel_ready()
            caller = Caller(table_pb2_grpc.TableServiceStub(opened))
            ann = new_browser()
            await caller.open(ann, name="Ann")
            async with Gateway.at(caller.stub) as gateway:
                await gateway.connect(caller.table, ann)
                service.signal(signal.SIGTERM)
                await gateway.until(lambda event: event.HasField("draining"))
                await gateway.call.done_writing()
                assert await gateway.until_ended() is grpc.StatusCode.OK
    finally:
        assert service.stop() == 0


async def test_a_replica_that_was_paused_takes_no_seat_from_a_socket_that_went_elsewhere(
    service: Service, store_url: str
) -> None:
    service.start()
    try:
        async with (
            channel(service.environment["TILERACE_TABLE_LISTEN"]) as opened,
            replica(store_url) as other,
        ):
            async with asyncio.timeout(START_S):
                await opened.channel_ready()
            stub = table_pb2_grpc.TableServiceStub(opened)
            caller, ann = Caller(other), new_browser()
            await caller.open(ann, name="Ann")
            async with Gateway.at(stub, name=NAME, stream=1) as paused:
                await paused.pong(1)
                service.signal(signal.SIGSTOP)
                await paused.send(connecting(1, caller.table, ann))
                async with Gateway.at(other, name=NAME, stream=2) as gateway:
                    _, number = await gateway.connect(caller.table, ann)
                    service.signal(signal.SIGCONT)
                    assert await paused.until_ended() is grpc.StatusCode.UNAVAILABLE
                    await caller.do(ann, rename=table_pb2.Rename(name="Anna"))
                    news = await gateway.until_table(lambda news: news.table.seats[0].name == "Anna")
                    assert holder(news, 1) == number
    finally:
        service.signal(signal.SIGCONT)
        service.stop()


async def test_a_store_that_is_away_is_told_in_one_sentence_and_waited_for(tmp_path: Path) -> None:
    valkey = Valkey(tmp_path)
    service = make_stack(valkey.url.replace("//", "//default:hidden@"), tmp_path).table
    service.start()
    try:
        while not (told := service.log.read_text()):
            await asyncio.sleep(0.02)
        assert "cannot be reached" in told
        assert "hidden" not in told
        await asyncio.to_thread(valkey.start)
        async with (
            channel(service.environment["TILERACE_TABLE_LISTEN"]) as opened,
            asyncio.timeout(START_S),
        ):
            check = health_pb2_grpc.HealthStub(opened).Check  # type: ignore[attr-defined]  # missing in the stubs
            while not await _serves(check):
                await asyncio.sleep(0.05)
    finally:
        service.stop()
        valkey.stop()


async def _serves(check: Callable[..., Awaitable[health_pb2.HealthCheckResponse]]) -> bool:
    try:
        answer = await check(health_pb2.HealthCheckRequest())
    except grpc.aio.AioRpcError:
        return False
    return answer.status == health_pb2.HealthCheckResponse.SERVING


async def test_whoever_waits_for_the_store_ends_when_told_to(tmp_path: Path) -> None:
    service = make_stack(f"redis://127.0.0.1:{free_port()}/0", tmp_path).table
    service.start()
    async with channel(service.environment["TILERACE_TABLE_LISTEN"]) as opened, asyncio.timeout(START_S):
        await opened.channel_ready()
    assert service.stop() == 0


def test_a_store_that_refuses_us_is_told_in_one_sentence(tmp_path: Path) -> None:
    valkey = Valkey(tmp_path, options=("--requirepass", "another"))
    try:
        valkey.start()
        code, words = told(TILERACE_REDIS_URL=valkey.url.replace("//", "//:hidden@"))
    finally:
        valkey.stop()
    assert code == 1
    assert "check TILERACE_REDIS_URL" in words
    assert "hidden" not in words
    assert "Traceback" not in words


@pytest.mark.parametrize("setting", ["TILERACE_TABLE_LISTEN", "TILERACE_GAME_TARGET", "TILERACE_TABLES"])
def test_a_setting_that_cannot_be_used_is_named(setting: str) -> None:
    code, words = told(**{setting: "nonsense"})
    assert code == 1
    assert setting in words
