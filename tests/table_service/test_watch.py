"""The Watch, as gateways hold it: sockets come and go, seats are held and given up, tables are told of."""

import asyncio
from collections.abc import AsyncIterator, Mapping

import grpc
import pytest
import redis.asyncio
from tests.table_service.conftest import Caller, new_browser
from tests.table_service.gateway import (
    Gateway,
    Stub,
    connecting,
    holder,
    is_connected,
    replica,
    seat_view,
    two_seated,
)

from tilerace.table.v1 import table_pb2
from wire import keys
from wire.ids import TableId, new_table_id

GRACE_MS, PING_MS = "60000", "10000"
NAME = b"g" * 16


@pytest.fixture
async def stub(store_url: str) -> AsyncIterator[Stub]:
    async with replica(store_url, TILERACE_GRACE_MS=GRACE_MS, TILERACE_PING_MS=PING_MS) as stub:
        yield stub


@pytest.fixture
def caller(stub: Stub) -> Caller:
    return Caller(stub)


async def test_a_socket_is_given_a_number_and_the_table(stub: Stub, caller: Caller) -> None:
    ann = new_browser()
    await caller.open(ann, name="Ann")
    async with Gateway.at(stub) as gateway:
        _, number = await gateway.connect(caller.table, ann)
        news = await gateway.until_table(lambda news: holder(news, 1) == number)
        assert number > 0
        assert (news.table.table, news.table.host) == (caller.table, 1)
        assert [(holder.seat, holder.browser) for holder in news.holders] == [(1, ann)]


async def test_a_table_that_is_not_there_is_gone(stub: Stub) -> None:
    table = new_table_id()
    async with Gateway.at(stub) as gateway:
        await gateway.send(connecting(1, table, new_browser()))
        assert (await gateway.until(lambda event: event.HasField("gone"))).gone.table == table


async def test_a_thousand_sockets_that_come_one_by_one_are_taken_together(stub: Stub, caller: Caller) -> None:
    await caller.open(new_browser(), name="Ann")
    async with Gateway.at(stub) as gateway:
        for socket in range(1, 1001):
            await gateway.send(connecting(socket, caller.table, new_browser()))
        await gateway.pong(1)
        await gateway.until(lambda event: event.connected.socket == 1000)
        assert gateway.ended is None
        await gateway.until_table(lambda news: news.table.watchers == 1000)


async def test_a_change_is_told_to_every_gateway_that_has_sockets_there(stub: Stub, caller: Caller) -> None:
    ann = new_browser()
    await caller.open(ann, name="Ann")
    async with Gateway.at(stub) as one, Gateway.at(stub) as two:
        await one.connect(caller.table, ann)
        await two.connect(caller.table, new_browser())
        await caller.do(ann, rename=table_pb2.Rename(name="Anna"))
        for gateway in (one, two):
            await gateway.until_table(lambda news: news.table.seats[0].name == "Anna")


async def test_a_newer_tab_holds_the_seat_and_a_replay_of_the_older_does_not_take_it_back(
    stub: Stub, caller: Caller
) -> None:
    ann = new_browser()
    await caller.open(ann, name="Ann")
    async with Gateway.at(stub) as gateway:
        _, older = await gateway.connect(caller.table, ann)
        _, newer = await gateway.connect(caller.table, ann)
        assert older < newer
        _, again = await gateway.connect(caller.table, ann, connection=older)
        assert again == older
        await gateway.until_table(lambda news: holder(news, 1) == newer)
        await caller.do(ann, rename=table_pb2.Rename(name="Anna"))
        news = await gateway.until_table(lambda news: news.table.seats[0].name == "Anna")
        assert holder(news, 1) == newer


async def test_a_replay_of_the_socket_that_holds_the_seat_changes_nothing(stub: Stub, caller: Caller) -> None:
    ann = new_browser()
    await caller.open(ann, name="Ann")
    async with Gateway.at(stub) as gateway:
        _, number = await gateway.connect(caller.table, ann)
        before = (await caller.get()).version
        assert (await gateway.connect(caller.table, ann, connection=number))[1] == number
        assert (await caller.get()).version == before


async def test_a_replay_of_a_socket_counts_as_an_answer_as_those_over_a_stream_that_broke_may_be_lost(
    stub: Stub, caller: Caller, store_url: str
) -> None:
    ann = new_browser()
    await caller.open(ann, name="Ann")
    async with redis.asyncio.Redis.from_url(store_url) as store, Gateway.at(stub) as gateway:
        _, number = await gateway.connect(caller.table, ann)
        leases, lease = keys.leases_key(keys.bucket_of(caller.table)), keys.lease(caller.table, 1)
        before = await store.zscore(leases, lease) or 0
        await store.zadd(leases, {lease: before - 5_000})
        await gateway.connect(caller.table, ann, connection=number)
        await gateway.connect(caller.table, new_browser())
        assert (await store.zscore(leases, lease) or 0) >= before


async def test_closing_the_tab_that_holds_the_seat_makes_it_away_from_then_on(
    stub: Stub, caller: Caller
) -> None:
    ann, bo = new_browser(), new_browser()
    await two_seated(caller, ann, bo)
    async with Gateway.at(stub) as gateway:
        await gateway.connect(caller.table, ann)
        socket, _ = await gateway.connect(caller.table, bo)
        await gateway.disconnect(socket, caller.table)
        news = await gateway.until_table(lambda news: not is_connected(news, 2))
        view = seat_view(news, 2)
        assert view is not None
        assert view.away_until > 0


@pytest.mark.parametrize("how", ["an older tab", "the gateway goes away"])
async def test_what_is_no_leaving_makes_nobody_away(stub: Stub, caller: Caller, how: str) -> None:
    ann, bo = new_browser(), new_browser()
    await two_seated(caller, ann, bo)
    async with Gateway.at(stub) as gateway:
        await gateway.connect(caller.table, ann)
        older, _ = await gateway.connect(caller.table, bo)
        newer, number = await gateway.connect(caller.table, bo)
        if how == "an older tab":
            await gateway.disconnect(older, caller.table)
        else:
            await gateway.disconnect(newer, caller.table, drain=True)
        await caller.do(ann, rename=table_pb2.Rename(name="Anna"))
        news = await gateway.until_table(lambda news: news.table.seats[0].name == "Anna")
        assert (is_connected(news, 2), holder(news, 2)) == (True, number)


async def test_a_socket_that_opens_and_closes_in_one_message_is_gone_after_it(
    stub: Stub, caller: Caller
) -> None:
    ann = new_browser()
    await caller.open(ann, name="Ann")
    async with Gateway.at(stub) as gateway:
        close = table_pb2.WatchCall(disconnect=table_pb2.Disconnect(socket=9, table=caller.table))
        await gateway.connect(caller.table, new_browser())
        await gateway.send(connecting(9, caller.table, ann), close)
        await gateway.until_table(lambda news: not is_connected(news, 1))


async def test_a_broken_stream_makes_nobody_away(stub: Stub, caller: Caller) -> None:
    ann = new_browser()
    await caller.open(ann, name="Ann")
    async with Gateway.at(stub) as gateway:
        await gateway.connect(caller.table, ann)
    async with Gateway.at(stub) as other:
        await other.connect(caller.table, new_browser())
        news = await other.until_table(lambda news: news.table.watchers == 1)
        assert is_connected(news, 1)


async def test_sockets_without_a_seat_are_counted_as_watchers(stub: Stub, caller: Caller) -> None:
    ann, bo = new_browser(), new_browser()
    await caller.open(ann, name="Ann")
    async with Gateway.at(stub) as one, Gateway.at(stub) as two:
        await one.connect(caller.table, ann)
        _, number = await one.connect(caller.table, bo)
        socket, _ = await two.connect(caller.table, new_browser())
        await one.until_table(lambda news: news.table.watchers == 2)
        await caller.do(bo, sit=table_pb2.Sit(name="Bo", connection=number))
        await two.until_table(lambda news: news.table.watchers == 1 and holder(news, 2) == number)
        await two.disconnect(socket, caller.table)
        await one.until_table(lambda news: news.table.watchers == 0)


async def test_watchers_of_a_stream_that_broke_are_counted_no_more(stub: Stub, caller: Caller) -> None:
    await caller.open(new_browser(), name="Ann")
    async with Gateway.at(stub) as stays:
        await stays.connect(caller.table, new_browser())
        async with Gateway.at(stub) as goes:
            await goes.connect(caller.table, new_browser())
            await stays.until_table(lambda news: news.table.watchers == 2)
        await stays.until_table(lambda news: news.table.watchers == 1)


async def test_a_browser_whose_seat_is_freed_is_told_why(stub: Stub, caller: Caller) -> None:
    ann, bo = new_browser(), new_browser()
    await two_seated(caller, ann, bo)
    async with Gateway.at(stub) as gateway:
        await gateway.connect(caller.table, bo)
        await caller.do(ann, free_seat=table_pb2.FreeSeat(seat=2))
        freed = (await gateway.until(lambda event: event.HasField("freed"))).freed
        assert (freed.browser, freed.why) == (bo, table_pb2.FREED_WHY_HOST)
        await gateway.until_table(lambda news: seat_view(news, 2) is None)


async def test_a_stream_begins_with_a_hello(stub: Stub) -> None:
    call = stub.Watch()
    await call.write(table_pb2.WatchRequest(calls=[table_pb2.WatchCall(renew=table_pb2.Renew())]))
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call.read()
    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT


async def test_a_socket_of_no_browser_ends_the_stream(stub: Stub, caller: Caller) -> None:
    await caller.open(new_browser(), name="Ann")
    async with Gateway.at(stub) as gateway:
        await gateway.send(connecting(1, caller.table, b"no hash"))
        assert await gateway.until_ended() is grpc.StatusCode.INVALID_ARGUMENT


async def test_a_ping_is_answered_while_many_sockets_connect(stub: Stub, caller: Caller) -> None:
    many = 2_000
    await caller.open(new_browser(), name="Ann")
    async with Gateway.at(stub) as gateway:
        await gateway.send(*(connecting(at, caller.table, new_browser()) for at in range(1, many + 1)))
        await gateway.pong(7)
        await gateway.until(lambda event: event.connected.socket == many)
        await gateway.until_table(lambda news: news.table.watchers == many)


async def test_what_comes_over_an_older_stream_of_a_gateway_takes_no_seat(stub: Stub, caller: Caller) -> None:
    ann = new_browser()
    await caller.open(ann, name="Ann")
    async with Gateway.at(stub, name=NAME, stream=1) as older, Gateway.at(stub, name=NAME, stream=2) as newer:
        _, number = await newer.connect(caller.table, ann)
        await older.send(connecting(1, caller.table, ann))
        assert await older.until_ended() is grpc.StatusCode.UNAVAILABLE
        await caller.do(ann, rename=table_pb2.Rename(name="Anna"))
        news = await newer.until_table(lambda news: news.table.seats[0].name == "Anna")
        assert holder(news, 1) == number


async def test_watchers_told_over_an_older_stream_are_not_counted_twice(stub: Stub, caller: Caller) -> None:
    await caller.open(new_browser(), name="Ann")
    bo = new_browser()
    async with Gateway.at(stub, name=NAME, stream=1) as older, Gateway.at(stub) as other:
        await older.connect(caller.table, bo)
        await other.connect(caller.table, new_browser())
        await other.until_table(lambda news: news.table.watchers == 2)
        async with Gateway.at(stub, name=NAME, stream=2) as newer:
            await newer.connect(caller.table, bo)
            await newer.until_table(lambda news: news.table.watchers == 2)
            await other.until_table(lambda news: news.table.watchers == 2)


async def test_a_table_that_fell_back_in_the_store_is_told_to_start_afresh(
    stub: Stub, caller: Caller, store_url: str
) -> None:
    ann = new_browser()
    await caller.open(ann, name="Ann")
    async with redis.asyncio.Redis.from_url(store_url) as store, Gateway.at(stub) as gateway:
        await gateway.connect(caller.table, ann)
        before = await store.hgetall(keys.table_key(caller.table))
        await caller.do(ann, rename=table_pb2.Rename(name="Anna"))
        await gateway.until_table(lambda news: news.table.seats[0].name == "Anna")
        await put_back(store, caller.table, before)
        rewound = await gateway.until(lambda event: event.HasField("rewound"))
        assert rewound.rewound.table == caller.table
        await gateway.until_table(lambda news: news.table.seats[0].name == "Ann")


async def test_busy_connecting_is_never_taken_for_a_store_that_fell_back(stub: Stub, caller: Caller) -> None:
    ann = new_browser()
    await caller.open(ann, name="Ann")
    async with Gateway.at(stub) as gateway:
        async with asyncio.TaskGroup() as tasks:
            for turn in range(40):
                tasks.create_task(gateway.connect(caller.table, ann))
                tasks.create_task(caller.do(ann, rename=table_pb2.Rename(name=f"Ann {turn}")))
        await gateway.pong(1)
        assert not any(event.HasField("rewound") for event in gateway.heard)


async def test_what_cannot_be_read_is_not_told_as_gone(stub: Stub, caller: Caller, store_url: str) -> None:
    ann = new_browser()
    await caller.open(ann, name="Ann")
    async with redis.asyncio.Redis.from_url(store_url) as store, Gateway.at(stub) as gateway:
        await gateway.connect(caller.table, ann)
        readable = await store.hgetall(keys.table_key(caller.table))
        await store.hset(keys.table_key(caller.table), mapping={"v": 99, "r": b"\x02 of a later release"})
        await gateway.send(connecting(99, caller.table, ann))
        other = Caller(stub)
        await other.open(ann, name="Ann")
        await gateway.connect(other.table, ann)
        assert not any(event.HasField("gone") for event in gateway.heard)
        await put_back(store, caller.table, readable)
        await gateway.connect(caller.table, ann)


async def test_a_table_that_was_removed_is_gone_for_those_who_are_there(
    stub: Stub, caller: Caller, store_url: str
) -> None:
    await caller.open(new_browser(), name="Ann")
    async with redis.asyncio.Redis.from_url(store_url) as store, Gateway.at(stub) as gateway:
        await gateway.connect(caller.table, new_browser())
        await store.delete(keys.table_key(caller.table))
        await gateway.until(lambda event: event.gone.table == caller.table)


async def put_back(
    store: redis.asyncio.Redis, table: TableId, fields: Mapping[bytes | str, bytes | str]
) -> None:
    await store.execute_command(
        "HSET", keys.table_key(table), *(part for pair in fields.items() for part in pair)
    )


class TestTwoReplicas:
    """Any replica takes any command, and every gateway hears of it."""

    @pytest.fixture
    async def other(self, store_url: str) -> AsyncIterator[Stub]:
        async with replica(store_url, TILERACE_GRACE_MS=GRACE_MS, TILERACE_PING_MS=PING_MS) as stub:
            yield stub

    async def test_a_command_at_one_is_told_by_the_other(self, caller: Caller, other: Stub) -> None:
        ann = new_browser()
        await caller.open(ann, name="Ann")
        async with Gateway.at(other) as gateway:
            await gateway.connect(caller.table, ann)
            await caller.do(ann, rename=table_pb2.Rename(name="Anna"))
            await gateway.until_table(lambda news: news.table.seats[0].name == "Anna")

    async def test_who_sits_by_one_watches_no_more_at_the_other(self, caller: Caller, other: Stub) -> None:
        bo = new_browser()
        await caller.open(new_browser(), name="Ann")
        async with Gateway.at(other) as gateway:
            _, number = await gateway.connect(caller.table, bo)
            await gateway.until_table(lambda news: news.table.watchers == 1)
            await caller.do(bo, sit=table_pb2.Sit(name="Bo", connection=number))
            await gateway.until_table(lambda news: news.table.watchers == 0 and holder(news, 2) == number)

    async def test_a_command_tried_again_at_the_other_is_carried_out_once(
        self, caller: Caller, other: Stub
    ) -> None:
        bo = new_browser()
        await caller.open(new_browser(), name="Ann")
        command = caller.command(bo, sit=table_pb2.Sit(name="Bo"))
        first = await caller.send(command)
        again = (await other.Command(command, timeout=15)).news.table
        assert again.version == first.version
        assert [seat.name for seat in again.seats] == ["Ann", "Bo"]

    async def test_two_who_sit_at_once_by_both_never_share_the_last_seat(
        self, caller: Caller, other: Stub
    ) -> None:
        await caller.open(new_browser(), name="Ann")
        for name in ("Bo", "Cy"):
            await caller.do(new_browser(), sit=table_pb2.Sit(name=name))
        at_other = Caller(other, caller.table)
        outcomes = await asyncio.gather(
            *(each.do(new_browser(), sit=table_pb2.Sit(name="Di")) for each in (caller, at_other)),
            return_exceptions=True,
        )
        assert [isinstance(outcome, table_pb2.Table) for outcome in outcomes].count(True) == 1
        assert [seat.seat for seat in (await caller.get()).seats] == [1, 2, 3, 4]
