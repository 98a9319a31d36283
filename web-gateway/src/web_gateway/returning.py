"""Who had a seat when a socket closed, so that its browser comes back to it with no question asked of anybody."""

import time
from collections.abc import Callable

from wire.ids import BrowserHash, TableId

LASTS_S = 600.0
"""How long it is remembered: longer than a friend is waited for, in seconds."""
MOST = 20_000
"""How many are remembered; where there are more, those that left first are forgotten."""


class Returning:
    """Browsers that may come back to a seat here, whatever others behind their address have used up."""

    def __init__(self, *, monotonic: Callable[[], float] = time.monotonic) -> None:
        """Begin with none."""
        self._monotonic = monotonic
        self._left: dict[tuple[BrowserHash, TableId], float] = {}

    def left(self, browser: BrowserHash, table: TableId) -> None:
        """Remember one whose socket closed."""
        self._left.pop((browser, table), None)
        if len(self._left) >= MOST:
            del self._left[next(iter(self._left))]
        self._left[browser, table] = self._monotonic()

    def may_return(self, browser: BrowserHash, table: TableId) -> bool:
        """Tell whether a browser had a seat there a while ago."""
        left = self._left.get((browser, table))
        return left is not None and self._monotonic() - left < LASTS_S
