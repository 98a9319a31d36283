"""All that may happen to a fleet, one thing at a time, each made good again before the next."""

import asyncio
import random
import signal
from collections.abc import Awaitable, Callable

from tests.faults.fleet import Fleet
from tests.faults.lines import Between, lose_one_answer
from tests.proxy import LOST, Weather
from tests.stack import Service

Mischief = Callable[[Fleet, random.Random], Awaitable[None]]


async def kill(fleet: Fleet, rng: random.Random) -> None:
    """Kill a process, and start it again a moment later."""
    service = rng.choice(fleet.services)
    service.kill()
    await asyncio.sleep(rng.uniform(0, 2))
    await asyncio.to_thread(fleet.restart, service)


async def kill_all_of_a_kind(fleet: Fleet, rng: random.Random) -> None:
    """Kill both replicas of a service."""
    services = rng.choice([fleet.games, fleet.tables, fleet.gateways])
    for service in services:
        service.kill()
    await asyncio.sleep(rng.uniform(0, 1))
    await asyncio.to_thread(fleet.restart, *services)


async def roll(fleet: Fleet, rng: random.Random) -> None:
    """Tell a process to stop, and start it again."""
    service = rng.choice(fleet.services)
    await asyncio.to_thread(service.stop)
    await asyncio.to_thread(fleet.restart, service)


async def pause(fleet: Fleet, rng: random.Random) -> None:
    """Have a process stand still for some seconds."""
    service: Service = rng.choice(fleet.services)
    service.signal(signal.SIGSTOP)
    await asyncio.sleep(rng.uniform(0.2, 6))
    service.signal(signal.SIGCONT)


async def kill_the_store(fleet: Fleet, rng: random.Random) -> None:
    """Kill the store, and start it again from its file."""
    fleet.store.kill()
    await asyncio.sleep(rng.uniform(0, 2))
    await asyncio.to_thread(fleet.store.start)


async def pause_the_store(fleet: Fleet, rng: random.Random) -> None:
    """Have the store answer nobody for a while."""
    milliseconds = rng.randrange(200, 4_000)
    with fleet.client() as client:
        client.execute_command("CLIENT", "PAUSE", milliseconds, "ALL")
    await asyncio.sleep(milliseconds / 1000)


async def forget_scripts_and_news(fleet: Fleet, rng: random.Random) -> None:
    """Have the store forget all scripts, and close the connections that hear its news."""
    with fleet.client() as client:
        client.script_flush()
        client.execute_command("CLIENT", "KILL", "TYPE", "pubsub")
    await asyncio.sleep(rng.uniform(0, 1))


async def cut(fleet: Fleet, rng: random.Random) -> None:
    """Break every connection of some lines, again and again."""
    for _ in range(rng.randrange(1, 5)):
        await asyncio.to_thread(_line(fleet, rng).cut)
        await asyncio.sleep(rng.uniform(0, 0.5))


async def lose_replies(fleet: Fleet, rng: random.Random) -> None:
    """Lose the reply to one request on each of some lines."""
    for _ in range(rng.randrange(1, 5)):
        lose_one_answer([_line(fleet, rng)], b"")
        await asyncio.sleep(rng.uniform(0.1, 0.5))


async def spoil_a_line(fleet: Fleet, rng: random.Random) -> None:
    """Have a line be slow, cut small, stand still, or swallow everything, for a while."""
    line = _line(fleet, rng)
    slow = Weather(
        delay_s=rng.uniform(0, 0.3), jitter_s=rng.uniform(0, 0.2), slice_bytes=rng.choice([7, 65536])
    )
    bad = rng.choice([slow, Weather(stalled=True), LOST])
    line.weather(up=bad, down=rng.choice([bad, Weather()]))
    await asyncio.sleep(rng.uniform(0.5, 4))
    line.weather()
    await asyncio.to_thread(line.cut)


ALL: tuple[Mischief, ...] = (
    kill, kill_all_of_a_kind, roll, pause, kill_the_store, pause_the_store, forget_scripts_and_news, cut, lose_replies,
    spoil_a_line,
)  # fmt: skip


def _line(fleet: Fleet, rng: random.Random) -> Between:
    return rng.choice([*fleet.game_lines, *fleet.table_lines, *fleet.doors, *fleet.store_lines.values()])
