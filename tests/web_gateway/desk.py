"""A socket at a desk: as much of a gateway as it needs, and all that it sends."""

import asyncio
from typing import Any, cast

import msgspec

from tilerace.table.v1 import table_pb2
from web_gateway.askers import Asker
from web_gateway.frames import server
from web_gateway.gateway import Gateway
from web_gateway.returning import Returning
from web_gateway.seam.frames import Frames
from web_gateway.socket import Socket
from web_gateway.tables import Tables
from wire.clock import StoreClock
from wire.ids import BrowserHash, TableId

TABLE, BO = TableId("K7QM2XWP"), BrowserHash(b"b" * 32)


class Wire:
    """A socket's frames, as one outside hears them."""

    def __init__(self) -> None:
        self.code = 0
        self.writable = True
        self.sent: list[dict[str, Any]] = []

    def send(self, payload: bytes) -> None:
        self.sent.append(msgspec.json.decode(payload))

    def send_frame(self, framed: bytes) -> None:
        self.send(framed[framed.index(b"{") :])

    def close(self, code: int) -> None:
        self.code = code

    @property
    def kinds(self) -> list[str]:
        return [frame["type"] for frame in self.sent if frame["type"] != "hello"]


class Desk:
    """As much of a gateway as one socket at a table that does not race needs."""

    def __init__(self) -> None:
        self.clock = StoreClock()
        self.tables = Tables(self.clock)
        self.watch = self.calls = self
        self.links = None
        self.sockets: tuple[Socket, ...] = ()
        self.leaving = False
        self.asker = Asker(None)
        self.returning = Returning()
        self.told: list[str] = []
        """What it told table-service of sockets."""
        self.tasks: asyncio.TaskGroup
        self.answer: asyncio.Future[table_pb2.TableNews] = asyncio.get_running_loop().create_future()
        """What a command is answered with."""
        self._numbers = 0

    def next_number(self) -> int:
        self._numbers += 1
        return self._numbers

    def connect(self, socket: Socket) -> None:
        self.told.append("connect")
        self.tables.join(socket)

    def disconnect(self, socket: Socket, *, drain: bool) -> None:
        self.told.append("drain" if drain else "disconnect")
        self.tables.part(socket)

    def answered(self, _socket: Socket) -> None:
        pass

    def again(self, socket: Socket) -> None:
        self.told.append("number" if socket.renumbering else "hold")

    async def command(
        self, _table: TableId, _browser: BrowserHash, _command: table_pb2.CommandRequest
    ) -> table_pb2.TableNews:
        return await self.answer

    def hello(self, _table: TableId, _host: str | None) -> server.Hello:
        return server.Hello(
            build="1", link="", reach="public", clocks_s=(), countdown_ms=0, ping_ms=0, grace_ms=0, now=0
        )

    def opens(self, connection: int = 7) -> tuple[Socket, Wire]:
        """Open a socket of Bo's, which table-service gives that number."""
        socket, wire = Socket(cast("Gateway", self), TABLE, BO, asker=self.asker, host=None), Wire()
        socket.opened(cast("Frames", wire))
        socket.connected(connection)
        return socket, wire


def news(version: int, *, seated: int = 0) -> table_pb2.TableNews:
    """Write a table in which Bo sits, held by the socket of the number `seated`, or does not sit."""
    found = table_pb2.TableNews(
        table=table_pb2.Table(table=TABLE, version=version, phase=table_pb2.PHASE_GATHERING)
    )
    if seated:
        found.table.seats.add(seat=2, name="Bo", connected=True)
        found.holders.add(seat=2, browser=BO, connection=seated)
    return found
