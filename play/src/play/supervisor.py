"""The supervisor: starts the store and the services, keeps them running, and stops them in order."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator

from play import addresses, data
from play.child import Child, running
from play.ports import free_ports
from play.saying import say
from play.services import check_settings, services
from play.settings import Settings
from play.store import check_outside, embedded
from wire.listening import check_listen

# Together less than the five seconds in which all is stopped.
GATEWAY_S = 2.0
SERVICE_S = 1.5
STORE_S = 1.0


async def supervise(settings: Settings) -> None:
    """Run everything until cancelled; then nothing is left running.

    Raises:
        SettingsError: a service cannot use what is passed on, or the page's address cannot be listened on.
        DataInUse, DataUnusable: the data cannot be had.
        StoreError: the outside store cannot be used.
        ChildFailed: one of them did not come up.
    """
    check_settings(settings)
    ports = free_ports()
    async with _store(settings, ports) as (redis_url, store):
        check_listen(settings.listen, "The address of TILERACE_HOST and TILERACE_PORT")
        described = services(settings, redis_url, game_port=next(ports), table_port=next(ports))
        say("Starting the services …")
        # Who is called is there before who calls, and outlives it.
        async with (
            running(described.game, described.table, seconds=SERVICE_S),
            running(described.gateway, seconds=GATEWAY_S),
        ):
            for line in addresses.told(settings):
                say(line)
            async with asyncio.TaskGroup() as group:
                for child in (*store, described.game, described.table, described.gateway):
                    group.create_task(child.keep())


@contextlib.asynccontextmanager
async def _store(settings: Settings, ports: Iterator[int]) -> AsyncIterator[tuple[str, tuple[Child, ...]]]:
    """Have a store: gives its address, and the child that is to be kept, if it is ours."""
    if settings.redis_url:
        say("Looking for the store …")
        await check_outside(settings.redis_url)
        yield settings.redis_url, ()
        return
    with data.held(settings.data) as lock:
        port = next(ports)
        say("Starting the store …")
        store = embedded(
            settings.data, port, fsync=settings.fsync, lock=lock, environment=settings.environment
        )
        async with running(store, seconds=STORE_S):
            yield f"redis://127.0.0.1:{port}/0", (store,)
