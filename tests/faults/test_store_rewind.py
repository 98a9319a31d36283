"""The store comes back as it was some seconds ago: clients offer their slides again, and all boards end as they were."""

import asyncio
import random
import shutil
from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path

import pytest
from tests.faults.figures import Figures
from tests.faults.fleet import Fleet, sailing
from tests.faults.party import Party, racing
from tests.friend import WAIT_S, call

KILLS = 3


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    """Give a fleet whose store syncs its file every second only."""
    with sailing(tmp_path_factory.mktemp("fleet"), fsync="everysec") as fleet:
        yield fleet


async def test_a_store_that_syncs_every_second_dies_and_the_race_goes_on(
    fleet: Fleet, rng: random.Random, figures: Figures
) -> None:
    async with racing(fleet.bases, rng, size=3, watched=True) as party:
        party.rewound = True
        party.press()
        for _ in range(KILLS):
            await party.until_acked()
            await asyncio.sleep(rng.uniform(0, 0.5))
            fleet.store.kill()
            await asyncio.to_thread(fleet.store.start)
            took = await party.until_acked()
            figures.note(
                "a store that syncs every second is back: everyone's next slide is answered", took, promised=2
            )
        await party.end()


async def test_slides_that_the_store_went_back_behind_are_offered_again(
    fleet: Fleet, rng: random.Random, figures: Figures, tmp_path: Path
) -> None:
    async with racing(fleet.bases, rng, size=3, watched=True) as party:
        party.rewound = True
        party.press()
        await party.until_acked()
        await party.until_acked()
        kept = _copy_of(fleet, tmp_path)
        until = asyncio.get_running_loop().time() + 1.5
        while asyncio.get_running_loop().time() < until:
            await party.until_acked()
        made = [list(racer.slides.made) for racer in party.racers]
        connections = [len(each.connections) for each in party.everyone]
        fleet.store.kill()
        _put_back(fleet, kept)
        await asyncio.to_thread(fleet.store.start)
        took = await party.until_acked()
        figures.note("the store went back by seconds: everyone's next slide is answered", took, promised=5)
        replay = await party.end()
        for racer, before, seat in zip(party.racers, made, replay["seats"], strict=True):
            assert racer.slides.rewinds, "nothing went back"
            assert [direction for _, direction in seat["slides"]][: len(before)] == before
        assert all(
            len(each.connections) > before for each, before in zip(party.everyone, connections, strict=True)
        ), "sockets went on as if nothing had happened"


async def test_a_verdict_that_the_store_went_back_behind_is_committed_again(
    fleet: Fleet, rng: random.Random, figures: Figures, tmp_path: Path
) -> None:
    async with racing(fleet.bases, rng, size=2, watched=True) as party:
        party.press()
        await party.until_acked()
        kept = _copy_of(fleet, tmp_path)
        await party.until_acked()
        await party.end()
        fleet.store.kill()
        _put_back(fleet, kept)
        begun = asyncio.get_running_loop().time()
        await asyncio.to_thread(fleet.store.start)
        await _until_settled_again(party)
        await party.over()
        took = asyncio.get_running_loop().time() - begun
        figures.note("the store went back behind a verdict: it stands again", took, promised=5)


async def _until_settled_again(party: Party) -> None:
    """Wait until the race is over again by what the store holds; those who are there need not notice."""
    async with asyncio.timeout(WAIT_S):
        while True:
            shown = await asyncio.to_thread(
                call, party.racers[0].bases[0], f"/api/tables/{party.racers[0].table_id}"
            )
            if shown.status == HTTPStatus.OK and shown.body["phase"] == "finished":
                return
            await asyncio.sleep(0.05)


def _copy_of(fleet: Fleet, folder: Path) -> Path:
    """Copy the store's files as they are now."""
    kept: Path = shutil.copytree(fleet.store.folder / "appendonlydir", folder / "kept")
    return kept


def _put_back(fleet: Fleet, kept: Path) -> None:
    shutil.rmtree(fleet.store.folder / "appendonlydir")
    shutil.copytree(kept, fleet.store.folder / "appendonlydir")
