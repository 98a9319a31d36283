"""One open socket: RFC 6455 frames of a server on a transport whose handshake is done, without extensions.

Text comes in as calls of a `Listener`, bytes go out; nothing here awaits. What a socket may hold is bounded both ways:
a message by `LIMIT` and `MESSAGE_S`, control frames and fragments by their rate, what the peer has not read by `BACKLOG`
and `STALL_S`.
"""

import asyncio
import socket
from collections.abc import Callable
from typing import Protocol

from web_gateway import metrics
from web_gateway.seam.codec import (
    CLOSE,
    LIMIT,
    PING,
    PONG,
    TEXT,
    Failure,
    apply_mask,
    close_code,
    decoded,
    frame,
)
from web_gateway.seam.turn import Turn
from wire.log import events
from wire.metrics import DROPPED

LINGER_S = 1.0
"""Seconds a peer has to answer a close before the connection is cut."""

STALL_S = 5.0
"""Seconds a peer may leave what it was sent unread before it is dropped."""

HIGH_WATER = 16 * 1024
"""Unsent bytes from which a socket is not `writable`; it is again at a quarter of them."""

BACKLOG = 64 * 1024
"""Unsent bytes above which the peer is dropped."""

MESSAGE_S = 10.0
"""Seconds that a frame or a fragmented message may take from its first byte to its last."""

RARE_A_SECOND, RARE_BURST = 20, 100
"""How many control frames and fragments a peer may send; those that answer our pings are not counted."""

# The kernel would take megabytes before a transport noticed that nobody reads.
_KERNEL_BUFFER = 16 * 1024
_LOST = 1006

_log = events("web_gateway")


class Listener(Protocol):
    """What a socket tells its owner, by plain calls on the loop; an error raised in one closes the socket (1011)."""

    def opened(self, frames: "Frames") -> None:
        """Begin: once, before any other call. What is sent from here on follows the handshake's answer."""

    def text(self, message: str) -> None:
        """Take one whole text message of at most `LIMIT` bytes; never called once the socket is closing."""

    def pong(self) -> None:
        """Note that the peer answered a ping: a sign of life about once a heartbeat, for presence.

        Any bytes are signs of life too: `Frames.last_heard` has the time of the latest.
        """

    def leaving(self) -> None:
        """Say goodbye: the server goes away. What is sent now still precedes the close (1012)."""

    def closed(self, code: int) -> None:
        """End: once, and nothing follows. The code is ours if we closed first, else the peer's; 1006 if it vanished."""


class Frames(asyncio.Protocol):
    """A socket. Sending on one that is closing or gone does nothing.

    Attributes:
        began: the loop's time when what has not come whole yet began, None where nothing has.
        writable: false while the peer reads too slowly, and once closing; what can be left out should then be.
        last_heard: the loop's time when the peer's last bytes came.
        last_ping: the loop's time of our last ping, at first that of the opening.
        code: 0 while open, else the close code.
    """

    __slots__ = (
        "_deaf", "_listener", "_loop", "_lost", "_need", "_parts", "_rare_until", "_rest", "_timer", "_transport",
        "_turn", "began", "code", "last_heard", "last_ping", "writable",
    )  # fmt: skip

    def __init__(
        self,
        transport: asyncio.Transport,
        listener: Listener,
        *,
        turn: Turn,
        lost: Callable[["Frames"], None],
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._transport, self._listener, self._turn, self._lost = transport, listener, turn, lost
        self._deaf, self._need = False, 0
        self._rest: bytearray | None = None
        self._parts: bytearray | None = None
        self._timer: asyncio.TimerHandle | None = None
        self.code, self.writable = 0, True
        self.last_heard = self.last_ping = self._rare_until = self._loop.time()
        self.began: float | None = None

    def start(self, early: bytes = b"") -> None:
        """Take the transport over, whose reading is paused, and tell the listener.

        Args:
            early: what the peer sent together with its handshake.
        """
        bound_kernel(self._transport, _KERNEL_BUFFER)
        self._transport.set_protocol(self)
        # Only now, so that a transport already above the mark says so to this protocol.
        self._transport.set_write_buffer_limits(high=HIGH_WATER)
        self._guarded(self._listener.opened, self)
        if early:
            self.data_received(early)
        self._transport.resume_reading()

    def send(self, message: bytes) -> None:
        """Send one text message, given as UTF-8."""
        self.send_frame(frame(message))

    def send_frame(self, whole: bytes) -> None:
        """Send a frame built before, with `frame`; within a turn, at its end."""
        held = self._turn.held
        if held is None:
            self.write(whole)
        elif not self.code:
            held[self] = held[self] + whole if self in held else whole

    def write(self, whole: bytes) -> None:
        """Write whole frames now; a transport that fails is one that is lost."""
        if self.code:
            return
        try:
            self._transport.write(whole)
        except Exception as error:  # noqa: BLE001 - whatever it was ends this socket, and no other
            _log.exception("socket not written", error, table=self._table)
            self.abort()
        else:
            if not self.writable:
                self._check_backlog()

    def ping(self) -> None:
        """Ask the peer for a sign of life."""
        self.last_ping = self._loop.time()
        self._rare_until -= 1 / RARE_A_SECOND
        self.send_frame(_PING)

    def close(self, code: int = 1000) -> None:
        """Close with `code`; the peer has `LINGER_S` to answer."""
        if not self.code:
            self._say_close(code, code.to_bytes(2))

    def abort(self) -> None:
        """Cut the connection, with what is unsent."""
        self.code, self.writable = self.code or _LOST, False
        self._transport.abort()

    def shutdown(self) -> None:
        """Close because the server stops (1012); uvicorn calls it."""
        if not self.code:
            self._guarded(self._listener.leaving)
            self.close(1012)

    def data_received(self, data: bytes) -> None:
        """Take bytes from the transport."""
        self.last_heard = self._loop.time()
        if self._deaf:
            return
        whole: bytes | bytearray = data
        if self._rest is not None:
            self._rest += data
            if len(self._rest) < self._need:
                return
            whole = self._rest
        try:
            start = self._parse(whole)
        except Failure as failure:
            self._fail(failure.code)
        except Exception as error:  # noqa: BLE001 - whatever the listener raised ends its socket, and no other
            _log.exception("socket listener failed", error, table=self._table)
            self._fail(1011)
        else:
            self._rest = bytearray(whole[start:]) if start < len(whole) else None
            self._note_beginning(moved=start > 0)

    def _note_beginning(self, *, moved: bool) -> None:
        if self._parts is None and (self._rest is None or moved):
            self.began = None
        if self.began is None and (self._parts is not None or self._rest is not None):
            self.began = self.last_heard

    def pause_writing(self) -> None:
        """Note that the peer reads too slowly; the transport calls it."""
        self.writable = False
        if not self.code:
            self._due(STALL_S)

    def resume_writing(self) -> None:
        """Note that the peer has caught up; the transport calls it."""
        if not self.code:
            self.writable = True
            self._undo_due()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - the transport's signature
        """End, however it came; the transport calls it."""
        self.code, self.writable, self._deaf = self.code or _LOST, False, True
        self._undo_due()
        metrics.closed(self.code)
        self._lost(self)
        self._listener.closed(self.code)

    def _parse(self, data: bytes | bytearray) -> int:
        """Handle every whole frame; give where the first unfinished one begins, with `_need` its known size."""
        start, end = 0, len(data)
        self._need = 2
        while end - start >= 2:
            first, size, at = data[start], data[start + 1] - 128, start + 6
            if size < 0:  # not masked
                raise Failure(1002)
            if size > 125:
                at += 2 if size == 126 else 8
                if end < at - 4:
                    self._need = at - 4 - start
                    break
                size = _long(first, bytes(data[start + 2 : at - 4]))
            if at + size > end:
                self._need = at + size - start
                break
            payload = apply_mask(data[at : at + size], data[at - 4 : at])
            start = at + size
            if first != TEXT or self._parts is not None:
                self._rare(first, payload)
            elif not self.code:
                self._listener.text(decoded(payload))
        return start

    def _rare(self, first: int, payload: bytes) -> None:
        """Handle control frames and fragments, as long as they are rare; every other first byte is an error."""
        self._rare_until = max(self._rare_until, self.last_heard) + 1 / RARE_A_SECOND
        if self._rare_until - self.last_heard > RARE_BURST / RARE_A_SECOND:
            raise Failure(1008)
        match first:
            case 0x89:
                self.send_frame(frame(payload, PONG))
            case 0x8A:
                if not self.code:
                    self._listener.pong()
            case 0x88:
                self._peer_closes(payload)
            case 0x01 if self._parts is None:
                self._parts = bytearray(payload)
            case 0x00 | 0x80 if self._parts is not None:
                self._go_on(self._parts, payload, final=first == 0x80)
            case 0x02 | 0x82 if self._parts is None:
                raise Failure(1003)
            case _:
                raise Failure(1002)

    def _go_on(self, parts: bytearray, payload: bytes, *, final: bool) -> None:
        if len(parts) + len(payload) > LIMIT:
            raise Failure(1009)
        parts += payload
        if final:
            self._parts = self.began = None
            if not self.code:
                self._listener.text(decoded(parts))

    def _peer_closes(self, payload: bytes) -> None:
        code = close_code(payload)
        if not self.code:
            self._say_close(code, payload[:2])
        self._deaf = True
        self._transport.close()

    def _say_close(self, code: int, payload: bytes) -> None:
        self.code, self.writable = code, False
        self._transport.write(self._turn.take(self) + frame(payload, CLOSE))
        self._due(LINGER_S)

    def _fail(self, code: int) -> None:
        """Close, and take no more; half-closed, so that a peer in mid-sentence still reads the code."""
        self.close(code)
        self._deaf, self._rest, self._parts = True, None, None
        if self._transport.can_write_eof() and not self._transport.is_closing():
            self._transport.write_eof()

    @property
    def _table(self) -> str | None:
        """The table that the listener is at, for the log."""
        return getattr(self._listener, "table", None)

    def _guarded(self, call: Callable[..., None], *args: "Frames") -> None:
        try:
            call(*args)
        except Exception as error:  # noqa: BLE001 - whatever the listener raised ends its socket, and no other
            _log.exception("socket listener failed", error, table=self._table)
            self._fail(1011)

    def _check_backlog(self) -> None:
        if self._transport.get_write_buffer_size() > BACKLOG:
            self._drop()

    def _drop(self) -> None:
        if not self.code:
            DROPPED.labels("socket").inc()
            _log.info("slow reader dropped", table=self._table)
        self.abort()

    def _due(self, seconds: float) -> None:
        self._undo_due()
        self._timer = self._loop.call_later(seconds, self._drop)

    def _undo_due(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


_PING = frame(b"", PING)


def _long(first: int, length: bytes) -> int:
    """Give the size in a frame's longer length, which need not be in its shortest form.

    Raises:
        Failure: a control frame so long or a reserved bit (1002), or more than a message may have (1009).
    """
    if first & 0x78:
        raise Failure(1002)
    size = int.from_bytes(length)
    if size > LIMIT:
        raise Failure(1009)
    return size


def bound_kernel(transport: asyncio.Transport, size: int) -> None:
    """Keep the kernel's share of what is unsent small, where no transport sees it; Linux takes twice as many bytes."""
    kernel: socket.socket | None = transport.get_extra_info("socket")
    if kernel is not None:
        kernel.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, size)
