"""How often something may be asked for: so many a second, with bursts (docs/architecture.md, rule 14)."""

from collections.abc import Callable

RETRY_MS, MOST_RETRY_MS = (100, 500), 2_000
"""Between which times few sockets come back after a goodbye, and the latest for any."""
BACK_A_SECOND = 500
"""How many may come back in a second without those who race where they come to feeling it."""
_ROUNDING_S = 1e-6
"""More than what adding up times loses, less than anybody gains by."""


def retry_ms(sockets: int, chance: float) -> int:
    """Say when one of so many sockets comes back; `chance` is from 0 to 1. The more there are, the wider apart.

    >>> [retry_ms(sockets, 1.0) for sockets in (1, 500, 20_000)]
    [500, 1000, 2000]
    """
    soonest, latest = RETRY_MS
    latest = min(max(latest, sockets * 1000 // BACK_A_SECOND), MOST_RETRY_MS)
    return soonest + int((latest - soonest) * chance)


class Pace:
    """A bucket that fills with `a_second` up to `burst`; `monotonic` gives seconds.

    All it keeps is when the bucket is full again.
    """

    __slots__ = ("_burst_s", "_each_s", "_full_at", "_monotonic")

    def __init__(self, a_second: float, *, burst: float, monotonic: Callable[[], float]) -> None:
        """Begin full."""
        self._each_s, self._monotonic = 1 / a_second, monotonic
        self._burst_s = burst / a_second + _ROUNDING_S
        self._full_at = monotonic()

    def allows(self) -> bool:
        """Tell whether one more may be, and count it if so."""
        return self._take() is not None

    @property
    def full(self) -> bool:
        """Whether nothing was asked for lately."""
        return self._full_at <= self._monotonic()

    @property
    def empty(self) -> bool:
        """Whether one more would be refused now."""
        return self.short_s + self._each_s > self._burst_s

    @property
    def short_s(self) -> float:
        """How long until the bucket is full again, in seconds."""
        return max(0.0, self._full_at - self._monotonic())

    @short_s.setter
    def short_s(self, seconds: float) -> None:
        self._full_at = self._monotonic() + seconds

    def _take(self) -> float | None:
        """Take one out, and give how long the bucket then takes to be full; None where there is none."""
        now, full_at = self._monotonic(), self._full_at
        if full_at < now:  # noqa: PLR1730  max() takes as long as all the rest
            full_at = now
        full_at += self._each_s
        short_s = full_at - now
        if short_s > self._burst_s:
            return None
        self._full_at = full_at
        return short_s
