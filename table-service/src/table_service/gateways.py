"""What the store knows of gateways: that each lives, and which of its streams is the newest (docs/architecture.md, rule 10).

Each group of the store is told by itself.
"""

from itertools import groupby

from table_service.settings import GATEWAY_LIVES_MS
from table_service.stream import Stream
from table_service.tables import Tables
from wire import keys

HEARD_EVERY_MS = 500
"""How often it is stored that a gateway lives."""


class Gateways:
    """Tells the store of gateways."""

    def __init__(self, tables: Tables) -> None:
        """Tell the store of these tables."""
        self._tables = tables
        self._buckets = {
            group: list(buckets) for group, buckets in groupby(range(keys.BUCKETS), tables.store.group)
        }

    @property
    def groups(self) -> list[int]:
        """The groups of the store."""
        return list(self._buckets)

    async def begin(self, stream: Stream, group: int) -> None:
        """Take a gateway's new stream: whatever still comes over an older one of its is not carried out.

        Raises:
            StoreError: the store did not answer.
        """
        await self._tables.store.read_apart(
            [
                ("ZADD", keys.streams_key(bucket), "GT", stream.number, stream.gateway)
                for bucket in self._buckets[group]
            ]
        )
        stream.begun_in.add(group)

    async def is_superseded(self, stream: Stream, group: int) -> bool:
        """Tell whether a gateway has a newer stream.

        Raises:
            StoreError: the store did not answer.
        """
        key = keys.streams_key(self._buckets[group][0])
        (newest,) = await self._tables.store.read_apart([("ZSCORE", key, stream.gateway)])
        return isinstance(newest, bytes | float) and float(newest) > stream.number

    def is_time_to_hear(self, stream: Stream) -> bool:
        """Tell whether it is to be noted again that a gateway lives; if so, it counts as noted."""
        now = self._tables.now
        if now - stream.heard_at < HEARD_EVERY_MS:
            return False
        stream.heard_at = now
        return True

    async def hear(self, stream: Stream, group: int) -> None:
        """Note that a gateway lives.

        Raises:
            StoreError: the store did not answer.
        """
        until = self._tables.now + GATEWAY_LIVES_MS
        await self._tables.store.read_apart(
            [("ZADD", keys.gateways_key(bucket), until, stream.gateway) for bucket in self._buckets[group]]
        )
