"""What is under way at once: so much at most, and no more of a kind while what came first of it waits too long.

Overload refuses new tables first, at once and in words (docs/architecture.md, rule 14): whoever waited in vain would ask
again, and have added to it.
"""

import contextlib
import time
from collections.abc import Callable, Iterator

from wire.refusal import Refusal, Refused


class InHand:
    """Counts what is under way; `patience_s` is how long the first of a kind may take before more of it is refused."""

    def __init__(
        self, most: int, *, patience_s: float, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        """Begin with nothing."""
        self._most, self._patience_s, self._monotonic = most, patience_s, monotonic
        self._since: dict[object, tuple[int, float]] = {}

    @contextlib.contextmanager
    def one(self, kind: int = 0) -> Iterator[None]:
        """Have one more of a kind under way within the block.

        Raises:
            Refused: UNAVAILABLE, where it would be too much.
        """
        now = self._monotonic()
        if self._is_too_much(kind, now):
            raise Refused(Refusal.UNAVAILABLE)
        this = object()
        self._since[this] = kind, now
        try:
            yield
        finally:
            del self._since[this]

    def _is_too_much(self, kind: int, now: float) -> bool:
        first = next((since for one, since in self._since.values() if one == kind), now)
        return len(self._since) >= self._most or now - first > self._patience_s
