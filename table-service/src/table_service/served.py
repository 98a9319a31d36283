"""The tables this replica's streams watch: read again on news, and told when they changed (docs/architecture.md, rule 8).

Once a second all versions are read, and what differs is read again; what has no version, such as a gateway that took
its watchers with it, is found by reading everything every few seconds. Each group of the store is read by itself: a node
of a Cluster that is away keeps no other's tables from being told of.
"""

import asyncio
from collections import Counter
from collections.abc import Collection, Iterable
from typing import assert_never

from table_service import metrics
from table_service.domain.table import Phase, Table
from table_service.reading import Loaded, Unreadable
from table_service.stream import Stream
from table_service.tables import Tables
from table_service.views import news_of
from table_service.watchers import Watchers
from tilerace.table.v1 import table_pb2
from wire import keys, log, news
from wire.batching import Overflow
from wire.ids import TableId
from wire.metrics import DROPPED, QUEUES, longest
from wire.seldom import Seldom
from wire.store import StoreError
from wire.store_metrics import REWINDS

EVERY_S = 1.0
WHOLE_EVERY = 5
"""Every which second everything is read again."""
CHUNK = 256

_LOG = log.events("table_service.served")


class _Group:
    """What is watched of one group of the store."""

    def __init__(self) -> None:
        self.known: dict[TableId, Loaded] = {}
        self.dirty: set[TableId] = set()
        self.some = asyncio.Event()
        self.seconds = 0


class Served:
    """What the streams watch, and what each was told last."""

    def __init__(self, tables: Tables) -> None:
        """Read from these tables."""
        self._tables = tables
        self._streams: set[Stream] = set()
        self._groups = {tables.store.group(bucket): _Group() for bucket in range(keys.BUCKETS)}
        self._watchers = Watchers(tables.store)
        self._seldom = Seldom()

    @property
    def streams(self) -> Iterable[Stream]:
        """All streams that are open."""
        return tuple(self._streams)

    def join(self, stream: Stream) -> None:
        """Have a stream told from now on."""
        self._streams.add(stream)

    def part(self, stream: Stream) -> None:
        """Have a stream told no more."""
        self._streams.discard(stream)

    def look(self) -> None:
        """Set the gauges of this replica to how it is."""
        phases = Counter(
            loaded.table.phase for group in self._groups.values() for loaded in group.known.values()
        )
        for phase in Phase:
            metrics.TABLES.labels(phase.name.lower()).set(phases[phase])
        metrics.WATCHES.set(len(self._streams))
        QUEUES.labels("watch").set(longest(len(stream.outbox) for stream in self._streams))
        QUEUES.labels("inbox").set(
            longest(len(inbox) for stream in self._streams for inbox in stream.inboxes.values())
        )

    def known(self, table: TableId) -> Loaded | None:
        """Give what was read last of a watched table."""
        return self._group(table).known.get(table)

    def changed(self, table: TableId) -> None:
        """Have a table read again soon, if anybody watches it."""
        group = self._group(table)
        if table in group.known:
            group.dirty.add(table)
            group.some.set()

    def on_news(self, _bucket: int, payload: bytes) -> None:
        """Take a message of the tables' channel."""
        for name, version in news.read(payload):
            table = TableId(name)
            known = self.known(table)
            if known is not None and (version == 0 or version >= known.table.version):
                self.changed(table)

    def all_changed(self) -> None:
        """Have everything read again: news may have been missed."""
        for group in self._groups.values():
            group.dirty.update(group.known)
            group.some.set()

    def show(self, stream: Stream, loaded: Loaded, *, since: int = 0) -> None:
        """Tell one stream how a table is; from now on it is told of changes.

        `since` is the version that its gateway heard of last, over another stream: who lost a seat after it may not
        have been told. 0 where there is nothing to make up for.
        """
        before = self.known(loaded.table.id)
        newest = before if before and before.table.version > loaded.table.version else loaded
        if since:
            # What came after `before` is told below, to every stream.
            for freed in _freed(newest.table, since=since, to=(before or loaded).table.version):
                stream.tell(freed=freed)
        if newest is loaded:
            self._take(loaded)
        stream.tell(news=self._news(newest))

    async def run(self) -> None:
        """Read what changed, and everything once a second, until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            for group in self._groups.values():
                tasks.create_task(self._read_for_ever(group))

    async def _read_for_ever(self, group: _Group) -> None:
        loop = asyncio.get_running_loop()
        next_all = loop.time() + EVERY_S
        while True:
            is_second = False
            try:
                async with asyncio.timeout_at(next_all):
                    await group.some.wait()
            except TimeoutError:
                next_all, is_second = loop.time() + EVERY_S, True
            try:
                if is_second:
                    await self._look_at_all(group)
                await self._read_again(group)
            except StoreError as error:
                if self._seldom.now("read again"):
                    _LOG.warning(
                        "the store does not answer; tables are read again later", error=type(error).__name__
                    )

    async def count(self, stream: Stream, tables: Collection[TableId]) -> None:
        """Have it known how many of a stream's sockets at these tables have no seat.

        Raises:
            StoreError: the store did not answer; they are counted again with the table's next change.
        """
        counts: dict[TableId, int] = {}
        for table in tables:
            sockets, known = stream.at(table), self.known(table)
            if known is not None:
                counts[table] = sum(known.table.seat_of(socket.browser) is None for socket in sockets)
            elif not sockets:
                counts[table] = 0
        await self._watchers.keep(stream, counts)

    async def _look_at_all(self, group: _Group) -> None:
        """Find what is to be read again though no news told of it."""
        self._forget_unwatched(group)
        group.seconds += 1
        if group.seconds % WHOLE_EVERY == 0:
            group.dirty.update(group.known)
            return
        known = {table: loaded.table.version for table, loaded in group.known.items()}
        versions = await self._tables.versions(list(known))
        group.dirty.update(
            table for (table, before), now in zip(known.items(), versions, strict=True) if before != now
        )

    async def _read_again(self, group: _Group) -> None:
        dirty, group.dirty = list(group.dirty), set()
        group.some.clear()
        for start in range(0, len(dirty), CHUNK):
            part = dirty[start : start + CHUNK]
            before = [group.known.get(table) for table in part]
            try:
                found = await self._tables.load_many(part)
            except StoreError:
                group.dirty.update(dirty)
                raise
            for table, was, loaded in zip(part, before, found, strict=True):
                self._take_read(table, was, loaded)
            for stream in self.streams:
                await self.count(stream, [table for table in part if table in stream.tables])

    def _take_read(self, table: TableId, before: Loaded | None, found: Loaded | Unreadable | None) -> None:
        known = self.known(table)
        if known is None:
            return
        version = found.table.version if isinstance(found, Loaded) else -1
        if known is not before and version < known.table.version:
            self.changed(table)  # another read it meanwhile, perhaps later than we did
            return
        match found:
            case Loaded():
                self._take(found)
            case Unreadable():
                if self._seldom.now(table):
                    _LOG.warning("a table cannot be read", table=table)
            case None:
                self._gone(table)
            case _:
                assert_never(found)

    def _take(self, loaded: Loaded) -> None:
        """Know a table as it was read, and tell those who watch it what that changes."""
        table = loaded.table
        known = self._group(table.id).known
        before = known.get(table.id)
        known[table.id] = loaded
        if before is None:
            return
        if table.version < before.table.version:
            REWINDS.inc()
            self._tell(table.id, rewound=table_pb2.TableRewound(table=table.id))
        for freed in _freed(table, since=before.table.version, to=table.version):
            self._tell(table.id, freed=freed)
        if _shown(before) != _shown(loaded):
            self._tell(table.id, news=self._news(loaded))

    def _gone(self, table: TableId) -> None:
        if self._group(table).known.pop(table, None) is not None:
            self._tell(table, gone=table_pb2.Gone(table=table))

    def _news(self, loaded: Loaded) -> table_pb2.TableNews:
        return news_of(loaded, now=self._tables.now, grace_ms=self._tables.timings.grace_ms)

    def _tell(self, table: TableId, **event: object) -> None:
        for stream in self._watching(table):
            try:
                stream.tell(**event)
            except Overflow:
                DROPPED.labels("watch").inc()
                _LOG.warning("cut a gateway that reads too slowly")
                stream.outbox.close()
                self.part(stream)

    def _watching(self, table: TableId) -> Collection[Stream]:
        return [stream for stream in self._streams if table in stream.tables]

    def _group(self, table: TableId) -> _Group:
        return self._groups[self._tables.store.group(keys.bucket_of(table))]

    def _forget_unwatched(self, group: _Group) -> None:
        for table in [table for table in group.known if not self._watching(table)]:
            del group.known[table]


def _freed(table: Table, *, since: int, to: int) -> list[table_pb2.Freed]:
    """Give who lost a seat after one version and up to another, in their order."""
    return [
        table_pb2.Freed(
            table=table.id,
            browser=freed.browser,
            why=table_pb2.FreedWhy.ValueType(freed.why),
            version=freed.version,
        )
        for freed in table.freed
        if since < freed.version <= to
    ]


def _shown(loaded: Loaded) -> tuple[int, int, dict[int, int]]:
    """Give what a view is made of: a lease that merely runs on, of one who is connected, changes none."""
    away = {
        seat: loaded.leases.get(seat, 0) for seat, seated in loaded.table.occupied() if not seated.connected
    }
    return loaded.table.version, loaded.watchers, away
