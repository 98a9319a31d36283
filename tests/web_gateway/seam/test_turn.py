"""What is sent within a turn waits for its end, is written at once for each socket, and is never lost or out of order."""

import asyncio
import contextlib

import pytest
from tests.web_gateway.seam.peer import CLOSE, TEXT, Peer
from tests.web_gateway.seam.served import Served

from web_gateway.seam import Turn
from web_gateway.seam.frames import BACKLOG


class Written:
    def __init__(self) -> None:
        self.writes: list[bytes] = []

    def write(self, whole: bytes) -> None:
        self.writes.append(whole)

    def get_write_buffer_size(self) -> int:
        return 0


class Failing:
    """A transport that cannot be written."""

    def __init__(self, transport: asyncio.Transport) -> None:
        self.abort = transport.abort

    def write(self, _whole: bytes) -> None:
        raise RuntimeError("no more")


async def test_a_socket_is_written_once_at_the_end_of_a_turn(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with Peer(served.port) as peer:
        await peer.open()
        frames, written = (await served.listener()).frames, Written()
        monkeypatch.setattr(frames, "_transport", written)
        with served.sockets.turn:
            frames.send(b"one")
            frames.send(b"two")
            assert written.writes == []
        frames.send(b"three")
        monkeypatch.undo()
        assert written.writes == [b"\x81\x03one\x81\x03two", b"\x81\x05three"]


async def test_frames_of_a_turn_come_before_those_sent_later(served: Served) -> None:
    async with Peer(served.port) as peer:
        await peer.open()
        frames = (await served.listener()).frames
        with served.sockets.turn:
            frames.send(b"one")
            frames.send(b"two")
        frames.send(b"three")
        assert [await peer.frame() for _ in range(3)] == [(TEXT, b"one"), (TEXT, b"two"), (TEXT, b"three")]


async def test_a_turn_that_fails_sends_what_was_sent_in_it(served: Served) -> None:
    async with Peer(served.port) as peer:
        await peer.open()
        frames = (await served.listener()).frames
        with contextlib.suppress(ValueError), served.sockets.turn:
            frames.send(b"one")
            raise ValueError
        assert await peer.frame() == (TEXT, b"one")
        with served.sockets.turn:
            frames.send(b"two")
        assert await peer.frame() == (TEXT, b"two")


async def test_what_precedes_a_close_in_its_turn_is_sent_and_what_follows_is_not(served: Served) -> None:
    async with Peer(served.port) as peer:
        await peer.open()
        frames = (await served.listener()).frames
        with served.sockets.turn:
            frames.send(b"bye")
            frames.close(4001)
            frames.send(b"too late")
        assert [await peer.frame(), await peer.frame()] == [(TEXT, b"bye"), (CLOSE, (4001).to_bytes(2))]


async def test_a_socket_cut_within_a_turn_does_not_keep_others_from_their_frames(served: Served) -> None:
    async with Peer(served.port) as gone, Peer(served.port) as peer:
        await gone.open()
        cut = (await served.listener()).frames
        await peer.open()
        frames = served.listeners[-1].frames
        with served.sockets.turn:
            cut.send(b"one")
            frames.send(b"one")
            cut.abort()
        assert await peer.frame() == (TEXT, b"one")
        await gone.end()


async def test_a_transport_that_fails_ends_its_socket_and_no_other(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with Peer(served.port) as lost, Peer(served.port) as peer:
        await lost.open()
        losing = await served.listener()
        await peer.open()
        frames = served.listeners[-1].frames
        monkeypatch.setattr(losing.frames, "_transport", Failing(losing.frames._transport))
        with served.sockets.turn:
            losing.frames.send(b"one")
            frames.send(b"one")
        assert await peer.frame() == (TEXT, b"one")
        assert await losing.ending() == 1006


async def test_a_turn_in_which_more_is_sent_than_may_wait_drops_a_peer_that_does_not_read(
    served: Served,
) -> None:
    async with Peer(served.port) as peer:
        await peer.open()
        listener = await served.listener()
        with served.sockets.turn:
            for _ in range(100):
                listener.frames.send(b"x" * (BACKLOG // 10))
        assert await listener.ending() == 1006


def test_turns_do_not_nest() -> None:
    turn = Turn()
    with turn, pytest.raises(RuntimeError), turn:
        pass
    assert turn.held is None
