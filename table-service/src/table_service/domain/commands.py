"""What someone at a table can ask of it, each a pure transition (docs/rules.md §4).

Each takes the table and the asking browser first, and returns the table changed, the same table where nothing is to
change, or raises Refused with the code that clients read.
"""

from collections.abc import Collection
from dataclasses import replace

from engine import Rules as EngineRules
from engine import errors
from table_service.domain.names import DEFAULT, distinct, plain
from table_service.domain.presence import hand_over
from table_service.domain.table import SEATS, FreedWhy, Phase, Rules, Seated, Table
from wire.ids import BrowserHash, TableId, same_browser
from wire.refusal import Refusal, Refused


def check_rules(rules: Rules, clocks_ms: Collection[int]) -> Rules:
    """See that a race can have these rules.

    Raises:
        Refused: BAD_RULES.
    """
    try:
        EngineRules(rules.target, rules.clock_ms)
    except errors.BadRules:
        raise Refused(Refusal.BAD_RULES) from None
    if rules.clock_ms is not None and rules.clock_ms not in clocks_ms:
        raise Refused(Refusal.BAD_RULES)
    return rules


def open_table(table: TableId, browser: BrowserHash, *, name: str, rules: Rules, since: int) -> Table:
    """Open a table with its opener, the host, in seat 1; `since` is the time in microseconds."""
    seated = Seated(browser, plain(name) if name else DEFAULT, since)
    return Table(table, host=browser, rules=rules, seats=(seated, None, None, None))


def sit(table: Table, browser: BrowserHash, *, name: str, connection: int, since: int) -> Table:
    """Sit in the lowest free seat; a table without a host gets one.

    Raises:
        Refused: ALREADY_SEATED, NOT_GATHERING, TABLE_FULL, BAD_NAME.
    """
    if table.seat_of(browser) is not None:
        raise Refused(Refusal.ALREADY_SEATED)
    _gathering(table)
    free = [seat for seat in SEATS if table.at(seat) is None]
    if not free:
        raise Refused(Refusal.TABLE_FULL)
    chosen = distinct(plain(name) if name else DEFAULT, [seated.name for _, seated in table.occupied()])
    seated = Seated(browser, chosen, since, connection or since)
    table = table.with_seat(free[0], seated)
    return table if table.host is not None else replace(table, host=browser)


def leave(table: Table, browser: BrowserHash) -> Table:
    """Give the seat up: at once, or while racing at the end; a host hands on at once.

    Raises:
        Refused: NOT_SEATED.
    """
    seat, seated = _seated(table, browser)
    if seated.leaving:
        return table
    if table.phase is Phase.RACING:
        table = table.with_seat(seat, replace(seated, leaving=True))
    else:
        table = table.without_seat(seat)
    if same_browser(table.host, browser):
        table = hand_over(table)
    return _gather_if_empty(table)


def rename(table: Table, browser: BrowserHash, *, name: str) -> Table:
    """Take another name.

    Raises:
        Refused: NOT_SEATED, NOT_GATHERING, BAD_NAME.
    """
    seat, seated = _seated(table, browser)
    _gathering(table)
    others = [other.name for at, other in table.occupied() if at != seat]
    return table.with_seat(seat, replace(seated, name=distinct(plain(name), others)))


def set_ready(table: Table, browser: BrowserHash, *, ready: bool) -> Table:
    """Press Ready, or take it back; the host is always ready.

    Raises:
        Refused: NOT_SEATED, NOT_GATHERING.
    """
    seat, seated = _seated(table, browser)
    _gathering(table)
    if same_browser(table.host, browser):
        return table
    return table.with_seat(seat, replace(seated, ready=ready))


def free_seat(table: Table, browser: BrowserHash, *, seat: int) -> Table:
    """Free a friend's seat.

    Raises:
        Refused: NOT_SEATED, NOT_HOST, NOT_GATHERING, SEAT_EMPTY; the host's own seat is left by leaving.
    """
    _host(table, browser)
    _gathering(table)
    seated = table.at(seat) if seat in SEATS else None
    if seated is None:
        raise Refused(Refusal.SEAT_EMPTY)
    if same_browser(seated.browser, browser):
        raise Refused(Refusal.SEAT_EMPTY, "That is your own seat. Leave the table to free it.")
    return table.without_seat(seat, FreedWhy.HOST)


def set_rules(table: Table, browser: BrowserHash, *, rules: Rules) -> Table:
    """Choose other rules; everyone's Ready is taken back.

    Raises:
        Refused: NOT_SEATED, NOT_HOST, NOT_GATHERING; `check_rules` comes before.
    """
    _host(table, browser)
    _gathering(table)
    return table if rules == table.rules else nobody_ready(replace(table, rules=rules))


def nobody_ready(table: Table) -> Table:
    """Take everyone's Ready back."""
    for seat, seated in table.occupied():
        table = table.with_seat(seat, replace(seated, ready=False))
    return table


def check_start(table: Table, browser: BrowserHash) -> None:
    """See that the host may start now.

    Raises:
        Refused: NOT_SEATED, NOT_HOST, NOT_GATHERING, NO_FRIEND_SEATED, NOT_ALL_READY.
    """
    _host(table, browser)
    _gathering(table)
    friends = [seated for _, seated in table.occupied() if not same_browser(seated.browser, browser)]
    if not friends:
        raise Refused(Refusal.NO_FRIEND_SEATED)
    if not all(seated.ready for seated in friends):
        raise Refused(Refusal.NOT_ALL_READY)


def _gather_if_empty(table: Table) -> Table:
    """A finished table whose last seat was freed goes back to gathering."""
    if table.phase is Phase.FINISHED and not any(table.seats):
        return replace(table, phase=Phase.GATHERING, race=None)
    return table


def _gathering(table: Table) -> None:
    if table.phase is not Phase.GATHERING:
        raise Refused(Refusal.NOT_GATHERING)


def _seated(table: Table, browser: BrowserHash) -> tuple[int, Seated]:
    for seat, seated in table.occupied():
        if same_browser(seated.browser, browser):
            return seat, seated
    raise Refused(Refusal.NOT_SEATED)


def _host(table: Table, browser: BrowserHash) -> None:
    _seated(table, browser)
    if not same_browser(table.host, browser):
        raise Refused(Refusal.NOT_HOST)
