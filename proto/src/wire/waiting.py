"""Waiting for the store at the start: the process is alive, does not serve yet, and says both.

Whoever looks after the process, such as Kubernetes, tells by it one that waits from one that hangs: a restart would mend
the second only. Health says so by grpc.health.v1, as it will when the service serves; every other call is UNAVAILABLE.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc

from wire.limits import RPCS, SERVER, Deadlines
from wire.serving import LIVENESS, bind
from wire.settings import Address
from wire.store import Store

AT_ONCE_S = 1.0
"""For how long nothing listens: a store that runs is reached within it, and the service itself is the first to listen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """Who waits.

    Args:
        names: the services' full names, which do not serve yet.
        listen: where they will be served.
        setting: the variable that `listen` came from, for the words of an error.
    """

    names: tuple[str, ...]
    listen: Address
    setting: str

    async def for_store(self, url: str, *, stop: asyncio.Event) -> Store | None:
        """Connect to the store however long it takes; None where `stop` is set meanwhile.

        Raises:
            StoreRefused: it refuses us, which waiting would not mend.
            SettingsError: nothing can listen at the address.
        """
        reaching = asyncio.ensure_future(Store.reach(url))
        either = (reaching, asyncio.ensure_future(stop.wait()))
        try:
            done, _ = await asyncio.wait(either, timeout=AT_ONCE_S, return_when=asyncio.FIRST_COMPLETED)
            if not done:
                async with self._alive():
                    await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            return reaching.result() if reaching.done() else None
        finally:
            for task in either:
                task.cancel()
            await asyncio.wait(either)

    @contextlib.asynccontextmanager
    async def _alive(self) -> AsyncIterator[None]:
        """Say within the block that the process lives and does not serve."""
        server = grpc.aio.server(interceptors=[Deadlines(())], options=SERVER, maximum_concurrent_rpcs=RPCS)
        told = health.aio.HealthServicer()
        health_pb2_grpc.add_HealthServicer_to_server(told, server)
        server.add_generic_rpc_handlers((_NotYet(),))
        bind(server, self.listen, self.setting)
        await told.set(LIVENESS, health_pb2.HealthCheckResponse.SERVING)
        for name in ("", *self.names):
            await told.set(name, health_pb2.HealthCheckResponse.NOT_SERVING)
        await server.start()
        try:
            yield
        finally:
            await server.stop(None)


class _NotYet(grpc.GenericRpcHandler):
    """Answers every call, of whatever kind, without reading it; after health's own handlers."""

    def service(
        self, _handler_call_details: grpc.HandlerCallDetails
    ) -> "grpc.RpcMethodHandler[bytes, bytes]":
        return grpc.stream_stream_rpc_method_handler(_refuse)


async def _refuse(_messages: object, context: "grpc.aio.ServicerContext[bytes, bytes]") -> None:
    await context.abort(grpc.StatusCode.UNAVAILABLE, "the store is waited for")


__all__ = ["AT_ONCE_S", "Waiting"]
