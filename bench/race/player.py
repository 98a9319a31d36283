"""Who plays in the generator: what every player can do, and how those of tilerace do it."""

import json
import socket
from collections.abc import Callable
from dataclasses import dataclass, field
from http.client import HTTPConnection
from typing import Protocol

import msgspec
from bench.race.keys import choose
from bench.race.websocket import PING, PONG, TEXT, Reader, connect, frame

NAMES = ("Ann", "Bo", "Cy", "Di")
WAIT_S = 30.0


class Player(Protocol):
    """One socket that slides, one slide at a time."""

    sock: socket.socket
    ready: bool
    """Whether it may slide now."""

    def slide(self) -> bytes:
        """Give the bytes of the next slide; it is not `ready` until that is answered."""

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
    """A racer of tilerace; when a race is over its host has them play again, and all go on."""

    sock: socket.socket
    reader: Reader = field(default_factory=Reader)
    ready: bool = False
    race: int = 0
    n: int = 0
    cells: tuple[int, ...] = ()
    racing: bool = False
    is_host: bool = False
    refused: int = 0
    _awaits: bool = False

    def slide(self) -> bytes:
        """Give the next slide that changes the board."""
        self.ready, self._awaits = False, True
        direction = choose(self.cells)
        text = f'{{"type":"slide","id":1,"race":{self.race},"n":{self.n + 1},"direction":"{direction}"}}'
        return frame(TEXT, text.encode())

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
                self._awaits = False
            elif opcode == PING:
                self.sock.send(frame(PONG, payload))
        return answered

    def _board(self, board: _Board) -> bool:
        answered = self._awaits and board.re is not None and board.race == self.race
        self.race, self.n, self.cells = board.race, board.n, board.cells
        self._awaits = self._awaits and not answered
        self._may_go_on()
        return answered

    def _table(self, payload: bytes) -> None:
        table = json.loads(payload)
        self.racing = table["phase"] == "racing"
        if table["phase"] == "finished" and self.is_host:
            self.sock.send(frame(TEXT, f'{{"type":"play_again","race":{table["race"]["number"]}}}'.encode()))
        self._may_go_on(number=table["race"]["number"] if table["race"] else 0)

    def _may_go_on(self, number: int | None = None) -> None:
        if number not in {None, self.race}:
            self.ready = self._awaits = False
            return
        self.ready = self.racing and not self._awaits and bool(self.cells) and choose(self.cells) is not None


def seat_racers(port: int, count: int) -> list[Racer]:
    """Open tables of four, have everyone sit and be ready, and start all races; give the racers, whose boards are alive."""
    racers: list[Racer] = []
    for start in range(0, count, len(NAMES)):
        racers += _table_of(port, min(len(NAMES), count - start))
    for racer in racers:
        _until(racer, lambda racer=racer: racer.ready)  # type: ignore[misc]
    return racers


def _table_of(port: int, size: int) -> list[Racer]:
    connection = HTTPConnection("127.0.0.1", port, timeout=WAIT_S)
    rules = json.dumps({"name": NAMES[0], "rules": {"target": None, "clock_s": None}})
    connection.request("POST", "/api/tables", rules, {"content-type": "application/json"})
    answer = connection.getresponse()
    opened = json.loads(answer.read())
    cookie = str(answer.getheader("set-cookie")).partition(";")[0]
    connection.close()
    path = f"/api/tables/{opened['table']}/socket"
    racers = [Racer(connect(port, path, cookie=cookie)[0], is_host=True)]
    for name in NAMES[1:size]:
        racer = Racer(connect(port, path)[0])
        _ask(racer, {"type": "sit", "name": name})
        _ask(racer, {"type": "ready", "ready": True})
        racers.append(racer)
    _ask(racers[0], {"type": "start"})
    return racers


def _ask(racer: Racer, asked: dict[str, object]) -> None:
    """Ask, and wait until it is done.

    Raises:
        RuntimeError: it was refused.
    """
    racer.sock.sendall(frame(TEXT, json.dumps(asked | {"id": "asked"}).encode()))
    heard = b""
    while b'"re":"asked"' not in heard:
        data = racer.sock.recv(65536)
        heard += data
        racer.take(data)
    if b'{"type":"done","re":"asked"' not in heard:
        raise RuntimeError(f"{asked} was answered {heard!r}")


def _until(racer: Racer, holds: Callable[[], bool]) -> None:
    while not holds():
        racer.take(racer.sock.recv(65536))
