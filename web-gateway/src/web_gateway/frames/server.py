"""What the server sends: one struct a frame, told apart by `type`.

A board frame is written by hand where it answers a slide (`answers.py`); `Board` here says its shape.
"""

from typing import Literal

import msgspec
from msgspec import UNSET, Struct, UnsetType

Re = str | int | None
Reach = Literal["public", "network", "loopback"]
Phase = Literal["gathering", "countdown", "racing", "finished"]
Reason = Literal["TARGET", "LAST_IN_RACE", "ALL_STUCK", "OUTSCORED", "TIME_UP", "AGREED"]
DirectionWord = Literal["up", "down", "left", "right"]
StateWord = Literal["sliding", "stuck", "out"]
OutWord = Literal["resigned", "left_behind"]
OfferOutcome = Literal["declined", "slid", "lapsed", "agreed"]
FreedWhy = Literal["host", "away", "not_dealt"]


class _Frame(Struct, frozen=True, kw_only=True, tag_field="type"):
    """What the server sends."""


class _Part(Struct, frozen=True, kw_only=True):
    """What is inside of a frame."""


class Hello(_Frame, tag="hello", frozen=True):
    """The first frame of a connection: `link` is the address to give to friends."""

    build: str
    link: str
    reach: Reach
    clocks_s: tuple[int, ...]
    countdown_ms: int
    ping_ms: int
    grace_ms: int
    now: int


class Rules(_Part, frozen=True):
    """What a race is raced for: a tile's value, seconds; null is none of it."""

    target: int | None
    clock_s: int | None


class Seat(_Part, frozen=True):
    """A seat: `name` is null where nobody sits, and then there is no more to say.

    `away_until` is when grace ends, null while connected.
    """

    seat: int
    name: str | None
    ready: bool | UnsetType = UNSET
    connected: bool | UnsetType = UNSET
    away_until: int | UnsetType | None = UNSET
    tally: int | float | UnsetType = UNSET


class Racer(_Part, frozen=True):
    """Who was dealt in, by the seat raced in."""

    seat: int
    name: str


class RaceOfTable(_Part, frozen=True):
    """The table's race; `commitment` is null until it is dealt, `deadline` null without a clock."""

    number: int
    rules: Rules
    starts_at: int | None
    deadline: int | None
    ended_at: int | None
    commitment: str | None
    racers: tuple[Racer, ...]


class You(_Part, frozen=True):
    """Whether this socket's browser has a seat, and is the host."""

    seat: int | None
    host: bool


class Table(_Frame, tag="table", frozen=True):
    """The table as everyone may see it. On one connection it grows by version; of equal ones the later counts."""

    version: int
    table: str
    phase: Phase
    host: int | None
    seats: tuple[Seat, ...]
    watchers: int
    rules: Rules
    race: RaceOfTable | None
    you: You
    now: int


class Standing(_Part, frozen=True):
    """What everyone may know of a racer; `biggest` is a tile's value. `out` is there where `state` is out."""

    seat: int
    score: int
    biggest: int
    slides: int
    state: StateWord
    out: OutWord | UnsetType = UNSET


class Offer(_Part, frozen=True):
    """A peace offer that stands until `until`."""

    by: int
    agreed: tuple[int, ...]
    until: int


class LastOffer(_Part, frozen=True):
    """How the last peace offer ended, and by whom; `seat` is null where nobody ended it."""

    by: int
    outcome: OfferOutcome
    seat: int | None


class Verdict(_Part, frozen=True):
    """How the race ended: a winner, or those who tied."""

    winner: int | None
    tied: tuple[int, ...]
    reason: Reason


class Race(_Frame, tag="race", frozen=True):
    """How a race stands. On one connection it grows by (race, version)."""

    race: int
    version: int
    standings: tuple[Standing, ...]
    offer: Offer | None
    last_offer: LastOffer | None
    verdict: Verdict | None
    now: int


class SlideMade(_Part, frozen=True):
    """A slide that was made: motions are (from, to, merged) by cell."""

    direction: DirectionWord
    points: int
    motions: tuple[tuple[int, int, bool], ...]


class Tile(_Part, frozen=True):
    """The tile that appeared."""

    cell: int
    value: int


class Board(_Frame, tag="board", frozen=True):
    """One's own board after `n` slides: 16 values row by row, 0 for empty; `slide` and `tile` are null in a snapshot."""

    race: int
    n: int
    cells: tuple[int, ...]
    score: int
    stuck: bool
    slide: SlideMade | None
    tile: Tile | None
    re: Re


class RevealedBoard(_Part, frozen=True):
    """A racer's final board."""

    seat: int
    cells: tuple[int, ...]


class Reveal(_Frame, tag="reveal", frozen=True):
    """After the verdict, to everyone: the seed in hex, and all final boards."""

    race: int
    seed: str
    boards: tuple[RevealedBoard, ...]


class Refused(_Frame, tag="refused", frozen=True):
    """A frame was refused: `of` is its type. For a slide there is its `n`, and a snapshot of the board follows."""

    re: Re
    of: str | None
    code: str
    message: str
    n: int | UnsetType | None = UNSET


class Done(_Frame, tag="done", frozen=True):
    """What was asked for is done; the frame that shows it came before."""

    re: str | int


class Pong(_Frame, tag="pong", frozen=True):
    """The answer to ping."""

    t: int | float
    now: int
    re: str | int | UnsetType = UNSET


class Moved(_Frame, tag="moved", frozen=True):
    """Another tab of this browser is here now; the socket closes with 4001."""


class Freed(_Frame, tag="freed", frozen=True):
    """You no longer sit."""

    why: FreedWhy


class Bye(_Frame, tag="bye", frozen=True):
    """The server goes away; come back after `retry_ms`. The socket closes with 1012.

    It is another time for each socket, so that not all come at once: up to 500, with many sockets up to 2000.
    """

    retry_ms: int


ServerFrame = Hello | Table | Race | Board | Reveal | Refused | Done | Pong | Moved | Freed | Bye

_ENCODER = msgspec.json.Encoder()


def write(frame: ServerFrame) -> bytes:
    """Write a frame as JSON.

    >>> write(Moved())
    b'{"type":"moved"}'
    """
    return _ENCODER.encode(frame)
