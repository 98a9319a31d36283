"""The golden vectors, which the browser's engine is held to as well, are what both implementations make."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.engine import naive

from engine import Board, Direction, Seed, can_slide, commitment, draw, place, slide, start_board
from engine.board import EMPTY

VECTORS = Path(__file__).parents[2] / "engine" / "vectors"
Case = dict[str, Any]


def cases(name: str) -> list[Case]:
    found: list[Case] = json.loads((VECTORS / f"{name}.json").read_text())["cases"]
    assert found
    return found


@pytest.mark.parametrize("case", cases("slides"), ids=lambda case: case["name"])
def test_a_slide_is_as_the_vector_says(case: Case) -> None:
    cells, word = case["cells"], case["direction"]
    made = slide(Board.from_cells(bytes(cells)), Direction.from_word(word))
    ours = made and {
        "cells": list(made.board.cells), "points": made.points, "motions": [list(motion) for motion in made.motions],
    }  # fmt: skip
    assert ours == case["after"]
    assert can_slide(Board(bytes(cells))) == case["can_slide"]
    naively = naive.slide(cells, word)
    theirs = naively and {
        "cells": naively[0], "points": naively[1], "motions": [list(motion) for motion in naively[2]],
    }  # fmt: skip
    assert theirs == case["after"]
    assert naive.can_slide(cells) == case["can_slide"]


@pytest.mark.parametrize("case", cases("draws"), ids=lambda case: case["seed"][:8])
def test_a_seeds_draws_are_as_the_vector_says(case: Case) -> None:
    seed = Seed(bytes.fromhex(case["seed"]))
    assert commitment(seed) == case["commitment"]
    for each in case["draws"]:
        drawn = draw(seed, each["k"])
        assert (drawn.exponent, f"{drawn.fraction:016x}") == (each["exponent"], each["fraction"])
        assert tuple(drawn) == naive.draw(seed, each["k"])
    assert list(start_board(seed).cells) == case["start"]["cells"]
    first = draw(seed, 0)
    landed = [first.cell(EMPTY), draw(seed, 1).cell(place(EMPTY, first))]
    assert landed == case["start"]["landed"]
    once, cell = naive.place([0] * 16, naive.draw(seed, 0))
    twice, other = naive.place(once, naive.draw(seed, 1))
    assert (twice, [cell, other]) == (case["start"]["cells"], case["start"]["landed"])


@pytest.mark.parametrize("case", cases("races"), ids=lambda case: f"{len(case['slides'])} slides")
def test_a_game_ends_as_the_vector_says(case: Case) -> None:
    seed = Seed(bytes.fromhex(str(case["seed"])))
    board, score = start_board(seed), 0
    for number, word in enumerate(case["slides"], start=1):
        made = slide(board, Direction.from_word(word))
        assert made is not None
        board, score = place(made.board, draw(seed, number + 1)), score + made.points
    assert (list(board.cells), score, not can_slide(board)) == (case["cells"], case["score"], case["stuck"])


@pytest.mark.parametrize("case", cases("races"), ids=lambda case: f"{len(case['slides'])} slides")
def test_a_game_ends_naively_as_the_vector_says(case: Case) -> None:
    seed = bytes.fromhex(str(case["seed"]))
    board, score = [0] * 16, 0
    for k in range(2):
        board, _ = naive.place(board, naive.draw(seed, k))
    for number, word in enumerate(case["slides"], start=1):
        made = naive.slide(board, word)
        assert made is not None
        board, score = naive.place(made[0], naive.draw(seed, number + 1))[0], score + made[1]
    assert (board, score, not naive.can_slide(board)) == (case["cells"], case["score"], case["stuck"])


@pytest.mark.parametrize("name", ["slides", "draws", "races"])
def test_every_vector_says_where_it_comes_from(name: str) -> None:
    assert "naive" in json.loads((VECTORS / f"{name}.json").read_text())["source"]
