"""What table-service counts, where it happens: on a real store."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from tests.counted import counted, value
from tests.table_service.clocked import ANN, BO, BUCKET, ID, due_of, opened
from tests.table_service.conftest import Caller, new_browser
from tests.table_service.gateway import Gateway, Stub, replica, two_seated

from table_service.domain import commands, presence
from table_service.domain.table import Phase, Table
from table_service.reading import Loaded
from table_service.served import Served
from table_service.tables import Tables
from tilerace.table.v1 import table_pb2
from wire import keys
from wire.ids import TableId


async def lease(tables: Tables, seat: int, *, until: int) -> None:
    await tables.store.read([("ZADD", keys.leases_key(BUCKET), until, keys.lease(ID, seat))])


async def test_a_lease_that_ran_out_is_counted_once(tables: Tables) -> None:
    await opened(tables)
    await lease(tables, 2, until=tables.now - 1)
    with counted("tilerace_leases_expired_total"):
        await due_of(tables).presence(ID)
        await due_of(tables).presence(ID)


async def test_one_who_lost_the_seat_with_the_lease_is_counted_too(tables: Tables) -> None:
    await opened(tables)
    await lease(tables, 2, until=tables.now - tables.timings.grace_ms - 1)
    with counted("tilerace_leases_expired_total"):
        await due_of(tables).presence(ID)
    assert (await tables.load(ID)).table.at(2) is None


async def test_a_socket_that_closed_and_one_who_left_had_their_leases_still(tables: Tables) -> None:
    await opened(tables)
    with counted("tilerace_leases_expired_total", 0):
        await tables.change(ID, lambda now, _: presence.disconnect(now.table, BO, 2))
        await tables.change(ID, lambda now, _: commands.leave(now.table, BO))


async def test_a_change_that_another_came_before_is_a_conflict(tables: Tables) -> None:
    await opened(tables)
    other = Tables(tables.store, tables.timings)
    original, tried = tables.load, 0

    async def overtaken(table: TableId) -> Loaded:
        nonlocal tried
        found = await original(table)
        tried += 1
        if tried == 1:
            await other.change(ID, lambda now, _: commands.rename(now.table, ANN, name="Anna"))
        return found

    def renamed(loaded: Loaded, _now: int) -> Table:
        return commands.rename(loaded.table, BO, name="Bob")

    tables.load = overtaken  # type: ignore[method-assign]
    with counted("tilerace_conflicts_total"):
        await tables.change(ID, renamed)


async def test_tables_are_shown_by_their_phase(tables: Tables) -> None:
    await opened(tables)
    served = Served(tables)
    group = served._group(ID)
    group.known[ID] = await tables.load(ID)
    served.look()
    shown = {phase: value("tilerace_tables", phase=phase.name.lower()) for phase in Phase}
    assert shown == {Phase.GATHERING: 1, Phase.RACING: 0, Phase.FINISHED: 0}
    group.known.clear()
    served.look()
    assert value("tilerace_tables", phase="gathering") == 0


@pytest.fixture
async def stub(store_url: str) -> AsyncIterator[Stub]:
    async with replica(store_url) as stub:
        yield stub


async def test_watches_and_the_tables_they_follow_are_shown_within_a_second(stub: Stub) -> None:
    caller, ann = Caller(stub), new_browser()
    await two_seated(caller, ann, new_browser())
    async with Gateway.at(stub) as gateway:
        await gateway.connect(caller.table, ann)
        await until_shown("tilerace_watchers_streams", 1)
        await until_shown("tilerace_tables", 1, phase="gathering")
    await until_shown("tilerace_watchers_streams", 0)


async def test_a_gateway_that_reads_too_slowly_is_counted(
    stub: Stub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("table_service.stream.BOUND", 3)
    caller, ann = Caller(stub), new_browser()
    await caller.open(ann, name="Ann")
    with counted("tilerace_dropped_total", what="watch"):
        async with Gateway.at(stub) as gateway:
            pings = [table_pb2.WatchCall(ping=table_pb2.WatchPing(ping=number)) for number in range(9)]
            await gateway.send(*pings)
            await gateway.until_ended()


async def until_shown(name: str, wanted: float, **labels: str) -> None:
    async with asyncio.timeout(10):
        while value(name, **labels) != wanted:
            await asyncio.sleep(0.02)
