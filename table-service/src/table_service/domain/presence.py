"""Who is there: leases, grace, and the host's part (docs/rules.md §4, docs/architecture.md rule 10)."""

from dataclasses import replace

from table_service.domain.table import FreedWhy, Leases, Phase, Seated, Table
from wire.ids import BrowserHash, same_browser


def is_connected(leases: Leases, seat: int, now: int) -> bool:
    """Tell whether a seat's lease runs."""
    return now < leases.get(seat, 0)


def connect(table: Table, browser: BrowserHash, connection: int) -> Table:
    """A socket of a browser opened: the newest holds the browser's seat."""
    seat = table.seat_of(browser)
    seated = None if seat is None else table.at(seat)
    if seat is None or seated is None or connection < seated.connection:
        return table
    return table.with_seat(seat, replace(seated, connection=connection, connected=True))


def disconnect(table: Table, browser: BrowserHash, connection: int) -> Table:
    """A socket closed: the seat is away from now on if it was the one that held it."""
    seat = table.seat_of(browser)
    seated = None if seat is None else table.at(seat)
    if seat is None or seated is None or connection != seated.connection:
        return table
    return table.with_seat(seat, replace(seated, connected=False))


def come(
    table: Table,
    browser: BrowserHash,
    connection: int,
    *,
    leases: Leases,
    until: int,
    now: int,
    grace_ms: int,
) -> Table:
    """A socket opened: it holds the seat, which is there until `until` (ms); the host's part may go to it."""
    seat = table.seat_of(browser)
    after = connect(table, browser, connection)
    if seat is None or after == table:
        return table
    return tick(after, {**leases, seat: max(until, leases.get(seat, 0))}, now=now, grace_ms=grace_ms)


def tick(table: Table, leases: Leases, *, now: int, grace_ms: int) -> Table:
    """Say who is connected, free the seats of friends away past grace while gathering, and hand the host's part on."""
    for seat, seated in table.occupied():
        connected = is_connected(leases, seat, now)
        if connected != seated.connected:
            table = table.with_seat(seat, replace(seated, connected=connected))
    table = _hand_over_from_absent(table, leases, now=now, grace_ms=grace_ms)
    if table.phase is Phase.GATHERING:
        for seat, seated in table.occupied():
            if not same_browser(seated.browser, table.host) and now >= leases.get(seat, 0) + grace_ms:
                table = table.without_seat(seat, FreedWhy.AWAY)
    return table


def ran_out(before: Table, after: Table, leases: Leases, now: int) -> int:
    """Count the seats that a change takes for away, or from who had them, whose lease had run out."""
    return sum(
        seated.connected and not is_connected(leases, seat, now) and not _is_there(after, seated.browser)
        for seat, seated in before.occupied()
    )


def next_tick(table: Table, leases: Leases, *, now: int, grace_ms: int) -> int | None:
    """Give when presence may change next by time alone (ms; past where it may already), or None where it cannot."""
    due = []
    for seat, seated in table.occupied():
        until = leases.get(seat, 0)
        if seated.connected or now < until:
            due.append(until if seated.connected else now)
        elif _grace_matters(table, seated, over=now >= until + grace_ms):
            due.append(until + grace_ms)
    return min(due, default=None)


def hand_over(table: Table) -> Table:
    """Give the host's part to the one seated longest, of the connected if there are any; to nobody if nobody sits."""
    staying = [seated for _, seated in table.occupied() if not seated.leaving]
    connected = [seated for seated in staying if seated.connected]
    heirs: list[Seated] = sorted(connected or staying, key=lambda seated: seated.since)
    return replace(table, host=heirs[0].browser if heirs else None)


def _is_there(table: Table, browser: BrowserHash) -> bool:
    return any(seated.connected and same_browser(seated.browser, browser) for _, seated in table.occupied())


def _grace_matters(table: Table, seated: Seated, *, over: bool) -> bool:
    """Tell whether anything happens at the end of an away seat's grace; what waits for a friend to come does not."""
    if same_browser(seated.browser, table.host):
        return not over or _has_connected_friend(table)
    return table.phase is Phase.GATHERING


def _has_connected_friend(table: Table) -> bool:
    return any(
        seated.connected and not seated.leaving and not same_browser(seated.browser, table.host)
        for _, seated in table.occupied()
    )


def _hand_over_from_absent(table: Table, leases: Leases, *, now: int, grace_ms: int) -> Table:
    seat = table.seat_of(table.host)
    if seat is None or now < leases.get(seat, 0) + grace_ms:
        return table
    return hand_over(table) if _has_connected_friend(table) else table
