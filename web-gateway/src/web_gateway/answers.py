"""Answers to slides as board frames, written by hand: this is the hot path (docs/architecture.md, "The hot path").

What is written has the shape of `frames.server.Board`; a test holds it to that.
"""

from struct import Struct

import msgspec

from web_gateway.frames.client import WORD
from wire.slides import MERGED, STUCK, AnswerRecord

_CELLS, _MOST_MOTIONS = 16, 16
_VALUES = tuple(b"%d" % (1 << exponent if exponent else 0) for exponent in range(18))
_WORDS = tuple(word.encode() for word in WORD)
_BOOLS = (b"false", b"true")
# Two bytes of a motion, read as one number.
_MOTIONS = {
    origin | (target | merged * MERGED) << 8: b"[%d,%d,%b]" % (origin, target, _BOOLS[merged])
    for origin in range(_CELLS)
    for target in range(_CELLS)
    for merged in (0, 1)
}
_read_motions = tuple(Struct(f"<{count}H").unpack for count in range(_MOST_MOTIONS + 1))
_read_rows = Struct("<4I").unpack
_encode = msgspec.json.Encoder().encode


class _Rows(dict[int, bytes]):
    """Rows of four values, by their exponents read as one number; filled as they come, by 18^4 at most."""

    def __missing__(self, row: int) -> bytes:
        text = self[row] = b",".join([_VALUES[exponent] for exponent in row.to_bytes(4, "little")])
        return text


_ROWS = _Rows()


class Snapshot(msgspec.Struct, frozen=True, gc=False):
    """A racer's own board: 16 exponents row by row, after how many slides."""

    slides: int
    cells: bytes
    score: int
    stuck: bool


def values_of(cells: bytes) -> tuple[int, ...]:
    """Give the values of 16 exponents, 0 for an empty cell.

    >>> values_of(bytes([0, 1, 11]))
    (0, 2, 2048)
    """
    return tuple(1 << exponent if exponent else 0 for exponent in cells)


def board_frame(race: int, record: AnswerRecord, motions: bytes, *, re: str | int | None) -> bytes:
    """Write the board after a slide that was applied."""
    _, _, _, direction, slides, score, flags, cells, points, cell, exponent, count = record
    first, second, third, fourth = _read_rows(cells)
    return (
        b'{"type":"board","race":%d,"n":%d,"cells":[%b,%b,%b,%b],"score":%d,"stuck":%b,'
        b'"slide":{"direction":"%b","points":%d,"motions":[%b]},"tile":{"cell":%d,"value":%b},"re":%b}'
    ) % (
        race,
        slides,
        _ROWS[first],
        _ROWS[second],
        _ROWS[third],
        _ROWS[fourth],
        score,
        _BOOLS[flags & STUCK],
        _WORDS[direction],
        points,
        b",".join([_MOTIONS[motion] for motion in _read_motions[count](motions)]),
        cell,
        _VALUES[exponent],
        _encode(re),
    )


def snapshot_frame(race: int, board: Snapshot, re: str | int | None = None) -> bytes:
    """Write a board as it is."""
    rows = b",".join([_ROWS[row] for row in _read_rows(board.cells)])
    return (
        b'{"type":"board","race":%d,"n":%d,"cells":[%b],"score":%d,"stuck":%b,"slide":null,"tile":null,"re":%b}'
    ) % (race, board.slides, rows, board.score, _BOOLS[board.stuck], _encode(re))
