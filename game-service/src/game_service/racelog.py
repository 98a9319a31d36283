"""The log of a race: what was committed, in commit order, appended to and never changed.

A commit is a block: milliseconds since the start as the script stamped them (i32, little-endian, negative during the
countdown), how many bytes of entries follow (u8), the entries. An entry is one byte, and what it needs behind it:

    0x00-0x0F  a slide: (seat - 1) << 2 | direction; so a lone slide costs 6 bytes
    0x10-0x14  resigned, left behind, offered, agreed, declined: then the seat (u8)
    0x15       an offer lapsed
    0x16       the time was up
    0x1F       the entries from here to the end of the block were judged at this millisecond since the start (i32)

The last stands only where a judgement turns on the time, that is where an offer stands, is made or ends: commits are
judged on an estimate of the store's clock and stamped a little later, and a replay must meet the time they were
judged at.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import assert_never

from engine import (
    AnswerEvent,
    Direction,
    Event,
    ExpireEvent,
    LapseEvent,
    LeftBehindEvent,
    LogEntry,
    Millis,
    OfferEvent,
    ResignEvent,
    Seat,
    SlideEvent,
)

MOST_ENTRY_BYTES = 255
"""How many bytes of entries fit into one commit."""

_HEAD = struct.Struct("<iB")
_MS = struct.Struct("<i")
_RESIGNED, _LEFT_BEHIND, _OFFERED, _AGREED, _DECLINED, _LAPSED, _TIME_UP, _JUDGED = (
    0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x1F,
)  # fmt: skip
# A log is of slides nearly all through; there are sixteen, so none is made anew.
_SLIDES = tuple(SlideEvent(Seat((kind >> 2) + 1), Direction(kind & 3)) for kind in range(_RESIGNED))


@dataclass(frozen=True, slots=True)
class Logged:
    """An event of a race: `ms` since the start when it was committed, and `judged`, the time it was judged at."""

    ms: int
    judged: int
    event: Event


def entry(event: Event) -> bytes:
    """Write one entry.

    >>> entry(SlideEvent(Seat(2), Direction.LEFT)).hex()
    '06'
    """
    match event:
        case SlideEvent(seat, direction):
            return bytes((slide_byte(seat, direction),))
        case ResignEvent(seat):
            return bytes((_RESIGNED, seat))
        case LeftBehindEvent(seat):
            return bytes((_LEFT_BEHIND, seat))
        case OfferEvent(seat):
            return bytes((_OFFERED, seat))
        case AnswerEvent(seat, agree):
            return bytes((_AGREED if agree else _DECLINED, seat))
        case LapseEvent():
            return bytes((_LAPSED,))
        case ExpireEvent():
            return bytes((_TIME_UP,))
        case _:
            assert_never(event)


def slide_byte(seat: int, direction: int) -> int:
    """Give the one byte that a slide is in the log."""
    return (seat - 1) << 2 | direction


def judged_at(ms: int) -> bytes:
    """Write when the entries that follow were judged, in milliseconds since the start."""
    return bytes((_JUDGED,)) + _MS.pack(ms)


def block(ms: int, entries: bytes) -> bytes:
    """Write a block as the commit script does."""
    return _HEAD.pack(ms, len(entries)) + entries


def read(log: bytes) -> Iterator[Logged]:
    """Read a log.

    Raises:
        ValueError: it is cut short, or holds an entry of a later release.
    """
    at = 0
    while at < len(log):
        if at + _HEAD.size > len(log):
            raise ValueError(f"a block of the log is cut short at byte {at}")
        ms, length = _HEAD.unpack_from(log, at)
        at += _HEAD.size
        entries = log[at : at + length]
        if len(entries) != length:
            raise ValueError(f"a block of the log is cut short at byte {at}")
        at += length
        yield from _entries(ms, entries)


def replayable(logged: Logged, *, starts_at: int) -> LogEntry:
    """Give an event as `engine.replay` takes it."""
    return LogEntry(at=Millis(starts_at + logged.judged), event=logged.event)


def _entries(ms: int, entries: bytes) -> Iterator[Logged]:
    at, judged = 0, ms
    try:
        while at < len(entries):
            kind = entries[at]
            if kind == _JUDGED:
                (judged,) = _MS.unpack_from(entries, at + 1)
                at += 1 + _MS.size
                continue
            event = _event(kind, entries, at)
            at += 2 if _RESIGNED <= kind <= _DECLINED else 1
            yield Logged(ms, judged, event)
    except (IndexError, struct.error):
        raise ValueError("an entry of the log is cut short") from None


def _event(kind: int, entries: bytes, at: int) -> Event:
    if kind < _RESIGNED:
        return _SLIDES[kind]
    match kind:
        case 0x15:
            return LapseEvent()
        case 0x16:
            return ExpireEvent()
        case 0x10:
            return ResignEvent(_seat(entries[at + 1]))
        case 0x11:
            return LeftBehindEvent(_seat(entries[at + 1]))
        case 0x12:
            return OfferEvent(_seat(entries[at + 1]))
        case 0x13 | 0x14:
            return AnswerEvent(_seat(entries[at + 1]), agree=kind == _AGREED)
        case _:
            raise ValueError(f"the log holds an entry {kind:#x} that this release does not know")


def _seat(number: int) -> Seat:
    if not 1 <= number <= 4:
        raise ValueError(f"the log names seat {number}; seats are 1 to 4")
    return Seat(number)
