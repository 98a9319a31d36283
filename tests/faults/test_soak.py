"""Anything at any time: races go on while one thing after another happens, for as long as one likes (`make soak`)."""

import asyncio
import random

import pytest
from tests.faults.fleet import Fleet
from tests.faults.mischief import ALL
from tests.faults.party import racing
from tests.faults.racer import careful

ROUND_S = 12.0


async def test_nothing_is_lost_whatever_happens(
    fleet: Fleet, rng: random.Random, pytestconfig: pytest.Config
) -> None:
    loop = asyncio.get_running_loop()
    end = loop.time() + 60 * pytestconfig.getoption("--minutes")
    rounds, slides = 0, 0
    while rounds == 0 or loop.time() < end:
        done, made = await one_round(fleet, rng)
        rounds, slides = rounds + 1, slides + made
        print(f"round {rounds}: {made} slides through {', '.join(done)}")  # noqa: T201  shown where it fails
    assert slides


async def one_round(fleet: Fleet, rng: random.Random) -> tuple[list[str], int]:
    """Have three races, two pressed carefully and one at random, while things happen; give those, and all slides."""
    loop, done = asyncio.get_running_loop(), []
    end = loop.time() + ROUND_S
    async with (
        racing(fleet.far_bases, rng, size=4, watched=True, choose=careful) as four,
        racing(fleet.far_bases, rng, size=3, choose=careful) as three,
        racing(fleet.far_bases, rng, size=2, keys_a_second=40) as two,
    ):
        parties = (four, three, two)
        for party in parties:
            party.apart = True  # while a line is dead, gateways may go to different replicas
            party.press()
        while loop.time() < end:
            mischief = rng.choice(ALL)
            done.append(mischief.__name__)
            await mischief(fleet, rng)
            await asyncio.sleep(rng.uniform(0, 1))
        fleet.calm()
        await asyncio.to_thread(fleet.wait_ready)
        for party in parties:
            await party.end()
    return done, sum(party.acks for party in parties)
