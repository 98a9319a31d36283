"""Whoever floods a socket, drips into it or never reads it is let go before it costs anything; nobody else feels it."""

import asyncio
import contextlib

import pytest
from tests.web_gateway.seam.peer import (
    CLOSE,
    FIRST_TEXT,
    LAST,
    MIDDLE,
    PING,
    PONG,
    TEXT,
    Peer,
    masked,
)
from tests.web_gateway.seam.served import LISTENERS, Recorder, Served, until
from tests.web_gateway.seam.test_heartbeat import beating
from tests.web_gateway.seam.test_slow_readers import unread

from web_gateway.seam import LIMIT, UNHEARD
from web_gateway.seam.frames import BACKLOG, RARE_BURST

SHORT_S = 0.2
FLOODS = {
    "pings": masked(PING),
    "long pings": masked(PING, b"?" * 125),
    "pongs": masked(PONG),
    "empty fragments": masked(MIDDLE),
    "messages in fragments": masked(LAST) + masked(FIRST_TEXT),
}
DRIPS = {
    "a frame's head": bytes((TEXT, 0xFE)),
    "a frame": masked(TEXT, b"x" * 1000)[:-900],
    "a message in fragments": masked(FIRST_TEXT, b"x"),
}


@pytest.mark.parametrize("flood", FLOODS.values(), ids=FLOODS)
async def test_a_flood_of_control_frames_or_fragments_closes_the_socket(served: Served, flood: bytes) -> None:
    async with Peer(served.port) as peer:
        await peer.open()
        peer.send(FIRST_TEXT)
        peer.writer.write(flood * (RARE_BURST + 20))
        assert await peer.ending() == 1008


async def test_a_burst_of_control_frames_passes(served: Served) -> None:
    async with Peer(served.port) as peer:
        await peer.open()
        peer.writer.write(masked(PING, b"?") * (RARE_BURST - 1) + masked(TEXT, b"here"))
        for _ in range(RARE_BURST - 1):
            assert await peer.frame() == (PONG, b"?")
        assert await peer.frame() == (TEXT, b"here")


async def test_the_answers_to_our_pings_are_no_flood(served: Served) -> None:
    async with Peer(served.port) as peer:
        await peer.open()
        listener = await served.listener()
        for _ in range(2 * RARE_BURST):
            listener.frames.ping()
            assert await peer.frame() == (PING, b"")
            peer.send(PONG)
        await until(lambda: listener.told.count(("pong", 0)) == 2 * RARE_BURST)
        assert listener.frames.code == 0


@pytest.mark.parametrize("begun", DRIPS.values(), ids=DRIPS)
async def test_a_message_that_does_not_end_closes_the_socket_though_its_peer_is_heard(
    served: Served, monkeypatch: pytest.MonkeyPatch, begun: bytes
) -> None:
    monkeypatch.setattr("web_gateway.seam.sockets.MESSAGE_S", SHORT_S)
    async with Peer(served.port) as peer, beating(served):
        await peer.open()
        peer.writer.write(begun)
        more = masked(MIDDLE, b"x") if begun == DRIPS["a message in fragments"] else b"\0"
        async with asyncio.TaskGroup() as tasks:
            dripped = tasks.create_task(again_and_again(peer, more))
            while (read := await peer.frame())[0] != CLOSE:
                pass
            dripped.cancel()
        assert read == (CLOSE, UNHEARD.to_bytes(2))


async def test_messages_that_end_in_time_are_none_that_does_not_end(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("web_gateway.seam.sockets.MESSAGE_S", SHORT_S)
    one = masked(TEXT, b"whole")
    async with Peer(served.port) as peer, beating(served):
        await peer.open()
        listener = await served.listener()
        peer.writer.write(one[:3])
        for _ in range(12):
            await asyncio.sleep(SHORT_S / 4)
            peer.writer.write(one[3:] + one[:3])
        await until(lambda: len(listener.texts) == 12)
        assert listener.frames.code == 0


async def test_what_began_is_forgotten_once_it_came_whole(served: Served) -> None:
    async with Peer(served.port) as peer:
        await peer.open()
        listener = await served.listener()
        for begun, rest in [
            (masked(FIRST_TEXT, b"a"), masked(LAST, b"b")),
            (masked(TEXT, b"a" * LIMIT)[:10], masked(TEXT, b"a" * LIMIT)[10:]),
        ]:
            peer.writer.write(begun)
            await until(lambda: listener.frames.began is not None)
            peer.writer.write(rest)
            await until(lambda: listener.frames.began is None)


class Wordy(Recorder):
    """Answers each text with ten times as much, as refusals do."""

    def text(self, message: str) -> None:
        self.told.append(("text", message))
        self.frames.send(b"r" * 10 * len(message))
        self.most = max(getattr(self, "most", 0), self.frames._transport.get_write_buffer_size())


async def test_refusals_that_nobody_reads_do_not_pile_up_within_one_turn(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(LISTENERS, "wordy", Wordy)
    async with unread(served, kind="wordy") as (peer, listener):
        assert isinstance(listener, Wordy)
        with contextlib.suppress(ConnectionError):
            while not listener.frames.code:
                await asyncio.get_running_loop().sock_sendall(peer, masked(TEXT, b"x" * 100) * 2000)
        assert await listener.ending() == 1006
        assert listener.most <= BACKLOG + 2000


async def test_a_storm_of_closes_is_answered_once_and_leaves_nothing_behind(served: Served) -> None:
    for _ in range(30):
        async with Peer(served.port) as peer:
            await peer.open()
            peer.writer.write(masked(CLOSE, b"\x03\xe8") * 50)
            assert await peer.ending() == 1000
    await until(lambda: len(served.sockets) == 0 and not served.server.server_state.connections)


async def test_a_flood_on_one_socket_is_not_felt_on_another(served: Served) -> None:
    async with Peer(served.port) as racer, Peer(served.port) as flooder:
        await racer.open()
        await flooder.open()
        flooder.writer.write(masked(PING, b"?" * 125) * 20_000)
        for _ in range(20):
            racer.send(TEXT, b"slide")
            assert await racer.frame() == (TEXT, b"slide")


async def again_and_again(peer: Peer, data: bytes) -> None:
    """Send until the connection is gone."""
    with contextlib.suppress(ConnectionError):
        while True:
            peer.writer.write(data)
            await asyncio.sleep(SHORT_S / 4)
