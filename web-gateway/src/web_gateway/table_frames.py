"""Table messages as frames: what of a table everyone may see, and what one browser is to it."""

from dataclasses import dataclass

from msgspec import structs

from tilerace.table.v1 import table_pb2
from web_gateway.frames import server
from web_gateway.race_frames import rules_frame
from wire.ids import BrowserHash, same_browser

SEATS = (1, 2, 3, 4)

_PHASES: dict[table_pb2.Phase.ValueType, server.Phase] = {
    table_pb2.PHASE_GATHERING: "gathering",
    table_pb2.PHASE_RACING: "racing",
    table_pb2.PHASE_FINISHED: "finished",
}
FREED_WHY: dict[table_pb2.FreedWhy.ValueType, server.FreedWhy] = {
    table_pb2.FREED_WHY_HOST: "host",
    table_pb2.FREED_WHY_AWAY: "away",
    table_pb2.FREED_WHY_NOT_DEALT: "not_dealt",
}


@dataclass(frozen=True, slots=True)
class Holding:
    """The seat of a browser, and the number of the socket that holds it."""

    seat: int
    connection: int


def holding_of(news: table_pb2.TableNews, browser: BrowserHash) -> Holding | None:
    """Give the seat that a browser holds, or None."""
    for holder in news.holders:
        if same_browser(BrowserHash(holder.browser), browser):
            return Holding(holder.seat, holder.connection)
    return None


def races_in(news: table_pb2.TableNews, browser: BrowserHash) -> bool:
    """Tell whether a browser was dealt into the table's race."""
    return any(same_browser(BrowserHash(racer.browser), browser) for racer in news.racers)


def starts_at(table: table_pb2.Table) -> int | None:
    """Give when the boards of a race that is dealt come alive, or None."""
    dealt = table.phase == table_pb2.PHASE_RACING and table.race.commitment
    return table.race.times.starts_at if dealt else None


def phase_of(table: table_pb2.Table, *, now: int) -> server.Phase:
    """Give the phase at `now`: from countdown to racing is a matter of time (docs/architecture.md, rule 7)."""
    if table.phase == table_pb2.PHASE_RACING:
        start = starts_at(table)
        return "countdown" if start is None or now < start else "racing"
    return _PHASES[table.phase]


def table_frame(table: table_pb2.Table, *, now: int) -> server.Table:
    """Write a table as one who watches sees it."""
    return server.Table(
        version=table.version,
        table=table.table,
        phase=phase_of(table, now=now),
        host=table.host or None,
        seats=_seats(table),
        watchers=table.watchers,
        rules=rules_frame(table.rules),
        race=_race(table.race) if table.HasField("race") else None,
        you=server.You(seat=None, host=False),
        now=now,
    )


def seen_from(seat: int | None, watched: server.Table) -> server.Table:
    """Write a table as the browser in a seat sees it, None for one that watches."""
    if seat is None:
        return watched
    return structs.replace(watched, you=server.You(seat=seat, host=seat == watched.host))


def _seats(table: table_pb2.Table) -> tuple[server.Seat, ...]:
    taken = {view.seat: view for view in table.seats}
    return tuple(
        _taken(taken[seat]) if seat in taken else server.Seat(seat=seat, name=None) for seat in SEATS
    )


def _taken(view: table_pb2.SeatView) -> server.Seat:
    wins, half = divmod(view.tally_halves, 2)
    return server.Seat(
        seat=view.seat,
        name=view.name,
        ready=view.ready,
        connected=view.connected,
        away_until=view.away_until or None,
        tally=wins + 0.5 if half else wins,
    )


def _race(race: table_pb2.RaceView) -> server.RaceOfTable:
    return server.RaceOfTable(
        number=race.number,
        rules=rules_frame(race.rules),
        starts_at=race.times.starts_at or None,
        deadline=race.times.deadline or None,
        ended_at=race.times.ended_at or None,
        commitment=race.commitment or None,
        racers=tuple(server.Racer(seat=racer.seat, name=racer.name) for racer in race.racers),
    )
