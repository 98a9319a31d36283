"""Answers that are lost on their way, between any two: what was asked is done once, and the log shows it."""

import asyncio
import random
from collections.abc import Callable, Sequence
from functools import partial

from tests.faults.figures import Figures
from tests.faults.fleet import Fleet
from tests.faults.lines import Between, lose_one_answer
from tests.faults.party import Party, racing
from tests.faults.racer import WORDS, Racer, careful

from game_service.commits import COMMIT

BACK_S = 2
"""How soon the next slide is answered, whatever line broke."""
LOST_S = 20.0


async def test_a_slide_whose_answer_is_lost_on_its_way_to_the_client_is_made_once(
    fleet: Fleet, rng: random.Random, figures: Figures
) -> None:
    async with racing(fleet.far_bases, rng, size=4, watched=True, choose=careful) as party:
        for _ in range(12):
            await losing_one(party, fleet.doors, bytes, rng=rng)
            took = await party.until_acked()
            figures.note("a client's line breaks: its next slide is answered", took, promised=BACK_S)
        await party.settled()
        assert unanswered(party), "no slide was made whose answer was lost"
        await party.end()


async def test_a_slide_whose_answer_is_lost_on_its_way_to_the_gateway_is_made_once(
    fleet: Fleet, rng: random.Random, figures: Figures
) -> None:
    async with racing(fleet.bases, rng, size=4, choose=careful) as party:
        for _ in range(12):
            racer = rng.choice(party.racers)
            await losing_one(
                party, fleet.game_lines, partial(a_coming_slide, racer, rng.randint(2, 6)), rng=rng
            )
            took = await party.until_acked()
            figures.note("a line to game-service breaks: the next slide is answered", took, promised=BACK_S)
        await party.settled()
        assert repeated(party), "no slide was asked for again"
        await party.end()


async def test_a_commit_whose_answer_is_lost_runs_once(
    fleet: Fleet, rng: random.Random, figures: Figures
) -> None:
    lines = [fleet.store_lines["game-0"], fleet.store_lines["game-1"]]
    async with racing(fleet.bases, rng, size=4, choose=careful) as party:
        for _ in range(30):
            await losing_one(party, lines, COMMIT.sha.encode, rng=rng)
            took = await party.until_acked()
            figures.note("an answer of the store is lost: the next slide is answered", took, promised=BACK_S)
        await party.settled()
        assert repeated(party), "no commit whose answer was lost was found to be made"
        await party.end()


async def test_slides_that_come_twice_and_in_any_order_are_made_once(
    fleet: Fleet, rng: random.Random
) -> None:
    async with racing(fleet.bases, rng, size=4, watched=True, choose=careful) as party:
        for racer in party.racers:
            racer.copies = racer.slides.copies = 2
        await asyncio.gather(*(press_in_bursts(racer, slides=50) for racer in party.racers))
        await party.settled()
        assert repeated(party) > 60, "hardly a slide came twice"
        assert any("SLIDE_OUT_OF_ORDER" in racer.slides.refusals for racer in party.racers)
        await party.end()


async def losing_one(
    party: Party, lines: Sequence[Between], request: Callable[[], bytes], *, rng: random.Random
) -> None:
    """Lose the answer to one request, over whichever of the lines it goes, while everyone slides."""
    party.press()
    await asyncio.sleep(rng.uniform(0.02, 0.2))
    loss = lose_one_answer(lines, request())
    async with asyncio.timeout(LOST_S):
        while not loss.happened:
            await asyncio.sleep(0.005)


def a_coming_slide(racer: Racer, ahead: int) -> bytes:
    """Give the number of one of a racer's next slides, as the Link carries it."""
    return (racer.slides.base + racer.slides.sent + ahead).to_bytes(4, "little")


async def press_in_bursts(racer: Racer, *, slides: int) -> None:
    """Press three keys at once, again and again, so that there is an order to mix up."""
    while len(racer.slides.made) < slides and not racer.slides.over:
        if racer.slides.idle:
            for key in (careful(racer), *racer.rng.choices(WORDS, k=2)):
                if key is not None:
                    racer.slides.press(key)
        await asyncio.sleep(0.05)


def unanswered(party: Party) -> int:
    """Count the slides that were made and never answered."""
    return sum(len(racer.slides.made) - len(racer.acks) for racer in party.racers)


def repeated(party: Party) -> int:
    """Count the slides that had been made when they were asked for again: their answer shows no motion."""
    return sum(
        frame["type"] == "board" and frame["re"] is not None and frame["slide"] is None
        for racer in party.racers
        for frame in racer.received
    )
