"""A gateway's side of a Watch stream, and table-service within the test, on a real store."""

import asyncio
import itertools
import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Self, TypeAlias

import grpc
from tests.stack import free_port
from tests.table_service.conftest import Caller

from table_service.__main__ import run
from tilerace.table.v1 import table_pb2, table_pb2_grpc
from wire.ids import TableId
from wire.serving import channel
from wire.settings import Environment

WAIT_S = 15
Stub: TypeAlias = "table_pb2_grpc.TableServiceAsyncStub"


@asynccontextmanager
async def replica(store_url: str, **settings: str) -> AsyncIterator[Stub]:
    """Run a replica; no game-service is there."""
    listen = f"127.0.0.1:{free_port()}"
    env = Environment(
        {
            "TILERACE_TABLE_LISTEN": listen,
            "TILERACE_GAME_TARGET": "127.0.0.1:1",
            "TILERACE_REDIS_URL": store_url,
            **settings,
        }
    )
    serving = asyncio.create_task(run(env))
    try:
        async with channel(listen) as opened:
            async with asyncio.timeout(WAIT_S):
                await opened.channel_ready()
            yield table_pb2_grpc.TableServiceStub(opened)
    finally:
        serving.cancel()
        with suppress(asyncio.CancelledError):
            await serving


@dataclass
class Gateway:
    """One stream of a gateway; keeps every event it hears."""

    call: "grpc.aio.StreamStreamCall[table_pb2.WatchRequest, table_pb2.WatchResponse]"
    heard: list[table_pb2.WatchEvent] = field(default_factory=list)
    sockets: "itertools.count[int]" = field(default_factory=lambda: itertools.count(1))
    ended: grpc.StatusCode | None = None
    writing: asyncio.Lock = field(default_factory=asyncio.Lock)
    _some: asyncio.Event = field(default_factory=asyncio.Event)

    @classmethod
    @asynccontextmanager
    async def at(cls, stub: Stub, *, name: bytes | None = None, stream: int = 1) -> AsyncIterator[Self]:
        gateway = cls(stub.Watch())
        hello = table_pb2.WatchHello(gateway=name or secrets.token_bytes(16), stream=stream)
        await gateway.send(table_pb2.WatchCall(hello=hello))
        reading = asyncio.create_task(gateway._read())
        beating = asyncio.create_task(gateway._say_that_it_lives())
        try:
            yield gateway
        finally:
            beating.cancel()
            gateway.call.cancel()
            await reading

    async def send(self, *calls: table_pb2.WatchCall) -> None:
        async with self.writing:
            await self.call.write(table_pb2.WatchRequest(calls=calls))

    async def connect(
        self, table: TableId, browser: bytes, *, connection: int = 0, version: int = 0
    ) -> tuple[int, int]:
        """Tell of a socket; give the gateway's number for it and the one table-service gave."""
        socket = next(self.sockets)
        await self.send(connecting(socket, table, browser, connection=connection, version=version))
        connected = await self.until(lambda event: event.connected.socket == socket)
        return socket, connected.connected.connection

    async def disconnect(self, socket: int, table: TableId, *, drain: bool = False) -> None:
        call = table_pb2.Disconnect(socket=socket, table=table, drain=drain)
        await self.send(table_pb2.WatchCall(disconnect=call))

    async def renew(self, *sockets: int) -> None:
        await self.send(table_pb2.WatchCall(renew=table_pb2.Renew(sockets=sockets)))

    async def pong(self, ping: int) -> None:
        """Ping, and wait for the answer."""
        await self.send(table_pb2.WatchCall(ping=table_pb2.WatchPing(ping=ping)))
        await self.until(lambda event: event.pong.ping == ping)

    async def until(self, holds: Callable[[table_pb2.WatchEvent], bool]) -> table_pb2.WatchEvent:
        """Give the first event, of all that were heard, for which something holds."""
        seen = 0
        async with asyncio.timeout(WAIT_S):
            while True:
                for event in self.heard[seen:]:
                    if holds(event):
                        return event
                seen = len(self.heard)
                self._some.clear()
                await self._some.wait()

    async def until_table(self, holds: Callable[[table_pb2.TableNews], bool]) -> table_pb2.TableNews:
        """Give the first news from now on, or the latest there is, for which something holds."""
        news = [event for event in self.heard if event.HasField("news")]
        self.heard = [event for event in self.heard if not event.HasField("news")] + news[-1:]
        event = await self.until(lambda event: event.HasField("news") and holds(event.news))
        return event.news

    async def until_ended(self) -> grpc.StatusCode:
        async with asyncio.timeout(WAIT_S):
            while self.ended is None:
                self._some.clear()
                await self._some.wait()
        return self.ended

    async def _say_that_it_lives(self) -> None:
        with suppress(asyncio.InvalidStateError, grpc.aio.AioRpcError):
            while True:
                await asyncio.sleep(0.5)
                await self.renew()

    async def _read(self) -> None:
        try:
            while isinstance(message := await self.call.read(), table_pb2.WatchResponse):
                self.heard += message.events
                self._some.set()
            self.ended = grpc.StatusCode.OK
        except grpc.aio.AioRpcError as error:
            self.ended = error.code()
        except asyncio.CancelledError:
            if not self.call.cancelled():
                raise
            self.ended = grpc.StatusCode.CANCELLED
        self._some.set()


def connecting(
    socket: int, table: TableId, browser: bytes, *, connection: int = 0, version: int = 0
) -> table_pb2.WatchCall:
    connect = table_pb2.Connect(
        socket=socket, table=table, browser=browser, connection=connection, version=version
    )
    return table_pb2.WatchCall(connect=connect)


def seat_view(news: table_pb2.TableNews, seat: int) -> table_pb2.SeatView | None:
    return next((view for view in news.table.seats if view.seat == seat), None)


def is_connected(news: table_pb2.TableNews, seat: int) -> bool:
    view = seat_view(news, seat)
    return view is not None and view.connected


def holder(news: table_pb2.TableNews, seat: int) -> int:
    """Give the number of the socket that holds a seat; 0 where nobody sits."""
    return next((holder.connection for holder in news.holders if holder.seat == seat), 0)


async def two_seated(caller: Caller, ann: bytes, bo: bytes) -> None:
    await caller.open(ann, name="Ann")
    await caller.do(bo, sit=table_pb2.Sit(name="Bo"))
