"""Races over bad networks: slow and uneven ones, and ones on which anything may happen to any line at once."""

import asyncio
import random
from functools import partial

from tests.faults.figures import Figures
from tests.faults.fleet import Fleet
from tests.faults.mischief import cut, lose_replies, spoil_a_line
from tests.faults.party import racing
from tests.faults.racer import Racer, a_few_ahead
from tests.proxy import Weather

SLOW = Weather(delay_s=0.3, jitter_s=0.2, slice_bytes=7, bytes_a_second=20_000)
THERE_AND_BACK_S = 2
"""Twice half a second at worst, and a stall of a second."""
SLIDES = 15
STORM_S = 20.0
NEMESES = 4
KEYS_A_SECOND = 5
"""So few that all racers can still slide after the storm: who presses while no answer comes presses at random."""


async def test_over_a_slow_network_with_stalls_each_key_lands_once(
    fleet: Fleet, rng: random.Random, figures: Figures
) -> None:
    async with racing(fleet.far_bases, rng, size=2, keys_a_second=KEYS_A_SECOND, choose=a_few_ahead) as party:
        for door in fleet.doors:
            door.weather(up=SLOW, down=SLOW)
        stalling = asyncio.create_task(stall_now_and_then(fleet, rng))
        try:
            party.press()
            for _ in range(3):
                took = await party.until_acked()
                figures.note(
                    "a slow network with stalls: the next slide is answered", took, promised=THERE_AND_BACK_S
                )
            for racer in party.racers:
                await racer.until(partial(has_made, racer, SLIDES), seconds=60)
        finally:
            stalling.cancel()
            await asyncio.gather(stalling, return_exceptions=True)
            fleet.calm()
        assert all(len(racer.connections) == 1 for racer in party.racers), (
            "a slow line was taken for a dead one"
        )
        await party.end()


async def stall_now_and_then(fleet: Fleet, rng: random.Random) -> None:
    """Have one way of a door stand still for a second, again and again."""
    while True:
        await asyncio.sleep(rng.uniform(0.5, 2))
        door = rng.choice(fleet.doors)
        way = rng.choice([door.proxy.up, door.proxy.down])
        way.stall()
        await asyncio.sleep(1)
        way.flow()


async def test_two_races_outlive_bad_lines_everywhere(
    fleet: Fleet, rng: random.Random, figures: Figures
) -> None:
    async with (
        racing(
            fleet.far_bases, rng, size=4, keys_a_second=KEYS_A_SECOND, watched=True, choose=a_few_ahead
        ) as one,
        racing(
            fleet.far_bases, rng, size=4, keys_a_second=KEYS_A_SECOND, watched=True, choose=a_few_ahead
        ) as other,
    ):
        for party in (one, other):
            party.apart = True  # for a gateway whose line is dead, another replica may be the one to go to
            party.press()
        storms = [asyncio.create_task(storm(fleet, random.Random(rng.random()))) for _ in range(NEMESES)]
        await asyncio.gather(*storms)
        fleet.calm()
        for party in (one, other):
            took = await party.until_acked()
            figures.note("after a storm on all lines: everyone slides", took, promised=8)
            await party.end()


async def storm(fleet: Fleet, rng: random.Random) -> None:
    """Do one bad thing after another to lines."""
    end = asyncio.get_running_loop().time() + STORM_S
    while asyncio.get_running_loop().time() < end:
        await rng.choice((cut, lose_replies, spoil_a_line))(fleet, rng)


def has_made(racer: Racer, slides: int) -> bool:
    return len(racer.slides.made) >= slides
