"""Runs game-service: `python -m game_service`."""

import asyncio
import sys
from functools import partial

from game_service.races import Races
from game_service.service import GameService
from game_service.settings import LISTEN, Settings
from tilerace.game.v1 import game_pb2, game_pb2_grpc
from wire.metrics import keep_looking
from wire.serving import Served, main, serve, stop_on_signals
from wire.settings import Environment
from wire.store import StoreRefused
from wire.waiting import Waiting

NAME = game_pb2.DESCRIPTOR.services_by_name["GameService"].full_name


def served(service: GameService) -> Served:
    """Say what a server of this service serves."""
    add = partial(game_pb2_grpc.add_GameServiceServicer_to_server, service)
    return Served(add=add, names=(NAME,), drain=service.drain, streams=service.link)


async def run(env: Environment) -> None:
    """Serve until told to stop.

    Raises:
        SettingsError: a setting cannot be used.
        StoreRefused: the store refuses us.
    """
    settings = Settings.from_env(env)
    stop = stop_on_signals()
    waiting = Waiting(names=(NAME,), listen=settings.listen, setting=LISTEN)
    store = await waiting.for_store(settings.redis_url, stop=stop)
    if store is None:
        return
    races = Races(store)
    try:
        async with asyncio.TaskGroup() as tasks:
            service = GameService(store, races)
            beside = [tasks.create_task(races.run()), tasks.create_task(keep_looking(service.look))]
            await serve(served(service), settings.listen, setting=LISTEN, stop=stop)
            for task in beside:
                task.cancel()
    finally:
        await store.aclose()


if __name__ == "__main__":
    sys.exit(main(run, service="game-service", fatal=(StoreRefused,)))
