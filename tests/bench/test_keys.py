"""The generator's players: they slide only where it changes something, and their games are long."""

import random

import pytest
from bench.race.keys import DOWN, EXPONENTS, LEFT, RIGHT, UP, VALUES, Tiles, choose
from hypothesis import given
from hypothesis import strategies as st

from engine import Board, Direction, slide

OURS = {UP: Direction.UP, DOWN: Direction.DOWN, LEFT: Direction.LEFT, RIGHT: Direction.RIGHT}
CELLS = st.lists(st.sampled_from([0, 0, 1, 1, 2, 3, 4]), min_size=16, max_size=16).map(tuple)


def changed(cells: Tiles, direction: int) -> Tiles | None:
    """Give the cells after a slide by the rules, None where it changes nothing."""
    found = slide(Board(bytes(cells)), OURS[direction])
    return None if found is None else tuple(found.board.cells)


@given(CELLS)
def test_only_a_slide_that_changes_the_board_is_chosen(cells: Tiles) -> None:
    useful = {each for each in OURS if changed(cells, each) is not None}
    chosen = choose(cells, EXPONENTS)
    assert (chosen in useful) if useful else (chosen is None)


@given(CELLS)
def test_tiles_by_value_are_judged_as_tiles_by_exponent(cells: Tiles) -> None:
    assert choose(tuple(each and 2**each for each in cells), VALUES) == choose(cells, EXPONENTS)


@pytest.mark.parametrize("seed", range(5))
def test_a_game_lasts_hundreds_of_slides(seed: int) -> None:
    chance = random.Random(seed)
    cells, slides = with_tile((0,) * 16, chance), 0
    while (direction := choose(cells, EXPONENTS)) is not None:
        after = changed(cells, direction)
        assert after is not None
        cells, slides = with_tile(after, chance), slides + 1
    assert slides > 300


def with_tile(cells: Tiles, chance: random.Random) -> Tiles:
    """Place a tile where there is room."""
    place = chance.choice([at for at, tile in enumerate(cells) if not tile])
    return (*cells[:place], chance.choice([1] * 9 + [2]), *cells[place + 1 :])
