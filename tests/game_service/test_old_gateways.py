"""Gateways of release 0.1 come over gRPC: they race on while a roll-out has replaced the replicas, and not yet them."""

import asyncio
import contextlib
from collections.abc import AsyncIterator

import grpc
from tests.game_service.racing import WAIT_S, Gateway, Replica, gateway, replica

from tilerace.game.v1 import game_pb2, game_pb2_grpc
from wire.framed import Take
from wire.serving import channel
from wire.slides import APPLIED

Call = grpc.aio.StreamStreamCall[game_pb2.LinkRequest, game_pb2.LinkResponse]


class Old:
    """A stream of gRPC's, as racing.Gateway uses one."""

    def __init__(self, call: Call) -> None:
        self.call = call
        self.ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def write(self, message: bytes) -> None:
        await self.call.write(game_pb2.LinkRequest.FromString(message))

    async def read(self, take: Take) -> None:
        with contextlib.suppress(grpc.aio.AioRpcError, asyncio.CancelledError):
            while (message := await self.call.read()) is not grpc.aio.EOF:
                assert isinstance(message, game_pb2.LinkResponse)
                take(message.SerializeToString())
        self.ended.set_result(None)


@contextlib.asynccontextmanager
async def old_gateway(to: Replica) -> AsyncIterator[tuple[Gateway, Call]]:
    async with channel(to.target) as opened, asyncio.TaskGroup() as tasks:
        stub: game_pb2_grpc.GameServiceAsyncStub = game_pb2_grpc.GameServiceStub(opened)
        stream = Old(stub.Link())
        end = Gateway(stream)  # type: ignore[arg-type]  # it has all that is used of one
        stream.ended.add_done_callback(lambda _: end.more.set())
        tasks.create_task(stream.read(end.take))
        yield end, stream.call
        stream.call.cancel()


async def test_they_race_with_those_who_come_the_newer_way(store_url: str) -> None:
    async with replica(store_url) as game, old_gateway(game) as (old, _), gateway(game) as new:
        await game.deal()
        for end, seat in ((old, 1), (new, 2)):
            await end.subscribe()
            racer = await end.attach(1, seat=seat)
            assert (await end.slide_once(racer)).code == APPLIED
        for end in (old, new):
            await end.news(lambda news: [each.slides for each in news.standings] == [1, 1])


async def test_they_are_told_that_a_replica_drains_and_their_streams_end(store_url: str) -> None:
    async with contextlib.AsyncExitStack() as outside:
        async with replica(store_url) as game:
            await game.deal()
            old, call = await outside.enter_async_context(old_gateway(game))
            await old.attach(7, seat=1)
        await old.kind("draining")
        async with asyncio.timeout(WAIT_S):
            assert await call.code() is grpc.StatusCode.OK


async def test_what_is_no_message_of_theirs_ends_their_stream_alone(store_url: str) -> None:
    async with replica(store_url) as game, old_gateway(game) as (old, call), old_gateway(game) as (other, _):
        await game.deal()
        await old.send(game_pb2.LinkCall(slides=b"short"))
        async with asyncio.timeout(WAIT_S):
            assert await call.code() is grpc.StatusCode.INVALID_ARGUMENT
        await other.attach(1, seat=1)
