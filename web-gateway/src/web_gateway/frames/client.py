"""What a client may send: one struct a frame, told apart by `type`, and how a text is read as one of them."""

from enum import StrEnum
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

MOST_N = 2**32 - 1
MOST_RACE = 2**31 - 1
LONGEST_ID = 64
LONGEST_TYPE = 32

Id = Annotated[str, Meta(max_length=LONGEST_ID)] | Annotated[int, Meta(ge=-(2**53), le=2**53)]
Race = Annotated[int, Meta(ge=1, le=MOST_RACE)]
SeatNumber = Annotated[int, Meta(ge=1, le=4)]


class Direction(StrEnum):
    """Where a slide goes; on the Link it is the number of its place here."""

    UP = "up"
    DOWN = "down"
    LEFT = "left"
    RIGHT = "right"


NUMBER: dict[Direction, int] = {direction: number for number, direction in enumerate(Direction)}
WORD: tuple[str, ...] = tuple(direction.value for direction in Direction)


class _Frame(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="type"):
    """What all frames of a client have: an `id`, which whatever answers it carries as `re`."""

    id: Id | None = None


class Sit(_Frame, tag="sit", frozen=True):
    """Take the lowest free seat; a name left out is Player."""

    name: str | None = None


class Leave(_Frame, tag="leave", frozen=True):
    """Give the seat up; while racing this resigns, except for a stuck racer."""


class Rename(_Frame, tag="rename", frozen=True):
    """Take another name."""

    name: str


class Ready(_Frame, tag="ready", frozen=True):
    """Press Ready, or take it back."""

    ready: bool


class FreeSeat(_Frame, tag="free_seat", frozen=True):
    """Free a friend's seat; the host's to do."""

    seat: SeatNumber


class ChooseRules(_Frame, tag="rules", frozen=True):
    """Choose the rules of the next race; the host's to do. `target` is a tile's value; null is none of it."""

    target: int | None
    clock_s: int | None


class Start(_Frame, tag="start", frozen=True):
    """Start the race; the host's to do."""


class Slide(_Frame, tag="slide", frozen=True):
    """Slide the own board; `n` is the number of this slide, from 1."""

    race: Race
    n: Annotated[int, Meta(ge=1, le=MOST_N)]
    direction: Direction


class Resign(_Frame, tag="resign", frozen=True):
    """Go out of the race."""

    race: Race


class OfferPeace(_Frame, tag="offer", frozen=True):
    """Offer a draw."""

    race: Race


class AnswerOffer(_Frame, tag="answer", frozen=True):
    """Agree to the offer that stands, or decline it."""

    race: Race
    agree: bool


class RaceOnWithout(_Frame, tag="race_on_without", frozen=True):
    """Put a racer out who has been away for longer than grace."""

    race: Race
    seat: SeatNumber


class PlayAgain(_Frame, tag="play_again", frozen=True):
    """Race again by the same rules; `race` is the one that is over."""

    race: Race


class ChangeSettings(_Frame, tag="change_settings", frozen=True):
    """Go back to gathering; `race` is the one that is over. The host's to do."""

    race: Race


class Ping(_Frame, tag="ping", frozen=True):
    """Ask for the time; `t` comes back as it is."""

    t: int | float


ToTable = (
    Sit | Leave | Rename | Ready | FreeSeat | ChooseRules | Start | RaceOnWithout | PlayAgain | ChangeSettings
)
"""Frames that are commands on the table."""
ToRace = Slide | Resign | OfferPeace | AnswerOffer
"""Frames that go to the running race, in their order."""
ClientFrame = ToTable | ToRace | Ping

_DECODER = msgspec.json.Decoder(ClientFrame)
_ANYTHING = msgspec.json.Decoder()


class Malformed(Exception):
    """A text is no frame of a client's: `message` says what is wrong with it in words for a person.

    `of`, `re` and `n` are what could be read of it.
    """

    def __init__(self, message: str, *, of: str | None, re: str | int | None, n: int | None) -> None:
        super().__init__(message)
        self.message, self.of, self.re, self.n = message, of, re, n


def read(text: str) -> ClientFrame:
    """Read a frame.

    Raises:
        Malformed: it is none.
    """
    try:
        return _DECODER.decode(text)
    except (msgspec.DecodeError, RecursionError) as error:
        raise _malformed(text, str(error)) from None


def _malformed(text: str, why: str) -> Malformed:
    try:
        found: object = _ANYTHING.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return Malformed("That is not JSON.", of=None, re=None, n=None)
    if not isinstance(found, dict):
        return Malformed("A frame is a JSON object.", of=None, re=None, n=None)
    kind, re, n = found.get("type"), found.get("id"), found.get("n")
    return Malformed(
        f"That frame is out of shape: {why[:200]}.",
        of=kind if isinstance(kind, str) and len(kind) <= LONGEST_TYPE else None,
        re=re if _is_id(re) else None,
        n=n if isinstance(n, int) and not isinstance(n, bool) and 0 <= n <= MOST_N else None,
    )


def _is_id(value: object) -> bool:
    if isinstance(value, str):
        return len(value) <= LONGEST_ID
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) <= 2**53


def kind_of(frame: ClientFrame) -> str:
    """Give a frame's type, as clients write it.

    >>> kind_of(FreeSeat(seat=2))
    'free_seat'
    """
    return str(frame.__struct_config__.tag)
