"""Who plays in the generator: what every player can do, and how those of tilerace do it."""

import json
import socket
from dataclasses import dataclass, field
from typing import Protocol

import msgspec
from bench.race.keys import VALUES, choose
from bench.race.websocket import PING, PONG, TEXT, Reader, connect, frame

_NAMES = (b"up", b"down", b"left", b"right")
SLIDES_A_SECOND = 58
"""A socket of tilerace may make 60 in the long run; a person makes ten."""


class Player(Protocol):
    """One socket that slides, one slide at a time."""

    sock: socket.socket
    awaiting: bool
    """Whether a slide is under way."""
    gap_s: float
    """How far apart its slides must be."""

    @property
    def direction(self) -> int | None:
        """Which way it would slide now; None where it cannot, be it that its board is stuck or that it awaits a race."""

    def slide(self) -> bytes:
        """Give the bytes of the slide in its `direction`."""

    def take(self, data: bytes) -> bool:
        """Take what was received; tell whether the slide under way was answered by it."""


class _Board(msgspec.Struct):
    race: int
    n: int
    cells: tuple[int, ...]
    re: str | int | None = None


_BOARD = msgspec.json.Decoder(_Board)


@dataclass(slots=True, eq=False)
class Racer:
    """A browser at a table of tilerace; when a race is over its host has all play again."""

    sock: socket.socket
    reader: Reader = field(default_factory=Reader)
    direction: int | None = None
    awaiting: bool = False
    gap_s: float = 1 / SLIDES_A_SECOND
    race: int = 0
    n: int = 0
    cells: tuple[int, ...] = ()
    racing: bool = False
    is_host: bool = False
    refused: int = 0

    @classmethod
    def at(cls, port: int, path: str, *, cookie: str = "") -> "Racer":
        """Connect to a table's socket."""
        return cls(connect(port, path, cookie=cookie)[0], is_host=bool(cookie))

    def slide(self) -> bytes:
        """Write the slide that was chosen."""
        assert self.direction is not None  # noqa: S101  the loop asks
        self.awaiting = True
        return frame(
            TEXT,
            b'{"type":"slide","id":1,"race":%d,"n":%d,"direction":"%b"}'
            % (self.race, self.n + 1, _NAMES[self.direction]),
        )

    def take(self, data: bytes) -> bool:
        """Take frames; standings are passed over, as a page would at little cost."""
        answered = False
        for opcode, payload in self.reader.take(data):
            if payload.startswith(b'{"type":"board"'):
                answered = self._board(_BOARD.decode(payload)) or answered
            elif payload.startswith(b'{"type":"table"'):
                self._table(payload)
            elif payload.startswith(b'{"type":"refused"'):
                self.refused += 1
                self.awaiting = False
            elif opcode == PING:
                self.sock.send(frame(PONG, payload))
        return answered

    def ask(self, asked: dict[str, object]) -> None:
        """Ask, and wait until it is done; the socket has to block.

        Raises:
            RuntimeError: it was refused.
        """
        self.sock.sendall(frame(TEXT, json.dumps(asked | {"id": "asked"}).encode()))
        heard = b""
        while b'"re":"asked"' not in heard:
            data = self.sock.recv(65536)
            heard += data
            self.take(data)
        if b'{"type":"done","re":"asked"' not in heard:
            raise RuntimeError(f"{asked} was answered {heard!r}")

    def wait_to_slide(self) -> None:
        """Wait until the board is alive; the socket has to block."""
        while self.direction is None:
            self.take(self.sock.recv(65536))

    def _board(self, board: _Board) -> bool:
        answered = self.awaiting and board.re is not None and board.race == self.race
        self.race, self.n, self.cells = board.race, board.n, board.cells
        if answered:
            self.awaiting = False
        self._choose()
        return answered

    def _table(self, payload: bytes) -> None:
        table = json.loads(payload)
        self.racing = table["phase"] == "racing"
        if table["phase"] == "finished" and self.is_host:
            again = {"type": "play_again", "race": table["race"]["number"]}
            self.sock.send(frame(TEXT, json.dumps(again).encode()))
        if table["race"] and table["race"]["number"] != self.race:
            self.awaiting, self.cells = False, ()
        self._choose()

    def _choose(self) -> None:
        self.direction = choose(self.cells, VALUES) if self.racing and self.cells else None
