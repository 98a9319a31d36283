"""Runs table-service: `python -m table_service`."""

import asyncio
import sys
from collections.abc import Coroutine, Sequence
from functools import partial

from table_service.due import Due
from table_service.games import Games
from table_service.races import Races
from table_service.requests import Requests
from table_service.room import Room
from table_service.served import Served
from table_service.service import TableService
from table_service.settings import LISTEN, Settings
from table_service.sweep import Sweep
from table_service.tables import Tables
from table_service.watch import Watch
from tilerace.table.v1 import table_pb2, table_pb2_grpc
from wire import keys, news, serving
from wire.channels import Channels
from wire.metrics import keep_looking
from wire.routing import Replicas
from wire.settings import Environment
from wire.store import Store, StoreRefused
from wire.waiting import Waiting

NAME = table_pb2.DESCRIPTOR.services_by_name["TableService"].full_name


async def run(env: Environment) -> None:
    """Serve until told to stop.

    Raises:
        SettingsError: a setting cannot be used.
        StoreRefused: the store refuses us.
    """
    settings = Settings.from_env(env)
    stop = serving.stop_on_signals()
    waiting = Waiting(names=(NAME,), listen=settings.listen, setting=LISTEN)
    store = await waiting.for_store(settings.redis_url, stop=stop)
    if store is None:
        return
    channels = Channels()
    replicas = Replicas([str(address) for address in settings.game_target])
    sweep = Sweep(store)
    tables = Tables(store, settings.timings, sweep.mend)
    races = Races(tables, Games(replicas, channels))
    due, served = Due(tables, races), Served(tables)
    room = Room(store, most_tables=settings.most_tables)
    requests = Requests(tables, races, room)
    service = TableService(tables, requests, served=served, watch=Watch(tables, served, due))
    beside = [
        store.keep_time(),
        served.run(),
        sweep.run(due.handle),
        room.run(),
        keep_looking(served.look),
        replicas.keep_resolving(lambda: None),
        _hear_news(store, served, sweep),
    ]
    try:
        await _serve(service, settings, beside, stop=stop)
    finally:
        await channels.aclose()
        await store.aclose()


async def _hear_news(store: Store, served: Served, sweep: Sweep) -> None:
    def on_news(bucket: int, payload: bytes) -> None:
        served.on_news(bucket, payload)
        if news.CLOCKS_LINE in payload.split(b"\n"):
            sweep.wake(bucket)

    buckets = range(keys.BUCKETS)
    await news.listen(store, keys.tables_channel, buckets=buckets, on_news=on_news, on_gap=served.all_changed)


async def _serve(
    service: TableService,
    settings: Settings,
    beside: Sequence[Coroutine[object, object, None]],
    *,
    stop: asyncio.Event,
) -> None:
    add = partial(table_pb2_grpc.add_TableServiceServicer_to_server, service)
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(each) for each in beside]
        await serving.serve(
            serving.Served(add=add, names=(NAME,), drain=service.drain),
            settings.listen,
            setting=LISTEN,
            stop=stop,
        )
        for task in tasks:
            task.cancel()


if __name__ == "__main__":
    sys.exit(serving.main(run, service="table-service", fatal=(StoreRefused,)))
