"""The Watch: gateways tell of their sockets and are told of tables (docs/architecture.md, rules 9 and 10)."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Collection, Sequence
from functools import partial
from typing import TypeVar

from table_service.domain import presence
from table_service.domain.table import Table
from table_service.due import Due
from table_service.gateways import Gateways
from table_service.reading import Loaded, Unreadable
from table_service.requests import browser_from
from table_service.served import CHUNK, Served
from table_service.stream import Socket, Stream
from table_service.tables import Fence, Superseded, Tables
from tilerace.table.v1 import table_pb2
from wire import keys, log
from wire.ids import TableId, parse_table_id
from wire.refusal import Refused
from wire.store import StoreError

AT_ONCE = 32
"""How many calls about one group's tables are carried out at once, of those that need a commit."""
AGAIN_S = 0.25

_LOG = log.events("table_service.watch")
Done = TypeVar("Done")


class Watch:
    """Takes what comes over the streams of all gateways."""

    def __init__(self, tables: Tables, served: Served, due: Due) -> None:
        """Change these tables, tell of those that are served, and look at presence when it may have changed."""
        self._tables = tables
        self._served = served
        self._due = due
        self._last_number = 0
        self.gateways = Gateways(tables)
        self._few = {group: asyncio.Semaphore(AT_ONCE) for group in self.gateways.groups}

    def groups_of(self, call: table_pb2.WatchCall) -> list[int]:
        """Give the groups whose tables a call is about: a renewal is about any."""
        match call.WhichOneof("call"):
            case "connect" | "disconnect":
                table = parse_table_id(call.connect.table or call.disconnect.table)
                return [self._group(table)]
            case "renew":
                return self.gateways.groups
            case _:
                return []

    async def take(self, stream: Stream, group: int, calls: Sequence[table_pb2.WatchCall]) -> None:
        """Take calls about one group's tables: those of one socket in order, those of several side by side.

        Raises:
            Refused: a call is malformed.
            StoreError: the store did not answer, or the stream is Superseded; the gateway comes again.
        """
        if group not in stream.begun_in:
            await self._patiently(lambda: self.gateways.begin(stream, group))
        if await self._patiently(lambda: self.gateways.is_superseded(stream, group)):
            raise Superseded
        by_socket = _by_socket(calls)
        new = [own[0].connect for own in by_socket.values() if _is_only_a_connect(own)]
        await self._connect_all(stream, group, new)
        async with asyncio.TaskGroup() as tasks:
            for own in by_socket.values():
                if not _is_only_a_connect(own):
                    tasks.create_task(self._take_in_order(stream, group, own))
        renewed = [number for call in calls for number in call.renew.sockets]
        await self._patiently(lambda: self._renew(stream, group, renewed))
        touched = {parse_table_id(call.connect.table or call.disconnect.table) for call in calls}
        counted = [table for table in touched if table is not None]
        await self._patiently(lambda: self._served.count(stream, counted))

    async def ended(self, stream: Stream, group: int) -> None:
        """A stream broke: its sockets count as watchers no more; seats are kept by their leases.

        Raises:
            StoreError: the store did not answer.
        """
        watched = [table for table in stream.watchers if self._group(table) == group]
        if watched and not await self.gateways.is_superseded(stream, group):
            await self._served.count(stream, watched)

    def _group(self, table: TableId | None) -> int:
        return self._tables.store.group(0 if table is None else keys.bucket_of(table))

    async def _patiently(self, work: Callable[[], Awaitable[Done]]) -> Done:
        """Do something; in a Cluster again and again, until the node answers that it concerns.

        Where all is on one store a gateway comes again, to another replica perhaps, which may reach it. In a Cluster
        that would help no more, and cost the tables of all other nodes their news.
        """
        while True:
            try:
                return await work()
            except StoreError as error:
                if len(self.gateways.groups) == 1 or isinstance(error, Superseded | Unreadable):
                    raise
            await asyncio.sleep(AGAIN_S)

    async def _connect_all(self, stream: Stream, group: int, calls: Sequence[table_pb2.Connect]) -> None:
        """Connect many sockets, as after a stream broke: tables are read together, most need no commit."""
        for start in range(0, len(calls), CHUNK):
            part = calls[start : start + CHUNK]
            tables = list({table for call in part if (table := parse_table_id(call.table)) is not None})
            loaded = await self._patiently(partial(self._tables.load_many, tables))
            found = dict(zip(tables, loaded, strict=True))
            async with asyncio.TaskGroup() as tasks:
                for call in part:
                    table = parse_table_id(call.table)
                    known = None if table is None else found[table]
                    if not self._connect_unchanged(stream, call, known):
                        alone = [table_pb2.WatchCall(connect=call)]
                        tasks.create_task(self._take_in_order(stream, group, alone))
            # A stream that broke may have swallowed answers; a gateway holds no socket that gives none for two pings.
            renewed = [call.socket for call in part]
            await self._patiently(partial(self._renew, stream, group, renewed))

    def _connect_unchanged(
        self, stream: Stream, call: table_pb2.Connect, loaded: Loaded | Unreadable | None
    ) -> bool:
        """Connect a socket whose table does not change by it; tell whether that is so."""
        if not isinstance(loaded, Loaded):
            return False
        browser = browser_from(call.browser)
        number = call.connection
        if loaded.table.seat_of(browser) is None:
            number = number or self._next_number()
        elif not number or presence.connect(loaded.table, browser, number) != loaded.table:
            return False
        self._joined(stream, call, Socket(loaded.table.id, browser, number), loaded)
        return True

    async def _take_in_order(self, stream: Stream, group: int, calls: Sequence[table_pb2.WatchCall]) -> None:
        async with self._few[group]:
            for call in calls:
                if call.WhichOneof("call") == "connect":
                    await self._patiently(partial(self._connect, stream, call.connect))
                else:
                    await self._patiently(partial(self._disconnect, stream, call.disconnect))

    async def _connect(self, stream: Stream, call: table_pb2.Connect) -> None:
        table = parse_table_id(call.table)
        browser = browser_from(call.browser)
        timings = self._tables.timings
        number = call.connection or self._next_number()

        def connected(loaded: Loaded, now: int) -> Table:
            nonlocal number
            seat = loaded.table.seat_of(browser)
            seated = None if seat is None else loaded.table.at(seat)
            if not call.connection and seated is not None:
                number = max(number, seated.connection + 1)
            return presence.come(
                loaded.table, browser, number,
                leases=loaded.leases, until=now + timings.away_ms, now=now, grace_ms=timings.grace_ms,
            )  # fmt: skip

        if table is None:
            stream.tell(gone=table_pb2.Gone(table=call.table))
            return
        try:
            loaded = await self._tables.change(table, connected, fence=Fence(stream.gateway, stream.number))
        except Refused:
            stream.tell(gone=table_pb2.Gone(table=call.table))
        except Unreadable:
            _LOG.warning("a table cannot be read", table=table)
        else:
            self._joined(stream, call, Socket(loaded.table.id, browser, number), loaded)

    def _joined(self, stream: Stream, call: table_pb2.Connect, socket: Socket, loaded: Loaded) -> None:
        is_first = socket.table not in stream.tables
        stream.add(call.socket, socket)
        stream.tell(connected=table_pb2.Connected(socket=call.socket, connection=socket.connection))
        self._served.show(stream, loaded, since=call.version if is_first else 0)

    def _next_number(self) -> int:
        """Give a connection number: the time in microseconds, above the last."""
        self._last_number = max(self._last_number + 1, self._tables.store.clock.now_us())
        return self._last_number

    async def _disconnect(self, stream: Stream, call: table_pb2.Disconnect) -> None:
        socket = stream.sockets.get(call.socket)
        if socket is None or call.drain:
            stream.remove(call.socket)
            return
        with contextlib.suppress(Refused, Unreadable):  # the table is gone, or not ours to change
            await self._tables.change(
                socket.table,
                lambda loaded, _: presence.disconnect(loaded.table, socket.browser, socket.connection),
            )
        # Only now: where the store did not answer, it is taken again.
        stream.remove(call.socket)
        self._served.changed(socket.table)

    async def _renew(self, stream: Stream, group: int, numbers: Sequence[int]) -> None:
        """Renew the leases of seats at one group's tables whose sockets answered."""
        until = str(self._tables.now + self._tables.timings.away_ms)
        commands: list[tuple[str, ...]] = []
        back: set[TableId] = set()
        sockets = [
            socket
            for number in numbers
            if (socket := stream.sockets.get(number)) and self._group(socket.table) == group
        ]
        for socket in sockets:
            known = self._served.known(socket.table)
            seat = None if known is None else known.table.seat_of(socket.browser)
            seated = None if known is None or seat is None else known.table.at(seat)
            if seat is None or seated is None or seated.connection != socket.connection:
                continue
            leases = keys.leases_key(keys.bucket_of(socket.table))
            commands.append(("ZADD", leases, "XX", "GT", until, keys.lease(socket.table, seat)))
            if not seated.connected:
                back.add(socket.table)
        await self._tables.store.read_apart(commands)
        await self._tables.visited({socket.table for socket in sockets})
        await self._look_at(back)

    async def _look_at(self, tables: Collection[TableId]) -> None:
        """See who is there, where somebody came back."""
        for table in tables:
            try:
                await self._due.presence(table)
            except (Refused, Unreadable):
                continue  # the table is gone, or not ours to change


def _is_only_a_connect(calls: Sequence[table_pb2.WatchCall]) -> bool:
    return len(calls) == 1 and calls[0].WhichOneof("call") == "connect"


def _by_socket(calls: Sequence[table_pb2.WatchCall]) -> dict[int, list[table_pb2.WatchCall]]:
    found: dict[int, list[table_pb2.WatchCall]] = {}
    for call in calls:
        if call.WhichOneof("call") in {"connect", "disconnect"}:
            found.setdefault(call.connect.socket or call.disconnect.socket, []).append(call)
    return found
