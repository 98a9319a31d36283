"""The store dies and comes back from its file: as shipped, nothing acknowledged is lost."""

import asyncio
import contextlib
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.faults.figures import Figures
from tests.faults.fleet import Fleet
from tests.faults.party import Party, racing

KILLS = 5
BUSY = """
import os, sys
file = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT)
while os.getppid() == int(sys.argv[2]):
    for at in range(16):
        os.pwrite(file, os.urandom(1 << 20), at << 20)
    os.fsync(file)
"""


@contextlib.contextmanager
def busy_disk(folder: Path) -> Iterator[None]:
    """Have another process write and sync sixteen megabytes in `folder`, again and again, within the block."""
    file = folder / "busy"
    process = subprocess.Popen([sys.executable, "-c", BUSY, str(file), str(os.getpid())])
    try:
        yield
    finally:
        process.kill()
        process.wait()
        file.unlink(missing_ok=True)


async def test_a_store_that_dies_and_comes_back_has_lost_nothing(
    fleet: Fleet, rng: random.Random, figures: Figures
) -> None:
    async with racing(fleet.bases, rng, size=4, watched=True) as party:
        await _outlives_kills(party, fleet, rng=rng, figures=figures, disk="a quiet disk")


async def test_a_store_that_dies_on_a_busy_disk_has_lost_nothing(
    fleet: Fleet, rng: random.Random, figures: Figures
) -> None:
    async with racing(fleet.bases, rng, size=4) as party:
        with busy_disk(fleet.folder):
            await _outlives_kills(party, fleet, rng=rng, figures=figures, disk="a busy disk")


async def _outlives_kills(
    party: Party, fleet: Fleet, *, rng: random.Random, figures: Figures, disk: str
) -> None:
    """Kill the store at any moment of a race, again and again, and see the race through."""
    party.press()
    for _ in range(KILLS):
        await party.until_acked()
        await asyncio.sleep(rng.uniform(0, 0.3))
        fleet.store.kill()
        await asyncio.to_thread(fleet.store.start)
        took = await party.until_acked()
        figures.note(
            f"the store is back after a crash on {disk}: everyone's next slide is answered", took, promised=2
        )
    await party.end()
    assert all(racer.slides.rewinds == 0 for racer in party.racers)
