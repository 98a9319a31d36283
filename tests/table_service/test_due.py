"""What is due, done on a real Valkey: seats go away and are freed, tables nobody visits are removed."""

import pytest
from tests.table_service.clocked import ANN, BO, BUCKET, ID, due_of, opened, scores

from table_service.domain import commands, races
from table_service.reading import Loaded, Unreadable
from table_service.sweep import Sweep
from table_service.tables import Tables
from wire import clocks, keys
from wire.clocks import ExpireDue
from wire.ids import TableId, race_id
from wire.refusal import Refusal, Refused


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
