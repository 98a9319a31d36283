"""The slide: every tile travels, equal tiles that meet merge once (docs/rules.md §1)."""

from enum import IntEnum
from typing import NamedTuple, Self

from engine.board import CELLS, MOST, SIZE, VALUES, Board


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


class _Line(NamedTuple):
    after: bytes
    points: int
    motions: tuple[tuple[int, int, bool], ...]


# The cells of each line, from the wall that the slide goes to; lines from the top or the left.
_LINES = {
    Direction.UP: tuple(slice(column, CELLS, SIZE) for column in range(SIZE)),
    Direction.DOWN: tuple(slice(CELLS - SIZE + column, None, -SIZE) for column in range(SIZE)),
    Direction.LEFT: tuple(slice(start, start + SIZE) for start in range(0, CELLS, SIZE)),
    Direction.RIGHT: tuple(
        slice(start + SIZE - 1, start - 1 if start else None, -1) for start in range(0, CELLS, SIZE)
    ),
}
_NUMBERS = {direction: tuple(range(CELLS)[line] for line in lines) for direction, lines in _LINES.items()}
_SEEN: dict[bytes, _Line] = {}


def slide(board: Board, direction: Direction) -> Slide | None:
    """Slide all tiles, or give None where nothing changes.

    >>> found = slide(Board.from_values([[2, 2, 2, 2], [4, 4, 8, 0], [0] * 4, [0] * 4]), Direction.LEFT)
    >>> found.board.to_values()[:2], found.points
    ([[4, 4, 0, 0], [8, 8, 0, 0]], 16)
    """
    cells = board.cells
    after = bytearray(CELLS)
    points = 0
    moved = []
    for number, line in enumerate(_LINES[direction]):
        before = cells[line]
        found = _SEEN.get(before) or _slide_line(before)
        after[line] = found.after
        if found.motions:
            points += found.points
            moved.append((_NUMBERS[direction][number], found.motions))
    if not moved:
        return None
    motions = tuple(
        [
            Motion(cell[origin], cell[target], merged)
            for cell, line in moved
            for origin, target, merged in line
        ]
    )
    return Slide(Board(bytes(after)), points, motions)


def can_slide(board: Board) -> bool:
    """Tell whether any slide changes the board; a board where none does is stuck (docs/rules.md §1.6)."""
    cells = board.cells
    if 0 in cells:
        return True
    across = any(cells[cell] == cells[cell + 1] != MOST for cell in range(CELLS) if cell % SIZE < SIZE - 1)
    return across or any(cells[cell] == cells[cell + SIZE] != MOST for cell in range(CELLS - SIZE))


def _slide_line(before: bytes) -> _Line:
    """Slide four cells towards the first, and remember it: there are at most 18^4 such lines."""
    after = bytearray()
    motions: list[tuple[int, int, bool]] = []
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
            motions = [(start, end, merged or end == at) for start, end, merged in motions]
            motions.append((origin, at, True))
        else:
            after.append(exponent)
            open_pair = True
            if origin != len(after) - 1:
                motions.append((origin, len(after) - 1, False))
    found = _Line(bytes(after).ljust(SIZE, b"\0"), points, tuple(motions))
    _SEEN[before] = found
    return found
