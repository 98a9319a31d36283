"""What one socket asks of its table, carried out one after the other."""

import secrets
from typing import Protocol

from web_gateway.calls import command_of
from web_gateway.frames import client
from web_gateway.frames.server import Re
from web_gateway.gateway import Gateway
from web_gateway.waiting import Judged
from wire.ids import BrowserHash, TableId
from wire.log import about, events
from wire.refusal import Refusal, Refused

MOST_WAITING = 16
COMMAND_BYTES = 16
_LOG = events("web_gateway")


class Asking(Protocol):
    """The socket that asks."""

    table: TableId
    browser: BrowserHash
    connection: int

    def done(self, re: Re) -> None:
        """Say that something is done, after what shows it."""

    def refuse(self, judged: Judged) -> None:
        """Refuse a frame."""

    def unknown(self) -> None:
        """Close: there is no such table."""

    def sat_too_late(self) -> None:
        """Hear that it has a seat, though it had closed by then."""


class Asks:
    """A socket's commands, in order; there is a task only while there are any."""

    __slots__ = ("_closed", "_gateway", "_socket", "_waiting")

    def __init__(self, gateway: Gateway, socket: Asking) -> None:
        """Begin with none."""
        self._gateway, self._socket = gateway, socket
        self._waiting: list[client.ToTable] = []
        self._closed = False

    def put(self, frame: client.ToTable) -> bool:
        """Have a command carried out; False where too many wait."""
        if len(self._waiting) >= MOST_WAITING:
            return False
        self._waiting.append(frame)
        if len(self._waiting) == 1:
            self._gateway.tasks.create_task(self._run())
        return True

    def forget(self) -> None:
        """Carry out nothing more than what is under way: the socket has closed."""
        self._closed = True
        del self._waiting[1:]

    async def _run(self) -> None:
        while self._waiting:
            command_id = secrets.token_bytes(COMMAND_BYTES)
            with about(table=self._socket.table, request=command_id.hex()):
                await self._attempt(self._waiting[0], command_id)
            del self._waiting[0]

    async def _attempt(self, frame: client.ToTable, command_id: bytes) -> None:
        try:
            await self._carry_out(frame, command_id)
        except Refused as refused:
            self._refuse(frame, refused)
        except Exception as error:  # noqa: BLE001  a fault in one command must not end the gateway
            _LOG.exception("a command failed", error, what=client.kind_of(frame))
            self._refuse(frame, Refused(Refusal.UNAVAILABLE))

    async def _carry_out(self, frame: client.ToTable, command_id: bytes) -> None:
        socket = self._socket
        command = command_of(frame, socket.connection)
        command.id = command_id
        news = await self._gateway.calls.command(socket.table, socket.browser, command)
        self._gateway.tables.heard(news, pushed=False)
        if self._closed and isinstance(frame, client.Sit):
            socket.sat_too_late()
        socket.done(frame.id)

    def _refuse(self, frame: client.ToTable, refused: Refused) -> None:
        self._socket.refuse(Judged(client.kind_of(frame), refused, frame.id))
        if refused.refusal is Refusal.TABLE_UNKNOWN:
            self._socket.unknown()
