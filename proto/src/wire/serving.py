"""Serving: what every service does alike around its own RPCs.

A service listens, says by grpc.health.v1 that it serves, describes itself by reflection, and on SIGTERM or SIGINT says
that it serves no more, sends its peers elsewhere, finishes what is under way, and ends with exit code 0.

Neither its health nor its life depends on others: a store that is away makes calls refused in words, and no process
better by its restart. Before the store was reached (`wire.waiting`), and while it drains, it is not ready, and alive.
"""

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable
from dataclasses import dataclass

import grpc
import uvloop
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from wire import core_dumps, front, garbage, log, metrics
from wire.limits import CHANNEL, RPCS, SERVER, Deadlines, SmallRequests
from wire.listening import check_listen
from wire.readable import Readable
from wire.requests import Requests
from wire.settings import Address, Environment, SettingsError

LIVENESS = "liveness"
"""The name under which a server says that it is alive, also while it drains; "" and its services' say whether it serves."""
FLUSH_S = 1.0
"""How long what was written to peers that read slowly may still take, in seconds, once all else has ended."""
GRACE_S = 5.0
"""How long what is under way may take once a server drains, and its peers to go elsewhere before."""

_LOG = log.events("wire.serving")


async def nothing() -> None:
    """Drain nothing: for a service that has no streams."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """What a server serves.

    Args:
        add: adds the servicers, such as `partial(add_GameServiceServicer_to_server, servicer)`.
        names: the services' full names, for health and reflection.
        drain: tells the peers of long streams to go elsewhere; called before the server stops.
        streams: serves one stream of messages (`wire.framed`), which come to the same port, to its end.
    """

    add: Callable[[grpc.aio.Server], None]
    names: tuple[str, ...]
    drain: Callable[[], Awaitable[None]] = nothing
    streams: front.Serve | None = None


async def serve(
    served: Served,
    listen: Address,
    *,
    setting: str,
    stop: asyncio.Event | None = None,
    grace_s: float = GRACE_S,
) -> None:
    """Serve until `stop` is set, by default by SIGTERM or SIGINT; then drain.

    `setting` is the variable that `listen` came from, for the words of an error.

    Raises:
        SettingsError: nothing can listen there.
    """
    ended = stop or stop_on_signals()
    async with running(served, listen, setting=setting, grace_s=grace_s) as port:
        garbage.started()
        _LOG.info("listening", address=str(Address(listen.host, port)), port=port)
        await ended.wait()
        _LOG.info("draining", port=port)
    _LOG.info("stopped", port=port)


@contextlib.asynccontextmanager
async def running(
    served: Served, listen: Address, *, setting: str, grace_s: float = GRACE_S
) -> AsyncIterator[int]:
    """Run a server within a block, which gets the port it listens on; drained at the end, or stopped by an error.

    Raises:
        SettingsError: nothing can listen there.
    """
    server = grpc.aio.server(
        interceptors=[Requests(), Deadlines(served.names), SmallRequests(), Readable()],
        options=SERVER,
        maximum_concurrent_rpcs=RPCS,
    )
    health_servicer = health.aio.HealthServicer()
    health_pb2_grpc.add_HealthServicer_to_server(health_servicer, server)
    served.add(server)
    reflection.enable_server_reflection([*served.names, health.SERVICE_NAME, reflection.SERVICE_NAME], server)
    async with contextlib.AsyncExitStack() as stack:
        if served.streams is None:
            port = bind(server, listen, setting)
            await server.start()
        else:
            check_listen(listen, setting)
            behind = bind(server, Address(front.LOOPBACK, 0), setting)
            await server.start()
            listening = front.listening(listen, served.streams, grpc_port=behind, flush_s=FLUSH_S)
            port = await stack.enter_async_context(listening)
        await _tell(health_servicer, (LIVENESS, "", *served.names), health_pb2.HealthCheckResponse.SERVING)
        try:
            yield port
        except BaseException:
            await server.stop(None)
            raise
        try:
            await _tell(health_servicer, ("", *served.names), health_pb2.HealthCheckResponse.NOT_SERVING)
            await _drain(served, grace_s)
        finally:
            await server.stop(grace_s)


async def _tell(servicer: health.aio.HealthServicer, names: Iterable[str], status: int) -> None:
    for name in names:
        await servicer.set(name, status)


def bind(server: grpc.aio.Server, listen: Address, setting: str) -> int:
    """Have a server listen at an address once it starts; give its port.

    Raises:
        SettingsError: nothing can listen there.
    """
    check_listen(listen, setting)
    try:
        return server.add_insecure_port(str(listen))
    except RuntimeError as error:
        raise SettingsError(f"{setting} is {str(listen)!r}, but nothing can listen there.") from error


def stop_on_signals() -> asyncio.Event:
    """Give an event that SIGTERM and SIGINT set from now on."""
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    return stop


def channel(target: str) -> grpc.aio.Channel:
    """Open a channel to one address: no retries, dead peers found within 15 s, connected again within 1 s."""
    return grpc.aio.insecure_channel(target, options=CHANNEL)


def main(
    run: Callable[[Environment], Coroutine[object, object, None]],
    *,
    service: str,
    fatal: tuple[type[Exception], ...] = (),
) -> int:
    """Run a service to its end on uvloop, its metrics under its name beside it, and give its exit code.

    A SettingsError, or an error of one of the `fatal` kinds, such as StoreRefused, is told in its own words on standard
    error, and the exit code is 1. `run` gets the environment, and returns once the service was told to stop.
    """
    told: tuple[type[Exception], ...] = (SettingsError, *fatal)
    core_dumps.forbid()
    try:
        env = Environment(os.environ)
        log.set_up(env)
        with metrics.served(env, service=service):
            uvloop.run(_watched(run(env)))
    except told as error:
        return _give_up(error)
    except ExceptionGroup as group:
        first = _only(group, told)
        if first is None:
            raise
        return _give_up(first)
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    return 0


async def _watched(service: Coroutine[object, object, None]) -> None:
    asyncio.get_running_loop().set_exception_handler(log.loop_failure)
    watching = asyncio.create_task(metrics.watch_loop())
    try:
        await service
    finally:
        watching.cancel()


def _give_up(error: Exception) -> int:
    sys.stderr.write(f"{error}\n")
    return 1


def _only(group: ExceptionGroup[Exception], kinds: tuple[type[Exception], ...]) -> Exception | None:
    """Give the first error of a group that holds none but of these kinds."""
    found, others = group.split(kinds)
    if others is not None or found is None:
        return None
    first = found.exceptions[0]
    return _only(first, kinds) if isinstance(first, ExceptionGroup) else first


async def _drain(served: Served, grace_s: float) -> None:
    try:
        async with asyncio.timeout(grace_s):
            await served.drain()
    except Exception as error:  # noqa: BLE001  whatever it was, what is under way is to be finished
        _LOG.exception("drain failed", error)
