"""Where HTTP comes in: uvicorn's protocol, with a bound on how long, how much and how many.

uvicorn waits for ever for a request that has begun, or never does, and for a reader of its answer. Here every wait for
the other end is bounded, and so is what an answer that is not read takes up, and the number of those who wait or are
waited for: where one too many comes, of the larger crowd the one that came to it first goes, so that neither crowd keeps
anybody out. Sockets have left by then, and are bounded by their own (`seam`).
"""

import asyncio
import logging
from collections.abc import Mapping
from typing import Any, ClassVar, Literal, cast

import h11
from uvicorn.config import Config
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from web_gateway import metrics
from web_gateway.seam.frames import HIGH_WATER, bound_kernel
from web_gateway.strict import Strict
from wire.log import events
from wire.seldom import Seldom

REQUEST_S = 10.0
"""How long a request may take to come in whole, counted from the connection or from the answer before, in seconds."""
ANSWER_S = 120.0
"""How long an answer may take, to be made and to be read; that of a whole replay takes a slow phone half a minute."""
MOST_BYTES = 64 * 1024
"""How much may come of one request; none of ours needs a tenth of that."""
KERNEL_BUFFER = 32 * 1024
"""Bytes of an answer that the kernel is asked to take of those that are not read; it would take megabytes."""

_LOG = events("web_gateway")
_WORDS = b'{"error": "BAD_REQUEST", "message": "This is no request that can be read here."}'
Why = Literal["late", "unread", "large", "bad", "crowd"]


class Callers:
    """All connections that are no sockets: those that are waited for, and those that wait, each by how long."""

    def __init__(self, *, most: int) -> None:
        """Begin with none, to hold so many at most."""
        self._most = most
        self._asking: dict[Door, None] = {}
        self._answered: dict[Door, None] = {}
        self._seldom = Seldom()

    def __len__(self) -> int:
        return len(self._asking) + len(self._answered)

    def put(self, door: "Door", *, asking: bool) -> None:
        """Have one begin to be waited for, or to wait; where it is one too many, the first of the larger crowd goes.

        So neither who begins requests nor who reads no answers can crowd out the others.
        """
        self.drop(door)
        if len(self) >= self._most:
            crowd = self._asking if len(self._asking) >= len(self._answered) else self._answered
            next(iter(crowd)).end("crowd")
            if self._seldom.now("crowd"):
                _LOG.warning("there are too many connections", connections=len(self))
        (self._asking if asking else self._answered)[door] = None

    def drop(self, door: "Door") -> None:
        """Forget one."""
        self._asking.pop(door, None)
        self._answered.pop(door, None)


def door(callers: Callers, refused: Mapping[str, str] | None = None) -> type[asyncio.Protocol]:
    """Make the class for `uvicorn.Config(http=…)` whose connections are counted, and bounded, by `callers`.

    Args:
        callers: all of them.
        refused: headers of the answers to what is no request.
    """
    shown = tuple((name.lower().encode(), value.encode()) for name, value in (refused or {}).items())

    class Counted(Door):
        among = callers
        refusing = shown

    return Counted


class Door(H11Protocol):
    """One connection, until it is lost or becomes a socket."""

    among: ClassVar[Callers]
    refusing: ClassVar[tuple[tuple[bytes, bytes], ...]] = ()

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self.conn = self._read = Strict()
        self._came = 0
        self._stage = (True, 0)
        self._since = self.loop.time()
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin; the loop calls it."""
        super().connection_made(cast("asyncio.Transport", transport))
        bound_kernel(self.transport, KERNEL_BUFFER)
        self.transport.set_write_buffer_limits(high=HIGH_WATER)
        self.among.put(self, asking=True)
        self._timer = self.loop.call_later(REQUEST_S, self._look_at_clock)

    def connection_lost(self, exc: Exception | None) -> None:
        """End; the transport calls it."""
        self._leave()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take what came; the transport calls it."""
        if self.transport.is_closing():
            return
        self._came += len(data)
        super().data_received(data)
        if self._came > MOST_BYTES and self.transport.get_protocol() is self:
            self.end("large")

    def handle_events(self) -> None:
        """Go on with what came, and note who waits for whom from now on."""
        super().handle_events()
        stage = (self._read.their_state in (h11.IDLE, h11.SEND_BODY), self._read.requests)
        if stage != self._stage and self._timer is not None:
            if stage[1] != self._stage[1]:
                self._came = len(self._read.trailing_data[0])
            self._stage, self._since = stage, self.loop.time()
            self.among.put(self, asking=stage[0])

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """Let a connection go that becomes a socket."""
        self._leave()
        super().handle_websocket_upgrade(event)

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002  uvicorn's words are not ours
        """Answer what is no request; where an answer is under way or over, there is none to give."""
        metrics.cut("bad")
        if self._read.our_state not in (h11.IDLE, h11.SEND_RESPONSE):
            self.transport.abort()
            return
        head = [*self.server_state.default_headers, *self.refusing, (b"content-type", b"application/json")]
        head += [(b"content-length", b"%d" % len(_WORDS)), (b"connection", b"close")]
        body = [] if self._read.is_head else [h11.Data(data=_WORDS)]
        parts = [h11.Response(status_code=400, headers=head), *body, h11.EndOfMessage()]
        self.transport.write(b"".join(self._read.send(part) or b"" for part in parts))
        self.transport.close()

    def end(self, why: Why) -> None:
        """Cut the connection."""
        metrics.cut(why)
        self._leave()
        self.transport.abort()

    def _leave(self) -> None:
        self.among.drop(self)
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _look_at_clock(self) -> None:
        unread = self.transport.get_write_buffer_size() > 0
        asking = self._stage[0] and not unread
        left = self._since + (REQUEST_S if asking else ANSWER_S) - self.loop.time()
        if left <= 0:
            self.end("late" if asking else "unread")
        else:
            self._timer = self.loop.call_later(min(left, REQUEST_S), self._look_at_clock)


class Seldomly(logging.Filter):
    """Passes each warning of uvicorn's once a minute: whoever sends what it warns of may do so all day."""

    def __init__(self) -> None:
        super().__init__()
        self._seldom = Seldom()

    def filter(self, record: logging.LogRecord) -> bool:
        """Say whether to log it."""
        return record.levelno != logging.WARNING or self._seldom.now(record.getMessage())


__all__ = ["ANSWER_S", "MOST_BYTES", "REQUEST_S", "Callers", "Door", "Seldomly", "door"]
