"""The slide: every tile travels, equal tiles that meet merge once (docs/rules.md §1)."""

from enum import IntEnum
from typing import NamedTuple, Self

from engine.board import CELLS, MOST, SIZE, VALUES, Board
from engine.slots import named


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
    (cut_1, lines_1), (cut_2, lines_2), (cut_3, lines_3), (cut_4, lines_4) = _LINES[direction]
    after_1, points_1, motions_1 = lines_1[cells[cut_1]]
    after_2, points_2, motions_2 = lines_2[cells[cut_2]]
    after_3, points_3, motions_3 = lines_3[cells[cut_3]]
    after_4, points_4, motions_4 = lines_4[cells[cut_4]]
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
    for cut, lines in _LINES_ONE_WAY:
        _, _, motions = lines[cells[cut]]
        if motions:
            return True
    return False


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


class _Lines(dict[bytes, "_Slid"]):
    """What becomes of one line of the board in one direction, by its cells from the top or the left; filled as met.

    The line after the slide is told as a number that holds each of the board's cells in a byte, the first one highest,
    so that a board is put together by OR, and a column as easily as a row. Four lines in each of four directions have a
    table of their own: what they tell needs no shifting then.
    """

    def __init__(self, direction: Direction, number: int) -> None:
        across = direction >= Direction.LEFT
        begin, step = (number * SIZE, 1) if across else (number, SIZE)
        self.cut = slice(begin, begin + SIZE * step, step)
        self.backwards = -1 if direction in {Direction.DOWN, Direction.RIGHT} else 1
        self.cells = range(CELLS)[self.cut][:: self.backwards]
        self.told: dict[tuple[Motion, ...], tuple[Motion, ...]] = {}

    def __missing__(self, line: bytes) -> "_Slid":
        if len(self) >= _KEPT:
            self.clear()
        after, points, motions = _slide_line(line[:: self.backwards])
        board = bytearray(CELLS)
        for cell, exponent in zip(self.cells, after, strict=True):
            board[cell] = exponent
        told = tuple(
            Motion(self.cells[origin], self.cells[target], merged) for origin, target, merged in motions
        )
        # Thousands of lines move in a few dozen ways.
        told = self.told.setdefault(told, told)
        self[line] = found = (int.from_bytes(board, "big"), points, told)
        return found


_Slid = tuple[int, int, tuple[Motion, ...]]
_KEPT = 1 << 12


def _lines_of(direction: Direction) -> tuple[tuple[slice, _Lines], ...]:
    lines = [_Lines(direction, number) for number in range(SIZE)]
    return tuple((each.cut, each) for each in lines)


_LINES = tuple(_lines_of(direction) for direction in Direction)
_LINES_ONE_WAY = (*_LINES[Direction.LEFT], *_LINES[Direction.UP])
