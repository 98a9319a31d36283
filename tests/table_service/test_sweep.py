"""The sweep on a real Valkey: what is due is done once, a bad entry holds nobody up, outages cost no grace."""

from collections.abc import AsyncIterator

import pytest

from table_service.domain import commands, presence
from table_service.domain.table import Rules, Table
from table_service.due import Due
from table_service.games import Games
from table_service.races import Races
from table_service.sweep import OUTAGE_MS, Sweep
from table_service.tables import Tables
from wire import clocks, keys
from wire.channels import Channels
from wire.clocks import Entry, ExpireDue, PresenceDue
from wire.ids import BrowserHash, TableId
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

    async def handle(entry: Entry) -> None:
        if isinstance(entry, PresenceDue):
            raise RuntimeError("a fault in the handler")  # noqa: TRY004
        handled.append(entry)
        await tables.done(BUCKET, entry)

    entries = ["nonsense", clocks.to_text(PresenceDue(ID)), clocks.to_text(ExpireDue(ID))]
    await tables.store.read([("ZADD", keys.clocks_key(BUCKET), 1, entry) for entry in entries])
    await Sweep(tables.store, handle).once()
    assert handled == [ExpireDue(ID)]
    left = await scores(tables, keys.clocks_key(BUCKET))
    assert set(left) == {"nonsense", "presence:K7QM2XWP"}
    assert min(left.values()) > tables.now


async def test_what_is_handed_out_is_not_handed_out_again_at_once(tables: Tables) -> None:
    handled: list[Entry] = []

    async def handle(entry: Entry) -> None:
        handled.append(entry)

    await tables.store.read([("ZADD", keys.clocks_key(BUCKET), 1, clocks.to_text(ExpireDue(ID)))])
    first, second = Sweep(tables.store, handle), Sweep(tables.store, handle)
    await first.once()
    await second.once()
    assert handled == [ExpireDue(ID)]


async def test_a_span_without_a_sweep_moves_the_leases_by_it(tables: Tables) -> None:
    await opened(tables)
    due = due_of(tables)
    await Sweep(tables.store, due.handle).once()
    before = await scores(tables, keys.leases_key(BUCKET))
    gone = OUTAGE_MS + 20_000
    await tables.store.read([("SET", keys.sweep_key(BUCKET), tables.now - gone)])
    await Sweep(tables.store, due.handle).once()
    after = await scores(tables, keys.leases_key(BUCKET))
    assert all(0 <= after[member] - before[member] - gone < 1000 for member in before)


async def test_a_span_without_any_gateway_moves_the_leases_by_it(tables: Tables) -> None:
    await opened(tables)
    due = due_of(tables)
    now = tables.now
    await tables.store.read(
        [
            ("ZADD", keys.gateways_key(BUCKET), now - 2_000, b"g" * 16),
            ("SET", keys.sweep_key(BUCKET), now - 1_000),
        ]
    )
    before = await scores(tables, keys.leases_key(BUCKET))
    await Sweep(tables.store, due.handle).once()
    after = await scores(tables, keys.leases_key(BUCKET))
    assert all(1_000 <= after[member] - before[member] < 2_000 for member in before)


async def test_while_gateways_live_and_sweeps_come_no_lease_moves(tables: Tables) -> None:
    await opened(tables)
    due = due_of(tables)
    await tables.store.read([("ZADD", keys.gateways_key(BUCKET), tables.now + 30_000, b"g" * 16)])
    await Sweep(tables.store, due.handle).once()
    before = await scores(tables, keys.leases_key(BUCKET))
    await Sweep(tables.store, due.handle).once()
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


async def test_a_table_nobody_visited_goes_with_everything_that_was_its_own(tables: Tables) -> None:
    await opened(tables)
    due = due_of(tables)
    await tables.store.read([("ZADD", keys.leases_key(BUCKET), 1, keys.lease(ID, seat)) for seat in (1, 2)])
    await due.handle(ExpireDue(ID))
    with pytest.raises(Refused) as caught:
        await tables.load(ID)
    assert caught.value.refusal is Refusal.TABLE_UNKNOWN
    left = (await tables.store.read([("KEYS", "*")]))[0]
    assert left == []


async def test_a_table_somebody_is_at_does_not_go(tables: Tables) -> None:
    await opened(tables)
    await due_of(tables).handle(ExpireDue(ID))
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

    async def overtaken(*args: object) -> bool:
        if tried == 1:
            tables._commit = original  # type: ignore[method-assign]
            await tables.change(ID, lambda now, _: commands.rename(now.table, ANN, name="Anna"))
        return await original(*args)  # type: ignore[arg-type]

    tables._commit = overtaken  # type: ignore[method-assign,assignment]
    after = (await tables.change(ID, slow)).table
    assert tried == 2
    assert [at.name for _, at in after.occupied()] == ["Anna", "Bo"]
