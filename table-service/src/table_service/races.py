"""The races of tables, across two services: deal, resign, expire, settle (docs/architecture.md, rule 7).

Every step is asked for as often as it takes and does its work once.
"""

from table_service.domain import presence, races
from table_service.domain.table import Phase, Table
from table_service.games import Games, result_of
from table_service.reading import Loaded
from table_service.tables import Tables
from tilerace.game.v1 import game_pb2
from wire.ids import BrowserHash, RaceId, TableId, parse_race_id
from wire.refusal import Refusal, Refused


class Races:
    """Takes the races of tables along, from Start to the tally."""

    def __init__(self, tables: Tables, games: Games) -> None:
        """Work on these tables and ask these replicas."""
        self._tables = tables
        self._games = games

    async def deal(self, table: TableId) -> Loaded:
        """Have the race of a table dealt, and record the answer, unless that is done.

        Raises:
            Refused: TABLE_UNKNOWN, or UNAVAILABLE where game-service did not answer; the clocks ask again.
            StoreError: the store did not answer.
        """
        loaded = await self._tables.load(table)
        race, race_id = loaded.table.race, loaded.table.race_id
        if race is None or race_id is None or race.commitment:
            return loaded
        dealt = await self._games.deal(race_id, race, countdown_ms=self._tables.timings.countdown_ms)

        def recorded(now: Loaded, _: int) -> Table:
            return races.record_deal(
                now.table,
                number=race.number,
                starts_at=dealt.times.starts_at,
                deadline=dealt.times.deadline,
                commitment=dealt.commitment,
            )

        return await self._tables.change(table, recorded)

    async def settle(self, table: TableId) -> Loaded:
        """Take the verdict of a table's race, if there is one that is not taken yet.

        Raises:
            Refused: TABLE_UNKNOWN, or UNAVAILABLE where game-service did not answer.
            StoreError: the store did not answer.
        """
        loaded = await self._tables.load(table)
        race, race_id = loaded.table.race, loaded.table.race_id
        if loaded.table.phase is not Phase.RACING or race is None or race_id is None:
            return loaded
        if not race.commitment:
            loaded = await self.deal(table)
        result = result_of(await self._games.get(race_id))
        if result is None:
            return loaded
        return await self._tables.change(
            table, lambda now, _: races.settle(now.table, number=race.number, result=result)
        )

    async def resign(self, race_id: RaceId, seat: int) -> None:
        """Put a racer who left the table out; a stuck one stays in, a race that is over stays as it is.

        Raises:
            Refused: TABLE_UNKNOWN, or UNAVAILABLE where game-service did not answer; the clocks ask again.
            StoreError: the store did not answer.
        """
        await self.deal(table_of(race_id))
        try:
            await self._games.resign(race_id, seat=seat)
        except Refused as refused:
            if refused.refusal is Refusal.UNAVAILABLE:
                raise

    async def expire(self, race_id: RaceId) -> bool:
        """End a race whose deadline has passed; tell whether it is over or unknown.

        Raises:
            Refused: UNAVAILABLE.
        """
        try:
            return await self._games.expire(race_id)
        except Refused as refused:
            if refused.refusal is Refusal.UNAVAILABLE:
                raise
            return True

    async def race_on_without(self, loaded: Loaded, browser: BrowserHash, *, number: int, seat: int) -> None:
        """Put a racer out whose grace is over, for another in the race; one who is left behind already stays so.

        Raises:
            Refused: RACE_NOT_RUNNING, RACE_MOVED_ON, NOT_A_RACER, SEAT_EMPTY, RACE_OVER, OUT_OF_RACE,
                STILL_CONNECTED, GRACE_NOT_OVER, and what game-service refuses with.
        """
        table, now, grace = loaded.table, self._tables.now, self._tables.timings.grace_ms
        race, race_id = table.race, table.race_id
        if race is None or race_id is None:
            raise Refused(Refusal.RACE_NOT_RUNNING)
        if race.number != number:
            raise Refused(Refusal.RACE_MOVED_ON)
        asker = race.entrant(browser)
        if asker is None:
            raise Refused(Refusal.NOT_A_RACER)
        if seat not in {entrant.seat for entrant in race.entrants}:
            raise Refused(Refusal.SEAT_EMPTY)
        if _is_left_behind(await self._games.get(race_id), asker=asker.seat, other=seat):
            return
        if presence.is_connected(loaded.leases, seat, now):
            raise Refused(Refusal.STILL_CONNECTED)
        until = loaded.leases.get(seat, 0)
        if now < until + grace:
            raise Refused(Refusal.GRACE_NOT_OVER)
        await self._games.retire(race_id, seat=seat, until=until, grace_ms=grace)


def _is_left_behind(stands: game_pb2.GetRaceResponse, *, asker: int, other: int) -> bool:
    """Tell whether another was left behind already, as when it was asked for twice.

    Raises:
        Refused: the race is over, or one of the two is out of it otherwise.
    """
    out = {standing.seat: standing.out for standing in stands.standings if standing.out}
    if out.get(other) == game_pb2.OUT_LEFT_BEHIND:
        return True
    if stands.HasField("verdict"):
        raise Refused(Refusal.RACE_OVER)
    if asker in out:
        raise Refused(Refusal.OUT_OF_RACE)
    if other in out:
        raise Refused(Refusal.OUT_OF_RACE, "They are out of this race already.")
    return False


def table_of(race_id: RaceId) -> TableId:
    """Give the table of a race."""
    return parse_race_id(race_id)[0]
