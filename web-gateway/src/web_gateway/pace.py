"""How often something may be asked for: so many a second, with bursts (docs/architecture.md, rule 14)."""

from collections.abc import Callable

RETRY_MS, MOST_RETRY_MS = (100, 500), 2_000
"""Between which times few sockets come back after a goodbye, and the latest for any."""
BACK_A_SECOND = 500
"""How many may come back in a second without those who race where they come to feeling it."""


def retry_ms(sockets: int, chance: float) -> int:
    """Say when one of so many sockets comes back; `chance` is from 0 to 1. The more there are, the wider apart.

    >>> [retry_ms(sockets, 1.0) for sockets in (1, 500, 20_000)]
    [500, 1000, 2000]
    """
    soonest, latest = RETRY_MS
    latest = min(max(latest, sockets * 1000 // BACK_A_SECOND), MOST_RETRY_MS)
    return soonest + int((latest - soonest) * chance)


class Pace:
    """A bucket that fills with `a_second` up to `burst`; `monotonic` gives seconds."""

    __slots__ = ("_a_second", "_at", "_burst", "_left", "_monotonic")

    def __init__(self, a_second: float, *, burst: float, monotonic: Callable[[], float]) -> None:
        """Begin full."""
        self._a_second, self._burst, self._monotonic = a_second, burst, monotonic
        self._left = burst
        self._at = monotonic()

    def allows(self) -> bool:
        """Tell whether one more may be, and count it if so."""
        now = self._monotonic()
        self._left = min(self._burst, self._left + (now - self._at) * self._a_second)
        self._at = now
        if self._left < 1:
            return False
        self._left -= 1
        return True

    @property
    def full(self) -> bool:
        """Whether nothing was asked for lately."""
        return self._left + (self._monotonic() - self._at) * self._a_second >= self._burst
