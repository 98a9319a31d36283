"""When the server stops, sockets hear a goodbye and why (1012)."""

import asyncio
import contextlib

import pytest
from tests.web_gateway.seam.peer import CLOSE, TEXT, Peer, handshake
from tests.web_gateway.seam.served import WAIT_S, Served


async def test_a_socket_hears_the_listener_s_goodbye_and_then_1012(served: Served) -> None:
    async with Peer(served.port) as peer:
        await peer.open()
        stopping = asyncio.create_task(served.server.shutdown())
        assert await peer.frame() == (TEXT, b"bye")
        assert await peer.frame() == (CLOSE, (1012).to_bytes(2))
        peer.send(CLOSE, (1012).to_bytes(2))
        await peer.end()
        await stopping
    assert await served.listeners[0].ending() == 1012


async def test_a_listener_that_fails_to_say_goodbye_holds_up_no_other(served: Served) -> None:
    async with Peer(served.port) as one, Peer(served.port) as other:
        await one.open("break-at-the-end")
        await other.open()
        stopping = asyncio.create_task(served.server.shutdown())
        one_s, other_s = await asyncio.gather(one.ending(), other_ending(other))
        await stopping
    assert (one_s, other_s) == (1011, 1012)


async def other_ending(peer: Peer) -> int:
    """Answer the close as a peer should."""
    assert await peer.frame() == (TEXT, b"bye")
    _, code = await peer.frame()
    peer.send(CLOSE, code)
    await peer.end()
    return int.from_bytes(code)


async def test_the_server_does_not_wait_for_a_peer_that_does_not_answer(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("web_gateway.seam.frames.LINGER_S", 0.05)
    async with Peer(served.port) as peer:
        await peer.open()
        await served.server.shutdown()
        assert await peer.ending() == 1012


async def test_a_handshake_under_way_is_answered_503(served: Served) -> None:
    async with Peer(served.port) as peer:
        peer.writer.write(handshake("/gated"))
        async with asyncio.timeout(WAIT_S):
            while not len(served.sockets):
                await asyncio.sleep(0.005)
        stopping = asyncio.create_task(served.server.shutdown())
        assert (await peer.answer())[0] == 503
        served.gate.set()
        await stopping
    assert served.listeners[0].told == []


async def test_who_leaves_says_goodbye_takes_no_socket_and_still_answers_requests(served: Served) -> None:
    async with Peer(served.port) as peer, Peer(served.port) as late, Peer(served.port) as asks:
        await peer.open()
        leaving = asyncio.create_task(served.sockets.leave())
        assert await peer.frame() == (TEXT, b"bye")
        assert await peer.frame() == (CLOSE, (1012).to_bytes(2))
        late.writer.write(handshake())
        assert (await late.answer())[0] == 503
        assert (await asks.ask(b"GET / HTTP/1.1\r\nHost: here\r\n\r\n"))[0] == 200
        assert not leaving.done()
        peer.send(CLOSE, (1012).to_bytes(2))
        await peer.end()
        async with asyncio.timeout(WAIT_S):
            await leaving


async def test_a_handshake_under_way_when_all_are_sent_away_is_answered_503(served: Served) -> None:
    async with Peer(served.port) as peer:
        peer.writer.write(handshake("/gated"))
        async with asyncio.timeout(WAIT_S):
            while not len(served.sockets):
                await asyncio.sleep(0.005)
        leaving = asyncio.create_task(served.sockets.leave())
        await asyncio.sleep(0)
        served.gate.set()
        assert (await peer.answer())[0] == 503
        await leaving
    assert served.listeners[0].told == []


async def test_a_connection_waiting_for_its_next_request_ends_too(served: Served) -> None:
    async with Peer(served.port) as peer:
        assert (await peer.ask(b"GET / HTTP/1.1\r\nHost: here\r\n\r\n"))[0] == 200
        with contextlib.suppress(ConnectionError):
            await served.server.shutdown()
        await peer.end()
