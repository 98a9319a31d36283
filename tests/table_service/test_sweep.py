"""The sweep on a real Valkey: what is due is done once, a bad entry holds nobody up, outages cost no grace."""

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Sequence

import pytest
from prometheus_client import REGISTRY

from table_service.domain import commands, presence, races
from table_service.domain.table import Rules, Table
from table_service.due import Due
from table_service.games import Games
from table_service.races import Races
from table_service.reading import Loaded, Unreadable
from table_service.settings import GATEWAY_LIVES_MS
from table_service.sweep import OUTAGE_MS, Sweep
from table_service.tables import Tables
from wire import clocks, keys
from wire.channels import Channels
from wire.clocks import DealDue, Entry, ExpireDue, PresenceDue, SettleDue
from wire.ids import BrowserHash, TableId, race_id
from wire.refusal import Refusal, Refused
from wire.routing import Replicas
from wire.settings import Timings
from wire.store import Store

ANN, BO = BrowserHash(b"a" * 32), BrowserHash(b"b" * 32)
ID = TableId("K7QM2XWP")
BUCKET = keys.bucket_of(ID)


@pytest.fixture
async def tables(store_url: str) -> AsyncIterator[Tables]:
    store = await Store.connect(store_url)
    yield Tables(store, Timings(grace_ms=60_000, ping_ms=10_000))
    await store.aclose()


def due_of(tables: Tables) -> Due:
    return Due(tables, Races(tables, Games(Replicas(["127.0.0.1:1"]), Channels())))


def figure(name: str, **labels: str) -> float:
    return REGISTRY.get_sample_value(name, labels) or 0.0


def faulty() -> float:
    return figure("tilerace_sweep_entries_total", outcome="faulty")


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(10):
        while not holds():
            await asyncio.sleep(0.01)


async def opened(tables: Tables) -> Table:
    table = commands.open_table(ID, ANN, name="Ann", rules=Rules(), since=1)
    await tables.create(table)
    return (
        await tables.change(ID, lambda now, _: commands.sit(now.table, BO, name="Bo", connection=2, since=2))
    ).table


async def scores(tables: Tables, key: str) -> dict[str, int]:
    reply = (await tables.store.read([("ZRANGE", key, 0, -1, "WITHSCORES")]))[0]
    assert isinstance(reply, list)
    pairs = [pair if isinstance(pair, list) else None for pair in reply]
    flat = [item for pair in pairs if pair for item in pair] if any(pairs) else reply
    return {bytes(flat[at]).decode(): int(float(flat[at + 1])) for at in range(0, len(flat), 2)}  # type: ignore[arg-type]


async def test_an_entry_that_cannot_be_read_or_handled_holds_up_no_other(tables: Tables) -> None:
    handled: list[Entry] = []

    async def handle(entry: Entry) -> int | None:
        if isinstance(entry, PresenceDue):
            raise RuntimeError("a fault in the handler")  # noqa: TRY004
        handled.append(entry)
        return None

    entries = ["nonsense", clocks.to_text(PresenceDue(ID)), clocks.to_text(ExpireDue(ID))]
    await tables.store.read([("ZADD", keys.clocks_key(BUCKET), 1, entry) for entry in entries])
    before = faulty()
    await Sweep(tables.store).once(handle)
    assert handled == [ExpireDue(ID)]
    assert faulty() == before + 2
    left = await scores(tables, keys.clocks_key(BUCKET))
    assert set(left) == {"nonsense", "presence:K7QM2XWP"}
    assert min(left.values()) > tables.now


async def test_an_entry_that_is_no_text_is_left_alone_like_any_other(tables: Tables) -> None:
    key = keys.clocks_key(BUCKET)
    await tables.store.client.zadd(key, {b"nonsense\xff": 1})
    sweep = Sweep(tables.store)
    await sweep.once(due_of(tables).handle)
    (again,) = await tables.store.read([("ZSCORE", key, b"nonsense\xff")])
    assert isinstance(again, bytes | float)
    assert float(again) > tables.now + 50_000


async def test_a_bucket_that_cannot_be_swept_holds_up_no_other(
    tables: Tables, caplog: pytest.LogCaptureFixture
) -> None:
    other = (BUCKET + 1) % keys.BUCKETS
    await tables.store.client.set(keys.clocks_key(other), "nonsense")
    await tables.store.client.zadd(keys.clocks_key(BUCKET), {clocks.to_text(ExpireDue(ID)): 1})
    sweep, handled = Sweep(tables.store), []

    async def handle(entry: Entry) -> None:
        handled.append(entry)

    for _ in range(3):
        await sweep.once(handle)
    assert handled == [ExpireDue(ID)]
    assert [record.message for record in caplog.records] == ["a bucket cannot be swept"]


async def test_how_late_entries_are_is_counted(tables: Tables) -> None:
    async def handle(_: Entry) -> int | None:
        return None

    before = figure("tilerace_sweep_lag_seconds_sum"), figure("tilerace_sweep_lag_seconds_count")
    due = tables.now - 5_000
    await tables.store.read([("ZADD", keys.clocks_key(BUCKET), due, clocks.to_text(ExpireDue(ID)))])
    await Sweep(tables.store).once(handle)
    lag_s = figure("tilerace_sweep_lag_seconds_sum") - before[0]
    assert figure("tilerace_sweep_lag_seconds_count") == before[1] + 1
    assert 5 <= lag_s < 15


async def test_what_is_handed_out_is_not_handed_out_again_at_once(tables: Tables) -> None:
    handled: list[Entry] = []
    let_go = asyncio.Event()

    async def handle(entry: Entry) -> int | None:
        handled.append(entry)
        await let_go.wait()
        return None

    await tables.store.read([("ZADD", keys.clocks_key(BUCKET), 1, clocks.to_text(ExpireDue(ID)))])
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(Sweep(tables.store).once(handle))
        await until(lambda: handled == [ExpireDue(ID)])
        await Sweep(tables.store).once(handle)
        let_go.set()
    assert handled == [ExpireDue(ID)]
    assert await scores(tables, keys.clocks_key(BUCKET)) == {}


async def test_an_entry_that_takes_long_holds_up_neither_others_nor_the_next_sweep(tables: Tables) -> None:
    handled: list[Entry] = []

    async def handle(entry: Entry) -> int | None:
        if isinstance(entry, PresenceDue):
            await asyncio.Event().wait()
        handled.append(entry)
        return None

    async def due_now(entry: Entry) -> None:
        await tables.store.read([("ZADD", keys.clocks_key(BUCKET), 1, clocks.to_text(entry))])

    await due_now(PresenceDue(ID))
    async with asyncio.TaskGroup() as tasks:
        running = tasks.create_task(Sweep(tables.store).run(handle))
        for number in range(1, 4):
            await due_now(SettleDue(race_id(ID, number)))
            await until(lambda number=number: len(handled) == number)  # type: ignore[misc]
        running.cancel()


async def test_an_entry_that_a_commit_set_anew_meanwhile_stays_as_that_says(tables: Tables) -> None:
    async def handle(entry: Entry) -> int | None:
        await tables.store.read([("ZADD", keys.clocks_key(BUCKET), 77, clocks.to_text(entry))])
        return None

    await tables.store.read([("ZADD", keys.clocks_key(BUCKET), 1, clocks.to_text(PresenceDue(ID)))])
    await Sweep(tables.store).once(handle)
    assert await scores(tables, keys.clocks_key(BUCKET)) == {"presence:K7QM2XWP": 77}


async def test_an_entry_whose_peer_does_not_answer_stays(tables: Tables) -> None:
    await opened(tables)
    ready = await tables.change(ID, lambda now, _: commands.set_ready(now.table, BO, ready=True))
    started = await tables.change(ID, lambda now, ms: races.start(now.table, ANN, starts_at=ms))
    assert (ready.table.number, started.table.number) == (0, 1)
    deal = clocks.to_text(DealDue(race_id(ID, 1)))
    await tables.store.read([("ZADD", keys.clocks_key(BUCKET), 1, deal)])
    await Sweep(tables.store).once(due_of(tables).handle)
    assert deal in await scores(tables, keys.clocks_key(BUCKET))


async def test_a_span_without_a_sweep_moves_the_leases_by_it(tables: Tables) -> None:
    await opened(tables)
    due = due_of(tables)
    await Sweep(tables.store).once(due.handle)
    before = await scores(tables, keys.leases_key(BUCKET))
    gone = OUTAGE_MS + 20_000
    await tables.store.read([("SET", keys.sweep_key(BUCKET), tables.now - gone)])
    await Sweep(tables.store).once(due.handle)
    after = await scores(tables, keys.leases_key(BUCKET))
    assert all(0 <= after[member] - before[member] - gone < 1000 for member in before)


async def test_a_span_without_any_gateway_moves_the_leases_by_all_of_it(tables: Tables) -> None:
    await opened(tables)
    due = due_of(tables)
    heard = tables.now
    gone = heard + GATEWAY_LIVES_MS
    await tables.store.read([("ZADD", keys.gateways_key(BUCKET), gone, b"g" * 16)])
    before = await scores(tables, keys.leases_key(BUCKET))
    for _ in range(3):
        # The same span seen a second later: what was heard, and the last sweep, are a second older.
        gone -= 2_000
        await tables.store.read(
            [
                ("ZADD", keys.gateways_key(BUCKET), gone, b"g" * 16),
                ("SET", keys.sweep_key(BUCKET), tables.now - 2_000),
            ]
        )
        await Sweep(tables.store).once(due.handle)
    after = await scores(tables, keys.leases_key(BUCKET))
    silent = tables.now - (gone - GATEWAY_LIVES_MS)
    assert all(0 <= silent - (after[member] - before[member]) < 500 for member in before)


async def test_leases_are_moved_past_an_outage_before_anybody_judges_by_them(store_url: str) -> None:
    store = await Store.connect(store_url)
    sweep = Sweep(store)
    tables = Tables(store, Timings(grace_ms=60_000, ping_ms=10_000), sweep.mend)
    await opened(tables)
    out = 500_000
    shifted = [
        ("ZADD", keys.leases_key(BUCKET), tables.now + 20_000 - out, keys.lease(ID, seat)) for seat in (1, 2)
    ]
    await store.read([*shifted, ("SET", keys.sweep_key(BUCKET), tables.now - out)])
    fresh = Tables(store, tables.timings, Sweep(store).mend)
    await due_of(fresh).presence(ID)
    loaded = await fresh.load(ID)
    assert [at.connected for _, at in loaded.table.occupied()] == [True, True]
    assert min(loaded.leases.values()) > fresh.now
    await store.aclose()


async def test_gateways_that_are_long_gone_are_forgotten(tables: Tables) -> None:
    await tables.store.read(
        [
            ("ZADD", keys.gateways_key(BUCKET), 1, b"old", tables.now + 5_000, b"new"),
            ("ZADD", keys.streams_key(BUCKET), 3, b"old", 4, b"new"),
        ]
    )
    await Sweep(tables.store).once(due_of(tables).handle)
    assert set(await scores(tables, keys.gateways_key(BUCKET))) == {"new"}
    assert await scores(tables, keys.streams_key(BUCKET)) == {"new": 4}


async def test_while_gateways_live_and_sweeps_come_no_lease_moves(tables: Tables) -> None:
    await opened(tables)
    due = due_of(tables)
    await tables.store.read([("ZADD", keys.gateways_key(BUCKET), tables.now + 30_000, b"g" * 16)])
    await Sweep(tables.store).once(due.handle)
    before = await scores(tables, keys.leases_key(BUCKET))
    await Sweep(tables.store).once(due.handle)
    assert await scores(tables, keys.leases_key(BUCKET)) == before


async def test_a_lease_that_ran_out_makes_the_seat_away_and_grace_frees_it(tables: Tables) -> None:
    await opened(tables)
    due = due_of(tables)
    lease = keys.lease(ID, 2)
    await tables.store.read([("ZADD", keys.leases_key(BUCKET), tables.now - 1, lease)])
    assert await due.presence(ID) is not None
    away = (await tables.load(ID)).table.at(2)
    assert away is not None
    assert not away.connected
    await tables.store.read([("ZADD", keys.leases_key(BUCKET), tables.now - 60_001, lease)])
    await due.presence(ID)
    assert (await tables.load(ID)).table.at(2) is None
    assert lease not in await scores(tables, keys.leases_key(BUCKET))


async def expiring(tables: Tables) -> None:
    """Have a table's seats be long away, and its last visit a day ago."""
    leases = keys.leases_key(BUCKET)
    await tables.store.read([("ZADD", leases, 1, keys.lease(ID, seat)) for seat in (1, 2)])
    await tables.store.read([("ZADD", keys.clocks_key(BUCKET), 1, clocks.to_text(ExpireDue(ID)))])


async def test_a_table_nobody_visited_goes_with_everything_that_was_its_own(tables: Tables) -> None:
    await opened(tables)
    await tables.change(ID, lambda now, _: commands.set_ready(now.table, BO, ready=True))
    await tables.change(ID, lambda now, ms: races.start(now.table, ANN, starts_at=ms))
    await tables.change(ID, lambda now, _: commands.leave(now.table, BO))
    race = race_id(ID, 1)
    await tables.store.read([("HSET", keys.race_key(race), "v", 1), ("SET", keys.log_key(race), "log")])
    await expiring(tables)
    await Sweep(tables.store).once(due_of(tables).handle)
    left = (await tables.store.read([("KEYS", "*")]))[0]
    assert isinstance(left, list)
    assert {bytes(key).partition(b":")[2] for key in left} == {b"sweep"}  # type: ignore[arg-type]
    with pytest.raises(Refused) as caught:
        await tables.load(ID)
    assert caught.value.refusal is Refusal.TABLE_UNKNOWN


async def test_a_table_visited_while_it_was_about_to_go_stays(tables: Tables) -> None:
    table = await opened(tables)
    await expiring(tables)
    await tables.visited([ID])
    assert not await tables.remove(table)
    assert (await tables.load(ID)).table.at(1) is not None


async def test_what_cannot_be_read_is_not_taken_for_gone(tables: Tables) -> None:
    await opened(tables)
    await tables.store.read([("HSET", keys.table_key(ID), "r", b"\x02 of a later release")])
    await expiring(tables)
    await Sweep(tables.store).once(due_of(tables).handle)
    with pytest.raises(Unreadable):
        await tables.load(ID)
    assert "expire:K7QM2XWP" in await scores(tables, keys.clocks_key(BUCKET))


async def test_a_table_whose_key_is_something_else_spoils_no_other(tables: Tables) -> None:
    other = TableId("00000000")
    await opened(tables)
    await tables.store.client.set(keys.table_key(other), "nonsense")
    found, unreadable = await tables.load_many([ID, other])
    assert isinstance(found, Loaded)
    assert isinstance(unreadable, Unreadable)
    assert await tables.versions([ID, other]) == [found.table.version, 0]


async def test_a_host_who_is_alone_and_gone_keeps_the_sweep_not_busy(tables: Tables) -> None:
    await opened(tables)
    due = due_of(tables)
    await tables.store.read([("ZADD", keys.leases_key(BUCKET), 1, keys.lease(ID, seat)) for seat in (1, 2)])
    await due.presence(ID)
    loaded = await tables.load(ID)
    assert [seat for seat, _ in loaded.table.occupied()] == [1]
    assert await due.presence(ID) is None


async def test_a_table_somebody_is_at_does_not_go(tables: Tables) -> None:
    await opened(tables)
    assert await due_of(tables).handle(ExpireDue(ID)) is not None
    assert (await tables.load(ID)).table.at(1) is not None


async def test_a_visit_keeps_a_table_for_another_day(tables: Tables) -> None:
    await opened(tables)
    await tables.store.read([("ZADD", keys.clocks_key(BUCKET), 5, clocks.to_text(ExpireDue(ID)))])
    await tables.visited([ID])
    assert (await scores(tables, keys.clocks_key(BUCKET)))["expire:K7QM2XWP"] > tables.now + 86_000_000


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
