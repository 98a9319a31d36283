"""What a peer of a gRPC server may take: time, connections, headers; and what HTTP/2 lets a hostile one try."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable

import grpc
import pytest
from grpc_health.v1 import health_pb2
from tests.wire.streams import soon
from tests.wire.test_serving import HEALTH, HERE, PLAIN, SERVING, Handlers, check

from wire import limits, serving
from wire.limits import HEADERS_BYTES
from wire.serving import Served, channel, running

OURS = "tilerace.test.v1.TestService"
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes.fromhex("000000040000000000")
HEADERS, RESET, PING, CONTINUATION = 1, 3, 6, 9
END_STREAM, END_HEADERS = 1, 4
MANY = 5_000


async def wait_for_ever(_request: object, _context: object) -> bytes:
    await asyncio.Event().wait()
    return b""


async def generate_for_ever(_requests: object, _context: object) -> AsyncIterator[bytes]:
    while True:
        yield b"."
        await asyncio.sleep(0.05)


def add(server: grpc.aio.Server) -> None:
    handlers: Handlers = {
        "Wait": grpc.unary_unary_rpc_method_handler(wait_for_ever),
        "Stream": grpc.stream_stream_rpc_method_handler(generate_for_ever),
    }
    for service in (OURS, "test.Other"):
        server.add_generic_rpc_handlers([grpc.method_handlers_generic_handler(service, handlers)])


@pytest.fixture
async def peer(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[grpc.aio.Channel]:
    monkeypatch.setattr(limits, "CALL_S", 0.3)
    async with (
        running(Served(add=add, names=(OURS,)), HERE, setting="TEST") as port,
        channel(f"127.0.0.1:{port}") as peer,
    ):
        yield peer


@pytest.fixture
async def port() -> AsyncIterator[int]:
    async with running(PLAIN, HERE, setting="TEST") as port:
        yield port


@pytest.mark.parametrize("deadline_s", [None, 3600], ids=["none", "an hour"])
async def test_a_call_ends_by_our_deadline_whatever_its_own(
    peer: grpc.aio.Channel, deadline_s: float | None
) -> None:
    call = peer.unary_unary(f"/{OURS}/Wait", bytes, bytes)
    assert await code_of(call(b"", timeout=deadline_s, wait_for_ready=True)) == "DEADLINE_EXCEEDED"


async def test_a_stream_of_health_ends_by_our_deadline(peer: grpc.aio.Channel) -> None:
    watch = peer.unary_stream(
        f"{HEALTH}/Watch",
        request_serializer=health_pb2.HealthCheckRequest.SerializeToString,
        response_deserializer=health_pb2.HealthCheckResponse.FromString,
    )
    call = watch(health_pb2.HealthCheckRequest(), wait_for_ready=True)
    assert await soon(call.read()) == health_pb2.HealthCheckResponse(status=SERVING)
    assert await code_of(call.read()) == "DEADLINE_EXCEEDED"


async def test_a_stream_that_is_none_of_ours_ends_by_our_deadline(peer: grpc.aio.Channel) -> None:
    call = peer.stream_stream("/test.Other/Stream", bytes, bytes)(wait_for_ready=True)

    async def read_all() -> None:
        async for _ in call:
            pass

    assert await code_of(read_all()) == "DEADLINE_EXCEEDED"


async def test_a_stream_of_ours_lives_past_that(peer: grpc.aio.Channel) -> None:
    call = peer.stream_stream(f"/{OURS}/Stream", bytes, bytes)(wait_for_ready=True)
    for _ in range(10):
        assert await soon(call.read()) == b"."


@pytest.mark.parametrize(
    "said", [b"", b"PRI * HT", PREFACE[:-9]], ids=["nothing", "half of it", "no settings"]
)
async def test_a_connection_that_does_not_begin_as_http2_is_closed(
    monkeypatch: pytest.MonkeyPatch, said: bytes
) -> None:
    with_little_time(monkeypatch)
    async with running(PLAIN, HERE, setting="TEST") as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(said)
        with contextlib.suppress(ConnectionError):
            while await soon(reader.read(1000)):
                pass
        writer.transport.abort()


async def test_more_connections_than_are_taken_are_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    with_option(monkeypatch, "grpc.max_allowed_incoming_connections", 3)
    async with running(PLAIN, HERE, setting="TEST") as port, contextlib.AsyncExitStack() as opened:
        kept = []
        for _ in range(3):
            kept.append(await asyncio.open_connection("127.0.0.1", port))
            opened.callback(kept[-1][1].transport.abort)
            kept[-1][1].write(PREFACE)
            assert await soon(kept[-1][0].read(1))
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        opened.callback(writer.transport.abort)
        with contextlib.suppress(ConnectionError):
            assert await soon(reader.read()) == b""


async def test_a_call_whose_headers_are_too_large_is_refused(port: int) -> None:
    async with channel(f"127.0.0.1:{port}") as peer:
        call = peer.unary_unary(f"{HEALTH}/Check", bytes, bytes)
        much = (("x-much", "m" * HEADERS_BYTES),)
        assert (
            await code_of(call(b"", metadata=much, timeout=15, wait_for_ready=True)) == "RESOURCE_EXHAUSTED"
        )
        assert (await check(peer, "")).status == SERVING


def reset(number: int) -> bytes:
    """Open a stream, and give it up at once."""
    stream = 2 * number + 1
    return frame(HEADERS, END_HEADERS | END_STREAM, stream, CALL) + frame(RESET, 0, stream, (8).to_bytes(4))


def go_on(number: int) -> bytes:
    """Send headers without end."""
    field = literal(b"x-%d" % number, b"v" * 100)
    return frame(HEADERS, 0, 1, CALL) if number == 0 else frame(CONTINUATION, 0, 1, field)


def go_on_with_nothing(number: int) -> bytes:
    return frame(HEADERS, 0, 1, CALL) if number == 0 else frame(CONTINUATION, 0, 1, b"")


def ping(number: int) -> bytes:
    return frame(PING, 0, 0, number.to_bytes(8))


@pytest.mark.parametrize("attack", [reset, go_on, go_on_with_nothing, ping])
async def test_what_http2_lets_a_peer_try_keeps_no_other_from_its_answer(
    port: int, attack: Callable[[int], bytes]
) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(PREFACE)
    with contextlib.suppress(ConnectionError):
        for number in range(MANY):
            if number % 100 == 0:
                await soon(writer.drain())
            if writer.is_closing():
                break
            writer.write(attack(number))
    async with channel(f"127.0.0.1:{port}") as peer:
        assert (await check(peer, "")).status == SERVING
    assert reader is not None
    writer.transport.abort()


def frame(kind: int, flags: int, stream: int, payload: bytes) -> bytes:
    return len(payload).to_bytes(3) + bytes((kind, flags)) + stream.to_bytes(4) + payload


def literal(name: bytes, value: bytes) -> bytes:
    return b"\0" + bytes((len(name),)) + name + bytes((len(value),)) + value


CALL = b"".join(
    literal(name, value)
    for name, value in [
        (b":method", b"POST"),
        (b":scheme", b"http"),
        (b":path", f"{HEALTH}/Watch".encode()),
        (b":authority", b"here"),
        (b"content-type", b"application/grpc"),
        (b"te", b"trailers"),
    ]
)


def with_option(monkeypatch: pytest.MonkeyPatch, name: str, value: int) -> None:
    changed = [(each, value if each == name else was) for each, was in limits.SERVER]
    monkeypatch.setattr(serving, "SERVER", changed)


def with_little_time(monkeypatch: pytest.MonkeyPatch) -> None:
    short = {limits.SHAKE_HANDS_MS: 300}
    monkeypatch.setattr(serving, "SERVER", [(name, short.get(was, was)) for name, was in limits.SERVER])


async def code_of(call: object) -> str:
    """Give the name of the code that a call ends with."""
    with pytest.raises(grpc.aio.AioRpcError) as told:
        await soon(call)  # type: ignore[arg-type]  # a call is awaited as it is
    return told.value.code().name
