"""A racer's keys on their way to the server, by the rules that a client is given (docs/socket.md).

Key number i (from 0) is slide `base + 1 + i`, so one that turns out to be useless renumbers those behind it by leaving.
A key is sent under a new number only once every frame that carried it under an old one is answered, or its connection
is gone.
"""

from collections import deque
from dataclasses import dataclass, field

IN_FLIGHT = 8
KEPT = 64
NOT_NOW = {"SLIDE_OUT_OF_ORDER": 0.0, "NOT_STARTED_YET": 0.06, "TOO_FAST": 0.15, "UNAVAILABLE": 0.5}
"""Refusals after which the key stays, by the seconds to wait before it is sent again."""
OVER = frozenset({"RACE_OVER", "OUT_OF_RACE", "RACER_STUCK", "RACE_MOVED_ON", "RACE_NOT_RUNNING"})


class Broken(Exception):
    """The server answered what no client can go on from."""


@dataclass(eq=False, slots=True)
class Key:
    """One key that was pressed."""

    direction: str


@dataclass(slots=True)
class Sending:
    """A slide frame that is not answered on this connection."""

    key: Key
    n: int
    at: float


@dataclass
class Slides:
    """All keys of one race; `made` are the directions that the server told to be applied, None for another tab's."""

    made: list[str | None] = field(default_factory=list)
    keys: list[Key] = field(default_factory=list)
    sent: int = 0
    unanswered: dict[str, Sending] = field(default_factory=dict)
    useless: int = 0
    rewinds: int = 0
    over: bool = False
    copies: int = 1
    """How many times each frame is sent."""
    refusals: deque[str] = field(default_factory=deque)
    _open: bool = False
    _settling: bool = False
    _hold_until: float = 0.0

    @property
    def base(self) -> int:
        """How many slides the server has told of."""
        return len(self.made)

    @property
    def under_way(self) -> list[str]:
        """The directions that are at the server, or may be."""
        return [key.direction for key in self.keys]

    @property
    def idle(self) -> bool:
        return not self.keys and not self.unanswered

    def press(self, direction: str) -> None:
        if not self.over:
            self.keys.append(Key(direction))

    def due(self, at: float) -> list[tuple[Key, int]]:
        """Give the keys that may be sent now, each with its number."""
        if not self._open or self._settling or self.over or at < self._hold_until:
            return []
        room = max(0, IN_FLIGHT - len(self.unanswered) // self.copies)
        chosen = self.keys[self.sent : self.sent + room]
        first = self.base + self.sent + 1
        self.sent += len(chosen)
        return [(key, first + index) for index, key in enumerate(chosen)]

    def board_came(self, n: int, re: str | None) -> None:
        """Hear of the board after n slides."""
        if re is not None:
            self._answered(re)
        self._open = True
        if n < self.base:
            self._rewound(n)
        else:
            self._advanced(n)
        self._settle()

    def refused(self, code: str, re: str | None, at: float) -> None:
        """Hear that a slide was refused.

        Raises:
            Broken: for a reason that a client of these rules never gives.
        """
        sending = self._answered(re) if re is not None else None
        self.refusals.append(code)
        if code == "SLIDE_CHANGES_NOTHING" and sending is not None:
            self._leave(sending.key)
        elif code in NOT_NOW:
            self._settling = True
            self._hold_until = max(self._hold_until, at + NOT_NOW[code])
        elif code in OVER:
            self.over = True
            self.drop()
        else:
            raise Broken(code)
        self._settle()

    def disconnected(self) -> None:
        """Lose the connection; what was sent on it may have arrived or not."""
        self.unanswered.clear()
        self._open, self._settling, self._hold_until = False, True, 0.0

    def drop(self) -> None:
        """Forget the keys that were not sent."""
        del self.keys[self.sent :]

    def _answered(self, re: str) -> Sending | None:
        return self.unanswered.pop(re, None)

    def _leave(self, key: Key) -> None:
        if key not in self.keys:
            return  # its other copy said so already
        self.useless += 1
        index = self.keys.index(key)
        del self.keys[index]
        if index < self.sent:
            self.sent -= 1
        self._settling = self._settling or self.sent > 0

    def _advanced(self, n: int) -> None:
        more = n - self.base
        ours = self.keys[: min(more, self.sent)]
        self.made += [key.direction for key in ours] + [None] * (more - len(ours))
        del self.keys[: len(ours)]
        self.sent -= len(ours)

    def _rewound(self, n: int) -> None:
        lost, self.made = self.made[n:], self.made[:n]
        self.rewinds += 1
        ours = [Key(direction) for direction in lost if direction is not None]
        self.keys = (ours if len(ours) == len(lost) <= KEPT else []) + self.keys
        self.sent, self._settling = 0, bool(self.unanswered)

    def _settle(self) -> None:
        if self._settling and not self.unanswered and not self.over:
            self._settling, self.sent = False, 0
