"""A connection to one node that all who ask share: what is asked in one turn of the loop is one write, answered in order.

The client library takes a connection for each call, and 70 to 110 µs of the processor; a call here takes 10 to 20
(bench/store.py). Nothing is ever sent twice. A connection that breaks, or owes an answer for too long, fails all that
wait on it, and the next who asks has a new one made.
"""

import asyncio
import ssl
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import hiredis
from redis import exceptions as errors
from redis.asyncio.connection import SSLConnection, parse_url

Argument = str | bytes | int
Reply = bytes | int | None | list["Reply"]
Answered = Reply | errors.RedisError

ANSWER_S = 6.0
"""How long an answer of the store is waited for, in seconds: past a pause of five."""
CONNECT_S = 2.0
_PORT = 6379
_NOT_YET = object()
_ERRORS: dict[str, Callable[[str], errors.RedisError]] = {
    "ASK": errors.AskError,
    "CLUSTERDOWN": errors.ClusterDownError,
    "LOADING": errors.BusyLoadingError,
    "MASTERDOWN": errors.MasterDownError,
    "MOVED": errors.MovedError,
    "NOAUTH": errors.AuthenticationError,
    "NOPERM": errors.NoPermissionError,
    "NOSCRIPT": errors.NoScriptError,
    "OOM": errors.OutOfMemoryError,
    "READONLY": errors.ReadOnlyError,
    "TRYAGAIN": errors.TryAgainError,
    "WRONGPASS": errors.AuthenticationError,
}


class Pipe:
    """Asks one node; it connects when it is asked."""

    def __init__(self, url: str, *, answer_s: float = ANSWER_S, connect_s: float = CONNECT_S) -> None:
        """Name a node by `redis://…`, `rediss://…` or `unix://…`; the times are how long it may take, in seconds."""
        self._options: dict[str, Any] = dict(parse_url(url))
        self._answer_s, self._connect_s = answer_s, connect_s
        self._line: _Line | None = None
        self._opening: asyncio.Task[_Line] | None = None

    async def ask(self, *command: Argument) -> Reply:
        """Ask for one command.

        Raises:
            ConnectionError, TimeoutError: of the client library; whether it ran is not known.
            RedisError: what the node answered instead.
        """
        (reply,) = await self.ask_all([command])
        if isinstance(reply, errors.RedisError):
            raise reply
        return reply

    async def ask_all(self, commands: Sequence[Sequence[Argument]]) -> list[Answered]:
        """Ask for commands in one write; their replies in order, an error for each that was answered with one.

        Raises:
            ConnectionError, TimeoutError: of the client library; which of them ran is not known.
        """
        if not commands:
            return []
        line = self._line
        if line is None or line.lost is not None:
            line = await self._connected()
        return await line.ask(commands)

    async def aclose(self) -> None:
        """Close the connection; who still waits is told that it is lost."""
        if self._opening is not None:
            self._opening.cancel()
            await asyncio.wait([self._opening])
        if self._line is not None:
            self._line.close(_closed())

    async def _connected(self) -> "_Line":
        """Have a connection made, one for all who ask meanwhile; nobody's cancellation takes it from the others."""
        if self._opening is None:
            self._opening = asyncio.create_task(self._open())
            self._opening.add_done_callback(self._opened)
        try:
            return await asyncio.shield(self._opening)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise
            # By `aclose`, before it began: such a task tells nothing else.
            raise _closed() from None

    def _opened(self, opening: "asyncio.Task[_Line]") -> None:
        self._opening = None
        if not opening.cancelled() and opening.exception() is None:
            self._line = opening.result()

    async def _open(self) -> "_Line":
        line: _Line | None = None
        try:
            async with asyncio.timeout(self._connect_s):
                line = await self._connect()
                await self._introduce(line)
        except BaseException as error:  # noqa: BLE001  whatever it is, the line is closed and it goes on
            failed = _not_connected(error)
            if line is not None:
                line.close(failed)
            raise failed from (None if failed is error else error)
        return line

    async def _connect(self) -> "_Line":
        loop, options = asyncio.get_running_loop(), self._options

        def made() -> _Line:
            return _Line(self._answer_s)

        if "path" in options:
            _, line = await loop.create_unix_connection(made, options["path"])
        else:
            host, port = options.get("host", "localhost"), options.get("port", _PORT)
            _, line = await loop.create_connection(made, host, port, ssl=_tls(options))
        return line

    async def _introduce(self, line: "_Line") -> None:
        options = self._options
        first: list[Sequence[Argument]] = []
        if "password" in options:
            first.append(("AUTH", options.get("username", "default"), options["password"]))
        if options.get("db"):
            first.append(("SELECT", options["db"]))
        for reply in await line.ask(first) if first else ():
            if isinstance(reply, errors.RedisError):
                raise reply


@dataclass(slots=True)
class _Asked:
    """Commands that wait for their replies, since `at` in the loop's time."""

    answer: "asyncio.Future[list[Answered]]"
    count: int
    at: float
    replies: list[Answered] = field(default_factory=list)


class _Line(asyncio.Protocol):
    """One connection; `lost` is why it is no more."""

    def __init__(self, answer_s: float) -> None:
        self.lost: errors.RedisError | None = None
        self._loop = asyncio.get_running_loop()
        self._answer_s = answer_s
        self._transport: asyncio.Transport
        self._reader = hiredis.Reader(replyError=_error, notEnoughData=_NOT_YET)
        self._asked: deque[_Asked] = deque()
        self._unsent: list[bytes] = []
        self._timer: asyncio.TimerHandle | None = None

    def ask(self, commands: Sequence[Sequence[Argument]]) -> "asyncio.Future[list[Answered]]":
        """Ask with all else that is asked in this turn of the loop."""
        answer: asyncio.Future[list[Answered]] = self._loop.create_future()
        if self.lost is not None:
            answer.set_exception(self.lost)
            return answer
        if not self._unsent:
            self._loop.call_soon(self._send)
        self._unsent += [_packed(command) for command in commands]
        self._asked.append(_Asked(answer, len(commands), self._loop.time()))
        if self._timer is None:
            self._timer = self._loop.call_later(self._answer_s, self._look_at_clock)
        return answer

    def close(self, why: errors.RedisError) -> None:
        """Close it, and tell all who wait."""
        self._transport.abort()
        self._end(why)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take the transport; the loop calls it."""
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        """Hand replies to those who asked, in order; the transport calls it."""
        self._reader.feed(data)
        try:
            while (reply := self._reader.gets()) is not _NOT_YET:
                self._take(reply)
        except hiredis.ProtocolError as error:
            self.close(errors.ConnectionError(f"the store speaks another protocol: {error}"))

    def connection_lost(self, exc: Exception | None) -> None:
        """End; the transport calls it."""
        self._end(errors.ConnectionError(f"the store closed the connection: {exc or 'without a word'}"))

    def _take(self, reply: Answered) -> None:
        if not self._asked:
            self.close(errors.ConnectionError("the store answered what was not asked"))
            return
        first = self._asked[0]
        first.replies.append(reply)
        if len(first.replies) == first.count:
            self._asked.popleft()
            if not first.answer.done():
                first.answer.set_result(first.replies)

    def _send(self) -> None:
        unsent, self._unsent = self._unsent, []
        if self.lost is None and unsent:
            try:
                self._transport.write(b"".join(unsent))
            except RuntimeError as error:  # uvloop, for a transport just closed
                self.close(errors.ConnectionError(str(error)))

    def _look_at_clock(self) -> None:
        """Give the connection up where the oldest answer is overdue."""
        self._timer = None
        if not self._asked:
            return
        left = self._asked[0].at + self._answer_s - self._loop.time()
        if left <= 0:
            self.close(errors.TimeoutError(f"the store has not answered for {self._answer_s:g} s"))
        else:
            self._timer = self._loop.call_later(left, self._look_at_clock)

    def _end(self, why: errors.RedisError) -> None:
        self.lost = self.lost or why
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        asked, self._asked = self._asked, deque()
        for each in asked:
            if not each.answer.done():
                each.answer.set_exception(self.lost)


def _closed() -> errors.RedisError:
    return errors.ConnectionError("closed by ourselves")


def _not_connected(error: BaseException) -> errors.RedisError:
    """Tell why there is no connection, in the client library's words."""
    match error:
        case errors.RedisError():
            return error
        case TimeoutError():
            return errors.TimeoutError("cannot connect in time")
        case asyncio.CancelledError():
            # Of the one who connects, by `aclose`; those who wait for it were not cancelled, and are to go on.
            return _closed()
        case OSError() | RuntimeError():  # uvloop raises a bare RuntimeError for a transport just closed
            return errors.ConnectionError(f"cannot connect: {error}")
        case _:
            raise error


def _packed(command: Sequence[Argument]) -> bytes:
    packed: bytes = hiredis.pack_command(tuple(command))  # type: ignore[arg-type]  # its stub knows tuples of one only
    return packed


def _error(text: str) -> errors.RedisError:
    """Read an error as the client library does: by its first word; one whose other words are not as they are to be, as any."""
    code, _, words = text.partition(" ")
    try:
        return _ERRORS[code](words)
    except (KeyError, ValueError):
        return errors.ResponseError(text)


def _tls(options: dict[str, Any]) -> ssl.SSLContext | None:
    """Give what `rediss://` and its options ask for, as the client library reads them."""
    if options.get("connection_class") is not SSLConnection:
        return None
    named = {name: value for name, value in options.items() if name.startswith("ssl_")}
    return SSLConnection(**named).ssl_context.get()


__all__ = ["ANSWER_S", "CONNECT_S", "Answered", "Argument", "Pipe", "Reply"]
