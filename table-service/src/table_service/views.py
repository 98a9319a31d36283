"""A table as messages: what everyone may see of it, and what gateways need to know whose sockets are whose."""

from table_service.domain.table import Phase, RaceAtTable, Rules
from table_service.reading import Loaded
from tilerace.game.v1 import game_pb2
from tilerace.table.v1 import table_pb2
from wire.ids import same_browser

_PHASES = {
    Phase.GATHERING: table_pb2.PHASE_GATHERING,
    Phase.RACING: table_pb2.PHASE_RACING,
    Phase.FINISHED: table_pb2.PHASE_FINISHED,
}


def rules_view(rules: Rules) -> game_pb2.Rules:
    """Write rules, 0 for none."""
    return game_pb2.Rules(target=rules.target or 0, clock_ms=rules.clock_ms or 0)


def rules_from(message: game_pb2.Rules) -> Rules:
    """Read rules, 0 for none."""
    return Rules(message.target or None, message.clock_ms or None)


def news_of(loaded: Loaded, *, now: int, grace_ms: int) -> table_pb2.TableNews:
    """Write a table's news as of `now` (ms)."""
    table = loaded.table
    race = table.race
    return table_pb2.TableNews(
        table=table_pb2.Table(
            table=table.id,
            version=table.version,
            phase=_PHASES[table.phase],
            host=table.seat_of(table.host) or 0,
            seats=_seats(loaded, now=now, grace_ms=grace_ms),
            watchers=loaded.watchers,
            rules=rules_view(table.rules),
            race=None if race is None else _race(race),
        ),
        holders=[
            table_pb2.Holder(seat=seat, browser=seated.browser, connection=seated.connection)
            for seat, seated in table.occupied()
        ],
        racers=[]
        if race is None
        else [table_pb2.Holder(seat=entrant.seat, browser=entrant.browser) for entrant in race.entrants],
    )


def _seats(loaded: Loaded, *, now: int, grace_ms: int) -> list[table_pb2.SeatView]:
    table = loaded.table
    views = []
    for seat, seated in table.occupied():
        until = loaded.leases.get(seat, 0)
        # What the table has said of a connection holds until it says otherwise, so that views follow versions.
        connected = seated.connected
        views.append(
            table_pb2.SeatView(
                seat=seat,
                name=seated.name,
                ready=seated.ready or same_browser(seated.browser, table.host),
                connected=connected,
                away_until=0 if connected else min(until, now) + grace_ms,
                tally_halves=table.halves(seated.browser),
            )
        )
    return views


def _race(race: RaceAtTable) -> table_pb2.RaceView:
    return table_pb2.RaceView(
        number=race.number,
        rules=rules_view(race.rules),
        times=game_pb2.Times(starts_at=race.starts_at, deadline=race.deadline, ended_at=race.ended_at),
        commitment=race.commitment,
        racers=[table_pb2.Racer(seat=entrant.seat, name=entrant.name) for entrant in race.entrants],
    )
