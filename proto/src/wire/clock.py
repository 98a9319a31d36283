"""The store's clock, as a service that is not the store may know it (docs/architecture.md, rule 3).

Every answer of the store, and every message between services, carries the store's time. It is old by however long it
travelled, so the estimate is the greatest offset to our own monotonic clock heard lately: what travelled least.
"""

import time
from collections.abc import Callable

WINDOW_MS = 10_000
"""How long an offset is believed, in milliseconds; it lets an estimate follow a store whose clock was set back."""


class StoreClock:
    """Estimates the store's TIME between the messages that tell it; never ahead of it but by drift."""

    __slots__ = ("_best", "_monotonic", "_offset", "_previous", "_turned")

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        """Begin with this machine's own clock, until the store is heard; `monotonic` gives seconds."""
        self._monotonic = monotonic
        self._turned = monotonic() * 1000
        self._best: float | None = None
        self._previous: float | None = None
        self._offset: float | None = None

    def heard(self, now: int) -> None:
        """Learn that the store's clock showed `now` milliseconds since the epoch when a message left it."""
        here = self._monotonic() * 1000
        if here - self._turned > WINDOW_MS:
            self._previous, self._best, self._turned = self._best, None, here
        offset = now - here
        self._best = offset if self._best is None else max(self._best, offset)
        self._offset = self._best if self._previous is None else max(self._best, self._previous)

    @property
    def known(self) -> bool:
        """Whether the store was heard; until then nobody should be told a time."""
        return self._best is not None

    def now_us(self) -> int:
        """Estimate the store's TIME in microseconds since the epoch."""
        if self._offset is None:
            return time.time_ns() // 1000  # noqa: TID251  there is no other yet
        return int((self._monotonic() * 1000 + self._offset) * 1000)

    def now(self) -> int:
        """Estimate the store's TIME in milliseconds since the epoch."""
        return self.now_us() // 1000
