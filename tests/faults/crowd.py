"""Many browsers that only look on at their tables: sockets of a few bytes each, that come back as a page does."""

import asyncio
import base64
import contextlib
import random
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field

from tests.faults.racer import FIRST_RETRY_S, LONGEST_RETRY_S
from tests.friend import call

AT_ONCE = 16
SEATED = 2
"""How many of a table's browsers sit, its host one of them; the others watch."""
_TEXT, _CLOSE, _PING, _PONG = 1, 8, 9, 10
_MASKED_EMPTY = b"\x80\0\0\0\0"
_HEAD_S = 8.0


class Idler(asyncio.Protocol):
    """One browser at a table, which tries the gateways in turn, from the first on; `here` says when it saw its table."""

    def __init__(self, table: str, cookie: str | None, ports: Sequence[int], rng: random.Random) -> None:
        """Be nowhere yet; connect with `come`."""
        self.table, self.cookie, self.ports, self.rng = table, cookie, ports, rng
        self.port = ports[0]
        self.here: asyncio.Event = asyncio.Event()
        self.back_at = 0.0
        self.told_to_wait_s: list[float] = []
        self.refusals = 0
        self.moved: Callable[[], None] = lambda: None
        self._transport: asyncio.Transport | None = None
        self._buffer = b""
        self._greeted = self._stopped = False
        self._retry_s: float | None = None
        self._failures = 0

    async def come(self) -> None:
        """Connect and wait for the table."""
        await self._try()
        await self.here.wait()

    def say(self, text: str) -> None:
        """Send one short frame."""
        assert self._transport is not None
        payload = text.encode()
        self._transport.write(bytes((0x80 | _TEXT, 0x80 | len(payload))) + bytes(4) + payload)

    def stop(self) -> None:
        """Leave for good."""
        self._stopped = True
        if self._transport is not None:
            self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Shake hands; the loop calls it."""
        assert isinstance(transport, asyncio.Transport)
        self._transport, self._buffer, self._greeted = transport, b"", False
        key = base64.b64encode(self.rng.randbytes(16)).decode()
        cookie = f"Cookie: {self.cookie}\r\n" if self.cookie else ""
        transport.write(
            f"GET /api/tables/{self.table}/socket HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n"
            f"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            f"Sec-WebSocket-Key: {key}\r\n{cookie}\r\n".encode()
        )

    def data_received(self, data: bytes) -> None:
        """Read what came; the loop calls it."""
        self._buffer += data
        if not self._greeted and not self._greet():
            return
        while (whole := _first_frame(self._buffer)) is not None:
            opcode, payload, self._buffer = whole
            self._take(opcode, payload)

    def connection_lost(self, _error: Exception | None) -> None:
        """Come back, when it was told to or after a while of its own; the loop calls it."""
        self._transport = None
        self.here.clear()
        if not self._stopped:
            self._come_back()

    def _greet(self) -> bool:
        head, end, rest = self._buffer.partition(b"\r\n\r\n")
        if not end:
            return False
        if not head.startswith(b"HTTP/1.1 101"):
            self.refusals += 1
            return False
        for line in head.split(b"\r\n"):
            name, _, value = line.partition(b": ")
            if name.lower() == b"set-cookie":
                self.cookie = value.split(b";")[0].decode()
        self._greeted, self._buffer = True, rest
        return True

    def _take(self, opcode: int, payload: bytes) -> None:
        assert self._transport is not None
        if opcode == _PING:
            self._transport.write(bytes((0x80 | _PONG,)) + _MASKED_EMPTY)
        elif opcode == _CLOSE:
            self._transport.close()
        elif payload.startswith(b'{"type":"table"') and not self.here.is_set():
            self._failures, self.back_at = 0, asyncio.get_running_loop().time()
            self.here.set()
        elif payload.startswith(b'{"type":"bye"'):
            self._retry_s = int(payload.rpartition(b":")[2].rstrip(b"}")) / 1000
            self.told_to_wait_s.append(self._retry_s)

    def _come_back(self) -> None:
        longest = min(LONGEST_RETRY_S, FIRST_RETRY_S * 2**self._failures)
        wait_s = self.rng.uniform(longest / 8, longest) if self._retry_s is None else self._retry_s
        self._retry_s = None
        self._failures += 1
        self.port = self.ports[(self.ports.index(self.port) + 1) % len(self.ports)]
        loop = asyncio.get_running_loop()
        loop.call_later(wait_s, lambda: loop.create_task(self._try()))

    async def _try(self) -> None:
        if self._stopped:
            return
        try:
            async with asyncio.timeout(_HEAD_S):
                await asyncio.get_running_loop().create_connection(lambda: self, "127.0.0.1", self.port)
        except (OSError, TimeoutError):
            self._come_back()


@dataclass
class Crowd:
    """All browsers of all tables."""

    idlers: list[Idler] = field(default_factory=list)

    @property
    def told_to_wait_s(self) -> list[float]:
        """What each was told to wait by a goodbye, if it was."""
        return [wait for idler in self.idlers for wait in idler.told_to_wait_s]

    async def until_away(self) -> None:
        """Wait until the first has lost its connection."""
        while all(idler.here.is_set() for idler in self.idlers):
            await asyncio.sleep(0.002)

    async def until_back(self, *, seconds: float) -> float:
        """Wait until everyone is at their table; give the loop's time when the last one was."""
        try:
            async with asyncio.timeout(seconds):
                for idler in self.idlers:
                    await idler.here.wait()
        except TimeoutError:
            away = sum(not idler.here.is_set() for idler in self.idlers)
            refused = sum(idler.refusals for idler in self.idlers)
            raise AssertionError(f"{away} are not back, after {refused} refused handshakes") from None
        return max(idler.back_at for idler in self.idlers)


@contextlib.asynccontextmanager
async def crowding(
    ports: Sequence[int], rng: random.Random, *, tables: int, each: int
) -> AsyncIterator[Crowd]:
    """Have `each` browsers at each of so many tables, all at the first gateway."""
    crowd, few = Crowd(), asyncio.Semaphore(AT_ONCE)
    base = f"http://127.0.0.1:{ports[0]}"

    async def fill_table() -> None:
        async with few:
            answer = await asyncio.to_thread(call, base, "/api/tables", method="POST")
            assert answer.status == 201, answer
            for index in range(each):
                cookie = answer.cookie if index == 0 else None
                idler = Idler(answer.body["table"], cookie, ports, random.Random(rng.random()))
                crowd.idlers.append(idler)
                await idler.come()
                if 0 < index < SEATED:
                    idler.say('{"type":"sit"}')

    try:
        async with asyncio.TaskGroup() as tasks:
            for _ in range(tables):
                tasks.create_task(fill_table())
        yield crowd
    finally:
        for idler in crowd.idlers:
            idler.stop()


def _first_frame(buffer: bytes) -> tuple[int, bytes, bytes] | None:
    """Cut the first frame off, None where it is not whole: its opcode, its payload, and what follows."""
    if len(buffer) < 2:
        return None
    length, start = buffer[1] & 0x7F, 2
    if length >= 126:
        start = 4 if length == 126 else 10
        length = int.from_bytes(buffer[2:start], "big")
    if len(buffer) < start + length:
        return None
    return buffer[0] & 0x0F, buffer[start : start + length], buffer[start + length :]
