"""Runs table-service: `python -m table_service`."""

import asyncio
import sys
from functools import partial

from table_service.due import Due
from table_service.games import Games
from table_service.races import Races
from table_service.requests import Requests
from table_service.served import Served
from table_service.service import TableService
from table_service.settings import LISTEN, Settings
from table_service.sweep import Sweep
from table_service.tables import Tables
from table_service.watch import Watch
from tilerace.table.v1 import table_pb2, table_pb2_grpc
from wire import keys, news, serving
from wire.channels import Channels
from wire.routing import Replicas
from wire.settings import Environment
from wire.store import Store, StoreError

NAME = table_pb2.DESCRIPTOR.services_by_name["TableService"].full_name


async def run(env: Environment) -> None:
    """Serve until told to stop.

    Raises:
        SettingsError: a setting cannot be used.
        StoreError: the store cannot be reached.
    """
    settings = Settings.from_env(env)
    store = await Store.connect(settings.redis_url)
    channels = Channels()
    replicas = Replicas([str(address) for address in settings.game_target])
    sweep = Sweep(store)
    tables = Tables(store, settings.timings, sweep.mend)
    races = Races(tables, Games(replicas, channels))
    due = Due(tables, races)
    served = Served(tables)
    service = TableService(tables, Requests(tables, races), served=served, watch=Watch(tables, served, due))

    def on_news(bucket: int, payload: bytes) -> None:
        served.on_news(bucket, payload)
        if news.CLOCKS_LINE in payload.split(b"\n"):
            sweep.wake()

    try:
        async with asyncio.TaskGroup() as tasks:
            beside = [
                tasks.create_task(store.keep_time()),
                tasks.create_task(served.run()),
                tasks.create_task(sweep.run(due.handle)),
                tasks.create_task(replicas.keep_resolving(lambda: None)),
                tasks.create_task(
                    news.listen(
                        store,
                        keys.tables_channel,
                        buckets=range(keys.BUCKETS),
                        on_news=on_news,
                        on_gap=served.all_changed,
                    )
                ),
            ]
            add = partial(table_pb2_grpc.add_TableServiceServicer_to_server, service)
            await serving.serve(
                serving.Served(add=add, names=(NAME,), drain=service.drain), settings.listen, setting=LISTEN
            )
            for task in beside:
                task.cancel()
    finally:
        await channels.aclose()
        await store.aclose()


if __name__ == "__main__":
    sys.exit(serving.main(run, fatal=(StoreError,)))
