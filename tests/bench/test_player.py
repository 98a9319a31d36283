"""A racer of the generator: it reads what the gateway writes, and writes what the gateway reads."""

import socket
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import pytest
from bench.race.keys import DOWN
from bench.race.player import Racer
from bench.race.websocket import PING, PONG, TEXT, Reader

from web_gateway.frames import client, server

RULES = server.Rules(target=None, clock_s=None)
CELLS = (2,) + (0,) * 15
STUCK = (2, 4, 2, 4, 4, 2, 4, 2) * 2


@dataclass
class Game:
    """A racer, and the other end of its socket."""

    racer: Racer
    there: socket.socket

    def tell(self, *frames: server.ServerFrame) -> bool:
        """Have the racer take frames of the gateway; give whether its slide was answered."""
        return self.racer.take(b"".join(framed(TEXT, server.write(frame)) for frame in frames))

    def slides(self) -> int | None:
        """Give the direction in which the racer would slide."""
        return self.racer.direction

    def said(self) -> client.ClientFrame:
        """Read what the racer sent by itself."""
        return of_client(self.there.recv(4096))


@pytest.fixture
def game() -> Iterator[Game]:
    here, there = socket.socketpair()
    there.settimeout(5)
    with here, there:
        yield Game(Racer(here, is_host=True), there)


def framed(opcode: int, payload: bytes) -> bytes:
    """Write a server's frame."""
    size = len(payload)
    head = bytes((size,)) if size < 126 else b"\x7e" + size.to_bytes(2)
    return bytes((0x80 | opcode,)) + head + payload


def of_client(data: bytes) -> client.ClientFrame:
    """Read a client's frame, whose mask is of zeros."""
    start = 6 if data[1] & 0x7F < 126 else 8
    return client.read(data[start:].decode())


def a_table(phase: Literal["racing", "finished"], number: int = 1) -> server.Table:
    race = server.RaceOfTable(
        number=number, rules=RULES, starts_at=0, deadline=None, ended_at=None, commitment="00", racers=()
    )
    return server.Table(
        version=1, table="K7QM2XWP", phase=phase, host=1, seats=(), watchers=0, rules=RULES, race=race,
        you=server.You(seat=1, host=True), now=0,
    )  # fmt: skip


def a_board(cells: tuple[int, ...], *, n: int = 0, race: int = 1, re: int | None = None) -> server.Board:
    return server.Board(race=race, n=n, cells=cells, score=0, stuck=False, slide=None, tile=None, re=re)


def test_a_racer_slides_once_the_race_runs_and_its_board_is_there(game: Game) -> None:
    game.tell(a_board(CELLS, n=4))
    assert game.slides() is None
    game.tell(a_table("racing"))
    assert game.slides() == DOWN
    assert of_client(game.racer.slide()) == client.Slide(id=1, race=1, n=5, direction=client.Direction.DOWN)


def test_a_slide_is_answered_by_its_board_and_by_no_snapshot(game: Game) -> None:
    game.tell(a_table("racing"), a_board(CELLS))
    game.racer.slide()
    assert not game.tell(a_board(CELLS))
    assert game.racer.awaiting
    assert game.tell(a_board(CELLS, n=1, re=1))
    assert not game.racer.awaiting


def test_a_refused_slide_is_no_answer_and_under_way_no_more(game: Game) -> None:
    game.tell(a_table("racing"), a_board(CELLS))
    game.racer.slide()
    assert not game.tell(server.Refused(re=1, of="slide", code="TOO_FAST", message="Too fast.", n=1))
    assert not game.racer.awaiting
    assert game.racer.refused == 1


def test_a_stuck_racer_cannot_slide(game: Game) -> None:
    game.tell(a_table("racing"), a_board(STUCK))
    assert game.slides() is None


def test_the_host_plays_again_and_the_old_board_is_none_of_the_next_race(game: Game) -> None:
    game.tell(a_table("racing"), a_board(CELLS))
    game.tell(a_table("finished"))
    assert game.said() == client.PlayAgain(race=1)
    game.tell(a_table("racing", number=2))
    assert game.slides() is None
    game.tell(a_board(CELLS, race=2))
    assert game.slides() is not None


def test_a_ping_is_answered(game: Game) -> None:
    game.racer.take(framed(PING, b"beat"))
    data = game.there.recv(100)
    assert data[0] & 15 == PONG
    assert data.endswith(b"beat")


def test_a_frame_that_is_cut_anywhere_is_read_whole() -> None:
    both = framed(TEXT, b"one") + framed(TEXT, b"x" * 300)
    for cut in range(len(both)):
        reader = Reader()
        assert reader.take(both[:cut]) + reader.take(both[cut:]) == [(TEXT, b"one"), (TEXT, b"x" * 300)]
