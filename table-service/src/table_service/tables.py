"""Tables in the store: loaded, changed by a pure transition, committed by version (docs/architecture.md, rule 1)."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import asdict, dataclass, replace
from typing import assert_never
from weakref import WeakValueDictionary

import msgspec

from table_service import metrics, record
from table_service.domain import presence
from table_service.domain.table import SEATS, Leases, Table
from table_service.effects import effects
from table_service.reading import Loaded, Unreadable, read_tables, reading
from table_service.scripts import COMMIT, REMOVE
from table_service.settings import EXPIRE_MS
from table_service.sweep import OUTAGE_MS
from wire import clocks, keys
from wire.clocks import DeadlineDue, DealDue, Entry, ExpireDue, PresenceDue, ResignDue, SettleDue
from wire.ids import RaceId, TableId, race_id
from wire.refusal import Refusal, Refused
from wire.settings import Timings
from wire.store import OutcomeUnknown, Store, StoreError

READINGS = 3
"""How often tables are read for an answer in time."""
TRIES = 20
"""How often a change is judged anew after others came first."""
SUPERSEDED = 2
SOON_MS = 60_000
"""A table whose expiry is farther ahead was visited: it is not removed."""


Transition = Callable[[Loaded, int], Table]
"""Gets a table and the time (ms), gives the table changed; raises Refused where it cannot be."""


class Superseded(StoreError):
    """A stream is not its gateway's newest any more: what came over it was told to another replica, too."""


@dataclass(frozen=True, slots=True)
class Fence:
    """Which stream of which gateway a change comes from; commits of a superseded one are refused."""

    gateway: bytes
    number: int


Mend = Callable[[Collection[int]], Awaitable[None]]
"""Awaited before the leases of some buckets are read: moves them past an outage of ours."""


async def nothing_to_mend(_buckets: Collection[int]) -> None:
    """Take leases as they are."""


class Tables:
    """The tables of a store."""

    def __init__(self, store: Store, timings: Timings, mend: Mend = nothing_to_mend) -> None:
        """Work on a store that is connected."""
        self.store = store
        self.timings = timings
        self._mend = mend
        # Those who would change one table here wait for each other, so that only other replicas come first.
        self._turns: WeakValueDictionary[TableId, asyncio.Lock] = WeakValueDictionary()

    @property
    def now(self) -> int:
        """The store's time in milliseconds, as an estimate."""
        return self.store.clock.now()

    async def load_many(self, tables: Sequence[TableId]) -> list[Loaded | Unreadable | None]:
        """Load tables, None for each that is not there.

        Raises:
            StoreError: the store did not answer.
        """
        for _ in range(READINGS):
            asked = self.now
            await self._mend({keys.bucket_of(table) for table in tables})
            found = read_tables(tables, await self.store.read_apart(reading(tables, self.now)))
            # Where we were paused meanwhile, what was mended before says nothing of now.
            if self.now - asked <= OUTAGE_MS:
                return found
        raise StoreError(f"the store takes longer than {OUTAGE_MS} ms to answer")

    async def load(self, table: TableId) -> Loaded:
        """Load a table.

        Raises:
            Refused: TABLE_UNKNOWN.
            StoreError: the store did not answer, or the table is Unreadable.
        """
        (found,) = await self.load_many([table])
        match found:
            case None:
                raise Refused(Refusal.TABLE_UNKNOWN)
            case Unreadable():
                raise found
            case Loaded():
                return found
            case _:
                assert_never(found)

    async def versions(self, tables: Sequence[TableId]) -> list[int]:
        """Read versions, 0 for a table that is not there or is no record.

        Raises:
            StoreError: the store did not answer.
        """
        replies = await self.store.read_apart([("HGET", keys.table_key(table), "v") for table in tables])
        return [int(reply) if isinstance(reply, bytes) and reply.isdigit() else 0 for reply in replies]

    async def create(self, table: Table) -> Loaded:
        """Commit a table that is not there yet; one of that id that is there is loaded instead.

        Raises:
            StoreError: the store did not answer.
        """
        await self._commit(None, table, {}, now=self.now)
        return await self.load(table.id)

    async def change(self, table: TableId, transition: Transition, *, fence: Fence | None = None) -> Loaded:
        """Change a table, judged anew for as long as others come first; a transition may be called many times.

        Raises:
            Refused: TABLE_UNKNOWN, or what the transition raises.
            StoreError: the store did not answer, and it cannot be told whether the change was made.
        """
        async with self._turns.setdefault(table, asyncio.Lock()):
            for _ in range(TRIES):
                before = await self.load(table)
                now = self.now
                after = transition(before, now)
                if after == before.table:
                    return before
                if await self._commit(before.table, after, before.leases, now=now, fence=fence):
                    metrics.EXPIRED.inc(presence.ran_out(before.table, after, before.leases, now))
                    return await self.load(table)
                metrics.CONFLICTS.inc()
        raise OutcomeUnknown(f"others changed the table {TRIES} times meanwhile")

    async def remove(self, table: Table) -> bool:
        """Remove a table with its races and clock entries, unless it was changed or visited meanwhile.

        Raises:
            StoreError: the store did not answer.
        """
        bucket = keys.bucket_of(table.id)
        races = [race_id(table.id, number) for number in range(1, table.number + 1)]
        kept = [keys.leases_key(bucket), keys.clocks_key(bucket), keys.watchers_key(table.id)]
        kept += [key for race in races for key in (keys.race_key(race), keys.log_key(race))]
        expiry = clocks.to_text(ExpireDue(table.id))
        reply = await self.store.run(
            REMOVE,
            [keys.table_key(table.id), *kept],
            [
                table.version, keys.tables_channel(bucket), table.id, expiry, self.now + SOON_MS,
                *_members(table.id, races),
            ],
        )  # fmt: skip
        return reply == 1

    async def visited(self, tables: Collection[TableId]) -> None:
        """Count a visit: each of these tables is kept for another day from now."""
        due = str(self.now + EXPIRE_MS)
        await self.store.read_apart(
            [
                (
                    "ZADD",
                    keys.clocks_key(keys.bucket_of(table)),
                    "XX",
                    "GT",
                    due,
                    clocks.to_text(ExpireDue(table)),
                )
                for table in tables
            ]
        )

    async def _commit(
        self, before: Table | None, after: Table, leases: Leases, *, now: int, fence: Fence | None = None
    ) -> bool:
        version = 0 if before is None else before.version
        bucket, times = keys.bucket_of(after.id), self.timings
        also = effects(
            before, after, leases,
            now=now, away_ms=times.away_ms, grace_ms=times.grace_ms, expire_ms=EXPIRE_MS,
        )  # fmt: skip
        changed = [keys.leases_key(bucket), keys.clocks_key(bucket), keys.streams_key(bucket)]
        stored = record.encode(replace(after, version=version + 1))
        reply = await self.store.run(
            COMMIT,
            [keys.table_key(after.id), *changed],
            [
                version, stored, after.id, keys.tables_channel(bucket), msgspec.json.encode(asdict(also)),
                fence.gateway if fence else b"", fence.number if fence else 0,
            ],
        )  # fmt: skip
        if not isinstance(reply, list) or not isinstance(reply[2], int):
            raise StoreError("the commit of a table answered in another shape")
        self.store.clock.heard(reply[2])
        if reply[0] == SUPERSEDED:
            raise Superseded
        return reply[0] == 1


def _members(table: TableId, races: Sequence[RaceId]) -> list[str]:
    """Give what may stand in the leases and the clocks of a table's own."""
    entries: list[Entry] = [PresenceDue(table), ExpireDue(table)]
    for race in races:
        entries += [DealDue(race), DeadlineDue(race), SettleDue(race)]
        entries += [ResignDue(race, seat) for seat in SEATS]
    return [keys.lease(table, seat) for seat in SEATS] + [clocks.to_text(entry) for entry in entries]
