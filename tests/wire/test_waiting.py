"""Waiting for the store: what a service's process says and does until there is one."""

import asyncio
import socket
from collections.abc import AsyncIterator
from pathlib import Path

import grpc
import pytest
from grpc_health.v1 import health_pb2
from tests.stack import Valkey, free_port

from wire.listening import check_listen
from wire.serving import LIVENESS, channel
from wire.settings import Address, SettingsError
from wire.store import Store, StoreRefused
from wire.waiting import Waiting

SETTING = "TILERACE_GAME_LISTEN"
STOPS_S = 5.0
NAME = "tilerace.test.v1.TestService"
SERVING = health_pb2.HealthCheckResponse.SERVING
NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING


@pytest.fixture
def waiting() -> Waiting:
    return Waiting(names=(NAME,), listen=Address("127.0.0.1", free_port()), setting=SETTING)


@pytest.fixture
async def peer(waiting: Waiting) -> AsyncIterator[grpc.aio.Channel]:
    """Give a channel to where a store is waited for that is away."""
    nowhere = f"redis://127.0.0.1:{free_port()}/0"
    async with channel(str(waiting.listen)) as peer, asyncio.TaskGroup() as tasks:
        task = tasks.create_task(waiting.for_store(nowhere, stop=asyncio.Event()))
        await peer.channel_ready()
        yield peer
        task.cancel()


async def check(peer: grpc.aio.Channel, service: str) -> int:
    call = peer.unary_unary(
        "/grpc.health.v1.Health/Check",
        request_serializer=health_pb2.HealthCheckRequest.SerializeToString,
        response_deserializer=health_pb2.HealthCheckResponse.FromString,
    )
    answer = await call(health_pb2.HealthCheckRequest(service=service), timeout=15)
    return int(answer.status)


async def test_while_the_store_is_away_the_process_is_alive_and_not_ready(peer: grpc.aio.Channel) -> None:
    assert await check(peer, LIVENESS) == SERVING
    assert await check(peer, "") == NOT_SERVING
    assert await check(peer, NAME) == NOT_SERVING


async def test_while_the_store_is_away_calls_and_streams_are_unavailable(peer: grpc.aio.Channel) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as told:
        await peer.unary_unary(f"/{NAME}/Any", bytes, bytes)(b"", timeout=15)
    assert told.value.code() is grpc.StatusCode.UNAVAILABLE
    with pytest.raises(grpc.aio.AioRpcError) as told:
        await peer.stream_stream(f"/{NAME}/Any", bytes, bytes)(timeout=15).read()
    assert told.value.code() is grpc.StatusCode.UNAVAILABLE


async def test_once_the_store_is_there_the_address_is_left_to_the_service(
    tmp_path: Path, waiting: Waiting
) -> None:
    valkey = Valkey(tmp_path)
    async with channel(str(waiting.listen)) as peer, asyncio.TaskGroup() as tasks:
        reached = tasks.create_task(waiting.for_store(valkey.url, stop=asyncio.Event()))
        await peer.channel_ready()
        try:
            await asyncio.to_thread(valkey.start)
            store = await reached
            assert store is not None
            assert await store.read([("GET", "{b00}:n")]) == [None]
            await store.aclose()
        finally:
            valkey.stop()
    check_listen(waiting.listen, SETTING)


async def test_where_the_store_is_there_nothing_else_listens_first(store_url: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        waiting = Waiting(names=(), listen=Address("127.0.0.1", taken.getsockname()[1]), setting=SETTING)
        store = await waiting.for_store(store_url, stop=asyncio.Event())
    assert isinstance(store, Store)
    await store.aclose()


async def test_whoever_is_told_to_stop_waits_no_longer(waiting: Waiting) -> None:
    stop = asyncio.Event()
    async with channel(str(waiting.listen)) as peer, asyncio.TaskGroup() as tasks:
        reached = tasks.create_task(waiting.for_store(f"redis://127.0.0.1:{free_port()}/0", stop=stop))
        await peer.channel_ready()
        stop.set()
        async with asyncio.timeout(STOPS_S):
            assert await reached is None
    check_listen(waiting.listen, SETTING)


async def test_a_store_that_refuses_us_is_not_waited_for(tmp_path: Path, waiting: Waiting) -> None:
    valkey = Valkey(tmp_path, options=("--requirepass", "another"))
    try:
        await asyncio.to_thread(valkey.start)
        with pytest.raises(StoreRefused):
            await waiting.for_store(valkey.url, stop=asyncio.Event())
    finally:
        valkey.stop()


async def test_an_address_where_nothing_can_listen_is_told_while_waiting() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        waiting = Waiting(names=(), listen=Address("127.0.0.1", taken.getsockname()[1]), setting=SETTING)
        with pytest.raises(SettingsError, match="another program listens there"):
            await waiting.for_store(f"redis://127.0.0.1:{free_port()}/0", stop=asyncio.Event())
