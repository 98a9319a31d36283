"""Leases as gateways renew them, of a second with grace of a second: who answers stays, who does not is away, then freed."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from tests.table_service.conftest import Caller, new_browser
from tests.table_service.gateway import Gateway, Stub, is_connected, replica, seat_view, two_seated

from tilerace.table.v1 import table_pb2


@pytest.fixture
async def stub(store_url: str) -> AsyncIterator[Stub]:
    async with replica(store_url, TILERACE_GRACE_MS="1000", TILERACE_PING_MS="500") as stub:
        yield stub


@pytest.fixture
def caller(stub: Stub) -> Caller:
    return Caller(stub)


async def test_who_answers_stays_and_who_does_not_is_away_and_then_freed(stub: Stub, caller: Caller) -> None:
    ann, bo = new_browser(), new_browser()
    await two_seated(caller, ann, bo)
    async with Gateway.at(stub) as gateway:
        socket, _ = await gateway.connect(caller.table, ann)
        await gateway.connect(caller.table, bo)
        async with asyncio.TaskGroup() as tasks:
            renewing = tasks.create_task(_renew(gateway, socket))
            await gateway.until_table(lambda news: not is_connected(news, 2))
            freed = (await gateway.until(lambda event: event.HasField("freed"))).freed
            assert (freed.browser, freed.why) == (bo, table_pb2.FREED_WHY_AWAY)
            news = await gateway.until_table(lambda news: seat_view(news, 2) is None)
            assert is_connected(news, 1)
            renewing.cancel()


async def test_friends_who_never_connect_lose_their_seats_after_grace(stub: Stub, caller: Caller) -> None:
    await two_seated(caller, new_browser(), new_browser())
    async with Gateway.at(stub) as gateway:
        await gateway.connect(caller.table, new_browser())
        news = await gateway.until_table(lambda news: len(news.table.seats) == 1)
        assert not is_connected(news, 1)


async def test_an_answer_brings_an_away_seat_back(stub: Stub, caller: Caller) -> None:
    ann = new_browser()
    await caller.open(ann, name="Ann")
    async with Gateway.at(stub) as gateway:
        socket, _ = await gateway.connect(caller.table, ann)
        async with asyncio.TaskGroup() as tasks:
            alive = tasks.create_task(_renew(gateway))
            await gateway.until_table(lambda news: not is_connected(news, 1))
            alive.cancel()
        await gateway.renew(socket)
        await gateway.until_table(lambda news: is_connected(news, 1))


async def _renew(gateway: Gateway, *sockets: int) -> None:
    while True:
        await gateway.renew(*sockets)
        await asyncio.sleep(0.1)
