"""What a racer's socket asked of its race and is not answered yet: one queue, answered strictly in order.

Slides and acts go to the race, and again to another replica after a break; what the gateway judged itself waits here
for its turn, so that each slide gets its one answer in order (docs/architecture.md, rule 2).
"""

from collections.abc import Iterator

from msgspec import Struct

from tilerace.game.v1 import game_pb2
from web_gateway.frames.server import Re
from wire.refusal import Refused

MOST_ASKED = 32
"""How many slides and acts of one socket may be unanswered; pages have up to 8 in flight."""
MOST_WAITING = 256
"""How many answers may wait for their turn before the socket is closed."""


class OutOfStep(Exception):
    """A replica answered what was not asked for next: this attach can no longer be trusted."""


class SlideWaiting(Struct, frozen=True, gc=False):
    """A slide that the race has to answer; `since` is the monotonic time when it was asked for."""

    n: int
    direction: int
    re: Re
    since: float


class ActWaiting(Struct, frozen=True, gc=False):
    """An act that the race has to answer; `of` is its frame's type."""

    call: int
    action: "game_pb2.Action.ValueType"
    of: str
    re: Re
    since: float


class Judged(Struct, frozen=True):
    """A frame that the gateway refused; `n` is a slide's."""

    of: str | None
    refused: Refused
    re: Re
    n: int | None = None


Waiting = SlideWaiting | ActWaiting | Judged


class Queue:
    """What is not answered yet, oldest first.

    Attributes:
        asked: how many of them the race has to answer.
        refusals: how many of them the gateway has judged.
    """

    __slots__ = ("_waiting", "asked", "refusals")

    def __init__(self) -> None:
        """Begin empty."""
        self._waiting: list[Waiting] = []
        self.asked = self.refusals = 0

    def __len__(self) -> int:
        return len(self._waiting)

    @property
    def oldest(self) -> float | None:
        """When the oldest that the race has to answer was asked for, in monotonic time."""
        return next((each.since for each in self.unanswered()), None) if self.asked else None

    def ask(self, waiting: SlideWaiting | ActWaiting) -> None:
        """Queue what the race has to answer."""
        self._waiting.append(waiting)
        self.asked += 1

    def refuse(self, judged: Judged) -> None:
        """Queue a refusal."""
        self._waiting.append(judged)
        self.refusals += 1

    def unanswered(self) -> Iterator[SlideWaiting | ActWaiting]:
        """Give what the race has to answer, in order."""
        return (each for each in self._waiting if not isinstance(each, Judged))

    def judged(self) -> Iterator[Judged]:
        """Take those refusals whose turn it is."""
        while self._waiting and isinstance(first := self._waiting[0], Judged):
            del self._waiting[0]
            self.refusals -= 1
            yield first

    def slide(self, n: int) -> SlideWaiting:
        """Take the slide that an answer is for.

        Raises:
            OutOfStep: another one is to be answered first.
        """
        first = self._waiting[0] if self._waiting else None
        if not isinstance(first, SlideWaiting) or first.n != n:
            raise OutOfStep
        del self._waiting[0]
        self.asked -= 1
        return first

    def act(self, call: int) -> ActWaiting:
        """Take the act that an answer is for.

        Raises:
            OutOfStep: another one is to be answered first.
        """
        first = self._waiting[0] if self._waiting else None
        if not isinstance(first, ActWaiting) or first.call != call:
            raise OutOfStep
        del self._waiting[0]
        self.asked -= 1
        return first

    def give_up(self, refused: Refused) -> None:
        """Have all that the race has to answer refused."""
        self._waiting = [_refuse(each, refused) for each in self._waiting]
        self.asked, self.refusals = 0, len(self._waiting)


def _refuse(waiting: Waiting, refused: Refused) -> Judged:
    match waiting:
        case SlideWaiting():
            return Judged("slide", refused, waiting.re, waiting.n)
        case ActWaiting():
            return Judged(waiting.of, refused, waiting.re)
        case Judged():
            return waiting
