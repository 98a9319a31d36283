"""Connections that are dead and were never closed: whoever is at their ends finds out, and goes on elsewhere."""

import asyncio
import itertools
import random
from pathlib import Path

from tests.faults.figures import Figures
from tests.faults.fleet import Fleet
from tests.faults.lines import Between
from tests.faults.party import Party, gathered, racing
from tests.faults.racer import Racer, a_few_ahead
from tests.proxy import LOST

from wire.routing import DEADLINE_S

DROPPED_S = 5.4
"""Two pings by this fleet's settings, a fifth of one to look at all sockets, and a second to answer a close."""
BACK_S = 2
STORE_S = 4
"""Three seconds of the store's silence, and a ping, which tells the gateways."""
UNHEARD = 4408
ESTABLISHED = "01"


async def test_a_client_whose_line_died_comes_back_on_another_and_nobody_else_notices(
    fleet: Fleet, rng: random.Random, figures: Figures
) -> None:
    async with racing(fleet.far_bases, rng, size=4, watched=True, choose=a_few_ahead) as party:
        party.press()
        await party.until_acked()
        cut_off = [each for each in party.everyone if each.base == fleet.far_bases[0]]
        others = [racer for racer in party.racers if racer not in cut_off]
        begun = now()
        fleet.doors[0].weather(up=LOST, down=LOST)
        try:
            racer = rng.choice([each for each in cut_off if each in party.racers])
            await racer.drop()
            took = await racer.until_acked(since=begun)
            figures.note("a client's line dies: it slides on another", took, promised=BACK_S)
            await until_gone(fleet.ports[0])
            figures.note("a client's line dies: its socket is dropped", now() - begun, promised=DROPPED_S)
            await party.until_acked()
        finally:
            fleet.calm()
            fleet.doors[0].cut()
        for other in others:
            assert longest_wait(other, begun) < BACK_S, "another racer's slides waited"
            assert len(other.connections) == 1, "another racer lost its connection"
        await party.end()


async def test_a_client_that_is_not_heard_is_told_so(
    fleet: Fleet, rng: random.Random, figures: Figures
) -> None:
    async with racing(fleet.far_bases, rng, size=2, choose=a_few_ahead) as party:
        party.press()
        await party.until_acked()
        racer, begun, closed = party.racers[0], now(), []
        fleet.doors[0].weather(up=LOST)
        try:
            await racer.until(lambda: racer.closed is not None)
            closed.append(racer.closed)
            figures.note("a client is not heard: its socket is closed", now() - begun, promised=DROPPED_S)
        finally:
            fleet.calm()
            fleet.doors[0].cut()
        assert closed == [UNHEARD]
        await party.until_back()
        await party.until_acked()
        await party.end()


async def test_slides_go_another_way_where_a_line_to_game_service_died(
    fleet: Fleet, rng: random.Random, figures: Figures
) -> None:
    async with racing(fleet.bases, rng, size=4, watched=True, choose=a_few_ahead) as party:
        party.press()
        await party.until_acked()
        for line in fleet.game_lines:
            took = await while_dead(fleet, party, line)
            figures.note("a line to game-service dies: slides are answered", took, promised=BACK_S)
        await party.end()


async def test_slides_go_another_way_where_a_line_to_the_store_died(
    fleet: Fleet, rng: random.Random, figures: Figures
) -> None:
    async with racing(fleet.bases, rng, size=4, watched=True, choose=a_few_ahead) as party:
        party.press()
        await party.until_acked()
        for name in ("game-0", "game-1", "table-0", "table-1"):
            took = await while_dead(fleet, party, fleet.store_lines[name])
            figures.note("a line to the store dies: slides are answered", took, promised=STORE_S)
        await party.end()


async def test_commands_go_another_way_where_a_line_at_table_service_died(
    fleet: Fleet, rng: random.Random, figures: Figures
) -> None:
    async with gathered(fleet.bases, rng, size=2, watched=True) as party:
        friend = party.racers[1]
        ready = itertools.cycle((False, True))
        for line in (*fleet.table_lines, fleet.store_lines["table-0"], fleet.store_lines["table-1"]):
            line.weather(up=LOST, down=LOST)
            try:
                begun = now()
                await friend.do("ready", ready=next(ready))
                figures.note(
                    "a line at table-service dies: a command is done", now() - begun, promised=DEADLINE_S
                )
            finally:
                fleet.calm()
                line.cut()
            await party.until_back()


async def while_dead(fleet: Fleet, party: Party, line: Between) -> float:
    """Have a line swallow everything until everyone has had a slide answered all the same; give how long it took."""
    begun = now()
    line.weather(up=LOST, down=LOST)
    try:
        await asyncio.sleep(0.2)
        await party.until_acked(seconds=60)
        return now() - begun
    finally:
        fleet.calm()
        line.cut()


async def until_gone(port: int) -> None:
    """Wait until nobody is connected to a port of this machine."""
    async with asyncio.timeout(5 * DROPPED_S):
        while connected(port):
            await asyncio.sleep(0.05)


def connected(port: int) -> int:
    """Count the connections that a port of this machine holds open (proc_pid_net(5))."""
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return sum(row[1].endswith(f":{port:04X}") and row[3] == ESTABLISHED for row in rows)


def longest_wait(racer: Racer, since: float) -> float:
    """Give the longest time between two answered slides."""
    times = [at for at in racer.acks if at >= since]
    return max((after - before for before, after in itertools.pairwise(times)), default=0.0)


def now() -> float:
    return asyncio.get_running_loop().time()
