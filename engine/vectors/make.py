"""Writes the golden vectors from the naive second implementation in tests/engine/naive.py; run it from the top.

`PYTHONPATH=. python engine/vectors/make.py`. The engine and the browser's engine are held to what it writes.
"""

import hashlib
import json
import random
from pathlib import Path
from typing import Any

from tests.engine import naive

Case = dict[str, Any]
HERE = Path(__file__).parent
# A row, the direction, and what it becomes with which points, worked out by hand from the rules; None: no slide.
NAMED: dict[str, tuple[list[int], str, tuple[list[int], int] | None]] = {
    "four equal tiles make two (docs/rules.md §1.2)": ([1, 1, 1, 1], "left", ([2, 2, 0, 0], 8)),
    "the odd one of three stays away from the wall": ([1, 1, 1, 0], "left", ([2, 1, 0, 0], 4)),
    "the odd one of three stays away from the other wall": ([1, 1, 1, 0], "right", ([0, 0, 1, 2], 4)),
    "a fresh tile does not merge again": ([2, 2, 3, 0], "left", ([3, 3, 0, 0], 8)),
    "a pair behind another tile merges": ([1, 1, 2, 0], "left", ([2, 2, 0, 0], 4)),
    "a gap is crossed": ([0, 0, 0, 5], "left", ([5, 0, 0, 0], 0)),
    "two 131072s never merge": ([17, 17, 0, 0], "left", None),
    "two 65536s do": ([16, 16, 0, 0], "right", ([0, 0, 0, 17], 131072)),
    "nothing moves": ([1, 2, 3, 4], "left", None),
}


def slides() -> list[Case]:
    """Named rows in every line and direction, then random boards from empty to full, up to 131072."""
    cases = []
    for name, (row, word, after) in NAMED.items():
        cases.append(by_hand(case(name, row + [0] * 12, word), after, first=slice(0, 4)))
        column = [row[cell // 4] if cell % 4 == 0 else 0 for cell in range(16)]
        turned = case(f"{name}, in a column", column, {"left": "up", "right": "down"}[word])
        cases.append(by_hand(turned, after, first=slice(0, 16, 4)))
    chance = random.Random(2048)
    for number in range(240):
        filled, biggest = chance.random(), chance.choice([2, 3, 5, 17])
        board = [chance.randint(1, biggest) if chance.random() < filled else 0 for _ in range(16)]
        cases.append(case(f"random board {number}", board, chance.choice(list(naive.WALLS))))
    return cases


def by_hand(made: Case, expected: tuple[list[int], int] | None, *, first: slice) -> Case:
    """Give the case, if it is what was worked out by hand."""
    after = made["after"]
    found = None if after is None else (after["cells"][first], after["points"])
    if found != expected:
        raise ValueError(f"{made['name']}: {expected} by hand, {found} by the naive implementation")
    return made


def case(name: str, board: list[int], word: str) -> Case:
    """One slide and what it makes, null where nothing changes."""
    made = naive.slide(board, word)
    after = None if made is None else {"cells": made[0], "points": made[1], "motions": made[2]}
    return {
        "name": name,
        "cells": board,
        "direction": word,
        "after": after,
        "can_slide": naive.can_slide(board),
    }


def draws() -> list[Case]:
    """Seeds with their commitment's preimage, first draws, draws of great numbers, and the start board."""
    chance = random.Random(4)
    seeds = [bytes(32), bytes(range(32)), b"\xff" * 32, *(chance.randbytes(32) for _ in range(5))]
    return [seed_case(seed) for seed in seeds]


def seed_case(seed: bytes) -> Case:
    """One seed's draws."""
    numbers = [*range(40), 255, 256, 65_535, 65_536, 2**32 - 1, 2**32, 2**53 - 1]
    board, cells = [0] * 16, []
    for k in range(2):
        board, cell = naive.place(board, naive.draw(seed, k))
        cells.append(cell)
    return {
        "seed": seed.hex(),
        "commitment": hashlib.sha256(seed).hexdigest(),
        "draws": [
            {"k": k, "exponent": e, "fraction": f"{b:016x}"}
            for k in numbers
            for e, b in [naive.draw(seed, k)]
        ],
        "start": {"cells": board, "landed": cells},
    }


def races() -> list[Case]:
    """Games of one racer: a seed, the directions of its slides, and the board, score and count they end with."""
    chance = random.Random(17)
    return [game(chance.randbytes(32), chance, length) for length in (0, 1, 25, 120, 2000)]


def game(seed: bytes, chance: random.Random, length: int) -> Case:
    """Slide at random, never without effect, until `length` slides or stuck."""
    board, score = [0] * 16, 0
    made: list[str] = []
    for k in range(2):
        board, _ = naive.place(board, naive.draw(seed, k))
    while len(made) < length and naive.can_slide(board):
        word = chance.choice(list(naive.WALLS))
        moved = naive.slide(board, word)
        if moved is None:
            continue
        made.append(word)
        board, _ = naive.place(moved[0], naive.draw(seed, len(made) + 1))
        score += moved[1]
    stuck = not naive.can_slide(board)
    return {"seed": seed.hex(), "slides": made, "cells": board, "score": score, "stuck": stuck}


NAIVE = "the naive implementation tests/engine/naive.py, which shares no code with the engine"
SOURCES = {
    "slides": f"the named cases are the examples of docs/rules.md §1, worked out by hand; random boards and all motions are from {NAIVE}",
    "draws": f"docs/rules.md §2 by {NAIVE}: HMAC by its definition in RFC 2104 over hashlib's SHA-256",
    "races": f"games at random by {NAIVE}",
}


def main() -> None:
    """Write all files."""
    for name, cases in (("slides", slides()), ("draws", draws()), ("races", races())):
        lines = ",\n".join(json.dumps(each) for each in cases)
        (HERE / f"{name}.json").write_text(
            f'{{"source": {json.dumps(SOURCES[name])}, "cases": [\n{lines}\n]}}\n'
        )


if __name__ == "__main__":
    main()
