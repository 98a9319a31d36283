"""Messages over a connection of their own: whole, in order, bounded; and one port for them and for gRPC."""

import asyncio
import contextlib
import socket
import struct
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from functools import partial
from typing import TypeVar

import grpc
import pytest
import uvloop
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from hypothesis import given
from hypothesis import strategies as st
from tests.stack import free_port

from wire import framed, front
from wire.framed import GREETING, Ended, Framed, connect
from wire.limits import MESSAGE_BYTES
from wire.listening import sockets_at
from wire.settings import Address

Result = TypeVar("Result")
ANYWHERE = Address("127.0.0.1", 0)
WAIT_S = 10.0
MUCH = 200 * 1024
"""Bytes of one message; some dozens of them are more than two systems' buffers take."""


class Transport(asyncio.Transport):
    """Nowhere to write to, for bytes that come as a test says."""

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        pass

    def abort(self) -> None:
        pass


def behind_lengths(messages: Sequence[bytes]) -> bytes:
    return b"".join(struct.pack("!I", len(message)) + message for message in messages)


@given(st.lists(st.binary(max_size=40), max_size=8), st.lists(st.integers(0, 400), max_size=12))
def test_messages_come_whole_and_in_order_however_their_bytes_are_cut(
    messages: list[bytes], cuts: list[int]
) -> None:
    async def take() -> list[bytes]:
        taken: list[bytes] = []
        end = Framed()
        end.connection_made(Transport())
        end.start(taken.append)
        data, at = behind_lengths(messages), 0
        for cut in [*sorted(cuts), len(data)]:
            end.data_received(data[at:cut])
            at = max(at, cut)
        return taken

    assert asyncio.run(take()) == messages


async def test_messages_that_came_before_there_was_anybody_to_take_them_are_taken_first() -> None:
    async with pair() as (here, there):
        await here.write(b"one")
        await here.write(b"two")
        taken: asyncio.Queue[bytes] = asyncio.Queue()
        await asyncio.sleep(0.05)
        there.start(taken.put_nowait)
        await here.write(b"three")
        assert [await soon(taken.get()) for _ in range(3)] == [b"one", b"two", b"three"]


async def test_a_message_that_is_too_long_ends_the_connection_before_it_is_read() -> None:
    async with pair() as (here, there):
        there.start(lambda _: None)
        here._transport.write(struct.pack("!I", MESSAGE_BYTES + 1))
        await soon(asyncio.wait([here.ended, there.ended]))
        assert isinstance(there.ended.exception(), ValueError)


async def test_what_the_taker_raises_ends_the_connection_and_is_kept() -> None:
    def take(_: bytes) -> None:
        raise KeyError("of ours")

    async with pair() as (here, there):
        there.start(take)
        await here.write(b"anything")
        await soon(asyncio.wait([here.ended]))
        assert isinstance(there.ended.exception(), KeyError)


async def test_nothing_is_written_to_a_connection_that_has_ended() -> None:
    async with pair() as (here, there):
        there.abort()
        await soon(asyncio.wait([here.ended]))
        with pytest.raises(Ended):
            await here.write(b"late")


async def test_who_writes_waits_for_a_reader_that_is_slow_and_goes_on_when_it_reads() -> None:
    async with pair() as (here, there):
        there._transport.pause_reading()
        taken: list[int] = []
        there.start(lambda message: taken.append(len(message)))
        writing = asyncio.create_task(write_much(here, 100))
        await asyncio.sleep(0.3)
        assert not writing.done()
        there._transport.resume_reading()
        await soon(writing)
        await until_taken(taken, 100)
        assert taken == [MUCH] * 100


async def test_who_waits_for_a_slow_reader_is_told_when_it_is_gone() -> None:
    async with pair() as (here, there):
        there._transport.pause_reading()
        writing = asyncio.create_task(write_much(here, 100))
        await asyncio.sleep(0.3)
        there.abort()
        with pytest.raises(Ended):
            await soon(writing)


async def test_what_was_written_arrives_after_the_writer_has_closed() -> None:
    async with pair() as (here, there):
        taken: list[int] = []
        there.start(lambda message: taken.append(len(message)))
        await here.write(bytes(MUCH))
        here.close()
        await soon(asyncio.wait([there.ended]))
        assert taken == [MUCH]


async def test_an_end_that_has_closed_does_not_wait_for_ever_for_one_that_takes_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(framed, "FLUSH_S", 0.2)
    async with pair() as (here, there):
        there._transport.pause_reading()
        writing = asyncio.create_task(write_much(here, 100))
        await asyncio.sleep(0.3)
        here.close()
        await soon(asyncio.wait([here.ended]))
        with pytest.raises(Ended):
            await soon(writing)


async def test_one_that_says_it_has_no_more_to_say_and_takes_nothing_is_not_waited_for_either(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(framed, "FLUSH_S", 0.2)
    async with pair() as (here, there):
        there._transport.pause_reading()
        writing = asyncio.create_task(write_much(here, 100))
        await asyncio.sleep(0.3)
        there._transport.write_eof()
        await soon(asyncio.wait([here.ended]))
        with pytest.raises(Ended):
            await soon(writing)


async def test_nobody_is_connected_to_where_nobody_listens() -> None:
    with pytest.raises(OSError, match=r"refused|Connect call failed"):
        await connect(f"127.0.0.1:{free_port()}")


async def test_grpc_is_served_at_the_same_port() -> None:
    async with fronted() as port, grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        check = health_pb2_grpc.HealthStub(channel).Check  # type: ignore[attr-defined]  # missing in the stubs
        calls = [check(health_pb2.HealthCheckRequest(service="any"), timeout=WAIT_S) for _ in range(50)]
        answers = await asyncio.gather(*calls)
        assert {answer.status for answer in answers} == {health_pb2.HealthCheckResponse.SERVING}


async def test_grpc_messages_larger_than_what_is_carried_at_once_arrive() -> None:
    async def echo(message: bytes, _: object) -> bytes:
        return message

    much = bytes(range(256)) * 8 * 1024
    handler = grpc.method_handlers_generic_handler(
        "Test", {"Echo": grpc.unary_unary_rpc_method_handler(echo)}
    )
    async with fronted(handler) as port, grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        call = channel.unary_unary("/Test/Echo", bytes, bytes)
        assert await asyncio.gather(*(call(much, timeout=WAIT_S) for _ in range(4))) == [much] * 4


async def test_one_who_takes_nothing_of_what_is_carried_is_given_up_and_so_is_the_far_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(front, "STALLED_S", 0.2)
    gone = asyncio.Event()

    async def write_without_end(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError):
            while True:
                writer.write(bytes(MUCH))
                await writer.drain()
        gone.set()

    async with carried_to(write_without_end) as port:
        with socket.create_connection(("127.0.0.1", port)) as reads_nothing:
            reads_nothing.send(b"anything but our greeting")
            await soon(gone.wait())


async def test_one_who_takes_nothing_is_given_up_where_the_far_end_went_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(front, "STALLED_S", 0.2)
    ours, reads_nothing = socket.socketpair()
    with reads_nothing:
        near, kept_open = await asyncio.get_running_loop().create_connection(Framed, sock=ours)
        near.write(bytes(MUCH * 100))
        front._Carried(near).connection_lost(None)
        await soon(asyncio.wait([kept_open.ended]))


@pytest.mark.parametrize("every", ["0.0.0.0", "::"])
async def test_all_addresses_are_those_of_ipv4_and_of_ipv6(every: str) -> None:
    async with fronted(listen=Address(every, 0)) as port:
        for here in ("127.0.0.1", "::1"):
            (await connected_and_answered(Address(here, port))).close()


async def test_a_name_is_all_its_addresses_that_this_machine_has(monkeypatch: pytest.MonkeyPatch) -> None:
    kind = (socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP, "")
    found = [(*kind, (host, 0)) for host in ("192.0.2.1", "127.0.0.1", "127.0.0.1")]
    with monkeypatch.context() as patched:
        patched.setattr(socket, "getaddrinfo", lambda *_, **__: found)
        (opened,) = sockets_at(Address("localhost", 0))
    with opened:
        assert opened.getsockname()[0] == "127.0.0.1"


async def test_nobody_listens_at_an_address_that_this_machine_has_not() -> None:
    with pytest.raises(OSError, match="assign"):
        sockets_at(Address("192.0.2.1", 0))


async def test_a_connection_that_does_not_say_what_it_is_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(front, "GREET_S", 0.2)
    async with fronted() as port:
        for said in (b"", GREETING[:5]):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(said)
            with contextlib.suppress(ConnectionError):
                assert await soon(reader.read()) == b""
            writer.close()
        await soon(connected_and_answered(Address("127.0.0.1", port)))


async def test_a_greeting_may_come_in_parts_and_with_the_first_message() -> None:
    async with fronted() as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(GREETING[:7])
        await asyncio.sleep(0.05)
        writer.write(GREETING[7:] + behind_lengths([b"at once"]))
        assert await soon(reader.readexactly(11)) == behind_lengths([b"at once"])
        writer.close()


async def test_more_connections_than_are_taken_are_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(front, "MOST", 2)
    async with fronted() as port, contextlib.AsyncExitStack() as opened:
        ends = []
        for _ in range(2):
            ends.append(await connected_and_answered(Address("127.0.0.1", port)))
            opened.callback(ends[-1].close)
        late = await connect(f"127.0.0.1:{port}")
        await soon(asyncio.wait([late.ended]))
        ends[0].close()
        await soon(asyncio.wait([ends[0].ended]))
        await asyncio.sleep(0.05)
        opened.callback((await connected_and_answered(Address("127.0.0.1", port))).close)


async def test_a_stream_that_fails_ends_no_other(caplog: pytest.LogCaptureFixture) -> None:
    async def fail(stream: Framed) -> None:
        stream.start(lambda _: None)
        raise RuntimeError("a fault of ours")

    async with front.listening(ANYWHERE, fail, grpc_port=0, flush_s=0) as port:
        for _ in range(2):
            end = await connect(f"127.0.0.1:{port}")
            await soon(asyncio.wait([end.ended]))
    assert caplog.messages == ["a stream failed"] * 2


async def test_what_was_written_arrives_though_the_port_is_closed() -> None:
    taken: list[int] = []
    async with contextlib.AsyncExitStack() as listening:
        served: asyncio.Queue[Framed] = asyncio.Queue()
        keep = partial(kept, served)
        port = await listening.enter_async_context(
            front.listening(ANYWHERE, keep, grpc_port=0, flush_s=WAIT_S)
        )
        end = await connect(f"127.0.0.1:{port}")
        end._transport.pause_reading()
        stream = await soon(served.get())
        await stream.write(bytes(MUCH * 4))
        stream.close()
        asyncio.get_running_loop().call_later(0.2, end._transport.resume_reading)
        end.start(lambda message: taken.append(len(message)))
    await soon(asyncio.wait([end.ended]))
    assert taken == [MUCH * 4]


def test_who_comes_as_the_port_is_closed_is_sent_away_without_an_error() -> None:
    async def come_late(turns: int) -> None:
        with contextlib.ExitStack() as late:
            async with front.listening(ANYWHERE, echoed, grpc_port=0, flush_s=0) as port:
                for said in (GREETING, b"anything else"):
                    late.enter_context(socket.create_connection(("127.0.0.1", port))).send(said)
                for _ in range(turns):
                    await asyncio.sleep(0)
            await asyncio.sleep(0.005)

    async def come_at_any_turn() -> list[dict[str, object]]:
        told: list[dict[str, object]] = []
        asyncio.get_running_loop().set_exception_handler(lambda _, context: told.append(context))
        for times in range(60):
            await come_late(times % 6)
        return told

    assert uvloop.run(come_at_any_turn()) == []  # the loop of the services


async def kept(served: "asyncio.Queue[Framed]", stream: Framed) -> None:
    served.put_nowait(stream)
    await asyncio.wait([stream.ended])


async def echoed(stream: Framed) -> None:
    """Send back what comes, until the other end has gone."""
    waiting: asyncio.Queue[bytes] = asyncio.Queue()
    stream.start(waiting.put_nowait)
    sending = asyncio.create_task(send_back(stream, waiting))
    await asyncio.wait([stream.ended])
    sending.cancel()


async def send_back(stream: Framed, waiting: "asyncio.Queue[bytes]") -> None:
    while True:
        await stream.write(await waiting.get())


async def connected_and_answered(at: Address) -> Framed:
    end = await connect(str(at))
    taken: asyncio.Queue[bytes] = asyncio.Queue()
    end.start(taken.put_nowait)
    await end.write(b"hello")
    assert await soon(taken.get()) == b"hello"
    return end


@contextlib.asynccontextmanager
async def fronted(*handlers: grpc.GenericRpcHandler, listen: Address = ANYWHERE) -> AsyncIterator[int]:
    """Serve health, and what else is given, by gRPC, and an echo for streams, at one port within the block."""
    server = grpc.aio.server()
    told = health.aio.HealthServicer()
    health_pb2_grpc.add_HealthServicer_to_server(told, server)
    server.add_generic_rpc_handlers(handlers)
    await told.set("any", health_pb2.HealthCheckResponse.SERVING)
    behind = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    async with front.listening(listen, echoed, grpc_port=behind, flush_s=0) as port:
        yield port
        await server.stop(None)


@contextlib.asynccontextmanager
async def carried_to(
    serve: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]],
) -> AsyncIterator[int]:
    """Carry to a server of TCP within the block, which gets the port where that comes in."""
    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        behind = server.sockets[0].getsockname()[1]
        async with front.listening(ANYWHERE, echoed, grpc_port=behind, flush_s=0) as port:
            yield port


@contextlib.asynccontextmanager
async def pair() -> AsyncIterator[tuple[Framed, Framed]]:
    """Connect two ends within the block."""
    served: asyncio.Queue[Framed] = asyncio.Queue()
    async with front.listening(ANYWHERE, partial(kept, served), grpc_port=0, flush_s=0) as port:
        here = await framed.connect(f"127.0.0.1:{port}")
        try:
            yield here, await soon(served.get())
        finally:
            here.abort()


async def write_much(end: Framed, times: int) -> None:
    for _ in range(times):
        await end.write(bytes(MUCH))


async def until_taken(taken: list[int], count: int) -> None:
    async with asyncio.timeout(WAIT_S):
        while len(taken) < count:
            await asyncio.sleep(0.01)


async def soon(work: Awaitable[Result]) -> Result:
    async with asyncio.timeout(WAIT_S):
        return await work
