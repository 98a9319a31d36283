"""Which way a racer of the generator slides: the first of four that changes the board, looked up a row at a time."""

import itertools
from functools import cache

LEFT, UP, RIGHT, DOWN = "left", "up", "right", "down"
Row = tuple[int, int, int, int]


@cache
def goes_left(row: Row) -> bool:
    """Whether a slide to the left changes a row.

    >>> goes_left((2, 4, 0, 0)), goes_left((2, 2, 0, 0)), goes_left((0, 2, 0, 0))
    (False, True, True)
    """
    return any((one == 0 and other != 0) or (one == other != 0) for one, other in itertools.pairwise(row))


@cache
def goes_right(row: Row) -> bool:
    """Whether a slide to the right changes a row."""
    return goes_left((row[3], row[2], row[1], row[0]))


def choose(cells: tuple[int, ...]) -> str | None:
    """Give the first direction that changes a board of sixteen values, None where it is stuck.

    >>> choose((2, 0, 0, 0) + (0,) * 12)
    'down'
    """
    for start in (0, 1, 2, 3):
        if goes_right((cells[start], cells[start + 4], cells[start + 8], cells[start + 12])):
            return DOWN
    for start in (0, 4, 8, 12):
        if goes_left(cells[start : start + 4]):
            return LEFT
    for start in (0, 4, 8, 12):
        if goes_right(cells[start : start + 4]):
            return RIGHT
    for start in (0, 1, 2, 3):
        if goes_left((cells[start], cells[start + 4], cells[start + 8], cells[start + 12])):
            return UP
    return None
