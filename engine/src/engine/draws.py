"""Draws: the tiles to come, a function of a seed and a number (docs/rules.md §2)."""

import hashlib
import hmac
from struct import Struct
from typing import NamedTuple, NewType

from engine.board import EMPTY, Board
from engine.errors import BadSeed
from engine.slots import named

Seed = NewType("Seed", bytes)
SEED_BYTES = 32
_BLOCK = 64
_FOUR_BELOW = 2**64 // 10
_KEPT = 8
_INNER = bytes(byte ^ 0x36 for byte in range(256))
_OUTER = bytes(byte ^ 0x5C for byte in range(256))
_NUMBERS = Struct(">QQ")


class Draw(NamedTuple):
    """A tile to come: its exponent (1 or 2), and which of the empty cells it takes, as a fraction of 2^64."""

    exponent: int
    fraction: int

    def cell(self, board: Board) -> int:
        """Give the number of the empty cell it lands in; the board has one."""
        empty = _EMPTY_CELLS[board.cells.translate(_TILE_OR_NONE)]
        return empty[(self.fraction * len(empty)) >> 64]


def draw(seed: Seed, k: int) -> Draw:
    """Give draw number k = 0, 1, 2, … of a seed.

    >>> draw(Seed(bytes(32)), 0).exponent
    1
    """
    return _read(hmac.digest(seed, k.to_bytes(8, "big"), "sha256"))


def place(board: Board, drawn: Draw) -> Board:
    """Put the drawn tile on a board that has an empty cell."""
    return board.with_tile(drawn.cell(board), drawn.exponent)


def start_board(seed: Seed) -> Board:
    """Give the board a race begins with: draws 0 and 1, one after the other."""
    return place(place(EMPTY, draw(seed, 0)), draw(seed, 1))


def commitment(seed: Seed) -> str:
    """Give what is shown of a seed from the deal on: SHA-256, in hex."""
    return hashlib.sha256(seed).hexdigest()


class Draws:
    """A seed's draws, the latest `kept` remembered, for racers who share them. Equal where the seeds are.

    Few are kept unless asked: thousands of races live at once, and a draw is sooner made again than kept for long.
    """

    __slots__ = ("_inner", "_kept", "_known", "_outer", "seed")

    def __init__(self, seed: Seed, *, kept: int = _KEPT) -> None:
        """Hold a seed.

        Raises:
            BadSeed: it is not 32 bytes.
        """
        if len(seed) != SEED_BYTES:
            raise BadSeed(len(seed))
        self.seed = seed
        # HMAC by its definition (RFC 2104), keyed once and copied for each draw: half the time of hmac.digest.
        key = seed.ljust(_BLOCK, b"\0")
        self._inner = hashlib.sha256(key.translate(_INNER))
        self._outer = hashlib.sha256(key.translate(_OUTER))
        self._known: dict[int, Draw] = {}
        self._kept = kept

    def __getitem__(self, k: int) -> Draw:
        known = self._known
        if k in known:
            return known[k]
        if len(known) >= self._kept:
            known.clear()
        inner, outer = self._inner.copy(), self._outer.copy()
        inner.update(k.to_bytes(8, "big"))
        outer.update(inner.digest())
        known[k] = made = _read(outer.digest())
        return made

    def after(self, slide: int) -> Draw:
        """Give the draw that follows a racer's slide 1, 2, 3, …; the first two made the start board."""
        return self[slide + 1]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Draws) and self.seed == other.seed

    def __hash__(self) -> int:
        return hash(self.seed)

    def __repr__(self) -> str:
        return "Draws(...)"


def _read(digest: bytes) -> Draw:
    a, b = _NUMBERS.unpack_from(digest)
    return named(Draw, (2 if a < _FOUR_BELOW else 1, b))


class _EmptyCells(dict[bytes, tuple[int, ...]]):
    """The numbers of the empty cells, ascending, by which of the sixteen have a tile; filled as met."""

    def __missing__(self, tiles: bytes) -> tuple[int, ...]:
        if len(self) >= _KEPT_EMPTY:
            self.clear()
        self[tiles] = found = tuple(cell for cell, tile in enumerate(tiles) if not tile)
        return found


_KEPT_EMPTY = 1 << 13
_EMPTY_CELLS = _EmptyCells()
_TILE_OR_NONE = bytes(min(exponent, 1) for exponent in range(256))
