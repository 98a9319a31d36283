"""A peer that stops reading is noticed, holds little memory, and is dropped; nobody else feels it."""

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator

import pytest
from tests.counted import counted
from tests.web_gateway.seam.peer import TEXT, Peer, handshake, masked
from tests.web_gateway.seam.served import Recorder, Served, until

from web_gateway.seam.frames import BACKLOG, HIGH_WATER

NEWS = b"n" * 1000


@contextlib.asynccontextmanager
async def unread(served: Served, kind: str = "echo") -> AsyncIterator[tuple[socket.socket, Recorder]]:
    """Open a socket of which nothing is read but the handshake's answer."""
    loop = asyncio.get_running_loop()
    with socket.socket() as peer:
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        peer.setblocking(False)
        await loop.sock_connect(peer, ("127.0.0.1", served.port))
        await loop.sock_sendall(peer, handshake(f"/socket/{kind}"))
        await loop.sock_recv(peer, 1000)
        yield peer, await served.listener()


async def fill(listener: Recorder) -> int:
    """Send until the socket is not writable, letting the transport write in between; give the bytes."""
    sent = 0
    while listener.frames.writable:
        listener.frames.send(NEWS)
        sent += len(NEWS)
        await asyncio.sleep(0)
    return sent


async def test_a_socket_stops_being_writable_soon_after_its_peer_stops_reading(served: Served) -> None:
    async with unread(served) as (_, listener):
        assert HIGH_WATER < await fill(listener) < 256 * 1024


async def test_a_peer_that_catches_up_is_writable_again_and_has_lost_nothing(served: Served) -> None:
    async with unread(served) as (peer, listener):
        missing = await fill(listener) // len(NEWS) * (len(NEWS) + 4)
        while missing:
            missing -= len(await asyncio.get_running_loop().sock_recv(peer, missing))
        await until(lambda: listener.frames.writable)
        assert listener.frames.code == 0


async def test_a_peer_with_too_much_unsent_is_dropped(served: Served) -> None:
    async with unread(served) as (_, listener):
        await fill(listener)
        buffered = 0
        while not listener.frames.code:
            buffered = listener.frames._transport.get_write_buffer_size()
            listener.frames.send(NEWS)
        assert BACKLOG - 2 * len(NEWS) < buffered <= BACKLOG
        assert await listener.ending() == 1006
        assert len(served.sockets) == 0


async def test_a_peer_that_only_asks_and_never_reads_is_dropped(served: Served) -> None:
    async with unread(served) as (peer, listener):
        with contextlib.suppress(ConnectionError):
            while not listener.frames.code:
                await asyncio.get_running_loop().sock_sendall(peer, masked(TEXT, b"?" * 125) * 50)
        assert await listener.ending() == 1006


async def test_a_peer_that_does_not_catch_up_in_time_is_dropped(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("web_gateway.seam.frames.STALL_S", 0.05)
    async with unread(served) as (_, listener):
        with (
            counted("tilerace_dropped_total", what="socket"),
            counted("tilerace_sockets_closed_total", code="1006"),
        ):
            await fill(listener)
            assert await listener.ending() == 1006


async def test_a_peer_that_caught_up_in_time_stays(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    async with unread(served) as (peer, listener):
        missing = await fill(listener) // len(NEWS) * (len(NEWS) + 4)
        while missing:
            missing -= len(await asyncio.get_running_loop().sock_recv(peer, missing))
        await until(lambda: listener.frames.writable)
        assert listener.frames._timer is None
        monkeypatch.setattr("web_gateway.seam.frames.STALL_S", 0.0)
        listener.frames.send(b"on")
        assert await asyncio.get_running_loop().sock_recv(peer, 10) == b"\x81\x02on"


async def test_closing_a_socket_that_is_not_read_does_not_hang(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("web_gateway.seam.frames.LINGER_S", 0.05)
    async with unread(served) as (_, listener):
        await fill(listener)
        with counted("tilerace_dropped_total", 0, what="socket"):
            listener.frames.close(4001)
            assert await listener.ending() == 4001


async def test_a_close_from_a_peer_that_does_not_read_does_not_hang(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("web_gateway.seam.frames.LINGER_S", 0.05)
    async with unread(served) as (peer, listener):
        await fill(listener)
        await asyncio.get_running_loop().sock_sendall(peer, masked(0x88, b"\x03\xe8"))
        assert await listener.ending() == 1000


async def test_others_are_served_while_one_does_not_read(served: Served) -> None:
    async with unread(served) as (_, slow), Peer(served.port) as friend:
        await fill(slow)
        await friend.open()
        for number in range(20):
            friend.send(TEXT, b"%d" % number)
            assert await friend.frame() == (TEXT, b"%d" % number)
        assert (slow.frames.writable, slow.frames.code) == (False, 0)
