"""One port for gRPC and for streams of messages (`wire.framed`): which of them a connection is, its first bytes say.

gRPC's server takes no connection that others accepted. So it listens on the loopback, at a port of its own, and what is
meant for it is carried there and back; that costs the few calls a race needs next to nothing.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from typing import cast

from wire.framed import GREETING, Framed
from wire.limits import CONNECTIONS as MOST
from wire.listening import sockets_at
from wire.log import events
from wire.metrics import TURNED_AWAY
from wire.seldom import Seldom
from wire.settings import Address

GREET_S = 5.0
"""How long a connection may take to say what it is, in seconds."""
STALLED_S = 5.0
"""How long whoever is carried to may take nothing of what waits for it, in seconds: as long as gRPC waits for a pong."""
LOOPBACK = "127.0.0.1"

Serve = Callable[[Framed], Awaitable[None]]
_LOG = events("wire.front")


@contextlib.asynccontextmanager
async def listening(listen: Address, serve: Serve, *, grpc_port: int, flush_s: float) -> AsyncIterator[int]:
    """Listen within a block, which gets the port: `serve` has the streams, and gRPC at its port all else.

    At the end no more are taken; what is written still has `flush_s` seconds to arrive.

    Raises:
        OSError: nothing can listen there.
    """
    sockets = sockets_at(listen)
    port: int = sockets[0].getsockname()[1]
    async with asyncio.TaskGroup() as tasks:
        front = _Front(serve, tasks, grpc_port)
        arrival, loop = partial(_Arrival, front), asyncio.get_running_loop()
        servers = [await loop.create_server(arrival, sock=each) for each in sockets]
        try:
            yield port
        finally:
            for server in servers:
                server.close()
            await front.close(flush_s)


class _Front:
    """The connections that there are, and what is done with new ones."""

    def __init__(self, serve: Serve, tasks: asyncio.TaskGroup, grpc_port: int) -> None:
        self._serve, self._tasks, self._grpc_port = serve, tasks, grpc_port
        self._open: set[asyncio.Transport] = set()
        self._none = asyncio.Event()
        self._none.set()
        self._closed = False
        self._seldom = Seldom()

    def has_room(self) -> bool:
        """Say whether one more is taken; that there are too many is told once a minute."""
        if len(self._open) < MOST or self._closed:
            return not self._closed
        TURNED_AWAY.inc()
        if self._seldom.now("full"):
            _LOG.warning("there are too many connections", connections=len(self._open))
        return False

    def came(self, transport: asyncio.Transport) -> None:
        self._open.add(transport)
        self._none.clear()

    def went(self, transport: asyncio.Transport) -> None:
        self._open.discard(transport)
        if not self._open:
            self._none.set()

    async def close(self, flush_s: float) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(flush_s):
                await self._none.wait()
        self._closed = True  # the loop may have accepted some whom it tells of yet
        for transport in tuple(self._open):
            transport.abort()

    def take(self, transport: asyncio.Transport, first: bytes) -> None:
        """Hand a connection on that has said what it is, with the bytes it has sent so far."""
        if first.startswith(GREETING):
            framed = Framed()
            framed.connection_made(transport)
            framed.ended.add_done_callback(lambda _: self.went(transport))
            transport.set_protocol(framed)
            framed.data_received(first.removeprefix(GREETING))
            self._tasks.create_task(self._stream(framed))
        else:
            transport.pause_reading()
            self._tasks.create_task(self._carry(transport, first))

    async def _stream(self, framed: Framed) -> None:
        try:
            await self._serve(framed)
        except Exception as error:  # noqa: BLE001  a fault on one stream must not end the others
            _LOG.exception("a stream failed", error)
        finally:
            framed.close()

    async def _carry(self, near: asyncio.Transport, first: bytes) -> None:
        try:
            far, _ = await asyncio.get_running_loop().create_connection(
                partial(_Carried, near), LOOPBACK, self._grpc_port
            )
        except OSError:
            near.abort()
            return
        if near.is_closing():
            far.abort()
            return
        far.write(first)
        carried = _Carried(far, on_end=partial(self.went, near))
        carried.connection_made(near)
        near.set_protocol(carried)
        near.resume_reading()


class _Arrival(asyncio.Protocol):
    """A connection that has not said yet what it is."""

    def __init__(self, front: _Front) -> None:
        self._front = front
        self._transport: asyncio.Transport
        self._first = b""
        self._timer: asyncio.TimerHandle

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._timer = asyncio.get_running_loop().call_later(GREET_S, self._transport.abort)
        if not self._front.has_room():
            self._transport.abort()
        self._front.came(self._transport)

    def data_received(self, data: bytes) -> None:
        self._first += data
        if len(self._first) >= len(GREETING) or not GREETING.startswith(self._first):
            self._timer.cancel()
            self._front.take(self._transport, self._first)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002
        self._timer.cancel()
        self._front.went(self._transport)


class _Carried(asyncio.Protocol):
    """One end of a connection that is carried: what comes goes to the `other` end, which holds it back where it is full.

    An end that takes nothing is given up: as the other is not read from meanwhile, nobody would see that one go.
    """

    def __init__(self, other: asyncio.Transport, *, on_end: Callable[[], None] = lambda: None) -> None:
        self._other = other
        self._on_end = on_end
        self._transport: asyncio.Transport
        self._stalled: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        self._other.write(data)

    def pause_writing(self) -> None:
        self._stalled = _abort_later(self._transport, self._other)
        if not self._other.is_closing():
            self._other.pause_reading()

    def resume_writing(self) -> None:
        self._stop_waiting()
        if not self._other.is_closing():
            self._other.resume_reading()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002
        self._stop_waiting()
        self._other.close()
        if self._other.get_write_buffer_size():
            _abort_later(self._other)
        self._on_end()

    def _stop_waiting(self) -> None:
        if self._stalled is not None:
            self._stalled.cancel()


def _abort_later(*transports: asyncio.Transport) -> asyncio.TimerHandle:
    def abort() -> None:
        for transport in transports:
            transport.abort()

    return asyncio.get_running_loop().call_later(STALLED_S, abort)
