"""The slide: every tile travels, equal tiles that meet merge once (docs/rules.md §1)."""

from enum import IntEnum
from functools import lru_cache
from typing import NamedTuple, Self

from engine.board import CELLS, MOST, SIZE, VALUES, Board
from engine.slots import named

_KEPT = 1 << 12
"""How many lines are remembered in each direction, 11 MiB in all; fifty thousand slides meet 2,700."""


class Direction(IntEnum):
    """Where a slide goes; the numbers travel in packed slides and logs."""

    UP = 0
    DOWN = 1
    LEFT = 2
    RIGHT = 3

    @property
    def word(self) -> str:
        """The word clients use: up, down, left or right."""
        return self.name.lower()

    @classmethod
    def from_word(cls, word: str) -> Self:
        """Read a client's word.

        Raises:
            ValueError: it is none of the four.
        """
        for direction in cls:
            if direction.word == word:
                return direction
        raise ValueError(f"a direction is up, down, left or right, not {word!r}")


class Motion(NamedTuple):
    """A tile that travels from cell `origin` to cell `target`, and whether it merges there.

    A tile that stays where it is has no motion, also where another merges into it.
    """

    origin: int
    target: int
    merged: bool


class Slide(NamedTuple):
    """What a slide makes: the board before its new tile, the points, and the motions.

    Motions are ordered by line (rows from the top, columns from the left) and in a line from the wall outwards.
    """

    board: Board
    points: int
    motions: tuple[Motion, ...]


def slide(board: Board, direction: Direction) -> Slide | None:
    """Slide all tiles, or give None where nothing changes.

    >>> found = slide(Board.from_values([[2, 2, 2, 2], [4, 4, 8, 0], [0] * 4, [0] * 4]), Direction.LEFT)
    >>> found.board.to_values()[:2], found.points
    ([[4, 4, 0, 0], [8, 8, 0, 0]], 16)
    """
    cells = board.cells
    lines = _LINES[direction]
    cut_1, cut_2, cut_3, cut_4 = lines.cuts
    after_1, points_1, motions_1 = lines[cells[cut_1]][0]
    after_2, points_2, motions_2 = lines[cells[cut_2]][1]
    after_3, points_3, motions_3 = lines[cells[cut_3]][2]
    after_4, points_4, motions_4 = lines[cells[cut_4]][3]
    after = (after_1 | after_2 | after_3 | after_4).to_bytes(CELLS, "big")
    if after == cells:
        return None
    points = points_1 + points_2 + points_3 + points_4
    return named(Slide, (Board(after), points, motions_1 + motions_2 + motions_3 + motions_4))


def can_slide(board: Board) -> bool:
    """Tell whether any slide changes the board; a board where none does is stuck (docs/rules.md §1.6)."""
    cells = board.cells
    if 0 in cells:
        return True
    # Where no cell is empty a slide only merges, and equal neighbours merge both ways along their line.
    for lines in (_LINES[Direction.LEFT], _LINES[Direction.UP]):
        for cut in lines.cuts:
            _, _, motions = lines[cells[cut]][0]
            if motions:
                return True
    return False


@lru_cache(_KEPT)
def _slide_line(before: bytes) -> tuple[bytes, int, tuple[Motion, ...]]:
    """Slide four cells towards the first; the motions are told in places of the line."""
    after = bytearray()
    motions: list[Motion] = []
    points = 0
    open_pair = False  # whether the last tile of `after` may still merge
    for origin, exponent in enumerate(before):
        if not exponent:
            continue
        if open_pair and after[-1] == exponent < MOST:
            after[-1] += 1
            points += VALUES[after[-1]]
            open_pair = False
            at = len(after) - 1
            motions = [motion._replace(merged=motion.merged or motion.target == at) for motion in motions]
            motions.append(Motion(origin, at, merged=True))
        else:
            after.append(exponent)
            open_pair = True
            if origin != len(after) - 1:
                motions.append(Motion(origin, len(after) - 1, merged=False))
    return bytes(after).ljust(SIZE, b"\0"), points, tuple(motions)


class _Lines(dict[bytes, "tuple[_Slid, ...]"]):
    """What becomes of a line in one direction, by its cells from the top or the left; filled as lines are met.

    It is told four times, as that of the board's first, second, third and fourth line. What the cells are after the
    slide is a number with a byte for each cell of the board, the first one highest: boards are put together by OR, and
    a column is as easily put in as a row.
    """

    def __init__(self, direction: Direction) -> None:
        step, stride = (1, SIZE) if direction >= Direction.LEFT else (SIZE, 1)
        self.cuts = tuple(slice(line * stride, line * stride + SIZE * step, step) for line in range(SIZE))
        self.backwards = -1 if direction in {Direction.DOWN, Direction.RIGHT} else 1
        self.told: dict[tuple[Motion, ...], list[tuple[Motion, ...]]] = {}

    def __missing__(self, line: bytes) -> "tuple[_Slid, ...]":
        if len(self) >= _KEPT:
            self.clear()
        after, points, motions = _slide_line(line[:: self.backwards])
        board = bytearray(CELLS)
        board[self.cuts[0]] = after[:: self.backwards]
        first = int.from_bytes(board, "big")
        self[line] = found = tuple(
            (first >> 8 * cut.start, points, told)
            for cut, told in zip(self.cuts, self._tell(motions), strict=True)
        )
        return found

    def _tell(self, motions: tuple[Motion, ...]) -> list[tuple[Motion, ...]]:
        """Give motions in numbers of cells, for each line of the board; shared by lines that move alike."""
        if motions not in self.told:
            every_line = (range(CELLS)[cut][:: self.backwards] for cut in self.cuts)
            self.told[motions] = [
                tuple(Motion(cells[origin], cells[target], merged) for origin, target, merged in motions)
                for cells in every_line
            ]
        return self.told[motions]


_Slid = tuple[int, int, tuple[Motion, ...]]
_LINES = tuple(_Lines(direction) for direction in Direction)
