"""A bad network between any two: a TCP proxy that delays, stalls, slices, throttles, swallows, and cuts."""

import asyncio
import contextlib
import random
import socket
import struct
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace

from tests.stack import free_port

_CHUNK = 65536
_MOST_UNDER_WAY = 64
_LOOK_S = 0.01
_RESET = struct.pack("ii", 1, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Weather:
    """How one direction carries what is sent over it; the plain one carries everything at once.

    Each chunk arrives `delay_s` give or take `jitter_s` after it was read, and none overtakes another. While `stalled`
    bytes wait; while `lost` they are swallowed, and the end of a connection too, as of a peer that has vanished. One
    that has lost bytes carries none ever after: TCP has no holes. They are written `slice_bytes` at a time, and
    `bytes_a_second` of them where that is not 0.
    """

    delay_s: float = 0.0
    jitter_s: float = 0.0
    stalled: bool = False
    lost: bool = False
    slice_bytes: int = _CHUNK
    bytes_a_second: int = 0


CLEAR = Weather()
STALLED = Weather(stalled=True)
LOST = Weather(lost=True)


@dataclass
class Loss:
    """One answer to be lost: the first bytes to come back after a request that contains `request`, with the connection.

    It is lost over whichever line that has this loss the request goes first, its port then in `taken`, and `happened` is
    set. With `silently` the connection stays, and all that comes back on it is swallowed.
    """

    request: bytes
    silently: bool = False
    taken: int | None = None
    happened: bool = False


@dataclass
class Connection:
    """One connection that the proxy carries; with `losing`, the next bytes to the client are to be lost."""

    client: asyncio.StreamWriter
    server: asyncio.StreamWriter
    losing: Loss | None = None

    def reset(self) -> None:
        """Break both ends at once, as if a machine between had gone."""
        for end in (self.client, self.server):
            held = end.get_extra_info("socket")
            if held is not None:
                with contextlib.suppress(OSError):
                    held.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
            end.transport.abort()


class Line:
    """One direction of all connections; its weather may be changed at any time, from any thread."""

    def __init__(self, weather: Weather, rng: random.Random) -> None:
        self.weather = weather
        self._rng = rng

    def stall(self) -> None:
        """Have bytes wait until `flow`."""
        self.weather = replace(self.weather, stalled=True)

    def flow(self) -> None:
        self.weather = replace(self.weather, stalled=False)

    async def deliver(
        self, under_way: "asyncio.Queue[tuple[float, bytes]]", sink: asyncio.StreamWriter
    ) -> None:
        """Write what is under way, each chunk when it is due; an empty one ends the line."""
        loop, has_hole = asyncio.get_running_loop(), False
        while True:
            due, data = await under_way.get()
            await asyncio.sleep(max(0.0, due - loop.time()))
            while self.weather.stalled or (not data and (self.weather.lost or has_hole)):
                await asyncio.sleep(_LOOK_S)
            if not data:
                sink.write_eof()
                return
            has_hole = has_hole or self.weather.lost
            if not has_hole:
                await self._write(data, sink)

    def due(self, before: float) -> float:
        """Say when what is read now arrives, not before what was read earlier."""
        weather = self.weather
        delay_s = weather.delay_s + weather.jitter_s * self._rng.uniform(-1, 1)
        return max(before, asyncio.get_running_loop().time() + delay_s)

    async def _write(self, data: bytes, sink: asyncio.StreamWriter) -> None:
        weather, owed_s = self.weather, 0.0
        for start in range(0, len(data), weather.slice_bytes):
            piece = data[start : start + weather.slice_bytes]
            sink.write(piece)
            await sink.drain()
            if weather.bytes_a_second:
                owed_s += len(piece) / weather.bytes_a_second
            if owed_s > _LOOK_S:
                await asyncio.sleep(
                    owed_s
                )  # not after each of many small ones: no sleep is as short as theirs
                owed_s = 0.0
            elif len(piece) < len(data):
                await asyncio.sleep(0)


@dataclass
class Proxy:
    """Listens at `port` and passes on to `target`; `up` leads to the server, `down` to the client."""

    target: int
    up: Line
    down: Line
    port: int = 0
    loss: Loss | None = None
    _connections: dict["asyncio.Task[None]", Connection | None] = field(default_factory=dict)
    _server: asyncio.Server | None = None

    @classmethod
    def before(cls, target: int, weather: Weather = CLEAR, *, seed: int = 0) -> "Proxy":
        """Stand before a port of this machine; nothing is carried until `open`."""
        rng = random.Random(seed)
        return cls(target, Line(weather, rng), Line(weather, rng))

    @classmethod
    @contextlib.asynccontextmanager
    async def to(cls, target: int, *, delay_s: float = 0.0) -> AsyncIterator["Proxy"]:
        """Stand before a port of this machine within the block."""
        proxy = cls.before(target, Weather(delay_s=delay_s))
        await proxy.open()
        try:
            yield proxy
        finally:
            await proxy.close()

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def store_url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    async def open(self) -> None:
        """Take connections, at the same port as before."""
        self.port = self.port or free_port()
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port)

    async def refuse(self) -> None:
        """Take no new connections until `open`."""
        if self._server is not None:
            self._server.close()
            self._server = None

    async def close(self) -> None:
        await self.refuse()
        await self.cut()

    async def cut(self) -> None:
        """Break all connections at both ends, with what is under way; later ones are carried again."""
        for connection in self._connections.values():
            if connection is not None:
                connection.reset()
        tasks = list(self._connections)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self.up.flow()
        self.down.flow()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # Run as a task of our own: of the server's, a cancelled one would be reported as an error.
        task = asyncio.create_task(self._carry(reader, writer))
        self._connections[task] = None
        task.add_done_callback(self._connections.pop)
        try:
            await asyncio.wait([task])
        finally:
            writer.transport.abort()  # also where it was cut before it led anywhere

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            from_server, server = await asyncio.open_connection("127.0.0.1", self.target)
        except OSError:
            writer.transport.abort()
            return
        connection = Connection(writer, server)
        task = asyncio.current_task()
        assert task is not None
        self._connections[task] = connection
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._pump(connection, reader, server, line=self.up))
                tasks.create_task(self._pump(connection, from_server, writer, line=self.down))
        except* OSError:
            pass  # an end has gone: so has the connection
        finally:
            writer.transport.abort()
            server.transport.abort()

    async def _pump(
        self,
        connection: Connection,
        source: asyncio.StreamReader,
        sink: asyncio.StreamWriter,
        *,
        line: Line,
    ) -> None:
        """Carry bytes until the source ends."""
        under_way: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue(_MOST_UNDER_WAY)
        due = 0.0
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(line.deliver(under_way, sink))
            while data := await self._read(source, line):
                if self._loses(connection, data, is_reply=line is self.down):
                    if connection.losing is not None and connection.losing.silently:
                        continue
                    connection.reset()
                    raise ConnectionResetError
                due = line.due(due)
                await under_way.put((due, data))
            await under_way.put((line.due(due), b""))

    async def _read(self, source: asyncio.StreamReader, line: Line) -> bytes:
        try:
            return await source.read(_CHUNK)
        except OSError:
            if line.weather.lost:
                return b""
            raise

    def _loses(self, connection: Connection, data: bytes, *, is_reply: bool) -> bool:
        loss = self.loss
        if is_reply:
            if connection.losing is not None:
                connection.losing.happened = True
            return connection.losing is not None
        if loss is not None and loss.taken is None and loss.request in data:
            loss.taken, connection.losing = self.port, loss
        return False
