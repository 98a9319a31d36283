"""Who lost a seat is told why, also where the stream that was to tell it broke."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import pytest
from tests.table_service.conftest import Caller, new_browser
from tests.table_service.gateway import Gateway, Stub, replica, two_seated

from tilerace.table.v1 import table_pb2

NAME = b"g" * 16


@pytest.fixture
async def stubs(store_url: str) -> AsyncIterator[tuple[Stub, Stub]]:
    async with AsyncExitStack() as replicas:
        one, two = [await replicas.enter_async_context(replica(store_url)) for _ in range(2)]
        yield one, two


async def heard_by(gateway: Gateway) -> list[tuple[str, int]]:
    """Give what a gateway heard of tables until now, by its kind and version."""
    await gateway.pong(len(gateway.heard) + 1)
    events = [event for event in gateway.heard if event.WhichOneof("event") in {"freed", "news"}]
    return [
        ("freed", event.freed.version) if event.HasField("freed") else ("news", event.news.table.version)
        for event in events
    ]


@pytest.mark.parametrize("is_served", [False, True], ids=["it sees first", "it serves already"])
async def test_a_gateway_that_changes_replica_is_told_who_lost_a_seat_since_it_heard_of_the_table(
    stubs: tuple[Stub, Stub], *, is_served: bool
) -> None:
    one, two = stubs
    caller, ann, bo = Caller(one), new_browser(), new_browser()
    await two_seated(caller, ann, bo)
    async with Gateway.at(one, name=NAME) as first:
        _, number = await first.connect(caller.table, bo)
        news = await first.until_table(lambda _: True)
    async with AsyncExitStack() as others:
        if is_served:
            other = await others.enter_async_context(Gateway.at(two))
            await other.connect(caller.table, new_browser())
        freed_in = (await caller.do(ann, free_seat=table_pb2.FreeSeat(seat=2))).version
        if is_served:
            await other.until_table(lambda news: news.table.version == freed_in)
        async with Gateway.at(two, name=NAME, stream=2) as second:
            await second.connect(caller.table, bo, connection=number, version=news.table.version)
            await second.until_table(lambda news: news.table.version == freed_in)
            heard = await heard_by(second)
            assert heard[:2] == [("freed", freed_in), ("news", freed_in)]
            event = next(event for event in second.heard if event.HasField("freed"))
            assert (event.freed.browser, event.freed.why) == (bo, table_pb2.FREED_WHY_HOST)
            await second.connect(caller.table, new_browser(), version=news.table.version)
            assert [kind for kind, _ in await heard_by(second)].count("freed") == 1


@pytest.mark.parametrize("heard_of", ["nothing", "it"])
async def test_what_a_gateway_was_told_or_never_waited_for_is_not_told_again(
    stubs: tuple[Stub, Stub], heard_of: str
) -> None:
    caller, ann, bo = Caller(stubs[0]), new_browser(), new_browser()
    await two_seated(caller, ann, bo)
    freed_in = (await caller.do(ann, free_seat=table_pb2.FreeSeat(seat=2))).version
    async with Gateway.at(stubs[1]) as gateway:
        await gateway.connect(caller.table, bo, version=freed_in if heard_of == "it" else 0)
        await gateway.until_table(lambda news: news.table.version == freed_in)
        assert "freed" not in [kind for kind, _ in await heard_by(gateway)]


async def test_who_left_is_told_nothing(stubs: tuple[Stub, Stub]) -> None:
    caller, ann, bo = Caller(stubs[0]), new_browser(), new_browser()
    await two_seated(caller, ann, bo)
    before = (await caller.get()).version
    left_in = (await caller.do(bo, leave=table_pb2.Leave())).version
    async with Gateway.at(stubs[1]) as gateway:
        await gateway.connect(caller.table, bo, version=before)
        await gateway.until_table(lambda news: news.table.version == left_in)
        assert "freed" not in [kind for kind, _ in await heard_by(gateway)]
