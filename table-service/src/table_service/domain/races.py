"""The races of a table: start, settle, play again, change settings (docs/rules.md §4, docs/architecture.md rule 7)."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from table_service.domain.commands import check_start, nobody_ready
from table_service.domain.presence import hand_over, is_connected
from table_service.domain.table import Entrant, FreedWhy, Leases, Phase, RaceAtTable, Seated, Table
from wire.ids import BrowserHash, same_browser
from wire.refusal import Refusal, Refused

LEAST_RACERS = 2
WIN_HALVES = 2
TIE_HALVES = 1
MOST_RACES = 1_000
"""How many races one table has: every one is kept as long as the table."""


@dataclass(frozen=True, slots=True)
class Result:
    """How a race ended: when, and each winner's seat with what it adds to the tally, in halves."""

    ended_at: int
    halves: Mapping[int, int]


def start(table: Table, browser: BrowserHash, *, starts_at: int) -> Table:
    """Start a race for exactly those who sit now.

    Raises:
        Refused: as `check_start` says; TOO_MANY_REQUESTS after MOST_RACES.
    """
    check_start(table, browser)
    return _dealt(table, starts_at, follows=0)


def record_deal(table: Table, *, number: int, starts_at: int, deadline: int, commitment: str) -> Table:
    """Record what the deal of a race answered; once."""
    race = table.race
    if race is None or race.number != number or race.commitment:
        return table
    return replace(table, race=replace(race, starts_at=starts_at, deadline=deadline, commitment=commitment))


def settle(table: Table, *, number: int, result: Result) -> Table:
    """Take a race's verdict: the tally, the end, and the seats of those who left; once."""
    race = table.race
    if race is None or race.number != number or table.phase is not Phase.RACING:
        return table
    for entrant in race.entrants:
        if halves := result.halves.get(entrant.seat, 0):
            table = table.with_halves(entrant.browser, halves)
    for seat, seated in table.occupied():
        if seated.leaving:
            table = table.without_seat(seat)
    if not any(table.seats):
        return replace(table, phase=Phase.GATHERING, race=None)
    return replace(table, phase=Phase.FINISHED, race=replace(race, ended_at=result.ended_at))


def play_again(
    table: Table, browser: BrowserHash, *, number: int, leases: Leases, now: int, starts_at: int
) -> Table:
    """Deal the next race to the connected racers of race `number`, each in the seat of the next one round.

    Pressed again, or by another, for the same race it changes nothing.

    Raises:
        Refused: RACE_MOVED_ON, RACE_NOT_OVER, NOT_A_RACER, NOT_SEATED, ALONE; TOO_MANY_REQUESTS after MOST_RACES.
    """
    if table.race is not None and 0 < number == table.race.follows:
        return table
    race = _finished(table, number)
    if race.entrant(browser) is None:
        raise Refused(Refusal.NOT_A_RACER)
    if table.seat_of(browser) is None:
        raise Refused(Refusal.NOT_SEATED)
    racing = [
        (seat, seated)
        for seat, seated in table.occupied()
        if race.entrant(seated.browser) and is_connected(leases, seat, now)
    ]
    if len(racing) < LEAST_RACERS:
        raise Refused(Refusal.ALONE)
    return _dealt(_moved_round(table, racing), starts_at, follows=number)


def change_settings(table: Table, browser: BrowserHash, *, number: int) -> Table:
    """Go back to gathering, with seats and tally kept.

    Raises:
        Refused: NOT_SEATED, NOT_HOST, RACE_MOVED_ON, RACE_NOT_OVER.
    """
    if table.seat_of(browser) is None:
        raise Refused(Refusal.NOT_SEATED)
    if not same_browser(table.host, browser):
        raise Refused(Refusal.NOT_HOST)
    if table.phase is Phase.GATHERING and table.number == number:
        return table
    _finished(table, number)
    return nobody_ready(replace(table, phase=Phase.GATHERING, race=None))


def _finished(table: Table, number: int) -> RaceAtTable:
    race = table.race
    if race is None or race.number != number:
        raise Refused(Refusal.RACE_MOVED_ON)
    if table.phase is not Phase.FINISHED:
        raise Refused(Refusal.RACE_NOT_OVER)
    return race


def _moved_round(table: Table, racing: list[tuple[int, Seated]]) -> Table:
    """Free the seats of all others, and give each racer the seat of the next one round."""
    kept = {seat for seat, _ in racing}
    for seat, _ in list(table.occupied()):
        table = table.without_seat(seat, None if seat in kept else FreedWhy.NOT_DEALT)
    seats = [seat for seat, _ in racing]
    for (_, seated), seat in zip(racing, seats[1:] + seats[:1], strict=True):
        table = table.with_seat(seat, seated)
    return table if table.seat_of(table.host) else hand_over(table)


def _dealt(table: Table, starts_at: int, *, follows: int) -> Table:
    if table.number >= MOST_RACES:
        raise Refused(Refusal.TOO_MANY_REQUESTS, f"This table has had {MOST_RACES} races. Open another one.")
    number = table.number + 1
    entrants = tuple(Entrant(seat, seated.name, seated.browser) for seat, seated in table.occupied())
    race = RaceAtTable(number, table.rules, entrants, starts_at, follows=follows)
    return nobody_ready(replace(table, phase=Phase.RACING, number=number, race=race))
