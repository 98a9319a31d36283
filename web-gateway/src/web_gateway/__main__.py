"""Runs web-gateway: `python -m web_gateway`."""

import asyncio
import contextlib
import logging
import sys
from collections.abc import Iterator
from dataclasses import replace

import uvicorn

from web_gateway.app import make_app
from web_gateway.door import Callers, Seldomly, door
from web_gateway.gateway import Gateway
from web_gateway.headers import guarding
from web_gateway.page import Page, load
from web_gateway.room import make_room
from web_gateway.seam.handshake import upgrade
from web_gateway.seam.sockets import Heartbeat
from web_gateway.settings import LISTEN, Settings
from wire import garbage
from wire.listening import check_listen
from wire.log import events
from wire.serving import main, stop_on_signals
from wire.settings import Address, Environment

CLOSE_S = 2
"""How long sockets may take to end once the gateway is told to stop, and then requests."""
DRAIN_S = 1.0
_LOG = events("web_gateway")


class _Server(uvicorn.Server):
    """uvicorn without its own signal handlers, which would end the process by the signal it was sent."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals to `wire.serving`."""
        yield


async def run(env: Environment) -> None:
    """Serve until told to stop.

    Raises:
        SettingsError: a setting cannot be used, or nothing can listen there.
    """
    settings = Settings.from_env(env)
    check_listen(settings.listen, LISTEN)
    stop = stop_on_signals()
    page = load(release=settings.build, site=settings.public_url)
    room = make_room()
    gateway = Gateway(replace(settings, build=page.release), most_sockets=room.sockets)
    server = _server(gateway, page, Callers(most=room.callers))
    heartbeat = Heartbeat(gateway.sockets, settings.timings.ping_ms / 1000)
    async with asyncio.TaskGroup() as tasks:
        beside = [tasks.create_task(gateway.run()), tasks.create_task(heartbeat.run())]
        serving = tasks.create_task(server.serve())
        stopping = tasks.create_task(stop.wait())
        tasks.create_task(_tell_address(server, settings.listen))
        await asyncio.wait([serving, stopping], return_when=asyncio.FIRST_COMPLETED)
        stopping.cancel()
        _LOG.info("draining", sockets=len(gateway.sockets))
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(CLOSE_S):
                await gateway.part()
        server.should_exit = True
        await serving
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(DRAIN_S):
                await gateway.drain()
        for task in beside:
            task.cancel()
    _LOG.info("stopped")


def _server(gateway: Gateway, page: Page, callers: Callers) -> _Server:
    listen = gateway.settings.listen
    logging.getLogger("uvicorn.error").addFilter(Seldomly())
    guards = guarding(secure=gateway.settings.secure)
    return _Server(
        uvicorn.Config(
            make_app(gateway, page),
            host=listen.host,
            port=listen.port,
            ws=upgrade(gateway.sockets, guards),
            http=door(callers, guards),
            log_config=None,
            log_level="warning",
            access_log=False,
            server_header=False,
            proxy_headers=False,  # whom to believe is a setting of ours (askers.py)
            lifespan="off",
            timeout_graceful_shutdown=CLOSE_S,
        )
    )


async def _tell_address(server: uvicorn.Server, listen: Address) -> None:
    while not server.started:
        if server.should_exit:
            return
        await asyncio.sleep(0.01)
    garbage.started()
    port = server.servers[0].sockets[0].getsockname()[1]
    _LOG.info("listening", address=str(Address(listen.host, port)), port=port)


if __name__ == "__main__":
    sys.exit(main(run, service="web-gateway"))
