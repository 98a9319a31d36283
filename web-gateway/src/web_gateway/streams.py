"""A long-lived stream to a replica: written in batches, read until it ends, given up when a pong is late."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

import grpc

from wire.batching import Outbox, Overflow
from wire.refusal import Refused, from_rpc_error

PING_S = 1.0
"""How often a replica is pinged; one that has not answered by the next ping is avoided."""
STALLED = 1.5
"""How many times as long as asked a sleep takes where this process itself stood still."""

Item = TypeVar("Item")
Asked = TypeVar("Asked")
Told = TypeVar("Told")


class Broken(Exception):
    """The replica closed the stream, or does not answer in time."""


class Pulse:
    """Pings on one stream, and the pongs that answer them."""

    def __init__(self, ping: Callable[[int], None], every_s: float = PING_S) -> None:
        """Have `ping` called with the number of each ping."""
        self._ping = ping
        self._every_s = every_s
        self._sent = 0
        self._failed = False
        self.heard = 0

    def fail(self) -> None:
        """Give the stream up within a ping."""
        self._failed = True

    async def run(self) -> None:
        """Ping until cancelled.

        Raises:
            Broken: a pong is late.
        """
        loop = asyncio.get_running_loop()
        while True:
            self._sent += 1
            self._ping(self._sent)
            slept = loop.time()
            await asyncio.sleep(self._every_s)
            if loop.time() - slept > STALLED * self._every_s:
                # The pong may have come while we stood still ourselves: let it be read first.
                await asyncio.sleep(self._every_s / 4)
            if self._failed or self.heard < self._sent:
                raise Broken


async def hold(
    call: "grpc.aio.StreamStreamCall[Asked, Told]",
    outbox: Outbox[Item],
    *,
    request: Callable[[list[Item]], Asked],
    take: Callable[[Told], None],
    pulse: Pulse,
) -> Refused | None:
    """Hold a stream until it breaks, or until the outbox is closed and written; then it is no more.

    Returns:
        What the replica ended it with, where it said so in words.
    """

    async def write(items: list[Item]) -> None:
        await call.write(request(items))

    async def read() -> None:
        while True:
            message = await call.read()
            if message is grpc.aio.EOF:
                raise Broken
            take(message)  # type: ignore[arg-type]  # EOF is the only other thing that is read

    try:
        async with asyncio.TaskGroup() as tasks:
            beside = [tasks.create_task(read()), tasks.create_task(pulse.run())]
            await outbox.run(write)
            await call.done_writing()
            for task in beside:
                task.cancel()
    # a call that has ended says so to a writer by InvalidStateError
    except* (grpc.aio.AioRpcError, asyncio.InvalidStateError, Broken, Overflow):
        pass
    finally:
        call.cancel()
    ended = grpc.aio.AioRpcError(
        await call.code(), await call.initial_metadata(), await call.trailing_metadata(), await call.details()
    )
    return from_rpc_error(ended)
