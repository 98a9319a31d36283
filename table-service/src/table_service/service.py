# ruff: noqa: N802  the RPCs have the names they have in the proto
"""TableService as gRPC calls it: a thin coat over requests and the watch."""

import asyncio
import contextlib
from collections.abc import Awaitable, Sequence
from functools import partial
from typing import TypeVar

import grpc
from google.protobuf.message import DecodeError

from table_service.limits import Limits
from table_service.reading import Loaded
from table_service.requests import COMMAND_BYTES, Requests
from table_service.served import Served
from table_service.stream import Stream
from table_service.tables import Tables
from table_service.views import news_of
from table_service.watch import Watch
from tilerace.table.v1 import table_pb2, table_pb2_grpc
from wire import keys, log
from wire.apart import Apart
from wire.batching import Overflow
from wire.ids import TableId, parse_table_id
from wire.in_hand import InHand
from wire.metrics import DROPPED
from wire.refusal import Refusal, Refused, abort
from wire.seldom import Seldom
from wire.silence import until_silent
from wire.store import StoreError

GATEWAY_BYTES = 16
SILENT_S = 15.0
"""After how long without a word from a gateway its stream is ended, in seconds."""
WRITE_S = 10.0
"""How long a gateway may take to accept a message before its stream is cut."""
DRAIN_S = 2.0
MOST_OPENING, PATIENCE_S = 256, 1.0
"""How many tables are being opened at once, and how long the first of them may take before more are refused."""

_LOG = log.events("table_service")
_SELDOM = Seldom(every_s=1.0)
"""Of calls that fail each table's are told once a second, as people ask for them; the store's clocks do so of themselves."""
Answered = TypeVar("Answered")
_Context = grpc.aio.ServicerContext[object, object]


class TableService(table_pb2_grpc.TableServiceServicer):
    """Answers commands and holds the gateways' streams."""

    def __init__(self, tables: Tables, requests: Requests, *, served: Served, watch: Watch) -> None:
        """Serve these tables."""
        self._tables = tables
        self._requests = requests
        self._served = served
        self._watch = watch
        self._limits = Limits(tables.store)
        self._ended = asyncio.Event()
        self._opening = InHand(MOST_OPENING, patience_s=PATIENCE_S)

    async def drain(self) -> None:
        """Send the gateways elsewhere, and end their streams when they have gone."""
        for stream in self._served.streams:
            with contextlib.suppress(Overflow):
                stream.tell(draining=table_pb2.WatchDraining())
        try:
            async with asyncio.timeout(DRAIN_S):
                while self._served.streams:
                    self._ended.clear()
                    await self._ended.wait()
        except TimeoutError:
            for stream in self._served.streams:
                stream.outbox.close()

    async def OpenTable(
        self, request: table_pb2.OpenTableRequest, context: _Context
    ) -> table_pb2.OpenTableResponse:
        """Open a table."""
        loaded = await _answer(context, request.table, self._open(request))
        return table_pb2.OpenTableResponse(news=self._news(loaded), now=self._tables.now)

    async def GetTable(
        self, request: table_pb2.GetTableRequest, context: _Context
    ) -> table_pb2.GetTableResponse:
        """Show a table, and count the visit."""
        loaded = await _answer(context, request.table, self._visit(request.table))
        return table_pb2.GetTableResponse(news=self._news(loaded), now=self._tables.now)

    async def Command(
        self, request: table_pb2.CommandRequest, context: _Context
    ) -> table_pb2.CommandResponse:
        """Change a table."""
        with log.about(request=request.id[:COMMAND_BYTES].hex()):
            loaded = await _answer(context, request.table, self._carry_out(request))
        return table_pb2.CommandResponse(news=self._news(loaded), now=self._tables.now)

    async def ShareLimits(
        self, request: table_pb2.ShareLimitsRequest, context: _Context
    ) -> table_pb2.ShareLimitsResponse:
        """Add up what askers have spent at all gateways."""
        return await _answer(context, "", self._limits.share(request))

    async def Watch(  # type: ignore[override]  # the stubs know generators only, this reads and writes
        self, _requests: object, context: _Context
    ) -> None:
        """Hold a gateway's stream until it ends, is too slow, or this replica drains."""
        # Apart from the first message: one cut off on its way leaves gRPC unsure whether they are sent, and unable to end.
        await context.send_initial_metadata(())
        stream = Stream(self._watch.gateways.groups)
        self._served.join(stream)
        try:
            refused = await self._held(stream, context)
            if refused is not None:
                await abort(context, refused)
        finally:
            self._served.part(stream)
            self._ended.set()
            await self._forget(stream)

    async def _held(self, stream: Stream, context: _Context) -> Refused | None:
        """Hold a stream; give why, where it is we who end it."""
        refused: Refused | None = None
        try:
            await self._hold(stream, context)
        except* StoreError:  # a gateway that has a newer stream does not hear it
            refused = Refused(Refusal.UNAVAILABLE)
        except* Refused as group:
            refused = _first(group)
        except* DecodeError:
            refused = Refused(Refusal.BAD_REQUEST, "That is no message of a Watch.")
        except* (TimeoutError, Overflow):
            DROPPED.labels("watch").inc()
            refused = Refused(Refusal.TOO_FAST)
        except* grpc.aio.InternalError:  # the gateway has gone, and hears nothing
            pass
        return refused

    async def _hold(self, stream: Stream, context: _Context) -> None:
        async def write(events: Sequence[table_pb2.WatchEvent]) -> None:
            async with asyncio.timeout(WRITE_S):
                await context.write(table_pb2.WatchResponse(events=events, now=self._tables.now))

        async with asyncio.TaskGroup() as tasks:
            beside = [
                tasks.create_task(self._read(stream, context)),
                tasks.create_task(self._take(stream)),
                tasks.create_task(_until_silent(stream)),
            ]
            await stream.outbox.run(write)
            for task in beside:
                task.cancel()

    async def _read(self, stream: Stream, context: _Context) -> None:
        gateways = self._watch.gateways
        async with asyncio.TaskGroup() as tasks:
            begin = Apart(gateways.groups, partial(gateways.begin, stream), tasks)
            hear = Apart(gateways.groups, partial(gateways.hear, stream), tasks)
            while True:
                request: object = await context.read()
                if not isinstance(request, table_pb2.WatchRequest):
                    break
                stream.came += 1
                if not stream.gateway:
                    stream.gateway, stream.number = _hello(request)
                    await begin.once()
                if gateways.is_time_to_hear(stream):
                    await hear.once()
                self._sort(stream, request.calls)
            for inbox in stream.inboxes.values():
                inbox.close()

    def _sort(self, stream: Stream, calls: Sequence[table_pb2.WatchCall]) -> None:
        """Put what a gateway sent where it is taken; pings are answered at once, however much waits to be taken."""
        for call in calls:
            if call.WhichOneof("call") == "ping":
                stream.tell(pong=table_pb2.WatchPong(ping=call.ping.ping))
            for group in self._watch.groups_of(call):
                stream.inboxes[group].put(call)

    async def _take(self, stream: Stream) -> None:
        async with asyncio.TaskGroup() as tasks:
            for group, inbox in stream.inboxes.items():
                tasks.create_task(inbox.run(partial(self._watch.take, stream, group)))
        stream.outbox.close()

    async def _forget(self, stream: Stream) -> None:
        stream.tables, stream.sockets = {}, {}
        async with asyncio.TaskGroup() as tasks:
            for group in self._watch.gateways.groups:
                tasks.create_task(self._forget_in(group, stream))

    async def _forget_in(self, group: int, stream: Stream) -> None:
        try:
            await self._watch.ended(stream, group)
        except StoreError as error:
            _LOG.warning("watchers of a stream that ended stay counted", error=type(error).__name__)

    async def _open(self, request: table_pb2.OpenTableRequest) -> Loaded:
        table = _table(request.table)
        with self._opening.one(self._tables.store.group(keys.bucket_of(table))):
            return await self._requests.open(table, request)

    async def _visit(self, text: str) -> Loaded:
        table = _table(text)
        loaded = await self._tables.load(table)
        await self._tables.visited([table])
        return loaded

    async def _carry_out(self, request: table_pb2.CommandRequest) -> Loaded:
        table = _table(request.table)
        loaded = await self._requests.carry_out(table, request)
        self._served.changed(table)
        return loaded

    def _news(self, loaded: Loaded) -> table_pb2.TableNews:
        return news_of(loaded, now=self._tables.now, grace_ms=self._tables.timings.grace_ms)


async def _answer(context: _Context, table: str, work: Awaitable[Answered]) -> Answered:
    """Give what `work` gives, or end the call with what refuses it; what is logged meanwhile is about the table."""
    with log.about(table=table):
        try:
            return await work
        except Refused as refused:
            await abort(context, refused)
        except StoreError as error:
            if _SELDOM.now(table):
                _LOG.warning("a call was not answered by the store", kind=type(error).__name__)
            await abort(context, Refused(Refusal.UNAVAILABLE))


def _first(group: ExceptionGroup[Refused]) -> Refused:
    """Give the first refusal of a group, of whatever depth."""
    first = group.exceptions[0]
    return _first(first) if isinstance(first, ExceptionGroup) else first


async def _until_silent(stream: Stream) -> None:
    """End a stream on which nothing comes: a gateway that is there tells every second of its sockets."""
    await until_silent(lambda: stream.came, SILENT_S)
    stream.outbox.close()


def _hello(request: table_pb2.WatchRequest) -> tuple[bytes, int]:
    """Read which gateway begins a stream, and which of its streams that is."""
    hello = request.calls[0].hello if request.calls else table_pb2.WatchHello()
    if len(hello.gateway) != GATEWAY_BYTES:
        raise Refused(Refusal.BAD_REQUEST, "A Watch begins with a hello that has the gateway's 16 bytes.")
    return hello.gateway, hello.stream


def _table(text: str) -> TableId:
    table = parse_table_id(text)
    if table is None:
        raise Refused(Refusal.TABLE_UNKNOWN)
    return table
