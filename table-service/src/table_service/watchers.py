"""How many sockets without a seat a gateway holds at each table, kept in the store for all replicas to see."""

from collections.abc import Mapping

from table_service.stream import Stream
from wire import keys
from wire.ids import TableId
from wire.store import Store


def number_of(score: object) -> int | None:
    """Read a number as the store keeps it, None where there is none: what others wrote there is to spoil no table."""
    try:
        return int(float(score)) if isinstance(score, bytes | float | int) else None
    except (ValueError, OverflowError):
        return None


def total(told: Mapping[bytes, bytes], streams: Mapping[bytes, int]) -> int:
    """Add up what gateways told over their newest streams; `streams` gives the number of each live one's."""
    found = 0
    for gateway, value in told.items():
        count, _, number = value.partition(b" ")
        if count.isdigit() and streams.get(gateway) == number_of(number or b"0"):
            found += number_of(count) or 0
    return found


class Watchers:
    """Stores counts where they changed, and has the tables read again for it."""

    def __init__(self, store: Store) -> None:
        """Keep counts in this store."""
        self._store = store

    async def keep(self, stream: Stream, counts: Mapping[TableId, int]) -> None:
        """Store what a gateway's stream counts at some tables.

        Raises:
            StoreError: the store did not answer; what changed is stored another time.
        """
        changed = {table: count for table, count in counts.items() if stream.watchers.get(table, 0) != count}
        commands: list[tuple[str | bytes | int, ...]] = []
        for table, count in changed.items():
            key, value = keys.watchers_key(table), f"{count} {stream.number}"
            commands.append(("HSET", key, stream.gateway, value) if count else ("HDEL", key, stream.gateway))
            commands.append(("SPUBLISH", keys.tables_channel(keys.bucket_of(table)), f"{table} 0"))
        await self._store.read_apart(commands)
        for table, count in changed.items():
            if count:
                stream.watchers[table] = count
            else:
                stream.watchers.pop(table, None)
