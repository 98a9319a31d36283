"""One port serves gRPC and streams of messages, and whoever says nothing, takes nothing or comes too late is sent away."""

import asyncio
import contextlib
import socket
from functools import partial

import grpc
import pytest
import uvloop
from grpc_health.v1 import health_pb2, health_pb2_grpc
from tests.counted import counted
from tests.wire.streams import (
    ANYWHERE,
    MUCH,
    WAIT_S,
    behind_lengths,
    carried_to,
    connected_and_answered,
    echoed,
    fronted,
    kept,
    soon,
)

from wire import front
from wire.framed import GREETING, Ended, Framed, connect
from wire.listening import sockets_at
from wire.settings import Address


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


async def test_more_connections_than_are_taken_are_closed_counted_and_told_of_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(front, "MOST", 2)
    async with fronted() as port, contextlib.AsyncExitStack() as opened:
        ends = []
        for _ in range(2):
            ends.append(await connected_and_answered(Address("127.0.0.1", port)))
            opened.callback(ends[-1].close)
        with counted("tilerace_connections_turned_away_total", 3):
            for _ in range(3):
                late = await connect(f"127.0.0.1:{port}")
                await soon(asyncio.wait([late.ended]))
        assert caplog.messages.count("there are too many connections") == 1
        ends[0].close()
        opened.callback((await soon(taken_at_last(port))).close)


async def taken_at_last(port: int) -> Framed:
    """Connect until there is room again."""
    while True:
        end, answered = await connect(f"127.0.0.1:{port}"), asyncio.Event()
        end.start(lambda _, answered=answered: answered.set())  # type: ignore[misc]
        end.ended.add_done_callback(lambda _, answered=answered: answered.set())  # type: ignore[misc]
        with contextlib.suppress(Ended):
            await end.write(b"hello")
        await answered.wait()
        if not end.ended.done():
            return end


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
