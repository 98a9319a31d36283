"""The rules of one race, and the measures that all races share (docs/rules.md §4)."""

from dataclasses import dataclass
from typing import NewType

from engine.errors import BadRules

Millis = NewType("Millis", int)
"""Milliseconds since the epoch, on the store's clock."""
Seat = NewType("Seat", int)
"""1 to 4."""

TARGETS = (64, 128, 256, 512, 1024, 2048, 4096, 8192)
SEATS = (1, 2, 3, 4)
LEAST_RACERS = 2
OFFER_STANDS_MS = 30_000
OFFER_AGAIN_MS = 20_000
OFFER_AGAIN_SLIDES = 10


@dataclass(frozen=True, slots=True)
class Rules:
    """What a race is for: a target (a tile's value) or none, a clock (milliseconds) or none.

    Raises:
        BadRules: the target is no tile from 64 to 8192, or the clock not positive.
    """

    target: int | None = None
    clock_ms: int | None = None

    def __post_init__(self) -> None:
        clock_is_wrong = self.clock_ms is not None and self.clock_ms <= 0
        if clock_is_wrong or (self.target is not None and self.target not in TARGETS):
            raise BadRules(self.target, self.clock_ms)
