# ruff: noqa: INP001 - run by its path
"""What a text costs on the socket: echoes over real sockets, in CPU of the server's process, and memory a connection.

    .venv/bin/python bench/seam.py [SOCKETS] [ROUNDS]

The server runs alone in a process of its own; each round every socket sends one text of 60 bytes and awaits its echo.
"""

import multiprocessing
import resource
import selectors
import socket
import sys
from multiprocessing.connection import Connection
from pathlib import Path

import uvicorn
import uvloop
from starlette.applications import Starlette
from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket

from web_gateway.seam import Frames, Sockets, attach, upgrade

TEXT = bytes((0x81, 0x80 | 60)) + bytes(4) + b"x" * 60
ECHO_SIZE = 62
HANDSHAKE = (
    b"GET / HTTP/1.1\r\nHost: here\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)


class Echo:
    """A listener that sends every text back."""

    __slots__ = ("frames",)

    def opened(self, frames: Frames) -> None:
        """Keep the socket."""
        self.frames = frames

    def text(self, message: str) -> None:
        """Send it back."""
        self.frames.send(message.encode())

    def pong(self) -> None:
        """Pass over it."""

    def leaving(self) -> None:
        """Say nothing."""

    def closed(self, code: int) -> None:
        """Forget nothing: the listener goes with its socket."""


async def _play(websocket: WebSocket) -> None:
    await attach(websocket, Echo())


def _used() -> tuple[float, int]:
    """CPU seconds and resident KiB of this process."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    resident = int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() // 1024
    return usage.ru_utime + usage.ru_stime, resident


def _serve(listening: socket.socket, control: Connection, other: Connection) -> None:
    """Serve, and tell what was used whenever asked; closing the other end of the control ends it."""
    other.close()  # the copy that the fork made
    app = Starlette(routes=[WebSocketRoute("/", _play)])
    config = uvicorn.Config(app, ws=upgrade(Sockets(limit=100_000)), log_config=None, lifespan="off")
    server = uvicorn.Server(config)

    def answer() -> None:
        try:
            control.recv()
        except EOFError:
            server.force_exit = server.should_exit = True
            loop.remove_reader(control.fileno())
        else:
            control.send(_used())

    with listening, control:
        loop = uvloop.new_event_loop()
        loop.add_reader(control.fileno(), answer)
        loop.run_until_complete(server.serve(sockets=[listening]))


def _ask(control: Connection) -> tuple[float, int]:
    control.send(None)
    used: tuple[float, int] = control.recv()
    return used


def _open(port: int) -> socket.socket:
    peer = socket.create_connection(("127.0.0.1", port))
    peer.sendall(HANDSHAKE)
    if b" 101 " not in peer.recv(1000):
        raise ConnectionError("no handshake")
    peer.setblocking(False)
    return peer


def _round(peers: list[socket.socket], ready: selectors.BaseSelector) -> None:
    for peer in peers:
        peer.send(TEXT)
    missing = len(peers) * ECHO_SIZE
    while missing:
        for key, _ in ready.select():
            missing -= len(key.fileobj.recv(4096))  # type: ignore[union-attr]


def main(count: int, rounds: int) -> None:
    """Measure and print one line."""
    with socket.create_server(("127.0.0.1", 0), backlog=1000) as listening:
        ours, theirs = multiprocessing.Pipe()
        process = multiprocessing.get_context("fork").Process(target=_serve, args=(listening, theirs, ours))
        process.start()
        theirs.close()
        port = listening.getsockname()[1]
    peers = [_open(port)]
    _, before_kib = _ask(ours)
    peers += [_open(port) for _ in range(count - 1)]
    before_s, after_kib = _ask(ours)
    ready = selectors.DefaultSelector()
    for peer in peers:
        ready.register(peer, selectors.EVENT_READ)
    for _ in range(rounds):
        _round(peers, ready)
    after_s, _ = _ask(ours)
    ready.close()
    for peer in peers:
        peer.close()
    ours.close()
    process.join(10)
    micros = (after_s - before_s) / (count * rounds) * 1e6
    kib = (after_kib - before_kib) / max(1, count - 1)
    sys.stdout.write(
        f"{count} sockets, {count * rounds} echoes: {micros:.1f} us CPU each, {kib:.1f} KiB a socket\n"
    )


if __name__ == "__main__":
    main(*(int(given) for given in (sys.argv[1:] + ["500", "200"][len(sys.argv) - 1 :])[:2]))
