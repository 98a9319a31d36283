"""How full the store is: new tables are refused first, then new races."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
from tests.table_service.conftest import new_browser

from table_service.domain import commands, races
from table_service.domain.races import MOST_RACES
from table_service.domain.table import Phase, Rules
from table_service.room import Room
from table_service.tables import Tables
from wire.ids import BrowserHash, new_table_id
from wire.refusal import Refused
from wire.settings import Timings
from wire.store import Store

MIB = 1024 * 1024


@pytest.fixture
async def store(store_url: str) -> AsyncIterator[Store]:
    store = await Store.connect(store_url)
    await settled(store)
    # So much that what connections and scripts take makes no difference; made in the store, as what is sent there
    # stays in a connection's buffer for a moment.
    await store.client.setrange("ballast", 20 * MIB, b"x")
    yield store
    await bound(store, 0)
    await store.aclose()


async def settled(store: Store) -> None:
    """Wait until what was there before is gone from the memory, too: the store frees it behind its answer."""
    while (await store.client.info("memory"))["lazyfree_pending_objects"]:
        await asyncio.sleep(0.01)


async def bound(store: Store, most: int) -> None:
    await store.client.config_set("maxmemory", most)


async def used(store: Store) -> int:
    info: dict[str, int] = await store.client.info("memory")
    return info["used_memory"]


async def asked(store: Store, *, most_tables: int = 1_000) -> Room:
    room = Room(store, most_tables=most_tables)
    await room.ask()
    return room


async def open_tables(store: Store, number: int) -> None:
    tables = Tables(store, Timings())
    for _ in range(number):
        opened = commands.open_table(
            new_table_id(), BrowserHash(new_browser()), name="Ann", rules=Rules(), since=1
        )
        await tables.create(opened)


async def test_there_is_room_for_both_in_a_store_without_a_bound(store: Store) -> None:
    room = await asked(store)
    room.check_table(new_table_id())
    room.check_race(new_table_id())


async def test_there_are_so_many_tables_at_most(store: Store) -> None:
    await open_tables(store, 3)
    (await asked(store, most_tables=100)).check_table(new_table_id())
    full = await asked(store, most_tables=3)
    with pytest.raises(Refused, match="no room for another table"):
        full.check_table(new_table_id())
    full.check_race(new_table_id())


async def test_a_store_that_fills_has_room_for_races_longer_than_for_tables(store: Store) -> None:
    await bound(store, int(await used(store) / 0.85))
    room = await asked(store)
    with pytest.raises(Refused, match="no room for another table"):
        room.check_table(new_table_id())
    room.check_race(new_table_id())


async def test_a_store_that_is_nearly_full_has_room_for_slides_only(store: Store) -> None:
    await bound(store, int(await used(store) / 0.95))
    with pytest.raises(Refused, match="no room for another race"):
        (await asked(store)).check_race(new_table_id())


async def test_a_store_that_does_not_tell_is_told_of_and_refuses_nothing(
    store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    await store.client.execute_command("ACL", "SETUSER", "default", "-info")
    try:
        room = await asked(store, most_tables=1)
    finally:
        await store.client.execute_command("ACL", "SETUSER", "default", "+info")
    assert "how full the store is cannot be told" in caplog.text
    room.check_table(new_table_id())


async def test_a_table_has_so_many_races_at_most() -> None:
    ann, bo = BrowserHash(new_browser()), BrowserHash(new_browser())
    table = commands.open_table(new_table_id(), ann, name="Ann", rules=Rules(), since=1)
    table = commands.sit(table, bo, name="Bo", connection=2, since=2)
    table = commands.set_ready(table, bo, ready=True)
    for number in (MOST_RACES - 1, MOST_RACES):
        ready = replace(table, number=number)
        if number < MOST_RACES:
            assert races.start(ready, ann, starts_at=1).phase is Phase.RACING
        else:
            with pytest.raises(Refused, match="1000 races"):
                races.start(ready, ann, starts_at=1)
