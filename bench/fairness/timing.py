"""Whether the time until an answer tells anything of draws to come, or of a rival's board: measured on a running stack.

    .venv/bin/python -m bench.fairness.timing [SLIDES]

Ann and Bo race, by rules without an end. Ann's every slide is timed, and every slide of hers that changes nothing; what
was hidden from her then is taken from the replay, and correlated with the times by their ranks among their neighbours, as
all of it changes while a race goes on. Of twenty p-values one is below 0.05 by chance; what is looked for is one that
comes again. Bo thinks at other times, as he does so in the process that takes them.
"""

import asyncio
import random
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.e2e.meeting import racing, verdicts
from tests.e2e.replaying import replayed
from tests.friend import Friend, board_of
from tests.stack import standing

from engine import Board, Direction, Draws, Seed, place, slide, start_board

GAP_S = 0.02
TURNS = 2_000
NEIGHBOURS = 40
"""Among how many answers one after the other times are ranked."""


@dataclass
class Timed:
    """Times of answers in seconds, each with what was hidden when it was given."""

    seconds: list[float] = field(default_factory=list)
    hidden: list[dict[str, float]] = field(default_factory=list)


@dataclass
class Noted:
    """One answer: its time, how many slides Ann and Bo had made, and whether the slide changed anything."""

    seconds: float
    n: int
    rival: int
    changed: bool


async def timed(ann: Friend, direction: str) -> tuple[float, bool]:
    """Make one slide; give how long its answer took, and whether it changed anything."""
    began = time.perf_counter()
    answer = await ann.slide(direction)
    return time.perf_counter() - began, answer["type"] == "board"


async def slides_on(bo: Friend, quiet: asyncio.Lock) -> None:
    """Slide about as fast as a person, until stuck; think only while nothing is timed."""
    while bo.verdict is None:
        async with quiet:
            direction = bo.careful()
        if direction is None:
            return
        await bo.slide(direction)
        await asyncio.sleep(4 * GAP_S)


async def noted(ann: Friend, bo: Friend) -> list[Noted]:
    """Have both race until Ann is stuck or it is over; give what she could time."""
    quiet = asyncio.Lock()
    sliding = asyncio.create_task(slides_on(bo, quiet))
    notes = []
    while ann.verdict is None and (useful := ann.careful()) is not None:
        board = board_of(ann.board)
        useless = [each.word for each in Direction if slide(board, each) is None]
        for direction in (*useless[:1], useful):
            n, rival = ann.board["n"], bo.board["n"]
            async with quiet:
                seconds, changed = await timed(ann, direction)
            if ann.verdict is None:
                notes.append(Noted(seconds, n, rival, changed))
            await asyncio.sleep(GAP_S)
    sliding.cancel()
    await asyncio.wait([sliding])
    return notes


def boards(seed: Seed, directions: Sequence[str]) -> list[Board]:
    """Give a racer's boards, from the start board on."""
    found, draws = [start_board(seed)], Draws(seed, kept=1)
    for n, direction in enumerate(directions, 1):
        made = slide(found[-1], Direction.from_word(direction))
        if made is None:
            raise ValueError("the replay has a slide that changes nothing")
        found.append(place(made.board, draws.after(n)))
    return found


def hidden(draws: Draws, note: Noted, rival: Board) -> dict[str, float]:
    """Give what Ann was not to know when she was answered."""
    first = note.n + (2 if note.changed else 1)
    return {
        "the next draw is a 4": draws.after(first).exponent,
        "where the next draw lands": draws.after(first).fraction,
        "the draw after that is a 4": draws.after(first + 1).exponent,
        "the rival's empty cells": len(rival.empty_cells),
        "the rival's top left tile": rival.cells[0],
    }


async def race(base: str, found: Mapping[bool, Timed]) -> int:
    """Race once and add what was found, by whether a slide changed anything; give how many slides were timed."""
    async with racing(base, 2) as (ann, bo):
        notes = await noted(ann, bo)
        await ann.ask("ping", t=0)
        if ann.verdict is None:
            await bo.ask("resign", race=1)
        await verdicts([ann, bo])
        replay = await replayed(ann)
    seed = Seed(bytes.fromhex(replay["seed"]))
    rivals = boards(seed, [direction for _, direction in replay["seats"][1]["slides"]])
    draws = Draws(seed, kept=1)
    for note in notes:
        found[note.changed].seconds.append(note.seconds)
        found[note.changed].hidden.append(hidden(draws, note, rivals[note.rival]))
    return len(notes)


def ranks(values: Sequence[float]) -> list[float]:
    """Give each value's rank among its neighbours, equal ones alike, about 0."""
    found: list[float] = []
    for start in range(0, len(values), NEIGHBOURS):
        near = values[start : start + NEIGHBOURS]
        order = sorted(near)
        first = {value: at for at, value in reversed(list(enumerate(order)))}
        last = {value: at for at, value in enumerate(order)}
        middle = (len(near) - 1) / 2
        found += [(first[value] + last[value]) / 2 - middle for value in near]
    return found


def correlated(one: Sequence[float], other: Sequence[float]) -> float:
    """Give the correlation of two lists of ranks about 0."""
    product = sum(a * b for a, b in zip(one, other, strict=True))
    size = (sum(a * a for a in one) * sum(b * b for b in other)) ** 0.5
    return product / size if size else 0.0


def chance(one: list[float], other: list[float], rng: random.Random) -> tuple[float, float]:
    """Give a rank correlation, and how often chance makes one as strong.

    Chance is the same times held against what was hidden at another time, as what follows is like what came before.
    """
    mine, theirs = ranks(one), ranks(other)
    there, stronger = correlated(mine, theirs), 0
    for _ in range(TURNS):
        by = rng.randrange(NEIGHBOURS, len(mine) - NEIGHBOURS)
        stronger += abs(correlated(mine[by:] + mine[:by], theirs)) >= abs(there)
    return there, stronger / TURNS


def lines(found: Mapping[bool, Timed]) -> list[str]:
    """Write the table."""
    rng = random.Random(7)  # noqa: S311  a statistic
    written = ["| answers to | timed | median, ms | hidden | rank correlation | p |", "| --- " * 6 + "|"]
    for changed, timings in found.items():
        kind = "slides" if changed else "slides that change nothing"
        middle = 1e3 * sorted(timings.seconds)[len(timings.seconds) // 2]
        for name in timings.hidden[0]:
            there, p = chance(timings.seconds, [each[name] for each in timings.hidden], rng)
            count = f"{len(timings.seconds):,}"
            written.append(f"| {kind} | {count} | {middle:.2f} | {name} | {there:+.3f} | {p:.3f} |")
    return written


async def measure(base: str, slides: int) -> list[str]:
    """Race until as many slides were timed."""
    found = {True: Timed(), False: Timed()}
    while slides > 0:
        slides -= await race(base, found)
    return lines(found)


def main(slides: int) -> None:
    """Measure on a stack of our own, and print a table."""
    with tempfile.TemporaryDirectory() as folder, standing(Path(folder), countdown_ms="700") as stack:
        sys.stdout.write("\n".join(asyncio.run(measure(stack.base, slides))) + "\n")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 4_000)
