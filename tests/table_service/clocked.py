"""What tests of clocks and leases share: one table of two in the store, and what its sorted sets hold."""

from table_service.domain import commands
from table_service.domain.table import Rules, Table
from table_service.due import Due
from table_service.games import Games
from table_service.races import Races
from table_service.tables import Tables
from wire import keys
from wire.channels import Channels
from wire.ids import BrowserHash, TableId
from wire.routing import Replicas

ANN, BO = BrowserHash(b"a" * 32), BrowserHash(b"b" * 32)
ID = TableId("K7QM2XWP")
BUCKET = keys.bucket_of(ID)


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
