"""How often something may be asked for: so many a second, with bursts (docs/architecture.md, rule 14)."""

from collections.abc import Callable


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
