"""What is fixed about a race when it is dealt: its seed, its rules and who races.

It is written once beside the packed state, as msgpack, and never changes.
"""

from dataclasses import dataclass
from typing import NewType

import msgspec

from engine import Rules, Seat, Seed, commitment
from engine.rules import LEAST_RACERS, SEATS
from wire.ids import BrowserHash, same_browser

Meta = NewType("Meta", bytes)
"""A deal as it stands in the store."""

FORMAT = 1
SEED_BYTES = 32
HASH_BYTES = 32


@dataclass(frozen=True, slots=True)
class Entrant:
    """A racer as dealt in: its seat, the name it had, and the hash of its browser's secret."""

    seat: Seat
    name: str
    browser: BrowserHash


@dataclass(frozen=True, slots=True, repr=False)
class Deal:
    """What was dealt; `entrants` by seat. It holds the seed, so it is never shown whole."""

    seed: Seed
    rules: Rules
    entrants: tuple[Entrant, ...]

    @property
    def commitment(self) -> str:
        """What everyone may know of the seed before the end: its SHA-256 in hex."""
        return commitment(self.seed)

    @property
    def seats(self) -> tuple[Seat, ...]:
        """The seats dealt in, in order."""
        return tuple(entrant.seat for entrant in self.entrants)

    def index_of(self, browser: BrowserHash) -> int | None:
        """Find which of the racers a browser is, counted from 0; None where it is none."""
        for index, entrant in enumerate(self.entrants):
            if same_browser(entrant.browser, browser):
                return index
        return None


class _Stored(msgspec.Struct, array_like=True):
    format: int
    seed: bytes
    target: int | None
    clock_ms: int | None
    entrants: list[tuple[int, str, bytes]]


_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(_Stored)


def pack_deal(deal: Deal) -> Meta:
    """Write a deal as it stands in the store."""
    entrants = [(int(entrant.seat), entrant.name, bytes(entrant.browser)) for entrant in deal.entrants]
    stored = _Stored(FORMAT, deal.seed, deal.rules.target, deal.rules.clock_ms, entrants)
    return Meta(_ENCODER.encode(stored))


def _is_dealt(entrants: list[tuple[int, str, bytes]]) -> bool:
    seats = [seat for seat, _, _ in entrants]
    in_order = seats == sorted({*seats} & {*SEATS})
    return in_order and len(seats) >= LEAST_RACERS and all(len(each[2]) == HASH_BYTES for each in entrants)


def unpack_deal(meta: bytes) -> Deal:
    """Read a deal.

    Raises:
        ValueError: `meta` is none of ours, or of a later release.
    """
    try:
        stored = _DECODER.decode(meta)
    except msgspec.DecodeError:
        raise ValueError("the record of a deal is damaged") from None
    if stored.format != FORMAT:
        raise ValueError(f"the record of a deal has format {stored.format}; this release reads {FORMAT}")
    if len(stored.seed) != SEED_BYTES or not _is_dealt(stored.entrants):
        raise ValueError("the record of a deal is damaged")
    entrants = tuple(
        Entrant(Seat(seat), name, BrowserHash(browser)) for seat, name, browser in stored.entrants
    )
    rules = Rules(target=stored.target, clock_ms=stored.clock_ms)
    return Deal(Seed(stored.seed), rules, entrants)
