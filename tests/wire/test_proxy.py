"""The bad network of the tests: what it does to a connection is something that a network can do to one."""

import asyncio
import contextlib
from collections.abc import AsyncIterator

from tests.proxy import CLEAR, LOST, Proxy

ANSWER_S = 5.0
SOON_S = 0.2


async def test_a_connection_that_lost_bytes_carries_none_ever_after_and_others_do() -> None:
    async with echoing() as port, Proxy.to(port) as line:
        reader, writer = await asyncio.open_connection("127.0.0.1", line.port)
        assert await asked(reader, writer, b"one") == b"one"
        line.up.weather = LOST
        assert await asked(reader, writer, b"two", seconds=SOON_S) is None
        line.up.weather = CLEAR
        assert await asked(reader, writer, b"six", seconds=SOON_S) is None, "a connection went on past a hole"
        another = await asyncio.open_connection("127.0.0.1", line.port)
        assert await asked(*another, b"ten") == b"ten"
        for each in (writer, another[1]):
            each.close()


async def asked(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, word: bytes, *, seconds: float = ANSWER_S
) -> bytes | None:
    """Send three bytes, and give the next three that come back, or None where none do in time."""
    writer.write(word)
    try:
        async with asyncio.timeout(seconds):
            return await reader.readexactly(3)
    except TimeoutError:
        return None


@contextlib.asynccontextmanager
async def echoing() -> AsyncIterator[int]:
    """Send back whatever comes to a port, within the block."""

    async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(64):
            writer.write(data)
        writer.close()

    server = await asyncio.start_server(echo, "127.0.0.1", 0)
    try:
        yield int(server.sockets[0].getsockname()[1])
    finally:
        server.close()
