"""What a racer's socket asked of its race and is not answered yet: one queue, answered strictly in order.

Slides and acts go to the race, and again to another replica after a break; what the gateway judged itself waits here
for its turn, so that each slide gets its one answer in order (docs/architecture.md, rule 2).
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeVar

from tilerace.game.v1 import game_pb2
from web_gateway.frames.server import Re
from wire.refusal import Refused

MOST_ASKED = 32
"""How many slides and acts of one socket may be unanswered; pages have up to 8 in flight."""
MOST_WAITING = 256
"""How many answers may wait for their turn before the socket is closed."""


class OutOfStep(Exception):
    """A replica answered what was not asked for next: this attach can no longer be trusted."""


@dataclass(frozen=True, slots=True)
class SlideWaiting:
    """A slide that the race has to answer; `since` is the loop's time when it was asked for."""

    n: int
    direction: int
    re: Re
    since: float


@dataclass(frozen=True, slots=True)
class ActWaiting:
    """An act that the race has to answer; `of` is its frame's type."""

    call: int
    action: "game_pb2.Action.ValueType"
    of: str
    re: Re
    since: float


@dataclass(frozen=True, slots=True)
class Judged:
    """A frame that the gateway refused; `n` is a slide's."""

    of: str | None
    refused: Refused
    re: Re
    n: int | None = None


Waiting = SlideWaiting | ActWaiting | Judged
_Popped = TypeVar("_Popped", SlideWaiting, ActWaiting)


class Queue:
    """What is not answered yet, oldest first."""

    def __init__(self) -> None:
        """Begin empty."""
        self._waiting: deque[Waiting] = deque()
        self._asked = 0

    def __len__(self) -> int:
        return len(self._waiting)

    @property
    def full(self) -> bool:
        """Whether no more may be asked of the race for now."""
        return self._asked >= MOST_ASKED

    @property
    def idle(self) -> bool:
        """Whether the race has nothing to answer."""
        return self._asked == 0

    @property
    def oldest(self) -> float | None:
        """When the oldest that the race has to answer was asked for, in the loop's time."""
        return next((each.since for each in self.asked()), None)

    def put(self, waiting: Waiting) -> None:
        """Queue one."""
        self._waiting.append(waiting)
        self._asked += not isinstance(waiting, Judged)

    def asked(self) -> Iterator[SlideWaiting | ActWaiting]:
        """Give what the race has to answer, in order."""
        return (each for each in self._waiting if not isinstance(each, Judged))

    def judged(self) -> Iterator[Judged]:
        """Take those refusals whose turn it is."""
        while self._waiting and isinstance(self._waiting[0], Judged):
            yield self._waiting.popleft()  # type: ignore[misc]

    def slide(self, n: int) -> SlideWaiting:
        """Take the slide that an answer is for.

        Raises:
            OutOfStep: another one is to be answered first.
        """
        first = self._waiting[0] if self._waiting else None
        if not isinstance(first, SlideWaiting) or first.n != n:
            raise OutOfStep
        return self._pop(first)

    def act(self, call: int) -> ActWaiting:
        """Take the act that an answer is for.

        Raises:
            OutOfStep: another one is to be answered first.
        """
        first = self._waiting[0] if self._waiting else None
        if not isinstance(first, ActWaiting) or first.call != call:
            raise OutOfStep
        return self._pop(first)

    def give_up(self, refused: Refused) -> None:
        """Have all that the race has to answer refused."""
        self._waiting = deque(_refuse(each, refused) for each in self._waiting)
        self._asked = 0

    def _pop(self, first: _Popped) -> _Popped:
        self._waiting.popleft()
        self._asked -= 1
        return first


def _refuse(waiting: Waiting, refused: Refused) -> Judged:
    match waiting:
        case SlideWaiting():
            return Judged("slide", refused, waiting.re, waiting.n)
        case ActWaiting():
            return Judged(waiting.of, refused, waiting.re)
        case Judged():
            return waiting
