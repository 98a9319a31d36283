"""What to do when an entry of the clocks is due; each may be done twice without harm (docs/architecture.md, rule 3)."""

from typing import assert_never

from table_service.domain import presence
from table_service.domain.table import Table
from table_service.races import Races, table_of
from table_service.reading import Loaded
from table_service.settings import EXPIRE_MS
from table_service.tables import Tables
from wire.clocks import DeadlineDue, DealDue, Entry, ExpireDue, PresenceDue, ResignDue, SettleDue
from wire.ids import TableId
from wire.refusal import Refusal, Refused

AGAIN_MS = 300


class Due:
    """Handles entries."""

    def __init__(self, tables: Tables, races: Races) -> None:
        """Work on these tables and races."""
        self._tables = tables
        self._races = races

    async def handle(self, entry: Entry) -> int | None:
        """Do what is due; give when the entry is due again (ms), or None where it is done.

        Raises:
            Refused: UNAVAILABLE; the entry stays.
            StoreError: the store did not answer; the entry stays.
        """
        table = entry.table if isinstance(entry, PresenceDue | ExpireDue) else table_of(entry.race)
        try:
            return await self._handle(entry, table)
        except Refused as refused:
            if refused.refusal is not Refusal.TABLE_UNKNOWN:
                raise
        return None

    async def _handle(self, entry: Entry, table: TableId) -> int | None:
        match entry:
            case DealDue(_):
                await self._races.deal(table)
            case DeadlineDue(race):
                if not await self._races.expire(race):
                    return self._tables.now + AGAIN_MS
            case SettleDue(_):
                await self._races.settle(table)
            case ResignDue(race, seat):
                await self._races.resign(race, seat)
            case PresenceDue(_):
                return await self.presence(table)
            case ExpireDue(_):
                return await self._expire(table)
            case _:
                assert_never(entry)
        return None

    async def presence(self, table: TableId) -> int | None:
        """Say who is there; give when that may change next (ms), or None."""
        grace_ms = self._tables.timings.grace_ms

        def ticked(loaded: Loaded, now: int) -> Table:
            return presence.tick(loaded.table, loaded.leases, now=now, grace_ms=grace_ms)

        loaded = await self._tables.change(table, ticked)
        return presence.next_tick(loaded.table, loaded.leases, now=self._tables.now, grace_ms=grace_ms)

    async def _expire(self, table: TableId) -> int | None:
        loaded = await self._tables.load(table)
        now = self._tables.now
        if loaded.watchers or any(now < until for until in loaded.leases.values()):
            return now + EXPIRE_MS
        if not await self._tables.remove(loaded.table):
            return now + AGAIN_MS
        return None
