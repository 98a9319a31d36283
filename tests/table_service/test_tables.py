"""Changes of tables on a real Valkey that others overtake, or a pause interrupts: they are judged anew."""

from collections.abc import Collection, Sequence

import pytest
from tests.table_service.clocked import ANN, BO, BUCKET, ID, due_of, opened

from table_service.domain import commands, presence
from table_service.domain.table import Table
from table_service.reading import Loaded, Unreadable
from table_service.sweep import Sweep
from table_service.tables import Fence, Superseded, Tables
from wire import keys
from wire.ids import TableId


async def test_who_commits_second_is_judged_anew(tables: Tables) -> None:
    await opened(tables)
    tried = 0

    def slow(loaded: object, _now: int) -> Table:
        nonlocal tried
        tried += 1
        table: Table = loaded.table  # type: ignore[attr-defined]
        return presence.disconnect(table, BO, 2)

    original = tables._commit

    async def overtaken(*args: object, **kwargs: object) -> bool:
        if tried == 1:
            tables._commit = original  # type: ignore[method-assign]
            other = Tables(tables.store, tables.timings)
            await other.change(ID, lambda now, _: commands.rename(now.table, ANN, name="Anna"))
        return await original(*args, **kwargs)  # type: ignore[arg-type]

    tables._commit = overtaken  # type: ignore[method-assign]
    after = (await tables.change(ID, slow)).table
    assert tried == 2
    assert [at.name for _, at in after.occupied()] == ["Anna", "Bo"]


class OvertakenTables(Tables):
    """A replica's tables; between its first reading and what it makes of that, another replica renews a lease."""

    def __init__(self, tables: Tables, seat: int) -> None:
        super().__init__(tables.store, tables.timings)
        self._renewals = [(keys.leases_key(BUCKET), keys.lease(ID, seat))]

    async def load_many(self, tables: Sequence[TableId]) -> list[Loaded | Unreadable | None]:
        found = await super().load_many(tables)
        until = self.now + self.timings.away_ms
        await self.store.read(
            [("ZADD", leases, "XX", "GT", until, lease) for leases, lease in self._renewals]
        )
        self._renewals = []
        return found


async def test_a_seat_is_not_freed_by_a_lease_that_was_renewed_meanwhile(tables: Tables) -> None:
    await opened(tables)
    ran_out = tables.now - tables.timings.grace_ms - 1
    await tables.store.read([("ZADD", keys.leases_key(BUCKET), ran_out, keys.lease(ID, 2))])
    await due_of(OvertakenTables(tables, 2)).presence(ID)
    seated = (await tables.load(ID)).table.at(2)
    assert seated is not None
    assert seated.connected


async def test_nothing_is_changed_over_a_stream_whose_gateway_has_a_newer_one(tables: Tables) -> None:
    before = await opened(tables)
    await tables.store.read([("ZADD", keys.streams_key(BUCKET), 2, b"gateway")])
    with pytest.raises(Superseded):
        await tables.change(
            ID, lambda now, _: commands.rename(now.table, ANN, name="Anna"), fence=Fence(b"gateway", 1)
        )
    assert (await tables.load(ID)).table == before


class PausedTables(Tables):
    """A replica's tables; it is paused right after it saw that no lease is to be moved past an outage."""

    def __init__(self, tables: Tables, paused_ms: int) -> None:
        super().__init__(tables.store, tables.timings, self._pause)
        self._sweep, self._behind_ms = Sweep(tables.store), paused_ms

    @property
    def now(self) -> int:
        return super().now - self._behind_ms

    async def _pause(self, buckets: Collection[int]) -> None:
        if self._behind_ms:
            self._behind_ms = 0
        else:
            await self._sweep.mend(buckets)


async def test_a_pause_of_the_only_replica_frees_no_seat(tables: Tables) -> None:
    await opened(tables)
    out = 500_000
    shifted = [
        ("ZADD", keys.leases_key(BUCKET), tables.now + 20_000 - out, keys.lease(ID, seat)) for seat in (1, 2)
    ]
    await tables.store.read([*shifted, ("SET", keys.sweep_key(BUCKET), tables.now - out)])
    await due_of(PausedTables(tables, out)).presence(ID)
    loaded = await tables.load(ID)
    assert [at.connected for _, at in loaded.table.occupied()] == [True, True]
