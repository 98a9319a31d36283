"""What tests of streams of messages share: both ends of one, an echo, and a port that serves gRPC beside it."""

import asyncio
import contextlib
import struct
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from functools import partial
from typing import TypeVar

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc

from wire import framed, front
from wire.framed import Framed, connect
from wire.settings import Address

Result = TypeVar("Result")
ANYWHERE = Address("127.0.0.1", 0)
WAIT_S = 10.0
MUCH = 200 * 1024
"""Bytes of one message; some dozens of them are more than two systems' buffers take."""


def behind_lengths(messages: Sequence[bytes]) -> bytes:
    return b"".join(struct.pack("!I", len(message)) + message for message in messages)


async def kept(served: "asyncio.Queue[Framed]", stream: Framed) -> None:
    served.put_nowait(stream)
    await asyncio.wait([stream.ended])


async def echoed(stream: Framed) -> None:
    """Send back what comes, until the other end has gone."""
    waiting: asyncio.Queue[bytes] = asyncio.Queue()
    stream.start(waiting.put_nowait)
    sending = asyncio.create_task(send_back(stream, waiting))
    await asyncio.wait([stream.ended])
    sending.cancel()


async def send_back(stream: Framed, waiting: "asyncio.Queue[bytes]") -> None:
    while True:
        await stream.write(await waiting.get())


async def connected_and_answered(at: Address) -> Framed:
    end = await connect(str(at))
    taken: asyncio.Queue[bytes] = asyncio.Queue()
    end.start(taken.put_nowait)
    await end.write(b"hello")
    assert await soon(taken.get()) == b"hello"
    return end


@contextlib.asynccontextmanager
async def fronted(*handlers: grpc.GenericRpcHandler, listen: Address = ANYWHERE) -> AsyncIterator[int]:
    """Serve health, and what else is given, by gRPC, and an echo for streams, at one port within the block."""
    server = grpc.aio.server()
    told = health.aio.HealthServicer()
    health_pb2_grpc.add_HealthServicer_to_server(told, server)
    server.add_generic_rpc_handlers(handlers)
    await told.set("any", health_pb2.HealthCheckResponse.SERVING)
    behind = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    async with front.listening(listen, echoed, grpc_port=behind, flush_s=0) as port:
        yield port
        await server.stop(None)


@contextlib.asynccontextmanager
async def carried_to(
    serve: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]],
) -> AsyncIterator[int]:
    """Carry to a server of TCP within the block, which gets the port where that comes in."""
    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        behind = server.sockets[0].getsockname()[1]
        async with front.listening(ANYWHERE, echoed, grpc_port=behind, flush_s=0) as port:
            yield port


@contextlib.asynccontextmanager
async def pair() -> AsyncIterator[tuple[Framed, Framed]]:
    """Connect two ends within the block."""
    served: asyncio.Queue[Framed] = asyncio.Queue()
    async with front.listening(ANYWHERE, partial(kept, served), grpc_port=0, flush_s=0) as port:
        here = await framed.connect(f"127.0.0.1:{port}")
        try:
            yield here, await soon(served.get())
        finally:
            here.abort()


async def write_much(end: Framed, times: int) -> None:
    for _ in range(times):
        await end.write(bytes(MUCH))


async def until_taken(taken: list[int], count: int) -> None:
    async with asyncio.timeout(WAIT_S):
        while len(taken) < count:
            await asyncio.sleep(0.01)


async def soon(work: Awaitable[Result]) -> Result:
    async with asyncio.timeout(WAIT_S):
        return await work
