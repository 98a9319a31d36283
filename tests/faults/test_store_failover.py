"""The store dies and a replica takes its place: what had arrived there goes on, and what is held is said again."""

import asyncio
import random
from functools import partial
from pathlib import Path

from tests.faults.figures import Figures
from tests.faults.fleet import Fleet
from tests.faults.party import Party, gathered, racing, start
from tests.faults.racer import Racer
from tests.faults.standby import Standby, following

LOST_S = 1.0
"""For how long slides are made that never arrive at the replica."""


async def test_a_store_whose_replica_is_level_fails_over_and_loses_nothing(
    fleet: Fleet, rng: random.Random, figures: Figures, tmp_path: Path
) -> None:
    async with following(fleet, tmp_path) as standby, racing(fleet.bases, rng, size=4, watched=True) as party:
        party.press()
        await party.until_acked()
        await party.settled()
        await standby.until_level()
        await standby.take_over()
        party.press()
        took = await party.until_acked()
        figures.note("the store fails over: everyone's next slide is answered", took, promised=2)
        await party.end()


async def test_slides_that_a_lagging_replica_missed_are_offered_again(
    fleet: Fleet, rng: random.Random, figures: Figures, tmp_path: Path
) -> None:
    async with following(fleet, tmp_path) as standby, racing(fleet.bases, rng, size=3, watched=True) as party:
        party.rewound = True
        await _slide_unheard(party, standby)
        await standby.take_over()
        took = await party.until_acked()
        figures.note(
            "the store fails over behind its slides: everyone's next slide is answered", took, promised=5
        )
        await party.end()
        assert all(racer.slides.rewinds for racer in party.racers)


async def test_a_verdict_that_a_lagging_replica_missed_is_committed_again(
    fleet: Fleet, rng: random.Random, figures: Figures, tmp_path: Path
) -> None:
    async with following(fleet, tmp_path) as standby, racing(fleet.bases, rng, size=2, watched=True) as party:
        await _slide_unheard(party, standby)
        await _end_unheard(party)
        begun = asyncio.get_running_loop().time()
        await standby.take_over()
        await party.over()
        took = asyncio.get_running_loop().time() - begun
        figures.note(
            "the store fails over behind a verdict: it stands again and everyone has the reveal",
            took,
            promised=5,
        )
        assert "a verdict was committed again" in fleet.logs


async def test_a_verdict_that_nothing_holds_any_more_is_taken_back_unrevealed(
    fleet: Fleet, rng: random.Random, tmp_path: Path
) -> None:
    async with following(fleet, tmp_path) as standby, racing(fleet.bases, rng, size=2, watched=True) as party:
        party.rewound = True
        party.press()
        await party.until_acked()
        await party.settled()
        await standby.until_level()
        standby.lag()
        await _end_unheard(party)
        await asyncio.to_thread(fleet.kill_all)
        await standby.take_over()
        await asyncio.to_thread(fleet.restart, *fleet.services)
        await party.until_back()
        for each in party.everyone:
            await each.until(partial(_is_racing_again, each))
        winner = party.racers[0]
        winner.pressing = True
        await winner.until_acked()
        await party.end()


async def test_a_start_that_a_lagging_replica_missed_is_one_to_be_pressed_again(
    fleet: Fleet, rng: random.Random, tmp_path: Path
) -> None:
    async with (
        following(fleet, tmp_path) as standby,
        gathered(fleet.bases, rng, size=2, watched=True) as party,
    ):
        await standby.until_level()
        standby.lag()
        await start(party)
        party.press()
        await party.until_acked()
        await standby.take_over()
        for each in party.everyone:
            await each.until(partial(_is_gathering, each))
            _forget(each)
        await start(party)
        await party.until_acked()
        await party.end()


def _forget(each: Racer) -> None:
    """Forget a race that never was: its number is another's now."""
    each.received.clear()
    each.sent.clear()
    each.races.clear()
    each.connections[:] = [0]


async def _slide_unheard(party: Party, standby: Standby) -> None:
    """Have everyone slide, and then slide on while the replica hears of nothing."""
    party.press()
    await party.until_acked()
    await standby.until_level()
    standby.lag()
    await asyncio.sleep(LOST_S)
    await party.until_acked()


async def _end_unheard(party: Party) -> None:
    """End the race while the replica hears of nothing: everyone is told the verdict, and nobody anything secret."""
    await party.settled()
    await party.racers[1].do("resign", race=party.number)
    for each in party.everyone:
        await each.until(partial(_is_told, each))
    await asyncio.sleep(LOST_S)
    assert not any("reveal" in each.latest for each in party.everyone)


def _is_told(each: Racer) -> bool:
    return each.verdict is not None


def _is_gathering(each: Racer) -> bool:
    return each.closed is None and each.phase("gathering")


def _is_racing_again(each: Racer) -> bool:
    return each.closed is None and each.phase("racing") and each.verdict is None
