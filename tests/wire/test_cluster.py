"""Who of the nodes of a Cluster is believed; what becomes of scripts and reads is tested on real nodes (tests/cluster)."""

import asyncio
import contextlib
from collections.abc import AsyncIterator

import pytest
from redis.exceptions import ClusterDownError
from redis.exceptions import ConnectionError as RedisConnectionError

from wire import keys
from wire.cluster import Cluster


class Teller:
    """A node that tells what it is told to: who holds all slots, as it sees it, and whether it sees most others."""

    def __init__(self) -> None:
        self.port, self.sees_most, self.holder, self.asked = 0, True, 0, 0
        self.nodes: list[int] = []
        self._lines: list[asyncio.Task[None] | None] = []

    @classmethod
    @contextlib.asynccontextmanager
    async def two(cls) -> AsyncIterator[tuple["Teller", "Teller"]]:
        async with contextlib.AsyncExitStack() as stack:
            tellers = cls(), cls()
            for each in tellers:
                server = await asyncio.start_server(each._serve, "127.0.0.1", 0)
                stack.push_async_callback(each._ended, server)
                each.port = server.sockets[0].getsockname()[1]
            for each in tellers:
                each.nodes, each.holder = [one.port for one in tellers], tellers[0].port
            yield tellers

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        seen = b""
        self._lines.append(asyncio.current_task())
        with contextlib.suppress(OSError):
            while data := await reader.read(4096):
                seen += data
                if b"INFO" in seen:
                    self.asked, seen = self.asked + 1, b""
                    writer.write(self._told())
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()

    async def _ended(self, server: asyncio.Server) -> None:
        server.close()
        await asyncio.gather(*(line for line in self._lines if line is not None))

    def _told(self) -> bytes:
        order = sorted(self.nodes, key=lambda port: port != self.holder)
        members = b"".join(b"*2\r\n$9\r\n127.0.0.1\r\n:%d\r\n" % port for port in order)
        slots = b"*1\r\n*%d\r\n:0\r\n:16383\r\n" % (2 + len(order)) + members
        state = b"cluster_state:ok" if self.sees_most else b"cluster_state:fail"
        return b"*2\r\n$1\r\n1\r\n$1\r\n0\r\n" + slots + b"$%d\r\n%s\r\n" % (len(state), state)


async def test_a_node_that_is_cut_off_from_most_others_is_not_believed() -> None:
    async with Teller.two() as (cut_off, other):
        cluster = Cluster(f"redis://127.0.0.1:{cut_off.port}")
        assert await cluster.learn() == 1_000
        cut_off.sees_most, other.holder = False, other.port
        for _ in range(4):
            await cluster.learn()
            assert {cluster.holder(bucket) for bucket in range(keys.BUCKETS)} == {
                f"redis://127.0.0.1:{other.port}"
            }
        assert cut_off.asked > 1, "it was never asked what it would have told"
        await cluster.aclose()


async def test_where_every_node_is_cut_off_one_of_them_is_believed() -> None:
    async with Teller.two() as (one, other):
        one.sees_most = other.sees_most = False
        cluster = Cluster(f"redis://127.0.0.1:{one.port}")
        await cluster.learn()
        assert cluster.holder(3) == f"redis://127.0.0.1:{one.port}"
        await cluster.aclose()


async def test_before_anything_is_known_no_node_holds_a_bucket() -> None:
    cluster = Cluster("redis://127.0.0.1:1")
    with pytest.raises(ClusterDownError):
        cluster.holder(3)
    with pytest.raises(RedisConnectionError):
        await cluster.learn()
    await cluster.aclose()
