"""What one address and one browser may ask for: so many a second, with bursts (docs/architecture.md, rule 14).

An address may be a school's, with hundreds of browsers behind it; a browser that keeps no cookie is another each time.
So the first are wide and hold for everybody, the second narrow.
"""

from enum import StrEnum
from typing import NamedTuple


class What(StrEnum):
    """What is limited."""

    TABLES = "tables"
    """Tables that are opened."""
    TRIES = "tries"
    """Tables that are asked for and are not there: ids that are tried."""
    REQUESTS = "requests"
    """Requests under /api."""
    SOCKETS = "sockets"
    """Sockets that are opened."""
    FRAMES = "frames"
    """Frames of all sockets but slides."""
    SLIDES = "slides"
    """Slides of all sockets."""
    CHANGES = "changes"
    """Changes of a table: each is a commit, and is told to all who are there."""
    RACES = "races"
    """Races that are asked for: Start, Play again."""
    OFFERS = "offers"
    """Offers of a draw."""
    DRAWN = "drawn"
    """QR codes and replays: answers that take work to make."""


class Limit(NamedTuple):
    """So many a second in the long run, and so many at once."""

    a_second: float
    burst: float


class Limits(NamedTuple):
    """What one address, or one browser, may have: at which pace, and how many sockets open at a time."""

    paces: dict[What, Limit]
    sockets: int

    def times(self, factor: int) -> "Limits":
        """Give so many times as much."""
        paces = {
            what: Limit(each.a_second * factor, each.burst * factor) for what, each in self.paces.items()
        }
        return Limits(paces, self.sockets * factor)


OF_ADDRESS = Limits(
    {
        What.TABLES: Limit(1, 60),
        What.TRIES: Limit(2, 200),
        What.REQUESTS: Limit(50, 1_000),
        What.SOCKETS: Limit(20, 1_500),
        What.FRAMES: Limit(1_000, 5_000),
        What.SLIDES: Limit(2_000, 8_000),
        What.CHANGES: Limit(200, 2_000),
        What.RACES: Limit(2, 120),
        What.OFFERS: Limit(5, 120),
        What.DRAWN: Limit(4, 120),
    },
    sockets=1_000,
)
OF_BROWSER = Limits(
    {
        What.TABLES: Limit(0.2, 30),
        What.TRIES: Limit(0.2, 20),
        What.REQUESTS: Limit(10, 200),
        What.SOCKETS: Limit(2, 100),
        What.FRAMES: Limit(40, 240),
        What.SLIDES: Limit(120, 240),
        What.CHANGES: Limit(4, 120),
        What.RACES: Limit(0.5, 30),
        What.OFFERS: Limit(0.5, 20),
        What.DRAWN: Limit(0.5, 30),
    },
    sockets=40,
)
