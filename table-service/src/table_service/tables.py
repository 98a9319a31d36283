"""Tables in the store: loaded, changed by a pure transition, committed by version (docs/architecture.md, rule 1)."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict, dataclass, replace

import msgspec

from table_service import record
from table_service.domain.table import SEATS, Leases, Table
from table_service.effects import effects
from table_service.scripts import COMMIT, REMOVE
from table_service.settings import EXPIRE_MS
from wire import clocks, keys
from wire.clocks import Entry, ExpireDue, PresenceDue
from wire.ids import TableId, race_id
from wire.refusal import Refusal, Refused
from wire.settings import Timings
from wire.store import OutcomeUnknown, Reply, Store, StoreError

TRIES = 20
"""How often a change is judged anew after others came first."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """A table as it is stored, with its seats' leases and how many watch it."""

    table: Table
    leases: Leases
    watchers: int


Transition = Callable[[Loaded, int], Table]
"""Gets a table and the time (ms), gives the table changed; raises Refused where it cannot be."""


class Tables:
    """The tables of a store."""

    def __init__(self, store: Store, timings: Timings) -> None:
        """Work on a store that is connected."""
        self.store = store
        self.timings = timings

    @property
    def now(self) -> int:
        """The store's time in milliseconds, as an estimate."""
        return self.store.clock.now()

    async def load_many(self, tables: Sequence[TableId]) -> list[Loaded | None]:
        """Load tables, None for each that is not there; one that cannot be read is None too, and is not touched.

        Raises:
            StoreError: the store did not answer.
        """
        commands: list[tuple[str, ...]] = []
        for table in tables:
            bucket = keys.bucket_of(table)
            commands += [
                ("HMGET", keys.table_key(table), "v", "r"),
                ("ZMSCORE", keys.leases_key(bucket), *(keys.lease(table, seat) for seat in SEATS)),
                ("HGETALL", keys.watchers_key(table)),
                ("ZRANGE", keys.gateways_key(bucket), str(self.now), "+inf", "BYSCORE"),
            ]
        replies = await self.store.read(commands)
        return [_loaded(*replies[at : at + 4]) for at in range(0, len(replies), 4)]

    async def load(self, table: TableId) -> Loaded:
        """Load a table.

        Raises:
            Refused: TABLE_UNKNOWN.
            StoreError: the store did not answer.
        """
        found = (await self.load_many([table]))[0]
        if found is None:
            raise Refused(Refusal.TABLE_UNKNOWN)
        return found

    async def versions(self, tables: Sequence[TableId]) -> list[int]:
        """Read versions, 0 for a table that is not there.

        Raises:
            StoreError: the store did not answer.
        """
        replies = await self.store.read([("HGET", keys.table_key(table), "v") for table in tables])
        return [int(reply) if isinstance(reply, bytes) else 0 for reply in replies]

    async def create(self, table: Table) -> Loaded:
        """Commit a table that is not there yet; one of that id that is there is loaded instead.

        Raises:
            StoreError: the store did not answer.
        """
        now = self.now
        done = await self._commit(None, table, {}, now)
        if not done:
            return await self.load(table.id)
        return await self.load(table.id)

    async def change(self, table: TableId, transition: Transition) -> Loaded:
        """Change a table, judged anew for as long as others come first; a transition may be called many times.

        Raises:
            Refused: TABLE_UNKNOWN, or what the transition raises.
            StoreError: the store did not answer, and it cannot be told whether the change was made.
        """
        for _ in range(TRIES):
            before = await self.load(table)
            now = self.now
            after = transition(before, now)
            if after == before.table:
                return before
            if await self._commit(before.table, after, before.leases, now):
                return await self.load(table)
        raise OutcomeUnknown(f"others changed the table {TRIES} times meanwhile")

    async def remove(self, table: Table) -> bool:
        """Remove a table with its races, unless it has changed; its own clock entries go with it.

        Raises:
            StoreError: the store did not answer.
        """
        bucket = keys.bucket_of(table.id)
        races = [race_id(table.id, number) for number in range(1, table.number + 1)]
        entries: list[Entry] = [PresenceDue(table.id), ExpireDue(table.id)]
        members = [keys.lease(table.id, seat) for seat in SEATS] + [
            clocks.to_text(entry) for entry in entries
        ]
        members += [f"{what}:{race}" for race in races for what in ("deal", "deadline", "settle")]
        reply = await self.store.run(
            REMOVE,
            [
                keys.table_key(table.id),
                keys.leases_key(bucket),
                keys.clocks_key(bucket),
                keys.watchers_key(table.id),
                *(key for race in races for key in (keys.race_key(race), keys.log_key(race))),
            ],
            [table.version, keys.tables_channel(bucket), table.id, *members],
        )
        return reply == 1

    async def done(self, bucket: int, entry: Entry) -> None:
        """Take an entry off the clocks."""
        await self.store.read([("ZREM", keys.clocks_key(bucket), clocks.to_text(entry))])

    async def postpone(self, bucket: int, entry: Entry, due: int) -> None:
        """Have an entry that is there fall due later (ms)."""
        await self.store.read([("ZADD", keys.clocks_key(bucket), "XX", str(due), clocks.to_text(entry))])

    async def visited(self, tables: Collection[TableId]) -> None:
        """Count a visit: each of these tables is kept for another day from now."""
        due = str(self.now + EXPIRE_MS)
        await self.store.read(
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

    async def _commit(self, before: Table | None, after: Table, leases: Leases, now: int) -> bool:
        version = 0 if before is None else before.version
        bucket = keys.bucket_of(after.id)
        also = effects(
            before,
            after,
            leases,
            now=now,
            away_ms=self.timings.away_ms,
            grace_ms=self.timings.grace_ms,
            expire_ms=EXPIRE_MS,
        )
        reply = await self.store.run(
            COMMIT,
            [keys.table_key(after.id), keys.leases_key(bucket), keys.clocks_key(bucket)],
            [
                version,
                record.encode(replace(after, version=version + 1)),
                after.id,
                keys.tables_channel(bucket),
                msgspec.json.encode(asdict(also)),
            ],
        )
        if not isinstance(reply, list) or not isinstance(reply[2], int):
            raise StoreError("the commit of a table answered in another shape")
        self.store.clock.heard(reply[2])
        return reply[0] == 1


def _loaded(stored: Reply, leases: Reply, watchers: Reply, gateways: Reply) -> Loaded | None:
    if not isinstance(stored, list) or not isinstance(stored[1], bytes):
        return None
    try:
        table = record.decode(stored[1])
    except record.BadRecord:
        return None
    live = set(gateways) if isinstance(gateways, list) else set()
    return Loaded(table, _leases(leases), _watchers(watchers, live))


def _leases(reply: Reply) -> dict[int, int]:
    scores = reply if isinstance(reply, list) else []
    return {
        seat: int(float(score))
        for seat, score in zip(SEATS, scores, strict=True)
        if isinstance(score, bytes | float)
    }


def _watchers(reply: object, live: set[Reply]) -> int:
    """Count the watchers that live gateways told of."""
    match reply:
        case dict():
            told = list(reply.items())
        case list():
            told = list(zip(reply[::2], reply[1::2], strict=True))
        case _:
            told = []
    return sum(int(count) for gateway, count in told if gateway in live)
