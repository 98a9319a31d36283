"""A lost seat is told to its browser once, whatever becomes of the stream that tells it."""

import asyncio
from contextlib import AsyncExitStack, suppress
from typing import Any

import grpc
from tests.stack import free_port
from tests.web_gateway.desk import BO, TABLE, Desk, news
from tests.web_gateway.replica import until

from tilerace.table.v1 import table_pb2
from web_gateway.watch import Watch
from wire.channels import Channels
from wire.routing import Replicas


def freed(version: int) -> table_pb2.Freed:
    return table_pb2.Freed(table=TABLE, browser=BO, why=table_pb2.FREED_WHY_HOST, version=version)


async def test_a_lost_seat_that_is_told_over_two_streams_is_told_once() -> None:
    desk = Desk()
    _, wire = desk.opens()
    desk.tables.heard(news(3, seated=7), pushed=True)
    desk.tables.freed(freed(4))
    desk.tables.freed(freed(4))
    desk.tables.heard(news(4), pushed=True)
    assert wire.kinds == ["table", "freed", "table"]
    desk.tables.freed(freed(9))
    assert wire.kinds[3:] == ["freed"]


async def test_a_seat_that_was_lost_before_one_sat_again_is_old_news() -> None:
    desk = Desk()
    _, wire = desk.opens()
    desk.tables.heard(news(3, seated=7), pushed=True)
    desk.tables.heard(news(5, seated=7), pushed=False)
    desk.tables.heard(news(6), pushed=False)
    desk.tables.freed(freed(4))
    assert wire.kinds == ["table", "table", "table"]


async def test_a_page_that_was_never_shown_the_seat_is_not_told_that_it_is_lost() -> None:
    desk = Desk()
    _, wire = desk.opens()
    desk.tables.freed(freed(4))
    desk.tables.heard(news(4), pushed=True)
    desk.tables.freed(freed(4))
    assert wire.kinds == ["table"]


async def test_a_release_that_does_not_say_with_which_change_is_believed() -> None:
    desk = Desk()
    _, wire = desk.opens()
    desk.tables.heard(news(3, seated=7), pushed=True)
    desk.tables.freed(freed(0))
    assert wire.kinds == ["table", "freed"]


class Replica:
    """A table-service that keeps what it is told of sockets, and tells what a test says."""

    def __init__(self) -> None:
        self.address = f"127.0.0.1:{free_port()}"
        self.connects: list[table_pb2.Connect] = []
        self._context: Any = None
        self._server = grpc.aio.server()
        watch = grpc.stream_stream_rpc_method_handler(
            self._watch, table_pb2.WatchRequest.FromString, table_pb2.WatchResponse.SerializeToString
        )
        handlers = grpc.method_handlers_generic_handler("tilerace.table.v1.TableService", {"Watch": watch})
        self._server.add_generic_rpc_handlers((handlers,))
        assert self._server.add_insecure_port(self.address)

    async def start(self) -> None:
        await self._server.start()

    async def stop(self) -> None:
        await self._server.stop(None)

    async def tell(self, **event: object) -> None:
        response = table_pb2.WatchResponse(events=[table_pb2.WatchEvent(**event)], now=1)  # type: ignore[arg-type]
        await self._context.write(response)

    async def _watch(self, _requests: object, context: Any) -> None:
        self._context = context
        while isinstance(message := await context.read(), table_pb2.WatchRequest):
            for call in message.calls:
                if call.HasField("connect"):
                    self.connects.append(call.connect)
                if call.HasField("ping"):
                    await self.tell(pong=table_pb2.WatchPong(ping=call.ping.ping))


async def test_the_next_replica_is_told_what_the_last_one_said_and_not_what_a_command_answered() -> None:
    desk = Desk()
    async with AsyncExitStack() as ends:
        replicas = {replica.address: replica for replica in (Replica(), Replica())}
        for replica in replicas.values():
            await replica.start()
            ends.push_async_callback(replica.stop)
        channels = Channels()
        ends.push_async_callback(channels.aclose)
        watch = Watch(Replicas(list(replicas)), channels, desk.tables, clock=desk.clock, ping_s=1)
        socket, wire = desk.opens()
        watch.connect(socket)
        running = asyncio.create_task(watch.run())
        try:
            await until(lambda: any(each.connects for each in replicas.values()))
            first, other = sorted(replicas.values(), key=lambda each: not each.connects)
            assert first.connects[0].version == 0
            await first.tell(news=news(3, seated=7))
            await until(lambda: wire.kinds == ["table"])
            desk.tables.heard(news(4), pushed=False)
            await first.stop()
            await until(lambda: other.connects)
            assert (other.connects[0].connection, other.connects[0].version) == (7, 3)
        finally:
            running.cancel()
            with suppress(asyncio.CancelledError):
                await running
