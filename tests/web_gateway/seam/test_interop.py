"""A client library written by others understands us, and we it."""

import pytest
from tests.web_gateway.seam.served import Served
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.protocol import State


def client(served: Served, path: str = "/socket/echo") -> connect:
    return connect(f"ws://127.0.0.1:{served.port}{path}", proxy=None)


async def closed(socket: ClientConnection) -> int:
    with pytest.raises(ConnectionClosed) as caught:
        await socket.recv()
    assert caught.value.rcvd is not None
    return caught.value.rcvd.code


async def test_texts_of_all_sizes_go_there_and_back(served: Served) -> None:
    async with client(served) as socket:
        for size in (0, 1, 125, 126, 1000, 4096):
            await socket.send("x" * size)
            assert await socket.recv() == "x" * size


async def test_a_text_in_fragments_comes_back_whole(served: Served) -> None:
    async with client(served) as socket:
        await socket.send(["to", "", "geth", "er"])
        assert await socket.recv() == "together"


async def test_its_ping_is_answered(served: Served) -> None:
    async with client(served) as socket:
        assert await (await socket.ping("now")) >= 0


async def test_compression_it_offers_is_not_taken_up(served: Served) -> None:
    async with client(served) as socket:
        assert socket.protocol.extensions == []


async def test_its_close_is_answered(served: Served) -> None:
    async with client(served) as socket:
        await socket.close(3001, "enough")
        assert (socket.state, socket.close_code) == (State.CLOSED, 3001)
    assert await served.listeners[0].ending() == 3001


@pytest.mark.parametrize(("message", "code"), [("x" * 4097, 1009), (b"bytes", 1003)])
async def test_it_reads_why_it_was_closed(served: Served, message: str | bytes, code: int) -> None:
    async with client(served) as socket:
        await socket.send(message)
        assert await closed(socket) == code


async def test_it_reads_our_own_close(served: Served) -> None:
    async with client(served, "/socket/close") as socket:
        await socket.send("close, please")
        assert await closed(socket) == 4001


async def test_it_reads_the_body_of_a_denial(served: Served) -> None:
    with pytest.raises(InvalidStatus) as caught:
        async with client(served, "/denied"):
            pass
    assert caught.value.response.status_code == 404
    assert caught.value.response.body == b'{"error":"TABLE_UNKNOWN"}'
