"""Draws: the tiles to come, a function of a seed and a number (docs/rules.md §2)."""

import hashlib
import hmac
from typing import NamedTuple, NewType

from engine.board import EMPTY, Board
from engine.errors import BadSeed

Seed = NewType("Seed", bytes)
SEED_BYTES = 32
_FOUR_BELOW = 2**64 // 10
_KEPT = 1024


class Draw(NamedTuple):
    """A tile to come: its exponent (1 or 2), and which of the empty cells it takes, as a fraction of 2^64."""

    exponent: int
    fraction: int

    def cell(self, board: Board) -> int:
        """Give the number of the empty cell it lands in; the board has one."""
        empty = board.empty_cells
        return empty[(self.fraction * len(empty)) >> 64]


def draw(seed: Seed, k: int) -> Draw:
    """Give draw number k = 0, 1, 2, … of a seed.

    >>> draw(Seed(bytes(32)), 0).exponent
    1
    """
    digest = hmac.digest(seed, k.to_bytes(8, "big"), "sha256")
    return Draw(
        2 if int.from_bytes(digest[:8], "big") < _FOUR_BELOW else 1, int.from_bytes(digest[8:16], "big")
    )


def place(board: Board, drawn: Draw) -> Board:
    """Put the drawn tile on a board that has an empty cell."""
    cells = board.cells
    wanted = (drawn.fraction * cells.count(0)) >> 64
    cell = cells.index(0)
    for _ in range(wanted):
        cell = cells.index(0, cell + 1)
    return Board(b"%b%c%b" % (cells[:cell], drawn.exponent, cells[cell + 1 :]))


def start_board(seed: Seed) -> Board:
    """Give the board a race begins with: draws 0 and 1, one after the other."""
    return place(place(EMPTY, draw(seed, 0)), draw(seed, 1))


def commitment(seed: Seed) -> str:
    """Give what is shown of a seed from the deal on: SHA-256, in hex."""
    return hashlib.sha256(seed).hexdigest()


class Draws:
    """A seed's draws, the latest remembered, for racers who share them. Equal where the seeds are."""

    __slots__ = ("_known", "seed")

    def __init__(self, seed: Seed) -> None:
        """Hold a seed.

        Raises:
            BadSeed: it is not 32 bytes.
        """
        if len(seed) != SEED_BYTES:
            raise BadSeed(len(seed))
        self.seed = seed
        self._known: dict[int, Draw] = {}

    def __getitem__(self, k: int) -> Draw:
        found = self._known.get(k)
        if found is None:
            if len(self._known) >= _KEPT:
                self._known.clear()
            found = self._known[k] = draw(self.seed, k)
        return found

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Draws) and self.seed == other.seed

    def __hash__(self) -> int:
        return hash(self.seed)

    def __repr__(self) -> str:
        return "Draws(...)"
