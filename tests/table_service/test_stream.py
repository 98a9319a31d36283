"""How a gateway's stream ends, at the moments that are hardest to end it in."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from functools import partial

import grpc
import pytest
from tests.table_service.gateway import Gateway

from table_service.due import Due
from table_service.games import Games
from table_service.races import Races
from table_service.requests import Requests
from table_service.room import Room
from table_service.served import Served
from table_service.service import TableService
from table_service.stream import Stream
from table_service.tables import Tables
from table_service.watch import Watch
from tilerace.table.v1 import table_pb2, table_pb2_grpc
from wire import serving
from wire.channels import Channels
from wire.routing import Replicas
from wire.settings import Address, Timings
from wire.store import Store, StoreError


class Context:
    """A stream's context that tells when the first write begins."""

    def __init__(self, context: "grpc.aio.ServicerContext[object, object]", writes: asyncio.Event) -> None:
        self._context, self._writes = context, writes

    def __getattr__(self, name: str) -> object:
        return getattr(self._context, name)

    async def write(self, message: object) -> None:
        self._writes.set()
        await self._context.write(message)


class Service(TableService):
    """The service with a Watch from which the store is cut off just when the first words are on their way."""

    def __init__(self, store: Store) -> None:
        tables = Tables(store, Timings())
        races = Races(tables, Games(Replicas(["127.0.0.1:1"]), Channels()))
        served, self._writes = Served(tables), asyncio.Event()
        watch = CutOff(tables, served, Due(tables, races), writes=self._writes)
        super().__init__(
            tables, Requests(tables, races, Room(store, most_tables=1)), served=served, watch=watch
        )

    async def Watch(self, requests: object, context: object) -> None:  # type: ignore[override]  # noqa: N802
        await super().Watch(requests, Context(context, self._writes))  # type: ignore[arg-type]


class CutOff(Watch):
    def __init__(self, tables: Tables, served: Served, due: Due, *, writes: asyncio.Event) -> None:
        super().__init__(tables, served, due)
        self._writes = writes

    async def take(self, _stream: Stream, _group: int, _calls: Sequence[table_pb2.WatchCall]) -> None:
        await self._writes.wait()
        raise StoreError("the store does not answer")


@pytest.fixture
async def stub(store_url: str) -> AsyncIterator["table_pb2_grpc.TableServiceAsyncStub"]:
    store = await Store.connect(store_url)
    served = serving.Served(
        add=partial(table_pb2_grpc.add_TableServiceServicer_to_server, Service(store)), names=()
    )
    async with (
        serving.running(served, Address("127.0.0.1", 0), setting="TEST") as port,
        serving.channel(f"127.0.0.1:{port}") as opened,
    ):
        yield table_pb2_grpc.TableServiceStub(opened)
    await store.aclose()


async def test_a_stream_that_fails_while_its_first_words_are_on_their_way_says_so(
    stub: "table_pb2_grpc.TableServiceAsyncStub", caplog: pytest.LogCaptureFixture
) -> None:
    async with Gateway.at(stub) as gateway:
        ping = table_pb2.WatchPing(ping=1)
        await gateway.send(table_pb2.WatchCall(ping=ping), table_pb2.WatchCall(renew=table_pb2.Renew()))
        assert await gateway.until_ended() is grpc.StatusCode.UNAVAILABLE
    assert [record.getMessage() for record in caplog.records if record.name.startswith("grpc")] == []
