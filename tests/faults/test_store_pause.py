"""The store stands still, or forgets its scripts, and nobody pays for that."""

import asyncio
import random
from http import HTTPStatus

import pytest
from tests.faults.figures import Figures
from tests.faults.fleet import Fleet
from tests.faults.party import racing
from tests.friend import call

FLUSHES = 40
CONNECTIONS = 32 + 4
"""How many connections of one service to the store may be open: those of its client, its fence and its news."""


@pytest.mark.parametrize("seconds", [5, 8], ids="{}s".format)
async def test_a_store_that_stands_still_costs_nobody_a_slide_or_a_second_of_grace(
    fleet: Fleet, rng: random.Random, figures: Figures, seconds: int
) -> None:
    async with racing(fleet.bases, rng, size=4, watched=True) as party:
        party.press()
        await party.until_acked()
        with fleet.client() as store:
            store.execute_command("CLIENT", "PAUSE", seconds * 1000, "ALL")
        end = asyncio.get_running_loop().time() + seconds
        while asyncio.get_running_loop().time() < end:
            for base in fleet.bases:
                assert (await asyncio.to_thread(call, base, "/readyz")).status == HTTPStatus.OK
            await asyncio.sleep(0.2)
        took = await party.until_acked()
        figures.note(
            f"the store stood still for {seconds} s: everyone's next slide is answered", took, promised=1
        )
        assert _connections(fleet) <= CONNECTIONS * len(fleet.store_lines)
        await party.until_acked()
        await party.end()
        party.see_nobody_away()


async def test_a_store_that_forgets_its_scripts_is_given_them_again(fleet: Fleet, rng: random.Random) -> None:
    async with racing(fleet.bases, rng, size=2) as party:
        party.press()
        with fleet.client() as store:
            for _ in range(FLUSHES):
                await asyncio.sleep(rng.uniform(0.02, 0.1))
                store.script_flush()
        await party.until_acked()
        assert not any(racer.slides.refusals.count("UNAVAILABLE") for racer in party.racers)
        await party.end()


def _connections(fleet: Fleet) -> int:
    with fleet.client() as store:
        return int(store.info("clients")["connected_clients"])
