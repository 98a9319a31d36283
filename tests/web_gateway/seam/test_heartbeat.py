"""One timer pings every socket and closes those whose peer has gone silent."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator

import pytest
from tests.web_gateway.seam.peer import CLOSE, PING, PONG, TEXT, Peer
from tests.web_gateway.seam.served import WAIT_S, Served, until

from web_gateway.seam import UNHEARD, Heartbeat

INTERVAL_S = 0.25


@contextlib.asynccontextmanager
async def beating(served: Served) -> AsyncIterator[None]:
    task = asyncio.create_task(Heartbeat(served.sockets, INTERVAL_S).run())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait([task])


async def test_a_silent_peer_is_pinged_and_then_closed(served: Served) -> None:
    async with Peer(served.port) as peer, beating(served):
        await peer.open()
        assert await peer.frame() == (PING, b"")
        async with asyncio.timeout(WAIT_S):
            while (read := await peer.frame()) == (PING, b""):
                pass
        assert read == (CLOSE, UNHEARD.to_bytes(2))


async def test_a_peer_that_answers_stays_and_its_listener_hears_of_it(served: Served) -> None:
    async with Peer(served.port) as peer, beating(served):
        await peer.open()
        for _ in range(4):
            assert await peer.frame() == (PING, b"")
            peer.send(PONG)
        listener = await served.listener()
        await until(lambda: listener.told.count(("pong", 0)) == 4)
        assert listener.frames.code == 0


async def test_a_peer_that_says_anything_counts_as_heard(served: Served) -> None:
    async with Peer(served.port) as peer, beating(served):
        await peer.open()
        pings = 0
        while pings < 4:
            first, _ = await peer.frame()
            pings += first == PING
            if first == PING:
                peer.send(TEXT, b"here")
        assert (await served.listener()).frames.code == 0


async def test_after_a_stall_of_our_own_peers_are_pinged_before_they_are_judged(served: Served) -> None:
    async with Peer(served.port) as peer, beating(served):
        await peer.open()
        await asyncio.sleep(0)
        time.sleep(3 * INTERVAL_S)  # noqa: ASYNC251 - the stall
        assert await peer.frame() == (PING, b"")
        peer.send(PONG)
        assert await peer.frame() == (PING, b"")


async def test_a_closing_socket_is_not_pinged(served: Served) -> None:
    async with Peer(served.port) as peer, beating(served):
        await peer.open()
        (await served.listener()).frames.close(1000)
        while (read := await peer.frame()) == (PING, b""):
            pass  # from before
        assert read == (CLOSE, b"\x03\xe8")
        await peer.end()


async def test_more_sockets_than_fit_one_turn_are_all_pinged(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("web_gateway.seam.sockets._TURN", 3)
    async with contextlib.AsyncExitStack() as stack:
        peers = [await stack.enter_async_context(Peer(served.port)) for _ in range(7)]
        for peer in peers:
            await peer.open()
        await stack.enter_async_context(beating(served))
        assert [await peer.frame() for peer in peers] == [(PING, b"")] * 7
