"""The Watch: gateways tell of their sockets and are told of tables (docs/architecture.md, rules 9 and 10)."""

import asyncio
from collections.abc import Sequence

from table_service.domain import presence
from table_service.domain.table import Table
from table_service.due import Due
from table_service.requests import browser_from
from table_service.served import Served
from table_service.stream import Socket, Stream
from table_service.tables import Loaded, Tables
from tilerace.table.v1 import table_pb2
from wire import keys
from wire.ids import TableId, parse_table_id
from wire.refusal import Refused

AT_ONCE = 32
GATEWAY_LIVES_PINGS = 3


class Watch:
    """Takes what comes over the streams of all gateways."""

    def __init__(self, tables: Tables, served: Served, due: Due) -> None:
        """Change these tables, tell of those that are served, and look at presence when it may have changed."""
        self._tables = tables
        self._served = served
        self._due = due
        self._few = asyncio.Semaphore(AT_ONCE)

    async def take(self, stream: Stream, calls: Sequence[table_pb2.WatchCall]) -> None:
        """Take one message's calls: those of one socket in order, those of several side by side.

        Raises:
            Refused: a call is malformed.
            StoreError: the store did not answer; the gateway comes again.
        """
        for call in calls:
            if call.WhichOneof("call") == "hello":
                stream.gateway = call.hello.gateway
        await self.renew_gateway(stream)
        async with asyncio.TaskGroup() as tasks:
            for own in _by_socket(calls).values():
                tasks.create_task(self._take_in_order(stream, own))
        for call in calls:
            match call.WhichOneof("call"):
                case "renew":
                    await self._renew(stream, call.renew.sockets)
                case "ping":
                    stream.tell(pong=table_pb2.WatchPong(ping=call.ping.ping))
                case _:
                    pass
        touched = {TableId(call.connect.table or call.disconnect.table) for call in calls}
        await self._count(stream, [known.table for table in touched if (known := self._served.known(table))])

    async def renew_gateway(self, stream: Stream) -> None:
        """Note that a gateway lives.

        Raises:
            StoreError: the store did not answer.
        """
        until = self._tables.now + GATEWAY_LIVES_PINGS * self._tables.timings.ping_ms
        await self._tables.store.read(
            [("ZADD", keys.gateways_key(bucket), until, stream.gateway) for bucket in range(keys.BUCKETS)]
        )

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
        number = call.connection

        def connected(loaded: Loaded, now: int) -> Table:
            nonlocal number
            seat = loaded.table.seat_of(browser)
            seated = None if seat is None else loaded.table.at(seat)
            if not call.connection:
                number = max(
                    self._tables.store.clock.now_us(), seated.connection + 1 if seated else now * 1000
                )
            return presence.connect(loaded.table, browser, number)

        try:
            loaded = None if table is None else await self._tables.change(table, connected)
        except Refused:
            loaded = None
        if loaded is None:
            stream.tell(gone=table_pb2.Gone(table=call.table))
            return
        stream.add(call.socket, Socket(loaded.table.id, browser, number))
        stream.tell(connected=table_pb2.Connected(socket=call.socket, connection=number))
        await self._served.show(stream, loaded)
        await self._tables.visited([loaded.table.id])
        await self._due.presence(loaded.table.id)

    async def _disconnect(self, stream: Stream, call: table_pb2.Disconnect) -> None:
        socket = stream.remove(call.socket)
        if socket is None or call.drain:
            return
        try:
            await self._tables.change(
                socket.table,
                lambda loaded, _: presence.disconnect(loaded.table, socket.browser, socket.connection),
            )
        except Refused:
            return  # the table is gone
        self._served.changed(socket.table)

    async def _renew(self, stream: Stream, numbers: Sequence[int]) -> None:
        """Renew the leases of seats whose sockets answered."""
        until = str(self._tables.now + self._tables.timings.away_ms)
        commands: list[tuple[str, ...]] = []
        back: set[TableId] = set()
        visited: set[TableId] = set()
        for number in numbers:
            socket = stream.sockets.get(number)
            known = None if socket is None else self._served.known(socket.table)
            if socket is None or known is None:
                continue
            visited.add(socket.table)
            seat = known.table.seat_of(socket.browser)
            seated = None if seat is None else known.table.at(seat)
            if seat is None or seated is None or seated.connection != socket.connection:
                continue
            bucket = keys.bucket_of(socket.table)
            commands.append(
                ("ZADD", keys.leases_key(bucket), "XX", "GT", until, keys.lease(socket.table, seat))
            )
            if not seated.connected:
                back.add(socket.table)
        await self._tables.store.read(commands)
        await self._tables.visited(visited)
        for table in back:
            await self._due.presence(table)

    async def recount(self, table: Table) -> None:
        """Count a table's watchers again on every stream: somebody sat or left.

        Raises:
            StoreError: the store did not answer.
        """
        for stream in self._served.streams:
            if table.id in stream.tables:
                await self._count(stream, [table])

    async def ended(self, stream: Stream) -> None:
        """A stream broke: its sockets count as watchers no more; seats are kept by their leases.

        Raises:
            StoreError: the store did not answer.
        """
        tables = [known.table for table in stream.watchers if (known := self._served.known(table))]
        stream.tables, stream.sockets = {}, {}
        await self._count(stream, tables)

    async def _count(self, stream: Stream, tables: Sequence[Table]) -> None:
        """Store how many of a gateway's sockets at these tables have no seat, where that changed."""
        commands: list[tuple[str | bytes | int, ...]] = []
        for table in tables:
            count = sum(table.seat_of(socket.browser) is None for socket in stream.at(table.id))
            if stream.watchers.pop(table.id, 0) != count:
                commands += _counted(table, stream.gateway, count)
            if count:
                stream.watchers[table.id] = count
        await self._tables.store.read(commands)


def _counted(table: Table, gateway: bytes, count: int) -> list[tuple[str | bytes | int, ...]]:
    key, channel = keys.watchers_key(table.id), keys.tables_channel(keys.bucket_of(table.id))
    stored = ("HSET", key, gateway, count) if count else ("HDEL", key, gateway)
    return [stored, ("SPUBLISH", channel, f"{table.id} {table.version}")]


def _by_socket(calls: Sequence[table_pb2.WatchCall]) -> dict[int, list[table_pb2.WatchCall]]:
    found: dict[int, list[table_pb2.WatchCall]] = {}
    for call in calls:
        if call.WhichOneof("call") in {"connect", "disconnect"}:
            found.setdefault(call.connect.socket or call.disconnect.socket, []).append(call)
    return found
