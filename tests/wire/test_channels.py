"""Channels: one an address, and none to an address that is gone."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial

import grpc
import pytest

from wire.channels import Channels
from wire.serving import Served, running
from wire.settings import Address


@pytest.fixture
async def channels() -> AsyncIterator[Channels]:
    channels = Channels()
    yield channels
    await channels.aclose()


async def test_an_address_has_one_channel(channels: Channels) -> None:
    assert channels.to("127.0.0.1:1") is channels.to("127.0.0.1:1")
    assert channels.to("127.0.0.1:1") is not channels.to("127.0.0.1:2")


async def test_channels_to_addresses_that_stay_are_kept_and_others_are_closed(channels: Channels) -> None:
    stays, goes = channels.to("127.0.0.1:1"), channels.to("127.0.0.1:2")
    await channels.keep(["127.0.0.1:1", "127.0.0.1:3"])
    assert channels.to("127.0.0.1:1") is stays
    assert channels.to("127.0.0.1:2") is not goes
    assert goes.get_state() is grpc.ChannelConnectivity.SHUTDOWN


async def test_a_call_under_way_to_an_address_that_is_gone_ends_well(channels: Channels) -> None:
    under_way, gone = asyncio.Event(), asyncio.Event()

    async def slow(_request: bytes, _context: object) -> bytes:
        under_way.set()
        await gone.wait()
        return b"done"

    served = Served(add=partial(add_slow, slow), names=())
    async with running(served, Address("127.0.0.1", 0), setting="TILERACE_LISTEN") as port:
        call = channels.to(f"127.0.0.1:{port}").unary_unary("/test.Slow/Slow", bytes, bytes)(b"", timeout=15)
        await under_way.wait()
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(channels.keep([]))
            await asyncio.sleep(0)
            gone.set()
        assert await call == b"done"


def add_slow(slow: Callable[[bytes, object], Awaitable[bytes]], server: grpc.aio.Server) -> None:
    handlers: dict[str, grpc.RpcMethodHandler[bytes, bytes]] = {
        "Slow": grpc.unary_unary_rpc_method_handler(slow)
    }
    server.add_generic_rpc_handlers([grpc.method_handlers_generic_handler("test.Slow", handlers)])
