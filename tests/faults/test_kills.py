"""Processes that die, pause and come back."""

import random

from tests.faults.figures import Figures
from tests.faults.fleet import Fleet
from tests.faults.party import racing


async def test_a_race_outlives_one_kill(fleet: Fleet, rng: random.Random, figures: Figures) -> None:
    async with racing(fleet.bases, rng, size=4, watched=True) as party:
        party.press()
        await party.until_acked()
        for game in fleet.games:
            game.kill()
            took = await party.until_acked()
            figures.note("a replica of game-service is killed: the next slide is answered", took, promised=2)
            fleet.restart(game)
        await party.end()
