"""What one gains who sees a draw before it falls: by a second seat, or over the shoulder of one who is ahead.

    .venv/bin/python -m bench.fairness.lookahead [RACES]

The same player plays the same races twice: weighing what may come as it looks without, and with the tile that will
come, in the cell where it will land.
"""

import statistics
import sys
from collections.abc import Callable, Sequence

from engine import Board, Direction, Draw, Draws, Seed, place, slide, start_board
from engine.board import VALUES

MIDDLING = Draw(1, 2**63)
"""What a player reckons with who knows nothing: a 2, in the middle of the empty cells."""
STUCK = -1_000
REACHED = (512, 1024, 2048)

Foresee = Callable[[int], Draw]


def best(board: Board, foresee: Foresee, n: int, *, ahead: int) -> tuple[int, Direction] | None:
    """Weigh each slide by points, empty cells and the best that follows; `foresee` says what follows slide `n`."""
    found = []
    for direction in Direction:
        made = slide(board, direction)
        if made is None:
            continue
        worth = made.points + 20 * len(made.board.empty_cells)
        if ahead:
            after = best(place(made.board, foresee(n)), foresee, n + 1, ahead=ahead - 1)
            worth += STUCK if after is None else after[0]
        found.append((worth, direction))
    return max(found, default=None)


def played(seed: Seed, foresee: Foresee) -> tuple[int, int]:
    """Play a board until it is stuck; give its score and its biggest tile."""
    board, draws, score, n = start_board(seed), Draws(seed), 0, 1
    while (choice := best(board, foresee, n, ahead=1)) is not None:
        made = slide(board, choice[1])
        if made is None:
            break
        board, score, n = place(made.board, draws.after(n)), score + made.points, n + 1
    return score, VALUES[max(board.cells)]


def told(name: str, ends: Sequence[tuple[int, int]]) -> str:
    """Write a row of the table."""
    scores = [score for score, _ in ends]
    shares = (sum(biggest >= tile for _, biggest in ends) / len(ends) for tile in REACHED)
    error = statistics.stdev(scores) / len(scores) ** 0.5
    cells = [f"{statistics.mean(scores):,.0f} ± {error:,.0f}", *(f"{share:.0%}" for share in shares)]
    return f"| {name} | {' | '.join(cells)} |"


def main(races: int) -> None:
    """Play, and print a table."""
    seeds = [Seed(number.to_bytes(32, "big")) for number in range(races)]
    blind = [played(seed, lambda _: MIDDLING) for seed in seeds]
    seeing = [played(seed, Draws(seed).after) for seed in seeds]
    ahead = sum(mine > theirs for (mine, _), (theirs, _) in zip(seeing, blind, strict=True))
    lines = [
        f"| {races} races | mean score | {' | '.join(f'made {tile}' for tile in REACHED)} |",
        "| --- " * (2 + len(REACHED)) + "|",
        told("knows no draw", blind),
        told("knows the next draw", seeing),
        f"\nThe one who knew scored more in {ahead / races:.0%} of the races.",
    ]
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
