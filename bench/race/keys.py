"""Which way a player of the generator slides: a line at a time is looked up, so that a choice costs few microseconds.

Of the slides that change the board the one is taken whose board has most room and is best in order. Some nine hundred
slides come of it before a board is stuck, so that a load is slides, and hardly beginnings and ends of races.
"""

import itertools
from collections.abc import Callable
from typing import NamedTuple

UP, DOWN, LEFT, RIGHT = range(4)
Tiles = tuple[int, ...]

_ROOM, _MERGE, _ORDER = 200.0, 140.0, 3.0
"""What an empty cell and a pair that can merge are worth, and the power by which steps between neighbours count."""


class Slid(NamedTuple):
    """A line after a slide: its tiles, whether it changed, and what it is worth."""

    tiles: Tiles
    changes: bool
    worth: float


class Ways(dict[Tiles, tuple[Slid, Slid]]):
    """Each line after a slide to its start and after one to its end, worked out when it is first met."""

    def __init__(self, *, exponent: Callable[[int], int], merged: Callable[[int], int]) -> None:
        """Take how an exponent is read from what stands for a tile, and what two of a kind become; 0 is an empty cell."""
        super().__init__()
        self.worths = _Worths(exponent)
        self._merged = merged

    def __missing__(self, line: Tiles) -> tuple[Slid, Slid]:
        """Work a line out."""
        there = self._slid(line, self._slide(line))
        back = self._slid(line, self._slide(line[::-1])[::-1])
        self[line] = there, back
        return there, back

    def _slid(self, before: Tiles, after: Tiles) -> Slid:
        return Slid(after, after != before, self.worths[after])

    def _slide(self, line: Tiles) -> Tiles:
        tiles, last = list[int](), 0
        for tile in filter(None, line):
            if tile == last:
                tiles[-1], last = self._merged(tile), 0
            else:
                tiles.append(tile)
                last = tile
        return (*tiles, *(0,) * (len(line) - len(tiles)))


class _Worths(dict[Tiles, float]):
    def __init__(self, exponent: Callable[[int], int]) -> None:
        super().__init__()
        self._exponent = exponent

    def __missing__(self, line: Tiles) -> float:
        pairs = list(itertools.pairwise(map(self._exponent, line)))
        rises = sum(max(0, other**_ORDER - one**_ORDER) for one, other in pairs)
        falls = sum(max(0, one**_ORDER - other**_ORDER) for one, other in pairs)
        merges = sum(one == other != 0 for one, other in pairs)
        self[line] = worth = _ROOM * line.count(0) + _MERGE * merges - float(min(rises, falls))
        return worth


VALUES = Ways(exponent=lambda value: value.bit_length() - 1 if value else 0, merged=lambda value: 2 * value)
"""Lines of tiles by their values, 2 and up."""
EXPONENTS = Ways(exponent=lambda exponent: exponent, merged=lambda exponent: exponent + 1)
"""Lines of tiles by their exponents, 1 and up."""


def choose(cells: Tiles, ways: Ways) -> int | None:
    """Give the direction of the best slide of sixteen cells, None where none changes anything.

    >>> choose((2, 2, 0, 0) + (0,) * 12, VALUES) in (LEFT, RIGHT)
    True
    """
    rows = ways[cells[0:4]], ways[cells[4:8]], ways[cells[8:12]], ways[cells[12:16]]
    columns = ways[cells[0::4]], ways[cells[1::4]], ways[cells[2::4]], ways[cells[3::4]]
    best, most, worths = None, float("-inf"), ways.worths
    for direction, lines, end in ((DOWN, columns, 1), (LEFT, rows, 0), (RIGHT, rows, 1), (UP, columns, 0)):
        one, two, three, four = lines
        (a, a_changes, a_worth), (b, b_changes, b_worth) = one[end], two[end]
        (c, c_changes, c_worth), (d, d_changes, d_worth) = three[end], four[end]
        if a_changes or b_changes or c_changes or d_changes:
            s, t, u, v = zip(a, b, c, d, strict=True)
            worth = a_worth + b_worth + c_worth + d_worth + worths[s] + worths[t] + worths[u] + worths[v]
            if worth > most:
                best, most = direction, worth
    return best
