"""A long-lived stream to a replica: written in batches, read until it ends, given up when a pong is late."""

import asyncio
from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

import grpc

from wire.batching import Outbox, Overflow
from wire.framed import Ended, Framed
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

    def fail(self) -> bool:
        """Give the stream up within a ping; tell whether it was not given up before."""
        before, self._failed = self._failed, True
        return not before

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


class Line(Protocol[Item]):
    """One stream, as `hold` needs it."""

    async def write(self, items: list[Item]) -> None:
        """Write items as one message; whatever it raises ends the stream."""

    async def read(self) -> None:
        """Take all that comes, until the stream ends."""

    async def finish(self) -> None:
        """Say that there is no more to write."""

    async def end(self) -> Refused | None:
        """End it; give what the replica ended it with, where it said so in words."""


async def hold(line: Line[Item], outbox: Outbox[Item], pulse: Pulse) -> Refused | None:
    """Hold a stream until it breaks, or until the outbox is closed and written; then it is no more.

    Returns:
        What the replica ended it with, where it said so in words.
    """

    async def read() -> None:
        await line.read()
        raise Broken

    try:
        async with asyncio.TaskGroup() as tasks:
            beside = [tasks.create_task(read()), tasks.create_task(pulse.run())]
            await outbox.run(line.write)
            await line.finish()
            for task in beside:
                task.cancel()
    # a call that has ended says so to a writer by InvalidStateError
    except* (grpc.aio.AioRpcError, asyncio.InvalidStateError, Ended, Broken, Overflow):
        pass
    finally:
        refused = await line.end()
    return refused


class Call(Generic[Item, Asked, Told]):
    """A stream of gRPC's."""

    def __init__(
        self,
        call: "grpc.aio.StreamStreamCall[Asked, Told]",
        *,
        request: Callable[[list[Item]], Asked],
        take: Callable[[Told], None],
    ) -> None:
        """Make one message of what is to be written by `request`, and hand what comes to `take`."""
        self._call, self._request, self._take = call, request, take
        self.why = ""
        """What gRPC says of its end."""

    async def write(self, items: list[Item]) -> None:
        """Write items as one message."""
        await self._call.write(self._request(items))

    async def read(self) -> None:
        """Take all that comes, until the stream ends."""
        while (message := await self._call.read()) is not grpc.aio.EOF:
            self._take(message)  # type: ignore[arg-type]  # EOF is the only other thing that is read

    async def finish(self) -> None:
        """Say that there is no more to write."""
        await self._call.done_writing()

    async def end(self) -> Refused | None:
        """End it; give what the replica ended it with, where it said so in words."""
        call = self._call
        call.cancel()
        code, self.why = await call.code(), await call.details() or ""
        ended = grpc.aio.AioRpcError(
            code, await call.initial_metadata(), await call.trailing_metadata(), self.why
        )
        return from_rpc_error(ended)


class Messages(Generic[Item]):
    """A stream of messages behind their lengths."""

    def __init__(
        self, framed: Framed, *, request: Callable[[list[Item]], bytes], take: Callable[[bytes], None]
    ) -> None:
        """Make one message of what is to be written by `request`, and hand what comes to `take`."""
        self._framed, self._request = framed, request
        framed.start(take)

    async def write(self, items: list[Item]) -> None:
        """Write items as one message."""
        await self._framed.write(self._request(items))

    async def read(self) -> None:
        """Wait until the stream ends; what comes is taken as it comes."""
        await asyncio.wait([self._framed.ended])
        self._framed.ended.result()

    async def finish(self) -> None:
        """Say nothing: the end says it."""

    async def end(self) -> Refused | None:
        """End it, with all that is written; a replica gives no reason."""
        self._framed.close()
        return None
