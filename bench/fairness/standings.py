"""What a rival's standings tell of draws that have not yet fallen on one's own board.

    .venv/bin/python -m bench.fairness.standings [RACES]

The attacker knows the start board, waits, and counts among many races those that fit what standings said: once knowing
by which rule the rival slides, so that the draws alone are hidden, and once taking every slide for as likely.
"""

import math
import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine import Board, Direction, Draw, place, slide
from engine.board import EMPTY

PARTICLES = 2_000
SLIDES = 12
LATER = (0, 2, 5)
"""How many slides after a draw fell on the rival's board the attacker has waited."""
FOUR = 0.1
RULE = (Direction.DOWN, Direction.LEFT, Direction.RIGHT, Direction.UP)


@dataclass(frozen=True, slots=True)
class Rival:
    """A rival's board as it may be: what standings say of it, and the tiles drawn so far."""

    board: Board
    score: int = 0
    fours: tuple[bool, ...] = ()

    @property
    def standing(self) -> tuple[int, int]:
        """The score, and the exponent of the biggest tile."""
        return self.score, max(self.board.cells)


def drawn(rng: random.Random) -> Draw:
    """Draw a tile as a race does."""
    return Draw(2 if rng.random() < FOUR else 1, rng.getrandbits(64))


def slid(rival: Rival, rng: random.Random, *, is_known: bool = True) -> Rival | None:
    """Slide as the rule says, the first direction that changes the board, or any way where the rule is not known."""
    for direction in RULE if is_known else rng.sample(RULE, len(RULE)):
        made = slide(rival.board, direction)
        if made is not None:
            draw = drawn(rng)
            fours = (*rival.fours, draw.exponent == 2)
            return Rival(place(made.board, draw), rival.score + made.points, fours)
    return None


def bits(share: float) -> float:
    """Give the entropy of something that is so with this probability."""
    return -sum(p * math.log2(p) for p in (share, 1 - share) if p > 0)


def fitting(
    before: Sequence[Rival], seen: tuple[int, int], rng: random.Random, *, is_known: bool
) -> list[Rival]:
    """Have every board that may be slide, and keep as many as before of those that standings allow."""
    slidden = (slid(each, rng, is_known=is_known) for each in before)
    after = [made for made in slidden if made is not None and made.standing == seen]
    return rng.choices(after, k=PARTICLES) if after else []


def doubts(rng: random.Random, *, is_known: bool) -> Iterator[tuple[int, float]]:
    """Race once; give how surprising each draw still is, in bits, and how much later."""
    start = place(place(EMPTY, drawn(rng)), drawn(rng))
    truth, maybe = Rival(start), [Rival(start)] * PARTICLES
    for made in range(1, SLIDES + 1):
        after = slid(truth, rng)
        if after is None:
            return
        truth, maybe = after, fitting(maybe, after.standing, rng, is_known=is_known)
        if not maybe:
            return
        for later in LATER:
            if made > later:
                at = made - later - 1
                right = sum(each.fours[at] == truth.fours[at] for each in maybe)
                yield later, -math.log2((right + 0.1) / (PARTICLES + 0.2))


def told(races: int, *, is_known: bool) -> dict[int, float]:
    """Give how many bits of a draw are told, by how much later."""
    rng = random.Random(7)  # noqa: S311  a simulation
    left: dict[int, list[float]] = {later: [] for later in LATER}
    for _ in range(races):
        for later, doubt in doubts(rng, is_known=is_known):
            left[later].append(doubt)
    return {later: bits(FOUR) - sum(found) / len(found) for later, found in left.items()}


def main(races: int) -> None:
    """Work it out, and print a table."""
    whole, known, unknown = bits(FOUR), told(races, is_known=True), told(races, is_known=False)
    lines = [
        f"Of the {whole:.3f} bits whether a draw is a 2 or a 4, standings tell, the first {SLIDES} slides of {races} races:\n",
        "| slides the rival is ahead | its rule is known | it may slide any way |",
        "| --- | --- | --- |",
        *(f"| {later + 1} | {known[later] / whole:.0%} | {unknown[later] / whole:.0%} |" for later in LATER),
    ]
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100)
