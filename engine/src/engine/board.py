"""The board: 4 x 4 cells, each empty or with a tile (docs/rules.md §1)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from engine.errors import BadBoard
from engine.slots import slot_setters

SIZE = 4
CELLS = SIZE * SIZE
MOST = 17
"""The exponent of the biggest tile, 131072."""


@dataclass(frozen=True, slots=True, init=False)
class Board:
    """Sixteen exponents, row-major from the top left; 0 is an empty cell, 17 the tile 131072."""

    cells: bytes

    def __init__(self, cells: bytes) -> None:
        """Take 16 exponents that are known to be right; two boards are made a slide, so nothing is checked."""
        _set_cells(self, cells)

    @classmethod
    def from_cells(cls, cells: bytes) -> Self:
        """Make a board of 16 exponents that come from outside.

        Raises:
            BadBoard: there are not sixteen, or one is above 17.
        """
        if len(cells) != CELLS or max(cells) > MOST:
            raise BadBoard(cells)
        return cls(bytes(cells))

    @classmethod
    def from_values(cls, rows: Sequence[Sequence[int]]) -> Self:
        """Make a board of 4 x 4 tile values, 0 for an empty cell.

        Raises:
            BadBoard: the shape is another, or a value is no tile.

        >>> Board.from_values([[2, 0, 0, 0], [0, 4, 0, 0], [0] * 4, [0, 0, 0, 131072]]).cells.hex()
        '01000000000200000000000000000011'
        """
        if len(rows) != SIZE or any(len(row) != SIZE for row in rows):
            raise BadBoard(rows)
        values = [value for row in rows for value in row]
        if any(value not in EXPONENTS for value in values):
            raise BadBoard(rows)
        return cls(bytes(EXPONENTS[value] for value in values))

    def to_values(self) -> list[list[int]]:
        """Give 4 x 4 tile values, 0 for an empty cell."""
        values = [VALUES[exponent] for exponent in self.cells]
        return [values[start : start + SIZE] for start in range(0, CELLS, SIZE)]

    @property
    def biggest(self) -> int:
        """The exponent of the biggest tile, 0 on an empty board."""
        return max(self.cells)

    @property
    def empty_cells(self) -> tuple[int, ...]:
        """The numbers of the empty cells, ascending."""
        return tuple(cell for cell, exponent in enumerate(self.cells) if not exponent)

    def with_tile(self, cell: int, exponent: int) -> "Board":
        """Give the board with a tile in that cell."""
        cells = self.cells
        return Board(cells[:cell] + _ALONE[exponent] + cells[cell + 1 :])


(_set_cells,) = slot_setters(Board)
EMPTY = Board(bytes(CELLS))
_ALONE = tuple(bytes([exponent]) for exponent in range(MOST + 1))
VALUES = (0, *(1 << exponent for exponent in range(1, MOST + 1)))
EXPONENTS = {value: exponent for exponent, value in enumerate(VALUES)}
