"""How full the store is: new tables are refused first, then new races, and never a slide (docs/architecture.md, rule 14).

A store that is full refuses every write, those of running races too; so it must never come to that.
"""

import asyncio
from itertools import groupby

from table_service.metrics import FULL
from table_service.scripts import ROOM
from wire import keys
from wire.ids import TableId
from wire.log import events
from wire.refusal import Refusal, Refused
from wire.seldom import Seldom
from wire.store import Reply, Store, StoreError, StoreRefused

EVERY_S = 2.0
TABLES_UP_TO, RACES_UP_TO = 0.8, 0.9
"""Up to which part of the store's memory there are new tables, and new races; what is left is for slides."""
NO_TABLE = "There is no room for another table just now. Try again later."
NO_RACE = "There is no room for another race just now. Try again later."
_LOG = events("table_service")


class Room:
    """What there is room for; have `run` run beside the service."""

    def __init__(self, store: Store, *, most_tables: int) -> None:
        """Refuse nothing until the store was asked; `most_tables` is about how many it may hold."""
        self._store, self._most_tables = store, most_tables
        self._groups = {group: list(buckets) for group, buckets in groupby(range(keys.BUCKETS), store.group)}
        self._entries: dict[int, int] = {}
        self._filled: dict[int, float] = {}
        self._told = False
        self._seldom = Seldom()

    def check_table(self, table: TableId) -> None:
        """Have room for a new table.

        Raises:
            Refused: UNAVAILABLE.
        """
        if self._has_no_tables_left(self._part(table)):
            raise Refused(Refusal.UNAVAILABLE, NO_TABLE)

    def check_race(self, table: TableId) -> None:
        """Have room for a new race.

        Raises:
            Refused: UNAVAILABLE.
        """
        if self._part(table) >= RACES_UP_TO:
            raise Refused(Refusal.UNAVAILABLE, NO_RACE)

    async def run(self, *, every_s: float = EVERY_S) -> None:
        """Ask again and again, until cancelled; while the store does not answer it is as it was."""
        while True:
            await self.ask()
            await asyncio.sleep(every_s)

    async def ask(self) -> None:
        """Ask how full the store is."""
        for group, buckets in self._groups.items():
            await self._ask(group, buckets)
        self._tell()

    async def _ask(self, group: int, buckets: list[int]) -> None:
        try:
            reply = await self._store.run(ROOM, [keys.clocks_key(bucket) for bucket in buckets], [])
            self._entries[group], self._filled[group] = _read(reply)
        except StoreRefused as refused:
            if self._seldom.now("refused"):
                _LOG.warning("how full the store is cannot be told", why=str(refused))
        except StoreError:
            return  # whoever asks for a table hears of it

    def _has_no_tables_left(self, filled: float) -> bool:
        return sum(self._entries.values()) >= self._most_tables or filled >= TABLES_UP_TO

    def _part(self, table: TableId) -> float:
        return self._filled.get(self._store.group(keys.bucket_of(table)), 0.0)

    def _tell(self) -> None:
        filled = max(self._filled.values(), default=0.0)
        no_tables = self._has_no_tables_left(filled)
        FULL.labels("tables").set(no_tables)
        FULL.labels("races").set(filled >= RACES_UP_TO)
        if no_tables and not self._told:
            _LOG.warning("no room for new tables", tables=sum(self._entries.values()), memory=f"{filled:.2f}")
        self._told = no_tables


def _read(reply: Reply) -> tuple[int, float]:
    """Give entries, and the part of the memory that is used, 0 where it has no bound."""
    match reply:
        case [int(entries), int(used), int(most)]:
            return entries, used / most if most else 0.0
        case _:
            raise StoreError("how full it is was answered in another shape")
