"""A table at one moment: who sits where, what is raced for, and how often each has won."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import IntEnum

from wire.ids import BrowserHash, RaceId, TableId, race_id, same_browser

SEATS = (1, 2, 3, 4)
OUTCOMES_KEPT = 32
FREED_KEPT = 16
TALLIES_KEPT = 64

Leases = Mapping[int, int]
"""Seat to the millisecond its lease runs out; no entry where nobody sits."""


class Phase(IntEnum):
    """Where a table is; the numbers are stored and those of table.proto."""

    GATHERING = 1
    RACING = 2
    FINISHED = 3


class FreedWhy(IntEnum):
    """Why somebody lost a seat; the numbers are stored and those of table.proto."""

    HOST = 1
    AWAY = 2
    NOT_DEALT = 3


@dataclass(frozen=True, slots=True)
class Rules:
    """What is raced for: a target (a tile's value) or none, a clock (milliseconds) or none."""

    target: int | None = 2048
    clock_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Seated:
    """Who sits in a seat.

    `connection` is the socket that holds it, `since` orders who has sat longest (microseconds), `connected` is what
    the table last said of the lease, `leaving` marks one who left while racing.
    """

    browser: BrowserHash
    name: str
    since: int
    connection: int = 0
    ready: bool = False
    connected: bool = True
    leaving: bool = False


@dataclass(frozen=True, slots=True)
class Entrant:
    """Who was dealt into a race, by the seat raced in."""

    seat: int
    name: str
    browser: BrowserHash


@dataclass(frozen=True, slots=True)
class RaceAtTable:
    """The race of a table.

    `commitment` is empty until the deal is recorded, times are milliseconds, 0 for none. `follows` is the number of
    the race that Play again was pressed for, 0 for a race that the host started.
    """

    number: int
    rules: Rules
    entrants: tuple[Entrant, ...]
    starts_at: int
    deadline: int = 0
    ended_at: int = 0
    commitment: str = ""
    follows: int = 0

    def entrant(self, browser: BrowserHash) -> Entrant | None:
        """Find a browser's entrant."""
        return next((entrant for entrant in self.entrants if same_browser(entrant.browser, browser)), None)


@dataclass(frozen=True, slots=True)
class Tally:
    """How often a browser has won at this table, in halves: a win is 2, a tie 1."""

    browser: BrowserHash
    halves: int


@dataclass(frozen=True, slots=True)
class Freed:
    """A browser lost its seat with the change that made `version`."""

    version: int
    browser: BrowserHash
    why: FreedWhy


@dataclass(frozen=True, slots=True)
class Table:
    """A table. `number` is that of its last race, 0 before the first; `race` is None while gathering."""

    id: TableId
    version: int = 0
    phase: Phase = Phase.GATHERING
    host: BrowserHash | None = None
    seats: tuple[Seated | None, Seated | None, Seated | None, Seated | None] = (None, None, None, None)
    rules: Rules = Rules()
    number: int = 0
    race: RaceAtTable | None = None
    tallies: tuple[Tally, ...] = ()
    outcomes: tuple[bytes, ...] = ()
    freed: tuple[Freed, ...] = ()

    def occupied(self) -> Iterator[tuple[int, Seated]]:
        """Go through the seats that are taken, by number."""
        for seat, seated in zip(SEATS, self.seats, strict=True):
            if seated is not None:
                yield seat, seated

    def seat_of(self, browser: BrowserHash | None) -> int | None:
        """Find a browser's seat."""
        return next((seat for seat, seated in self.occupied() if same_browser(seated.browser, browser)), None)

    def at(self, seat: int) -> Seated | None:
        """Tell who sits in a seat from 1 to 4."""
        return self.seats[seat - 1]

    def halves(self, browser: BrowserHash) -> int:
        """Give a browser's tally in halves."""
        return next((tally.halves for tally in self.tallies if same_browser(tally.browser, browser)), 0)

    @property
    def race_id(self) -> RaceId | None:
        """The id of the race at hand."""
        return None if self.race is None else race_id(self.id, self.race.number)

    def with_seat(self, seat: int, seated: Seated | None) -> "Table":
        """Change who sits in a seat."""
        one, two, three, four = (
            seated if seat == number else now for number, now in zip(SEATS, self.seats, strict=True)
        )
        return replace(self, seats=(one, two, three, four))

    def without_seat(self, seat: int, why: FreedWhy | None = None) -> "Table":
        """Free a seat; with a reason, its browser will be told it."""
        seated = self.at(seat)
        table = self.with_seat(seat, None)
        if seated is None or why is None:
            return table
        told = (*self.freed, Freed(self.version + 1, seated.browser, why))
        return replace(table, freed=told[-FREED_KEPT:])

    def with_halves(self, browser: BrowserHash, halves: int) -> "Table":
        """Add to a browser's tally; the newest are kept."""
        others = tuple(tally for tally in self.tallies if not same_browser(tally.browser, browser))
        added = Tally(browser, self.halves(browser) + halves)
        return replace(self, tallies=(*others, added)[-TALLIES_KEPT:])

    def with_outcome(self, command: bytes) -> "Table":
        """Remember that a command was carried out."""
        return replace(self, outcomes=(*self.outcomes, command)[-OUTCOMES_KEPT:])
