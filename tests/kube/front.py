"""What leads friends to a Service that has an address of its own: each new connection goes to the next pod that is ready."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

from tests.kube.cluster import Cluster

CONNECT_S = 1.0
_CHUNK = 65536


@dataclass
class Front:
    """Listens on this machine for the Service of a workload."""

    cluster: Cluster
    workload: str
    port: str
    """The name of the pods' port."""
    _taken: int = 0
    _carried: set["asyncio.Task[None]"] = field(default_factory=set)

    @classmethod
    @contextlib.asynccontextmanager
    async def of(
        cls, cluster: Cluster, workload: str = "web-gateway", port: str = "http"
    ) -> AsyncIterator[str]:
        """Lead to a workload within the block, which gets the address to call."""
        front = cls(cluster, workload, port)
        server = await asyncio.start_server(front._serve, "127.0.0.1", 0)
        try:
            yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        finally:
            server.close()
            for task in front._carried:
                task.cancel()
            await asyncio.gather(*front._carried, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # A task of our own: one of the server's that is cancelled would be reported as an error.
        task = asyncio.create_task(self._carry(reader, writer))
        self._carried.add(task)
        task.add_done_callback(self._carried.discard)
        try:
            await asyncio.wait([task])
        finally:
            writer.transport.abort()

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError):
            far_reader, far_writer = await self._reach()
            try:
                async with asyncio.TaskGroup() as tasks:
                    tasks.create_task(_copy(reader, far_writer))
                    tasks.create_task(_copy(far_reader, writer))
            finally:
                far_writer.transport.abort()

    async def _reach(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Connect to the next ready pod.

        Raises:
            ConnectionError: there is none that takes a connection.
        """
        for _ in range(len(self.cluster.pods)):
            ready = [pod for pod in self.cluster.of(self.workload) if pod.ready]
            if not ready:
                break
            self._taken += 1
            pod = ready[self._taken % len(ready)]
            with contextlib.suppress(OSError, TimeoutError):
                async with asyncio.timeout(CONNECT_S):
                    return await asyncio.open_connection(pod.address, pod.workload.ports[self.port])
        raise ConnectionError(f"no pod of {self.workload} is ready")


async def _copy(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
    """Carry one direction to its end; an end at either side ends the other, and no bytes under way are lost by it."""
    try:
        while data := await source.read(_CHUNK):
            sink.write(data)
            await sink.drain()
        sink.write_eof()
    except OSError:
        sink.transport.abort()
