"""How fast one socket may slide (docs/architecture.md, rule 14)."""

import time
from collections.abc import Sequence

from web_gateway.askers import Asker
from web_gateway.limits import What
from web_gateway.pace import Pace

SLIDES_A_SECOND, SLIDES_BURST = 60.0, 120.0
"""What one socket may slide."""
HANDS_A_SECOND, HANDS_BURST = 8.0, 24.0
"""What a racer may slide whatever others behind the same address do: about as much as two hands can."""


class SlidePaces:
    """The paces of one socket's slides: its own, and those that it shares with its browser and its address."""

    __slots__ = ("_hands", "_own", "_shared")

    def __init__(self, asker: Asker) -> None:
        """Begin with nothing slid."""
        self._own = Pace(SLIDES_A_SECOND, burst=SLIDES_BURST, monotonic=time.monotonic)
        self._hands = Pace(HANDS_A_SECOND, burst=HANDS_BURST, monotonic=time.monotonic)
        self._shared = asker.buckets(What.SLIDES)

    def allow(self, *, races: bool) -> bool:
        """Tell whether one more slide may be, of one who `races` or not, and count it if so."""
        if not self._own.allows():
            return False
        return (races and self._hands.allows()) or all_allow(self._shared)


def all_allow(paces: Sequence[Pace]) -> bool:
    """Tell whether each of some paces allows one more; the first that does not is the last that counts it."""
    for pace in paces:  # noqa: SIM110  all() would make a generator for every frame
        if not pace.allows():
            return False
    return True
