"""The Watch: one stream to a replica of table-service that tells of our sockets and hears of their tables.

Any replica serves any table. When a stream breaks, the next replica is told of all sockets with the numbers they had
(docs/architecture.md, rules 9 and 10).
"""

import asyncio
import secrets
from collections.abc import Sequence

import grpc

from tilerace.table.v1 import table_pb2, table_pb2_grpc
from web_gateway.metrics import STREAMS
from web_gateway.streams import Call, Pulse, hold
from web_gateway.tables import Tables, TableSocket
from wire.batching import Outbox, Overflow
from wire.channels import Channels
from wire.clock import StoreClock
from wire.ids import TableId
from wire.log import events
from wire.metrics import DROPPED, QUEUES
from wire.refusal import Refusal, Refused
from wire.routing import Replicas
from wire.seldom import Seldom

MOST_WAITING = 50_000
PING_S = 2.0
RENEW_S = 1.0
_PAUSE_S = (0.1, 1.0)
_LOG = events("web_gateway")


class Watch:
    """Has our sockets known at table-service; have `run` run beside it."""

    def __init__(
        self, replicas: Replicas, channels: Channels, tables: Tables, *, clock: StoreClock, ping_s: float
    ) -> None:
        """Begin with no socket; `ping_s` is how often sockets are pinged."""
        self._replicas, self._channels, self._tables, self._clock = replicas, channels, tables, clock
        self._gateway = secrets.token_bytes(16)
        self._streams = 0
        self._renew_s = min(RENEW_S, ping_s / 4)
        self._sockets: dict[int, TableSocket] = {}
        self._answered: set[int] = set()
        self._outbox: Outbox[table_pb2.WatchCall] | None = None
        self._pulse = Pulse(self._ping, PING_S)
        self._leaving = False
        self._ended = asyncio.Event()
        self._seldom = Seldom()
        self._heard = False
        self._why = ""
        self.ready = False
        """Whether table-service is there."""

    def connect(self, socket: TableSocket) -> None:
        """Tell of a socket that opened."""
        self._sockets[socket.number] = socket
        self._tables.join(socket)
        self._tell_connect(socket)

    def disconnect(self, socket: TableSocket, *, drain: bool = False) -> None:
        """Tell of a socket that closed; with `drain` because we go away, which takes nobody's grace."""
        if self._sockets.pop(socket.number, None) is None:
            return
        self._tables.part(socket)
        self._tell(disconnect=table_pb2.Disconnect(socket=socket.number, table=socket.table, drain=drain))

    def again(self, socket: TableSocket) -> None:
        """Tell of a socket again: it holds its browser's seat, unless one of a higher number does."""
        if socket.number in self._sockets:
            self._tell_connect(socket)

    def answered(self, socket: TableSocket) -> None:
        """Note that a socket answered a ping; its lease is renewed with the next batch."""
        self._answered.add(socket.number)

    def look(self) -> None:
        """Set the gauges of the Watch to how it is."""
        STREAMS.labels("table").set(self._outbox is not None and self._heard)
        QUEUES.labels("watch").set(0 if self._outbox is None else len(self._outbox))

    async def drain(self) -> None:
        """Write what is queued, and hold no stream any more."""
        self._leaving = True
        if self._outbox is not None:
            self._outbox.close()
            await self._ended.wait()

    async def run(self) -> None:
        """Hold a stream, again and again, until cancelled or drained."""
        failures = 0
        async with asyncio.TaskGroup() as tasks:
            renewing = tasks.create_task(self._renew_for_ever())
            while not self._leaving:
                address = self._replicas.preferred(self._gateway.hex())[0]
                refused = await self._hold(address)
                failures = 0 if self._heard else failures + 1
                # One that says it cannot serve for now is there, and pages need it no more than it needs a restart.
                self.ready = refused is not None and refused.refusal is Refusal.UNAVAILABLE
                if not self._leaving:
                    self._replicas.avoid(address)
                    self._tell_broken(address)
                    await asyncio.sleep(min(_PAUSE_S[0] * 2 ** min(failures, 10), _PAUSE_S[1]))
            renewing.cancel()

    def _tell_broken(self, address: str) -> None:
        if self._heard:
            _LOG.warning("the Watch broke", replica=address, sockets=len(self._sockets))
        elif self._seldom.now(address):
            _LOG.warning("no Watch can be made", replica=address, sockets=len(self._sockets), why=self._why)

    async def _hold(self, address: str) -> Refused | None:
        """Hold one stream to its end; what it was refused with, where the replica said so."""
        self._outbox = Outbox(MOST_WAITING)
        self._pulse = Pulse(self._ping, PING_S)
        self._ended.clear()
        self._heard = False
        self._streams += 1
        self._tell(hello=table_pb2.WatchHello(gateway=self._gateway, stream=self._streams))
        for socket in self._sockets.values():
            self._tell_connect(socket)
        stub = table_pb2_grpc.TableServiceStub(self._channels.to(address))
        call: grpc.aio.StreamStreamCall[table_pb2.WatchRequest, table_pb2.WatchResponse] = stub.Watch()
        line = Call(call, request=_request, take=self._take)
        try:
            return await hold(line, self._outbox, self._pulse)
        except Exception as error:  # noqa: BLE001  a fault on a stream must not be the end of the gateway
            _LOG.exception("the Watch failed", error, replica=address)
            return None
        finally:
            self._why = line.why
            self._outbox = None
            self._ended.set()

    async def _renew_for_ever(self) -> None:
        while True:
            await asyncio.sleep(self._renew_s)
            answered, self._answered = self._answered, set()
            self._tell(renew=table_pb2.Renew(sockets=sorted(answered & self._sockets.keys())))

    def _tell_connect(self, socket: TableSocket) -> None:
        self._tell(
            connect=table_pb2.Connect(
                socket=socket.number,
                table=socket.table,
                browser=socket.browser,
                connection=0 if socket.renumbering else socket.connection,
                version=self._tables.heard_of(socket.table),
            )
        )

    def _ping(self, number: int) -> None:
        self._tell(ping=table_pb2.WatchPing(ping=number))

    def _tell(self, **call: object) -> None:
        """Queue a call; without a stream it is not needed, as the next one begins with all sockets."""
        if self._outbox is None:
            return
        try:
            self._outbox.put(table_pb2.WatchCall(**call))  # type: ignore[arg-type]
        except Overflow:
            if self._pulse.fail():
                DROPPED.labels("watch").inc()

    def _take(self, response: table_pb2.WatchResponse) -> None:
        self.ready = self._heard = True
        self._clock.heard(response.now)
        for event in response.events:
            try:
                self._take_event(event)
            except Exception as error:  # noqa: BLE001  one event that cannot be taken must spoil no other table
                _LOG.exception(
                    "an event of the Watch was not taken",
                    error,
                    what=event.WhichOneof("event") or "",
                    table=_table_of(event),
                )

    def _take_event(self, event: table_pb2.WatchEvent) -> None:
        match event.WhichOneof("event"):
            case "news":
                self._tables.heard(event.news, pushed=True)
            case "connected":
                if socket := self._sockets.get(event.connected.socket):
                    socket.connected(event.connected.connection)
            case "freed":
                self._tables.freed(event.freed)
            case "gone":
                self._tables.gone(event.gone.table)
            case "pong":
                self._pulse.heard = event.pong.ping
            case "rewound":
                self._tables.rewound(TableId(event.rewound.table))
            case "draining":
                if self._outbox is not None:
                    self._outbox.close()
            case _:
                pass  # of a later release


def _table_of(event: table_pb2.WatchEvent) -> str | None:
    """Say which table an event is about, for the log."""
    about = event.news.table, event.freed, event.gone, event.rewound
    return next((each.table for each in about if each.table), None)


def _request(calls: Sequence[table_pb2.WatchCall]) -> table_pb2.WatchRequest:
    return table_pb2.WatchRequest(calls=calls)
