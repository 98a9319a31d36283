"""The real game-service and table-service as processes, and a gateway's side of their RPCs."""

import secrets
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import grpc
import pytest
from tests.stack import Service, make_stack

from tilerace.table.v1 import table_pb2, table_pb2_grpc
from wire.ids import TableId, browser_hash, new_secret, new_table_id
from wire.refusal import from_rpc_error

GRACE_MS, PING_MS, COUNTDOWN_MS = 600, 300, 600


@dataclass
class Caller:
    """Calls table-service as a gateway does."""

    stub: "table_pb2_grpc.TableServiceAsyncStub"
    table: TableId = field(default_factory=new_table_id)

    async def open(self, browser: bytes, **fields: object) -> table_pb2.Table:
        request = table_pb2.OpenTableRequest(table=self.table, browser=browser, **fields)  # type: ignore[arg-type]
        return (await self.stub.OpenTable(request, timeout=5)).news.table

    async def get(self) -> table_pb2.Table:
        return (await self.stub.GetTable(table_pb2.GetTableRequest(table=self.table), timeout=5)).news.table

    async def do(self, browser: bytes, **command: object) -> table_pb2.Table:
        return await self.send(self.command(browser, **command))

    def command(self, browser: bytes, **command: object) -> table_pb2.CommandRequest:
        return table_pb2.CommandRequest(
            table=self.table,
            browser=browser,
            id=secrets.token_bytes(16),
            **command,  # type: ignore[arg-type]
        )

    async def send(self, request: table_pb2.CommandRequest) -> table_pb2.Table:
        return (await self.stub.Command(request, timeout=5)).news.table

    async def refused(self, browser: bytes, **command: object) -> str:
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await self.do(browser, **command)
        refused = from_rpc_error(caught.value)
        assert refused is not None, caught.value
        return refused.refusal.value


def new_browser() -> bytes:
    return browser_hash(new_secret())


@pytest.fixture
def services(store_url: str, tmp_path: Path) -> Iterator[tuple[Service, Service]]:
    stack = make_stack(
        store_url, tmp_path, grace_ms=str(GRACE_MS), ping_ms=str(PING_MS), countdown_ms=str(COUNTDOWN_MS)
    )
    stack.game.start()
    stack.table.start()
    yield stack.game, stack.table
    stack.table.stop()
    stack.game.stop()


@pytest.fixture
async def caller(services: tuple[Service, Service]) -> AsyncIterator[Caller]:
    address = services[1].environment["TILERACE_TABLE_LISTEN"]
    async with grpc.aio.insecure_channel(address) as channel:
        await channel.channel_ready()
        yield Caller(table_pb2_grpc.TableServiceStub(channel))
