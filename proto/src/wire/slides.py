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
_MERGED = 0x80
_MOTIONS = {
    (origin, target, merged): bytes((origin, target | _MERGED if merged else target))
    for origin in range(16)
    for target in range(16)
    for merged in (False, True)
}
_STUCK = 0x01

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


def pack_slides(slides: Iterable[PackedSlide]) -> bytes:
    """Pack slides in their order.

    >>> pack_slides([PackedSlide(7, 1, 2)]).hex()
    '070000000100000002'
    """
    return b"".join(_SLIDE.pack(*slide) for slide in slides)


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
    flags = _STUCK if stuck else 0
    head = _ANSWER.pack(
        handle, n, code, direction, slides, score, flags, cells, points, cell, exponent, len(motions)
    )
    return head + b"".join([_MOTIONS[motion] for motion in motions]) if motions else head


def unpack_answers(packed: bytes) -> Iterator[Answer]:
    """Read packed answers.

    Raises:
        ValueError: a record is cut short.
    """
    start, end = 0, len(packed)
    while start < end:
        try:
            handle, n, code, direction, slides, score, flags, cells, points, cell, exponent, count = (
                _ANSWER.unpack_from(packed, start)
            )
        except struct.error:
            raise ValueError(f"an answer is cut short after {end - start} bytes") from None
        start += _ANSWER.size
        raw = packed[start : start + 2 * count]
        if len(raw) != 2 * count:
            raise ValueError(f"{count} motions are cut short after {len(raw)} bytes")
        start += 2 * count
        motions = tuple(
            (raw[at], raw[at + 1] & ~_MERGED, raw[at + 1] >= _MERGED) for at in range(0, 2 * count, 2)
        )
        yield Answer(
            handle,
            n,
            code,
            direction,
            slides,
            score,
            bool(flags & _STUCK),
            cells,
            points,
            cell,
            exponent,
            motions,
        )
