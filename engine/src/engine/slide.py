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


def slide(board: Board, direction: Direction) -> Slide | None:
    """Slide all tiles, or give None where nothing changes.

    >>> found = slide(Board.from_values([[2, 2, 2, 2], [4, 4, 8, 0], [0] * 4, [0] * 4]), Direction.LEFT)
    >>> found.board.to_values()[:2], found.points
    ([[4, 4, 0, 0], [8, 8, 0, 0]], 16)
    """
    cells = board.cells
    known = _SEEN[direction]
    across = direction >= _LEFT
    if across:
        first, second, third, fourth = (
            known[cells[0:4]],
            known[cells[4:8]],
            known[cells[8:12]],
            known[cells[12:]],
        )
    else:
        first, second, third, fourth = (
            known[cells[0::4]],
            known[cells[1::4]],
            known[cells[2::4]],
            known[cells[3::4]],
        )
    after = first[0] + second[0] + third[0] + fourth[0]
    if not across:
        after = after[0::4] + after[1::4] + after[2::4] + after[3::4]
    if after == cells:
        return None
    return Slide(
        Board(after),
        first[1] + second[1] + third[1] + fourth[1],
        first[2][0] + second[2][1] + third[2][2] + fourth[2][3],
    )


def can_slide(board: Board) -> bool:
    """Tell whether any slide changes the board; a board where none does is stuck (docs/rules.md §1.6)."""
    cells = board.cells
    if 0 in cells:
        return True
    across = any(cells[cell] == cells[cell + 1] != MOST for cell in range(CELLS) if cell % SIZE < SIZE - 1)
    return across or any(cells[cell] == cells[cell + SIZE] != MOST for cell in range(CELLS - SIZE))


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
    """What becomes of the lines in one direction, by their cells from the top or the left; filled as they are met."""

    def __init__(self, direction: Direction) -> None:
        self.backwards = -1 if direction in {Direction.DOWN, Direction.RIGHT} else 1
        across = direction >= _LEFT
        step, first = (1, SIZE) if across else (SIZE, 1)
        self.cells = tuple(
            range(line * first, line * first + SIZE * step, step)[:: self.backwards] for line in range(SIZE)
        )
        self.told: dict[tuple[Motion, ...], _Told] = {}

    def __missing__(self, line: bytes) -> "_Slid":
        if len(self) >= _KEPT:
            self.clear()
        after, points, motions = _slide_line(line[:: self.backwards])
        self[line] = found = (after[:: self.backwards], points, self._tell(motions))
        return found

    def _tell(self, motions: tuple[Motion, ...]) -> "_Told":
        """Give motions in numbers of cells, for each line of the board; shared by lines that move alike."""
        if motions not in self.told:
            self.told[motions] = tuple(
                tuple(Motion(cells[origin], cells[target], merged) for origin, target, merged in motions)
                for cells in self.cells
            )
        return self.told[motions]


# The motions of a line, should it be the first of the board's, the second, …
_Told = tuple[tuple[Motion, ...], ...]
_Slid = tuple[bytes, int, _Told]
_LEFT = Direction.LEFT
_KEPT = 1 << 15
_SEEN = tuple(_Lines(direction) for direction in Direction)
