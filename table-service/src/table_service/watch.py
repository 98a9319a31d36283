"""The Watch: gateways tell of their sockets and are told of tables (docs/architecture.md, rules 9 and 10)."""

import asyncio
from collections.abc import Collection, Sequence

from table_service.domain import presence
from table_service.domain.table import Table
from table_service.due import Due
from table_service.reading import Loaded, Unreadable
from table_service.requests import browser_from
from table_service.served import CHUNK, Served
from table_service.settings import GATEWAY_LIVES_MS
from table_service.stream import Socket, Stream
from table_service.tables import Fence, Superseded, Tables
from tilerace.table.v1 import table_pb2
from wire import keys, log
from wire.ids import TableId, parse_table_id
from wire.refusal import Refused

AT_ONCE = 32
HEARD_EVERY_MS = 500
"""How often it is stored that a gateway lives."""

_LOG = log.events("table_service.watch")


class Watch:
    """Takes what comes over the streams of all gateways."""

    def __init__(self, tables: Tables, served: Served, due: Due) -> None:
        """Change these tables, tell of those that are served, and look at presence when it may have changed."""
        self._tables = tables
        self._served = served
        self._due = due
        self._few = asyncio.Semaphore(AT_ONCE)
        self._last_number = 0

    async def hello(self, stream: Stream) -> None:
        """Take a gateway's new stream: whatever still comes over an older one of its is not carried out.

        Raises:
            StoreError: the store did not answer.
        """
        await self._tables.store.read_apart(
            [
                ("ZADD", keys.streams_key(bucket), "GT", stream.number, stream.gateway)
                for bucket in range(keys.BUCKETS)
            ]
        )

    async def hear(self, stream: Stream) -> None:
        """Note that a gateway lives.

        Raises:
            StoreError: the store did not answer.
        """
        now = self._tables.now
        if now - stream.heard_at < HEARD_EVERY_MS:
            return
        stream.heard_at = now
        until = now + GATEWAY_LIVES_MS
        await self._tables.store.read_apart(
            [("ZADD", keys.gateways_key(bucket), until, stream.gateway) for bucket in range(keys.BUCKETS)]
        )

    async def take(self, stream: Stream, calls: Sequence[table_pb2.WatchCall]) -> None:
        """Take one message's calls: those of one socket in order, those of several side by side.

        Raises:
            Refused: a call is malformed.
            StoreError: the store did not answer, or the stream is Superseded; the gateway comes again.
        """
        if await self._is_superseded(stream):
            raise Superseded
        by_socket = _by_socket(calls)
        new = [own[0].connect for own in by_socket.values() if _is_only_a_connect(own)]
        await self._connect_all(stream, new)
        async with asyncio.TaskGroup() as tasks:
            for own in by_socket.values():
                if not _is_only_a_connect(own):
                    tasks.create_task(self._take_in_order(stream, own))
        await self._renew(stream, [number for call in calls for number in call.renew.sockets])
        touched = {parse_table_id(call.connect.table or call.disconnect.table) for call in calls}
        await self._served.count(stream, [table for table in touched if table is not None])

    async def ended(self, stream: Stream) -> None:
        """A stream broke: its sockets count as watchers no more; seats are kept by their leases.

        Raises:
            StoreError: the store did not answer.
        """
        stream.tables, stream.sockets = {}, {}
        if stream.watchers and not await self._is_superseded(stream):
            await self._served.count(stream, list(stream.watchers))

    async def _is_superseded(self, stream: Stream) -> bool:
        (newest,) = await self._tables.store.read_apart([("ZSCORE", keys.streams_key(0), stream.gateway)])
        return isinstance(newest, bytes | float) and float(newest) > stream.number

    async def _connect_all(self, stream: Stream, calls: Sequence[table_pb2.Connect]) -> None:
        """Connect many sockets, as after a stream broke: tables are read together, most need no commit."""
        for start in range(0, len(calls), CHUNK):
            part = calls[start : start + CHUNK]
            tables = {table for call in part if (table := parse_table_id(call.table)) is not None}
            found = dict(zip(tables, await self._tables.load_many(list(tables)), strict=True))
            async with asyncio.TaskGroup() as tasks:
                for call in part:
                    table = parse_table_id(call.table)
                    loaded = None if table is None else found[table]
                    if not self._connect_unchanged(stream, call, loaded):
                        tasks.create_task(self._take_in_order(stream, [table_pb2.WatchCall(connect=call)]))
            # A stream that broke may have swallowed answers; a gateway holds no socket that gives none for two pings.
            await self._renew(stream, [call.socket for call in part])

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

    async def _take_in_order(self, stream: Stream, calls: Sequence[table_pb2.WatchCall]) -> None:
        async with self._few:
            for call in calls:
                if call.WhichOneof("call") == "connect":
                    await self._connect(stream, call.connect)
                else:
                    await self._disconnect(stream, call.disconnect)

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
        socket = stream.remove(call.socket)
        if socket is None or call.drain:
            return
        try:
            await self._tables.change(
                socket.table,
                lambda loaded, _: presence.disconnect(loaded.table, socket.browser, socket.connection),
            )
        except (Refused, Unreadable):
            return  # the table is gone, or not ours to change
        self._served.changed(socket.table)

    async def _renew(self, stream: Stream, numbers: Sequence[int]) -> None:
        """Renew the leases of seats whose sockets answered."""
        until = str(self._tables.now + self._tables.timings.away_ms)
        commands: list[tuple[str, ...]] = []
        back: set[TableId] = set()
        sockets = [socket for number in numbers if (socket := stream.sockets.get(number))]
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
