"""Answers to slides as board frames, written by hand: this is the hot path (docs/architecture.md, "The hot path").

What is written has the shape of `frames.server.Board`; a test holds it to that.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from web_gateway.frames.client import WORD
from wire.slides import Answer

_VALUES = tuple(str(1 << exponent if exponent else 0) for exponent in range(18))
_MOTIONS = tuple(
    tuple(
        tuple(f"[{origin},{target},{'true' if merged else 'false'}]" for merged in (False, True))
        for target in range(16)
    )
    for origin in range(16)
)
_STUCK = ("false", "true")


@dataclass(frozen=True, slots=True)
class Snapshot:
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


def quoted(re: str | int | None) -> str:
    r"""Write what a frame answers as JSON.

    >>> quoted(None), quoted('a"b')
    ('null', '"a\\"b"')
    """
    return "null" if re is None else msgspec.json.encode(re).decode()


def board_frame(race: int, answer: Answer, re: str | int | None) -> bytes:
    """Write the board after a slide that was applied."""
    return (
        f'{{"type":"board","race":{race},"n":{answer.slides},"cells":[{_cells(answer.cells)}],'
        f'"score":{answer.score},"stuck":{_STUCK[answer.stuck]},"slide":{{"direction":"{WORD[answer.direction]}",'
        f'"points":{answer.points},"motions":[{_motions(answer.motions)}]}},"tile":{{"cell":{answer.tile_cell},'
        f'"value":{_VALUES[answer.tile_exponent]}}},"re":{quoted(re)}}}'
    ).encode()


def snapshot_frame(race: int, board: Snapshot, re: str | int | None = None) -> bytes:
    """Write a board as it is."""
    return (
        f'{{"type":"board","race":{race},"n":{board.slides},"cells":[{_cells(board.cells)}],'
        f'"score":{board.score},"stuck":{_STUCK[board.stuck]},"slide":null,"tile":null,"re":{quoted(re)}}}'
    ).encode()


def _cells(cells: bytes) -> str:
    return ",".join([_VALUES[exponent] for exponent in cells])


def _motions(motions: Sequence[tuple[int, int, bool]]) -> str:
    return ",".join([_MOTIONS[origin][target][merged] for origin, target, merged in motions])
