"""A slow network between a client and the gateway: a TCP proxy that delays, holds back and cuts."""

import asyncio
import contextlib
from collections.abc import AsyncIterator

_CHUNK = 65536


class Line:
    """One direction of all connections; while it is not `open` its bytes wait, and are lost by a cut."""

    def __init__(self, delay_s: float) -> None:
        self.open = asyncio.Event()
        self.open.set()
        self._delay_s = delay_s

    async def carry(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        """Carry bytes until the source ends; each chunk arrives `delay_s` after it was read, in order."""
        loop = asyncio.get_running_loop()
        under_way: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._deliver(under_way, sink))
            while data := await source.read(_CHUNK):
                under_way.put_nowait((loop.time() + self._delay_s, data))
            under_way.put_nowait((loop.time() + self._delay_s, b""))

    async def _deliver(
        self, under_way: asyncio.Queue[tuple[float, bytes]], sink: asyncio.StreamWriter
    ) -> None:
        loop = asyncio.get_running_loop()
        while True:
            due, data = await under_way.get()
            await asyncio.sleep(due - loop.time())
            await self.open.wait()
            if not data:
                sink.write_eof()
                return
            sink.write(data)
            await sink.drain()


class Proxy:
    """Listens at `base` and passes on to a port of this machine; `up` leads to the server, `down` to the client."""

    def __init__(self, target: int, *, delay_s: float) -> None:
        self.base = ""
        self.up, self.down = Line(delay_s), Line(delay_s)
        self._target = target
        self._connections: dict[asyncio.Task[None], asyncio.StreamWriter] = {}

    @classmethod
    @contextlib.asynccontextmanager
    async def to(cls, base: str, *, delay_s: float = 0.15) -> AsyncIterator["Proxy"]:
        """Serve between clients and the gateway at `base`."""
        proxy = cls(int(base.rpartition(":")[2]), delay_s=delay_s)
        server = await asyncio.start_server(proxy._serve, "127.0.0.1", 0)
        proxy.base = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        try:
            yield proxy
        finally:
            server.close()
            await proxy.cut()

    async def cut(self) -> None:
        """Break all connections at both ends, with what is under way; later ones are carried again."""
        connections = list(self._connections)
        for connection in connections:
            connection.cancel()
        await asyncio.gather(*connections, return_exceptions=True)
        self.up.open.set()
        self.down.open.set()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # Run as a task of our own: of the server's, a cancelled one would be reported as an error.
        connection = asyncio.create_task(self._carry(reader, writer))
        self._connections[connection] = writer
        connection.add_done_callback(self._connections.pop)
        await asyncio.wait([connection])

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        to_server, from_client = await asyncio.open_connection("127.0.0.1", self._target)
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self.up.carry(reader, from_client))
                tasks.create_task(self.down.carry(to_server, writer))
        except* OSError:
            pass  # an end has gone: so has the connection
        finally:
            writer.transport.abort()
            from_client.transport.abort()
