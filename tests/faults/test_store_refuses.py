"""The store is out of memory, or its disk is full: it is said in words, keys are kept, and land when there is room."""

import asyncio
import random
import resource
import time
from functools import partial
from pathlib import Path

from tests.faults.figures import Figures
from tests.faults.fleet import Fleet, sailing
from tests.faults.party import Party, racing
from tests.faults.racer import Racer
from tests.friend import call
from tests.stack import Valkey

REFUSED_S = 4.0
ENDS_S = 15.0


async def test_without_memory_it_is_said_and_keys_land_when_there_is_some(
    fleet: Fleet, rng: random.Random, figures: Figures
) -> None:
    async with racing(fleet.bases, rng, size=3, watched=True) as party:
        party.press()
        await party.until_acked()
        with fleet.client() as store:
            store.config_set("maxmemory", 1)
            try:
                await _see_refusals(fleet, party, figures)
            finally:
                store.config_set("maxmemory", 0)
        await _see_all_go_on(fleet, party, figures)
        assert [len(each.connections) for each in party.everyone] == [1, 1, 1, 1]


async def test_a_store_that_ends_on_a_full_disk_has_lost_nothing(
    fleet: Fleet, rng: random.Random, figures: Figures
) -> None:
    async with racing(fleet.bases, rng, size=3, watched=True) as party:
        party.press()
        await party.until_acked()
        _fill_disk_of(fleet.store)
        await _end_of(fleet.store)
        fleet.store.launch()
        _fill_disk_of(fleet.store)
        await _see_new_tables_refused(fleet, figures)
        await _end_of(fleet.store)
        await asyncio.to_thread(fleet.store.start)
        await _see_all_go_on(fleet, party, figures)


async def test_a_store_that_goes_on_with_a_full_disk_says_so(
    rng: random.Random, figures: Figures, tmp_path: Path
) -> None:
    with sailing(tmp_path, fsync="everysec") as fleet:
        async with racing(fleet.bases, rng, size=3, watched=True) as party:
            party.press()
            await party.until_acked()
            _fill_disk_of(fleet.store)
            try:
                await _see_refusals(fleet, party, figures)
            finally:
                _make_room_for(fleet.store)
            await _see_all_go_on(fleet, party, figures)


async def _see_refusals(fleet: Fleet, party: Party, figures: Figures) -> None:
    """Refused are both new tables and slides, soon and in words, and keys are kept for later."""
    begun = time.monotonic()
    for racer in party.racers:
        racer.slides.refusals.clear()
        await racer.until(partial(_is_refused, racer))
    figures.note("the store refuses: a racer is told", time.monotonic() - begun, promised=2)
    end = time.monotonic() + REFUSED_S
    while time.monotonic() < end:
        await _see_new_tables_refused(fleet, figures)
        await asyncio.sleep(0.2)
    assert all(racer.slides.keys for racer in party.racers)


def _is_refused(racer: Racer) -> bool:
    return "UNAVAILABLE" in racer.slides.refusals


async def _see_new_tables_refused(fleet: Fleet, figures: Figures) -> None:
    for base in fleet.bases:
        begun = time.monotonic()
        answer = await asyncio.to_thread(call, base, "/api/tables", method="POST")
        figures.note("the store refuses: who opens a table is told", time.monotonic() - begun, promised=2)
        assert (answer.status, answer.body["error"]) == (503, "UNAVAILABLE"), answer
        assert answer.body["message"]


async def _see_all_go_on(fleet: Fleet, party: Party, figures: Figures) -> None:
    """With room again everything goes on by itself, to the end of the race."""
    took = await party.until_acked()
    figures.note("the store takes writes again: everyone's next slide is answered", took, promised=2)
    answer = await asyncio.to_thread(call, fleet.bases[1], "/api/tables", method="POST")
    assert answer.status == 201, answer
    await party.end()
    party.see_nobody_away()


def _fill_disk_of(store: Valkey) -> None:
    """Let no file of the store grow any more."""
    size = max(file.stat().st_size for file in (store.folder / "appendonlydir").iterdir())
    _limit(store, size)


def _make_room_for(store: Valkey) -> None:
    _limit(store, resource.RLIM_INFINITY)


def _limit(store: Valkey, size: int) -> None:
    assert store.process is not None
    resource.prlimit(store.process.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


async def _end_of(store: Valkey) -> None:
    """Wait until the store has ended by itself."""
    assert store.process is not None
    await asyncio.to_thread(store.process.wait, ENDS_S)
