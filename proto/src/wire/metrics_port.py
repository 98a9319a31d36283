"""The port that metrics are served at: one page, to whoever asks for it soon; in a thread with a loop of its own.

The client library's server has a thread for each connection, for as long as its other end likes.
"""

import asyncio
import contextlib
import threading
from collections.abc import Iterator
from socket import socket

from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from wire.listening import sockets_at
from wire.settings import Address

ANSWER_S = 5.0
"""How long a request may take, from the connection to the last byte of its answer, in seconds."""
MOST = 64
"""How many connections there are at most; more are closed as they come."""
HEAD_BYTES = 8 * 1024
"""The most that a request's line and headers may hold."""
GUARDING = (
    ("x-content-type-options", "nosniff"),
    ("content-security-policy", "default-src 'none'; frame-ancestors 'none'"),
    ("cross-origin-resource-policy", "same-origin"),
    ("cache-control", "no-store"),
)
"""What is counted is for whoever gathers it, and nothing that a page may show or be made of."""
_PATH = b"/metrics"


@contextlib.contextmanager
def serving(listen: Address) -> Iterator[int]:
    """Serve within the block, which gets the port.

    Raises:
        OSError: nothing can listen there.
    """
    sockets = sockets_at(listen)
    port: int = sockets[0].getsockname()[1]
    loop, stop = asyncio.new_event_loop(), asyncio.Event()
    thread = threading.Thread(target=loop.run_until_complete, args=(_serve(sockets, stop),), name="metrics")
    thread.start()
    try:
        yield port
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join()
        loop.close()


async def _serve(sockets: list[socket], stop: asyncio.Event) -> None:
    open_: set[asyncio.StreamWriter] = set()

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        open_.add(writer)
        try:
            if len(open_) <= MOST:
                await _talk(reader, writer)
        finally:
            open_.discard(writer)
            writer.transport.abort()

    servers = [await asyncio.start_server(talk, sock=each, limit=HEAD_BYTES) for each in sockets]
    await stop.wait()
    for server in servers:
        server.close()
    while open_:
        for writer in tuple(open_):
            writer.transport.abort()
        await asyncio.sleep(0)


async def _talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answer one request; whoever takes too long for it, or sends anything else, is sent away."""
    with contextlib.suppress(OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
        async with asyncio.timeout(ANSWER_S):
            writer.write(_answer(await reader.readuntil(b"\r\n\r\n")))
            writer.close()
            await writer.wait_closed()


def _answer(head: bytes) -> bytes:
    method, _, rest = head.partition(b"\r\n")[0].partition(b" ")
    path = rest.partition(b" ")[0].partition(b"?")[0]
    if path != _PATH:
        return _whole("404 Not Found", "text/plain", b"only /metrics is here\n")
    if method != b"GET":
        return _whole("405 Method Not Allowed", "text/plain", b"only GET is understood\n", ("allow", "GET"))
    return _whole("200 OK", CONTENT_TYPE_LATEST, generate_latest())


def _whole(status: str, media_type: str, body: bytes, *more: tuple[str, str]) -> bytes:
    of_body = (("content-type", media_type), ("content-length", str(len(body))), ("connection", "close"))
    fields = "".join(f"{name}: {value}\r\n" for name, value in (*of_body, *GUARDING, *more))
    return f"HTTP/1.1 {status}\r\n{fields}\r\n".encode() + body


__all__ = ["GUARDING", "serving"]
