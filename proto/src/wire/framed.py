"""Messages over a TCP connection of their own, each behind its length: for what gRPC is too dear (decision 12).

A gRPC message takes some 250 µs of the processor at each end and wakes four threads, however little is in it; one here
takes what a write and a read of a socket do. Whoever connects says GREETING first, which no HTTP/2 client does, so that
gRPC can be served at the same port (`wire.front`). From then on both ends send messages: four bytes that give the length
of what follows, the most significant first, and so many bytes.
"""

import asyncio
import struct
from collections.abc import Callable
from typing import cast

from wire.limits import MESSAGE_BYTES

GREETING = b"tilerace-messages/1\r\n"
CONNECT_S = 1.0
"""How long a connection may take to be made, in seconds."""
FLUSH_S = 5.0
"""How long what is written may still take to leave once an end has closed, in seconds."""
HIGH_WATER = 1024 * 1024
"""How many bytes may wait for a slow reader before whoever writes waits, too."""
_LENGTH = struct.Struct("!I")

Take = Callable[[bytes], None]


class Ended(Exception):
    """The connection is no more; whether what was written last has arrived is not known."""


class Framed(asyncio.Protocol):
    """One end of a connection.

    Attributes:
        ended: done once the connection is no more, with the error that `take` raised, where it did.
        heard_at: when anything came last, in the loop's time.
    """

    def __init__(self) -> None:
        """Begin without a connection; the transport gives one."""
        loop = asyncio.get_running_loop()
        self._now = loop.time
        self._later = loop.call_later
        self.heard_at = loop.time()
        self.ended: asyncio.Future[None] = loop.create_future()
        self.ended.add_done_callback(_look_at_error)
        self._take: Take | None = None
        self._transport: asyncio.Transport
        self._unread = bytearray()
        self._need = 0
        self._flushing: asyncio.TimerHandle | None = None
        self._room = asyncio.Event()
        self._room.set()

    def start(self, take: Take) -> None:
        """Hand each message to `take` as it comes, in order, beginning with those that have come already.

        Whatever `take` raises ends the connection.
        """
        self._take = take
        self.data_received(b"")

    async def write(self, message: bytes) -> None:
        """Send a message, and wait where the other end reads too slowly.

        Raises:
            Ended: there is no connection any more.
        """
        if not self.ended.done():
            self._transport.write(_LENGTH.pack(len(message)) + message)
            if not self._room.is_set():
                await self._room.wait()
        if self.ended.done():
            raise Ended

    def close(self) -> None:
        """Send what is written, and end; who takes none of it is not waited for longer than FLUSH_S."""
        self._transport.close()
        if self._flushing is None and not self.ended.done():
            self._flushing = self._later(FLUSH_S, self._transport.abort)

    def abort(self) -> None:
        """End at once."""
        self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take the transport; the loop calls it."""
        self._transport = cast("asyncio.Transport", transport)
        self._transport.set_write_buffer_limits(high=HIGH_WATER)

    def data_received(self, data: bytes) -> None:
        """Take bytes; the transport calls it."""
        self.heard_at = self._now()
        try:
            self._read(data)
        except Exception as error:  # noqa: BLE001  whatever is wrong with a message ends this connection, and no other
            self._end(error)
            self._transport.abort()

    def pause_writing(self) -> None:
        """Have whoever writes wait; the transport calls it."""
        self._room.clear()

    def resume_writing(self) -> None:
        """Have them go on; the transport calls it."""
        self._room.set()

    def eof_received(self) -> None:
        """Close, too, when the other end has; the transport calls it."""
        self.close()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002  an end is an end
        """End; the transport calls it."""
        if self._flushing is not None:
            self._flushing.cancel()
        self._end(None)

    def _read(self, data: bytes) -> None:
        """Take every whole message; of one that comes in pieces, each piece is touched once."""
        unread: bytes | bytearray = data
        if self._unread:
            self._unread += data
            unread = self._unread
            if len(unread) < self._need:
                return
        at, self._need = 0, 0
        while self._take is not None and len(unread) - at >= _LENGTH.size:
            (length,) = _LENGTH.unpack_from(unread, at)
            if length > MESSAGE_BYTES:
                raise ValueError(f"a message holds {length} bytes, of {MESSAGE_BYTES} at most")
            start = at + _LENGTH.size
            if len(unread) - start < length:
                self._need = start - at + length
                break
            at = start + length
            self._take(bytes(unread[start:at]))
        self._unread = bytearray(unread[at:])

    def _end(self, error: Exception | None) -> None:
        if not self.ended.done():
            if error is None:
                self.ended.set_result(None)
            else:
                self.ended.set_exception(error)
        self._room.set()


async def connect(address: str) -> Framed:
    """Connect to `host:port`; one that speaks anything else ends the connection.

    Raises:
        OSError: nobody listens there; a TimeoutError where it takes too long.
    """
    host, _, port = address.rpartition(":")
    async with asyncio.timeout(CONNECT_S):
        transport, framed = await asyncio.get_running_loop().create_connection(
            Framed, host.strip("[]"), int(port)
        )
    transport.write(GREETING)
    return framed


def _look_at_error(ended: "asyncio.Future[None]") -> None:
    """Look at the error, or the loop would tell of one that nobody waited for."""
    if not ended.cancelled():
        ended.exception()


__all__ = ["GREETING", "Ended", "Framed", "Take", "connect"]
