"""The real game-service and table-service as processes, and a gateway's side of their RPCs."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import grpc
import pytest
from tests.stack import START_S, Service, make_stack

from table_service.tables import Tables
from tilerace.game.v1 import game_pb2, game_pb2_grpc
from tilerace.table.v1 import table_pb2, table_pb2_grpc
from wire.ids import TableId, browser_hash, new_secret, new_table_id, race_id
from wire.refusal import from_rpc_error
from wire.serving import channel
from wire.settings import Timings
from wire.store import Store

GRACE_MS, PING_MS, COUNTDOWN_MS = 60_000, 10_000, 600


@dataclass
class Caller:
    """Calls table-service as a gateway does."""

    stub: "table_pb2_grpc.TableServiceAsyncStub"
    table: TableId = field(default_factory=new_table_id)
    games: "game_pb2_grpc.GameServiceAsyncStub | None" = None

    async def open(self, browser: bytes, **fields: object) -> table_pb2.Table:
        request = table_pb2.OpenTableRequest(table=self.table, browser=browser, **fields)  # type: ignore[arg-type]
        return (await self.stub.OpenTable(request, timeout=15)).news.table

    async def get(self) -> table_pb2.Table:
        return (await self.stub.GetTable(table_pb2.GetTableRequest(table=self.table), timeout=15)).news.table

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
        return (await self.stub.Command(request, timeout=15)).news.table

    async def resigns(self, *, seat: int, race: int = 1) -> None:
        """Have a racer resign, as by the Link, which table-service is no part of."""
        assert self.games is not None
        request = game_pb2.ResignRequest(race=race_id(self.table, race), seat=seat)
        await self.games.Resign(request, timeout=15)

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
        store_url, tmp_path, grace_ms=str(GRACE_MS), ping_ms=str(PING_MS), countdown_ms=str(COUNTDOWN_MS),
        clocks_s="1,60",
    )  # fmt: skip
    stack.game.start()
    stack.table.start()
    yield stack.game, stack.table
    stack.table.stop()
    stack.game.stop()


@pytest.fixture
async def caller(services: tuple[Service, Service]) -> AsyncIterator[Caller]:
    game, table = services
    async with (
        channel(game.environment["TILERACE_GAME_LISTEN"]) as to_game,
        channel(table.environment["TILERACE_TABLE_LISTEN"]) as to_table,
    ):
        async with asyncio.timeout(START_S):
            await to_game.channel_ready()
            await to_table.channel_ready()
        yield Caller(table_pb2_grpc.TableServiceStub(to_table), games=game_pb2_grpc.GameServiceStub(to_game))


@pytest.fixture
async def tables(store_url: str) -> AsyncIterator[Tables]:
    store = await Store.connect(store_url)
    yield Tables(store, Timings(grace_ms=60_000, ping_ms=10_000))
    await store.aclose()
