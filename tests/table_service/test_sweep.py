"""The sweep on a real Valkey: what is due is done once, a bad entry holds nobody up, outages cost no grace."""

import asyncio
from collections.abc import Callable

import pytest
from prometheus_client import REGISTRY
from tests.table_service.clocked import ANN, BO, BUCKET, ID, due_of, opened, scores

from table_service.domain import commands, races
from table_service.settings import GATEWAY_LIVES_MS
from table_service.sweep import OUTAGE_MS, Sweep
from table_service.tables import Tables
from wire import clocks, keys
from wire.clocks import DealDue, Entry, ExpireDue, PresenceDue, SettleDue
from wire.ids import race_id
from wire.settings import Timings
from wire.store import Reply, Store, StoreError


def figure(name: str, **labels: str) -> float:
    return REGISTRY.get_sample_value(name, labels) or 0.0


def faulty() -> float:
    return figure("tilerace_sweep_entries_total", outcome="faulty")


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(10):
        while not holds():
            await asyncio.sleep(0.01)


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


@pytest.mark.parametrize("answer", [[], None, b"OK", [1, 2], [1, [0]], [1, [0, -1, b"entry"]]])
async def test_an_answer_that_is_none_of_a_sweep_is_a_store_that_does_not_answer(
    tables: Tables, monkeypatch: pytest.MonkeyPatch, answer: Reply
) -> None:
    async def run(*_: object) -> Reply:
        return answer

    monkeypatch.setattr(tables.store, "run", run)
    with pytest.raises(ExceptionGroup) as caught:
        await Sweep(tables.store).once(due_of(tables).handle)
    assert caught.group_contains(StoreError, match="another shape")


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
