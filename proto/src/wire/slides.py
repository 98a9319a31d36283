"""Slides and their answers, packed: what the Link's `bytes` fields hold.

One gRPC message costs far more than what is in it (docs/architecture.md, "The hot path"), so the many slides of a
message are records of a fixed shape, little-endian, one behind the other.

A slide is 9 bytes: handle (u32), the racer's slide number n (u32), direction (u8).
An answer is 42 bytes and its motions: handle (u32), n (u32), code (u8), the direction asked (u8), then the board as
it now is: slides (u32), score (u32), flags (u8), 16 exponents; then for an applied slide points (u32), the new tile's
cell and exponent (u8, u8) and how many motions follow (u8), two bytes each: origin, target with 0x80 where merged.
"""

import struct
from collections.abc import Iterable, Iterator
from typing import NamedTuple

_SLIDE = struct.Struct("<IIB")
_ANSWER = struct.Struct("<IIBBIIB16sIBBB")
_CELLS = 16
MERGED = 0x80
"""The bit of a motion's target that says that it merged there."""
_MOTIONS = {
    (origin, target, merged): bytes((origin, target | MERGED if merged else target))
    for origin in range(_CELLS)
    for target in range(_CELLS)
    for merged in (False, True)
}
STUCK = 0x01
"""The bit of an answer's flags that says that the board is stuck."""

APPLIED = 0
"""The code of an answer to a slide that was committed now; an answer with motions."""

REPEATED = 255
"""The code of an answer to a slide that had been committed before: the board as it is, no motions.

Every other code is the number of a `Refusal`.
"""


class PackedSlide(NamedTuple):
    """A slide asked for: whose (the Link's handle), its number, its direction (0 up, 1 down, 2 left, 3 right)."""

    handle: int
    n: int
    direction: int


class Answer(NamedTuple):
    """The one answer to a slide: what became of it and the racer's own board after it.

    `cells` are 16 exponents; `slides` is how many this board has had; `motions` are (origin, target, merged).
    `points`, `tile_cell` and `tile_exponent` say something only where the code is APPLIED.
    """

    handle: int
    n: int
    code: int
    direction: int
    slides: int
    score: int
    stuck: bool
    cells: bytes
    points: int = 0
    tile_cell: int = 0
    tile_exponent: int = 0
    motions: tuple[tuple[int, int, bool], ...] = ()


AnswerFields = tuple[
    int, int, int, int, int, int, bool, bytes, int, int, int, tuple[tuple[int, int, bool], ...]
]
"""An answer as a plain tuple, which takes a fraction of the time that an `Answer` takes to make."""


AnswerRecord = tuple[int, int, int, int, int, int, int, bytes, int, int, int, int]
"""An answer's fields as they are packed, with its flags, and at the end how many motions follow."""


def pack_slide(handle: int, n: int, direction: int) -> bytes:
    """Pack one slide; join many with `b"".join`.

    >>> pack_slide(7, 1, 2).hex()
    '070000000100000002'
    """
    return _SLIDE.pack(handle, n, direction)


def pack_slides(slides: Iterable[PackedSlide]) -> bytes:
    """Pack slides in their order.

    >>> pack_slides([PackedSlide(7, 1, 2)]).hex()
    '070000000100000002'
    """
    return b"".join(pack_slide(*slide) for slide in slides)


def unpack_slides(packed: bytes) -> list[tuple[int, int, int]]:
    """Read packed slides, as plain tuples of a `PackedSlide`'s fields.

    Raises:
        ValueError: a record is cut short or has a direction above 3.
    """
    if len(packed) % _SLIDE.size:
        raise ValueError(f"{len(packed)} bytes are no whole number of slides of {_SLIDE.size} bytes")
    greatest = max(packed[_SLIDE.size - 1 :: _SLIDE.size], default=0)
    if greatest > 3:
        raise ValueError(f"{greatest} is no direction; they are 0 to 3")
    return list(_SLIDE.iter_unpack(packed))


def pack_answer(answer: AnswerFields) -> bytes:
    """Pack one answer; join many with `b"".join`."""
    handle, n, code, direction, slides, score, stuck, cells, points, cell, exponent, motions = answer
    flags = STUCK if stuck else 0
    head = _ANSWER.pack(
        handle, n, code, direction, slides, score, flags, cells, points, cell, exponent, len(motions)
    )
    return head + b"".join([_MOTIONS[motion] for motion in motions]) if motions else head


def read_answers(packed: bytes) -> Iterator[tuple[AnswerRecord, bytes]]:
    """Read packed answers, each as its record and its packed motions; the cheapest way to go through many.

    Raises:
        ValueError: a record is cut short.
    """
    start, end = 0, len(packed)
    while start < end:
        try:
            record: AnswerRecord = _ANSWER.unpack_from(packed, start)
        except struct.error:
            raise ValueError(f"an answer is cut short after {end - start} bytes") from None
        first = start + _ANSWER.size
        start = first + 2 * record[-1]
        if start > end:
            raise ValueError(f"{record[-1]} motions are cut short after {end - first} bytes")
        yield record, packed[first:start]


def unpack_answers(packed: bytes) -> Iterator[Answer]:
    """Read packed answers.

    Raises:
        ValueError: a record is cut short, or a motion is off the board.
    """
    for record, raw in read_answers(packed):
        handle, n, code, direction, slides, score, flags, cells, points, cell, exponent, _ = record
        motions = tuple(
            (raw[at], raw[at + 1] & ~MERGED, raw[at + 1] >= MERGED) for at in range(0, len(raw), 2)
        )
        if any(origin >= _CELLS or target >= _CELLS for origin, target, _ in motions):
            raise ValueError("a motion is off the board")
        stuck = bool(flags & STUCK)
        yield Answer(handle, n, code, direction, slides, score, stuck, cells, points, cell, exponent, motions)
