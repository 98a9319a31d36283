"""Telling seldom: what goes on and on is told at once, and then once in a while."""

import time
from collections.abc import Callable

EVERY_S = 60.0
MOST = 1_024
"""How many things are remembered as told of."""


class Seldom:
    """Says whether to tell of something: the first time, and again after a minute, each thing by itself."""

    def __init__(self, *, every_s: float = EVERY_S, monotonic: Callable[[], float] = time.monotonic) -> None:
        """Begin with nothing told."""
        self._every_s = every_s
        self._monotonic = monotonic
        self._told: dict[str, float] = {}

    def now(self, what: str) -> bool:
        """Say whether to tell of it now; whoever is told so tells."""
        at = self._monotonic()
        if at - self._told.get(what, -self._every_s) < self._every_s:
            return False
        if len(self._told) >= MOST:
            self._told = {each: told for each, told in self._told.items() if at - told < self._every_s}
        if len(self._told) < MOST or what in self._told:
            self._told[what] = at
        return True
