"""Peace offers: a racer proposes that all who are in the race tie (docs/rules.md §4)."""

from dataclasses import dataclass
from enum import IntEnum

from engine.rules import OFFER_STANDS_MS, Millis, Seat


class OfferOutcome(IntEnum):
    """How an offer ended; the numbers are stored."""

    DECLINED = 1
    SLID = 2
    LAPSED = 3
    AGREED = 4


@dataclass(frozen=True, slots=True)
class Offer:
    """An offer that stands: whose it is, who has agreed (the offerer first), and when it lapses."""

    by: Seat
    agreed: tuple[Seat, ...]
    until: Millis

    @classmethod
    def made(cls, by: Seat, now: Millis) -> "Offer":
        """Make an offer; who offers has agreed."""
        return cls(by, (by,), Millis(now + OFFER_STANDS_MS))

    def with_agreed(self, seat: Seat) -> "Offer":
        """Add one who agrees."""
        return Offer(self.by, (*self.agreed, seat), self.until)


@dataclass(frozen=True, slots=True)
class ClosedOffer:
    """An offer that has ended: whose it was, how it ended, who ended it (None where nobody did), and when."""

    by: Seat
    outcome: OfferOutcome
    seat: Seat | None
    at: Millis
