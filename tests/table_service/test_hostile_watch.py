"""A Watch stream of somebody who is no gateway takes little, and is ended."""

from collections.abc import AsyncIterator

import grpc
import pytest
from tests.table_service.conftest import Caller, new_browser
from tests.table_service.gateway import Gateway, Stub, connecting, replica

from tilerace.table.v1 import table_pb2

HELLO = table_pb2.WatchHello(gateway=b"g" * 16, stream=1)


@pytest.fixture
async def stub(store_url: str) -> AsyncIterator[Stub]:
    async with replica(store_url) as stub:
        yield stub


@pytest.mark.parametrize("said", [[HELLO], []], ids=["after its hello", "from the start"])
async def test_a_stream_on_which_nothing_comes_is_ended(
    stub: Stub, monkeypatch: pytest.MonkeyPatch, said: list[table_pb2.WatchHello]
) -> None:
    monkeypatch.setattr("table_service.service.SILENT_S", 0.5)
    call = stub.Watch(timeout=15)
    for hello in said:
        await call.write(table_pb2.WatchRequest(calls=[table_pb2.WatchCall(hello=hello)]))
    while await call.read() is not grpc.aio.EOF:
        pass
    assert await call.code() is grpc.StatusCode.OK


async def test_a_stream_that_goes_on_is_not_ended(stub: Stub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("table_service.service.SILENT_S", 3.0)
    async with Gateway.at(stub) as gateway:
        for number in range(1, 21):
            await gateway.pong(number)
        assert gateway.ended is None


async def test_a_stream_that_tells_of_more_sockets_than_any_gateway_has_is_cut(
    stub: Stub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("table_service.stream.MOST_SOCKETS", 3)
    ann, caller = new_browser(), Caller(stub)
    await caller.open(ann, name="Ann")
    async with Gateway.at(stub) as greedy, Gateway.at(stub) as other:
        for _ in range(3):
            await greedy.connect(caller.table, ann)
        await greedy.send(connecting(99, caller.table, ann))
        assert await greedy.until_ended() is grpc.StatusCode.RESOURCE_EXHAUSTED
        await other.pong(1)
