"""Serving, on real servers: health, reflection, limits, draining, and addresses where nothing can listen."""

import asyncio
import socket
from collections.abc import AsyncIterator

import grpc
import pytest
from grpc_health.v1 import health_pb2
from grpc_reflection.v1alpha import reflection_pb2

from wire.limits import MESSAGE_BYTES, UNARY_BYTES
from wire.listening import check_listen
from wire.serving import LIVENESS, Served, channel, running, serve
from wire.settings import Address, SettingsError

HEALTH = "/grpc.health.v1.Health"
HERE = Address("127.0.0.1", 0)
SERVING = health_pb2.HealthCheckResponse.SERVING
NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING
Handlers = dict[str, "grpc.RpcMethodHandler[bytes, bytes]"]


def add_nothing(server: grpc.aio.Server) -> None:
    assert server


PLAIN = Served(add=add_nothing, names=("tilerace.test.v1.TestService",))


@pytest.fixture
async def port() -> AsyncIterator[int]:
    async with running(PLAIN, HERE, setting="TILERACE_GAME_LISTEN") as port:
        yield port


async def check(peer: grpc.aio.Channel, service: str) -> health_pb2.HealthCheckResponse:
    call = peer.unary_unary(
        f"{HEALTH}/Check",
        request_serializer=health_pb2.HealthCheckRequest.SerializeToString,
        response_deserializer=health_pb2.HealthCheckResponse.FromString,
    )
    return await call(health_pb2.HealthCheckRequest(service=service), timeout=15, wait_for_ready=True)


@pytest.mark.parametrize("service", ["", LIVENESS, *PLAIN.names])
async def test_a_server_says_that_it_serves(port: int, service: str) -> None:
    async with channel(f"127.0.0.1:{port}") as peer:
        assert (await check(peer, service)).status == SERVING


async def test_reflection_lists_the_services(port: int) -> None:
    async with channel(f"127.0.0.1:{port}") as peer:
        ask = peer.stream_stream(
            "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
            request_serializer=reflection_pb2.ServerReflectionRequest.SerializeToString,
            response_deserializer=reflection_pb2.ServerReflectionResponse.FromString,
        )
        call = ask(timeout=15)
        await call.write(reflection_pb2.ServerReflectionRequest(list_services=""))
        answer = await call.read()
        await call.done_writing()
    assert isinstance(answer, reflection_pb2.ServerReflectionResponse)
    assert {service.name for service in answer.list_services_response.service} == {
        "grpc.health.v1.Health",
        "grpc.reflection.v1alpha.ServerReflection",
        "tilerace.test.v1.TestService",
    }


async def test_a_request_of_the_most_bytes_is_answered_and_a_larger_one_refused(port: int) -> None:
    service = "x" * (UNARY_BYTES - 4)  # a tag and a length of three bytes
    async with channel(f"127.0.0.1:{port}") as peer:
        with pytest.raises(grpc.aio.AioRpcError) as told:
            await check(peer, service)
        assert told.value.code() is grpc.StatusCode.NOT_FOUND
        with pytest.raises(grpc.aio.AioRpcError) as told:
            await check(peer, service + "x")
        assert told.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED


async def test_a_message_of_a_stream_may_be_larger_but_has_a_bound_too() -> None:
    async def echo(messages: AsyncIterator[bytes], _context: object) -> AsyncIterator[bytes]:
        async for message in messages:
            yield message[:1]

    def add(server: grpc.aio.Server) -> None:
        handlers: Handlers = {"Echo": grpc.stream_stream_rpc_method_handler(echo)}
        server.add_generic_rpc_handlers([grpc.method_handlers_generic_handler("test.Echo", handlers)])

    async with (
        running(Served(add=add, names=("test.Echo",)), HERE, setting="TILERACE_GAME_LISTEN") as port,
        grpc.aio.insecure_channel(f"127.0.0.1:{port}") as peer,
    ):
        call = peer.stream_stream("/test.Echo/Echo", bytes, bytes)(timeout=15)
        await call.write(b"x" * MESSAGE_BYTES)
        assert await call.read() == b"x"
        await call.write(b"x" * (MESSAGE_BYTES + 1))
        with pytest.raises(grpc.aio.AioRpcError) as told:
            await call.read()
        assert told.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED


async def test_while_it_drains_it_says_so_is_alive_and_finishes_what_is_under_way() -> None:
    stop, under_way, drained = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def slow(_request: bytes, _context: object) -> bytes:
        under_way.set()
        await drained.wait()
        return b"done"

    def add(server: grpc.aio.Server) -> None:
        handlers: Handlers = {"Slow": grpc.unary_unary_rpc_method_handler(slow)}
        server.add_generic_rpc_handlers([grpc.method_handlers_generic_handler("test.Slow", handlers)])

    told: list[int] = []

    async def drain() -> None:
        told.extend([(await check(peer, name)).status for name in ("", "test.Slow", LIVENESS)])
        drained.set()

    served = Served(add=add, names=("test.Slow",), drain=drain)
    where = free_address()
    async with channel(str(where)) as peer, asyncio.TaskGroup() as tasks:
        tasks.create_task(serve(served, where, setting="TILERACE_GAME_LISTEN", stop=stop))
        call = peer.unary_unary("/test.Slow/Slow", bytes, bytes)(b"", timeout=15, wait_for_ready=True)
        await under_way.wait()
        stop.set()
        assert await call == b"done"
    assert told == [NOT_SERVING, NOT_SERVING, SERVING]


async def test_a_drain_that_fails_stops_the_server_all_the_same() -> None:
    async def drain() -> None:
        raise ConnectionError

    served = Served(add=add_nothing, names=(), drain=drain)
    async with running(served, HERE, setting="TILERACE_GAME_LISTEN") as port:
        pass
    check_listen(Address("127.0.0.1", port), "TILERACE_GAME_LISTEN")


async def test_an_error_within_the_block_stops_the_server_at_once(port: int) -> None:
    drained: list[bool] = []

    async def drain() -> None:
        drained.append(True)

    async def fail() -> None:
        async with running(Served(add=add_nothing, names=(), drain=drain), HERE, setting="TILERACE_LISTEN"):
            raise KeyError(port)

    with pytest.raises(KeyError):
        await fail()
    assert drained == []


async def test_a_port_that_is_taken_is_told_in_one_sentence(port: int) -> None:
    with pytest.raises(SettingsError) as told:
        await serve(PLAIN, Address("127.0.0.1", port), setting="TILERACE_GAME_LISTEN")
    assert str(told.value) == (
        f"TILERACE_GAME_LISTEN is '127.0.0.1:{port}', but another program listens there; stop it, or choose another port."
    )


@pytest.mark.parametrize(
    ("host", "reason"),
    [("192.0.2.1", "this machine has no such address"), ("no-such-host.invalid", "no such host is known")],
)
def test_an_address_of_others_is_told_in_one_sentence(host: str, reason: str) -> None:
    with pytest.raises(SettingsError, match=reason):
        check_listen(Address(host, 0), "TILERACE_GAME_LISTEN")


def free_address() -> Address:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return Address("127.0.0.1", int(probe.getsockname()[1]))
