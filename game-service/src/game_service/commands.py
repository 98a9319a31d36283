"""What may be asked of a running race, as it waits to be judged, and who asks."""

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import msgspec

from engine import Seat
from tilerace.game.v1 import game_pb2
from wire.ids import BrowserHash

if TYPE_CHECKING:
    from game_service.outbox import Outbox
    from game_service.running import Running

Done = asyncio.Future[bool]
"""Set when a command of a unary call is committed or found to hold, to whether the race is over."""


@dataclass(slots=True, eq=False)
class Handle:
    """A racer's socket as one stream knows it (docs/architecture.md, rule 9).

    `rank` is its (connection, attempt): the highest a race has seen for a seat holds that seat. `index` is which of the
    race's racers it is, None until the race told. `gone` is set when the handle is bound no more, `refused` when whoever
    asked was told besides that what is unanswered was not done.
    """

    number: int
    outbox: "Outbox"
    running: "Running"
    rank: tuple[int, int]
    index: int | None = None
    gone: bool = False
    refused: bool = False


class SlideAsked(msgspec.Struct, frozen=True, eq=False):
    """A racer's slide number `n` (from 1), in direction 0 to 3, which `came` at a monotonic time."""

    handle: Handle
    n: int
    direction: int
    came: float


@dataclass(frozen=True, slots=True, eq=False)
class ActAsked:
    """A racer resigns, offers or answers an offer; the answer carries `call`."""

    handle: Handle
    action: game_pb2.Action.ValueType
    call: int


@dataclass(frozen=True, slots=True, eq=False)
class AttachAsked:
    """A browser's socket asks for its seat and its board."""

    handle: Handle
    browser: BrowserHash


@dataclass(frozen=True, slots=True, eq=False)
class RetireAsked:
    """The others race on without a racer whose lease ran out at `until` (ms), `grace_ms` ago or longer."""

    seat: Seat
    until: int
    grace_ms: int
    done: Done


@dataclass(frozen=True, slots=True, eq=False)
class ResignAsked:
    """A racer left the table; a stuck one stays in the race."""

    seat: Seat
    done: Done


@dataclass(frozen=True, slots=True, eq=False)
class ExpireAsked:
    """Somebody thinks the deadline has passed."""

    done: Done = field(repr=False)


Command = SlideAsked | ActAsked | AttachAsked | RetireAsked | ResignAsked | ExpireAsked
