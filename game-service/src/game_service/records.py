"""The packed state of a race, versioned (docs/architecture.md, rule 15).

All numbers are little-endian. Byte 0 is the format. Format 1:

    u8 format, u8 number of racers, u8 flags (1 an offer stands, 2 one has ended, 4 there is a verdict)
    a racer, by seat: u8 seat, u8 out (0 in the race), u32 score, u32 slides, 16 exponents, i64 and u32 from when and
        from which own slide on it may offer again, u64 and u32 (connection, attempt), 16 bytes its last 64 directions
    an offer: u8 by, u8 how many agreed, 4 bytes their seats in order, i64 until
    an ended offer: u8 by, u8 outcome, u8 who ended it (0 nobody), i64 when
    a verdict: u8 winner (0 none), u8 those who tied (bit seat - 1), u8 reason

Start, deadline and end stand beside it, written by the scripts; seed and rules in the deal.
"""

import struct

import msgspec

from engine import (
    Board,
    ClosedOffer,
    Draws,
    Millis,
    Offer,
    OfferOutcome,
    Out,
    Race,
    Racer,
    Reason,
    Seat,
    Verdict,
    can_slide,
)
from game_service.meta import Deal

FORMAT = 1
REMEMBERED = 64
"""How many of a racer's last directions are kept, to tell a slide sent again (docs/architecture.md, rule 4)."""

_HEAD = struct.Struct("<BBB")
_RACER = struct.Struct("<BBII16sqIQI16s")
_OFFER = struct.Struct("<BB4sq")
_CLOSED = struct.Struct("<BBBq")
_VERDICT = struct.Struct("<BBB")
_STANDS, _ENDED, _OVER = 1, 2, 4
_DIRECTIONS_MASK = (1 << 2 * REMEMBERED) - 1
_DIRECTION_BYTES = REMEMBERED // 4

Rank = tuple[int, int]
"""(connection, attempt) of a socket; the highest that a seat has seen holds it."""


class Track(msgspec.Struct, frozen=True):
    """What is kept of a racer beside the board: its last directions, two bits each, the newest lowest; its rank."""

    directions: int = 0
    rank: Rank = (0, 0)

    def direction(self, behind: int) -> int:
        """Give the direction of the slide `behind` slides before the last one, less than 64."""
        return self.directions >> 2 * behind & 3

    def slid(self, direction: int) -> "Track":
        """Remember one more slide."""
        return Track((self.directions << 2 | direction) & _DIRECTIONS_MASK, self.rank)


class Record(msgspec.Struct, frozen=True):
    """A race and a track for each of its racers, in their order."""

    race: Race
    tracks: tuple[Track, ...]


class Snapshot(msgspec.Struct, frozen=True):
    """A race as the store is known to hold it; `last` and `ended_at` (0 while it runs) in milliseconds.

    `state` is `record` as it is packed there.
    """

    version: int
    last: int
    ended_at: int
    record: Record
    state: bytes


def dealt_record(deal: Deal, starts_at: int) -> Record:
    """Deal: the same start board for everyone, no slide made, no socket attached."""
    race = Race.deal(deal.seed, deal.rules, deal.seats, starts_at=Millis(starts_at))
    return Record(race, tuple(Track() for _ in race.racers))


def pack(record: Record, base: Snapshot | None = None) -> bytes:
    """Write a record's changing part; racers who are as they were in `base` are copied from there."""
    race = record.race
    offer, closed, verdict = race.offer, race.last_offer, race.verdict
    flags = (
        (_STANDS if offer is not None else 0)
        | (_ENDED if closed is not None else 0)
        | (_OVER if verdict is not None else 0)
    )
    parts = [_HEAD.pack(FORMAT, len(race.racers), flags), *_pack_racers(record, base)]
    if offer is not None:
        parts.append(_OFFER.pack(offer.by, len(offer.agreed), bytes(offer.agreed), offer.until))
    if closed is not None:
        parts.append(_CLOSED.pack(closed.by, closed.outcome, closed.seat or 0, closed.at))
    if verdict is not None:
        tied = sum(1 << seat - 1 for seat in verdict.tied)
        parts.append(_VERDICT.pack(verdict.winner or 0, tied, verdict.reason))
    return b"".join(parts)


def unpack(state: bytes, deal: Deal, *, starts_at: int) -> Record:
    """Read a record.

    Raises:
        ValueError: `state` is none of ours, is damaged, or of a later release.
    """
    if state[:1] != bytes((FORMAT,)):
        raise ValueError(
            f"the state of a race has format {state[:1].hex() or 'none'}; this release reads {FORMAT:02}"
        )
    try:
        record = _unpack(state, deal, starts_at)
    except (struct.error, IndexError, ValueError):
        # The words of what is underneath could show a board.
        raise ValueError("the state of a race is damaged") from None
    if pack(record) != state or not _names_racers(record.race):
        raise ValueError("the state of a race is damaged")
    return record


def _names_racers(race: Race) -> bool:
    """Whether offers and verdict are of racers, and somebody has won or tied where there is a verdict."""
    offer, closed, verdict = race.offer, race.last_offer, race.verdict
    named: list[Seat | None] = []
    if offer is not None:
        named += [offer.by, *offer.agreed]
    if closed is not None:
        named += [closed.by, closed.seat]
    if verdict is not None:
        named += [verdict.winner, *verdict.tied]
        if (verdict.winner is None) != bool(verdict.tied):
            return False
    return {*named} <= {None, *(racer.seat for racer in race.racers)}


def _pack_racers(record: Record, base: Snapshot | None) -> list[bytes]:
    if base is None:
        return [_pack_racer(*each) for each in zip(record.race.racers, record.tracks, strict=True)]
    state, parts, at = base.state, [], _HEAD.size
    then = base.record
    for racer, track, racer_then, track_then in zip(
        record.race.racers, record.tracks, then.race.racers, then.tracks, strict=True
    ):
        is_same = racer is racer_then and track is track_then
        parts.append(state[at : at + _RACER.size] if is_same else _pack_racer(racer, track))
        at += _RACER.size
    return parts


def _pack_racer(racer: Racer, track: Track) -> bytes:
    connection, attempt = track.rank
    return _RACER.pack(
        racer.seat, racer.out or 0, racer.score, racer.slides, racer.board.cells, racer.offer_again_at,
        racer.offer_again_from, connection, attempt, track.directions.to_bytes(_DIRECTION_BYTES, "little"),
    )  # fmt: skip


def _unpack(state: bytes, deal: Deal, starts_at: int) -> Record:
    _, count, flags = _HEAD.unpack_from(state)
    at = _HEAD.size
    pairs = [_unpack_racer(state, at + number * _RACER.size) for number in range(count)]
    at += count * _RACER.size
    racers = tuple(racer for racer, _ in pairs)
    if tuple(racer.seat for racer in racers) != deal.seats:
        raise ValueError("the racers are not those dealt in")
    offer = closed = verdict = None
    if flags & _STANDS:
        offer, at = _unpack_offer(state, at), at + _OFFER.size
    if flags & _ENDED:
        closed, at = _unpack_closed(state, at), at + _CLOSED.size
    if flags & _OVER:
        verdict, at = _unpack_verdict(state, at), at + _VERDICT.size
    if at != len(state):
        raise ValueError("there is more than belongs there")
    slides = sum(racer.slides for racer in racers)
    race = Race(deal.rules, Draws(deal.seed), Millis(starts_at), racers, slides, offer, closed, verdict)
    return Record(race, tuple(track for _, track in pairs))


def _unpack_racer(state: bytes, at: int) -> tuple[Racer, Track]:
    seat, out, score, slides, cells, again_at, again_from, connection, attempt, directions = (
        _RACER.unpack_from(state, at)
    )
    board = Board.from_cells(cells)
    racer = Racer(
        Seat(seat), board, score, slides, Out(out) if out else None, not can_slide(board), Millis(again_at),
        again_from,
    )  # fmt: skip
    return racer, Track(int.from_bytes(directions, "little"), (connection, attempt))


def _unpack_offer(state: bytes, at: int) -> Offer:
    by, count, agreed, until = _OFFER.unpack_from(state, at)
    if count > len(agreed):
        raise ValueError("more have agreed than there are seats")
    return Offer(_seat(by), tuple(_seat(seat) for seat in agreed[:count]), Millis(until))


def _unpack_closed(state: bytes, at: int) -> ClosedOffer:
    by, outcome, seat, when = _CLOSED.unpack_from(state, at)
    return ClosedOffer(_seat(by), OfferOutcome(outcome), _seat(seat) if seat else None, Millis(when))


def _unpack_verdict(state: bytes, at: int) -> Verdict:
    winner, tied, reason = _VERDICT.unpack_from(state, at)
    if tied > 0b1111:
        raise ValueError("more have tied than there are seats")
    seats = tuple(Seat(seat) for seat in range(1, 5) if tied >> seat - 1 & 1)
    return Verdict(_seat(winner) if winner else None, seats, Reason(reason))


def _seat(number: int) -> Seat:
    if not 1 <= number <= 4:
        raise ValueError("seats are 1 to 4")
    return Seat(number)
