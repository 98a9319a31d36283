"""A Link over gRPC, as gateways of release 0.1 open it: for as long as they and this release run side by side.

Such a gateway finds only this way; newer ones come by `wire.framed` (docs/decisions/0012).
"""

import asyncio
from collections.abc import Awaitable, Callable

import grpc

from tilerace.game.v1 import game_pb2
from wire.framed import Ended, Take

Context = grpc.aio.ServicerContext[game_pb2.LinkRequest, game_pb2.LinkResponse]


class OldStream:
    """A stream of gRPC's with the ways of `wire.framed.Framed`; what is refused ends it with INVALID_ARGUMENT."""

    def __init__(self, context: Context) -> None:
        """Begin with nothing read."""
        loop = asyncio.get_running_loop()
        self._now = loop.time
        self.heard_at = loop.time()
        self.ended: asyncio.Future[None] = loop.create_future()
        self._context = context
        self._take: Take = lambda _: None

    def start(self, take: Take) -> None:
        """Hand each message to `take` as it comes."""
        self._take = take

    async def write(self, message: bytes) -> None:
        """Send a message.

        Raises:
            Ended: there is no connection any more.
        """
        if self.ended.done():
            raise Ended
        await self._context.write(game_pb2.LinkResponse.FromString(message))

    def abort(self) -> None:
        """End it."""
        if not self.ended.done():
            self.ended.set_result(None)

    async def serve(self, serve: Callable[["OldStream"], Awaitable[None]]) -> None:
        """Have the stream served, reading beside it, to its end."""
        # Apart from the first message: one cut off on its way leaves gRPC unsure whether they are sent, and unable to end.
        await self._context.send_initial_metadata(())
        async with asyncio.TaskGroup() as tasks:
            reading = tasks.create_task(self._read())
            await serve(self)
            reading.cancel()
        if self.ended.done() and self.ended.exception() is not None:
            await self._context.abort(grpc.StatusCode.INVALID_ARGUMENT, "that is no message of the Link")

    async def _read(self) -> None:
        try:
            while isinstance(message := await self._context.read(), game_pb2.LinkRequest):
                self.heard_at = self._now()
                self._take(message.SerializeToString())
        except Exception as error:  # noqa: BLE001  whatever is wrong with a message ends this stream, and no other
            if not self.ended.done():
                self.ended.set_exception(error)
        self.abort()


__all__ = ["Context", "OldStream"]
