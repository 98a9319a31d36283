"""The packed state, the deal and the log: read back as they were written, garbage refused, old records read."""

from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.game_service.racing import a_deal

from engine import (
    AnswerEvent,
    Board,
    ClosedOffer,
    Direction,
    Draws,
    Event,
    ExpireEvent,
    LapseEvent,
    LeftBehindEvent,
    Millis,
    Offer,
    OfferEvent,
    OfferOutcome,
    Out,
    Race,
    Racer,
    Reason,
    ResignEvent,
    Rules,
    Seat,
    SlideEvent,
    Verdict,
    can_slide,
    replay,
)
from game_service import racelog
from game_service.meta import Deal, pack_deal, unpack_deal
from game_service.racelog import Logged
from game_service.records import REMEMBERED, Record, Snapshot, Track, pack, unpack

RECORDS = Path(__file__).parent / "records"
STARTS_AT = 1_764_480_000_000

seats = st.sampled_from([Seat(seat) for seat in (1, 2, 3, 4)])
times = st.integers(0, 2**42).map(Millis)
events: st.SearchStrategy[Event] = st.one_of(
    st.builds(SlideEvent, seats, st.sampled_from(Direction)),
    st.builds(ResignEvent, seats),
    st.builds(LeftBehindEvent, seats),
    st.builds(OfferEvent, seats),
    st.builds(AnswerEvent, seats, st.booleans()),
    st.just(LapseEvent()),
    st.just(ExpireEvent()),
)


@st.composite
def racers(draw: st.DrawFn, seat: Seat) -> Racer:
    board = Board.from_cells(bytes(draw(st.lists(st.integers(0, 17), min_size=16, max_size=16))))
    return Racer(
        seat, board, draw(st.integers(0, 2**32 - 1)), draw(st.integers(0, 2**32 - 1)),
        draw(st.none() | st.sampled_from(Out)), not can_slide(board), draw(times), draw(st.integers(0, 2**32 - 1)),
    )  # fmt: skip


@st.composite
def records(draw: st.DrawFn) -> tuple[Deal, Record]:
    dealt = tuple(sorted(draw(st.sets(seats, min_size=2))))
    deal = a_deal(seats=dealt, rules=Rules(target=draw(st.sampled_from([None, 2048])), clock_ms=None))
    racing = tuple(draw(racers(seat)) for seat in dealt)
    own, reasons = st.sampled_from(dealt), st.sampled_from(Reason)
    offers = st.builds(Offer, own, st.lists(own, unique=True).map(tuple), times)
    closed = st.builds(ClosedOffer, own, st.sampled_from(OfferOutcome), st.none() | own, times)
    tied = st.sets(own, min_size=1).map(lambda found: tuple(sorted(found)))
    verdicts = st.builds(Verdict, own, st.just(()), reasons) | st.builds(Verdict, st.none(), tied, reasons)
    race = Race(
        deal.rules, Draws(deal.seed), Millis(STARTS_AT), racing, sum(racer.slides for racer in racing),
        draw(st.none() | offers), draw(st.none() | closed), draw(st.none() | verdicts),
    )  # fmt: skip
    ranks = st.tuples(st.integers(0, 2**63), st.integers(0, 2**32 - 1))
    tracks = tuple(Track(draw(st.integers(0, 4**REMEMBERED - 1)), draw(ranks)) for _ in racing)
    return deal, Record(race, tracks)


@settings(max_examples=60)
@given(records())
def test_a_record_is_read_back_as_it_was_written(dealt: tuple[Deal, Record]) -> None:
    deal, record = dealt
    assert unpack(pack(record), deal, starts_at=STARTS_AT) == record


@settings(max_examples=60)
@given(records(), st.data())
def test_a_record_packed_by_what_changed_in_it_is_packed_alike(
    dealt: tuple[Deal, Record], data: st.DataObject
) -> None:
    _, before = dealt
    base = Snapshot(1, STARTS_AT, 0, before, pack(before))
    racing = tuple(
        data.draw(st.just(racer) | racers(racer.seat), label=f"seat {racer.seat}")
        for racer in before.race.racers
    )
    tracks = tuple(data.draw(st.sampled_from([track, track.slid(3)])) for track in before.tracks)
    was = before.race
    race = Race(was.rules, was.draws, was.starts_at, racing, was.slides, None, was.last_offer, was.verdict)
    after = Record(race, tracks)
    assert pack(after, base) == pack(after)


@settings(max_examples=60)
@given(records(), st.data())
def test_a_record_cut_short_or_longer_is_refused(dealt: tuple[Deal, Record], data: st.DataObject) -> None:
    deal, record = dealt
    state = pack(record)
    cut = data.draw(st.integers(1, len(state) - 1))
    for wrong in (state[:cut], state + b"\x00"):
        with pytest.raises(ValueError, match="damaged"):
            unpack(wrong, deal, starts_at=STARTS_AT)


@settings(max_examples=100)
@given(st.binary(max_size=200))
def test_garbage_is_refused_in_words_that_show_none_of_it(garbage: bytes) -> None:
    deal = a_deal()
    with pytest.raises(ValueError, match=r"the state of a race (is damaged|has format)"):
        unpack(garbage, deal, starts_at=STARTS_AT)
    with pytest.raises(ValueError, match="the record of a deal"):
        unpack_deal(garbage)


def test_a_state_of_a_later_release_is_named_as_such() -> None:
    with pytest.raises(ValueError, match="format 02; this release reads 01"):
        unpack(b"\x02", a_deal(), starts_at=STARTS_AT)


def test_a_deal_of_a_later_release_is_named_as_such() -> None:
    stored = msgspec.msgpack.decode(pack_deal(a_deal()))
    stored[0] = 2
    with pytest.raises(ValueError, match="format 2; this release reads 1"):
        unpack_deal(msgspec.msgpack.encode(stored))


def test_a_deal_is_read_back_as_it_was_written() -> None:
    deal = a_deal(seats=(1, 3, 4), rules=Rules(target=64, clock_ms=60_000))
    assert unpack_deal(pack_deal(deal)) == deal


def test_only_the_last_64_directions_are_remembered() -> None:
    track = Track()
    for number in range(200):
        track = track.slid(number % 4)
    assert [track.direction(behind) for behind in range(64)] == [(199 - behind) % 4 for behind in range(64)]
    assert track.directions < 4**64


@settings(max_examples=60)
@given(st.lists(st.tuples(st.integers(-60_000, 2**31 - 1), st.lists(events, max_size=40))))
def test_a_log_is_read_back_as_it_was_written(blocks: list[tuple[int, list[Event]]]) -> None:
    log = b"".join(racelog.block(ms, b"".join(map(racelog.entry, block))) for ms, block in blocks)
    assert list(racelog.read(log)) == [Logged(ms, ms, event) for ms, block in blocks for event in block]


def test_an_entry_keeps_the_time_it_was_judged_at() -> None:
    entries = racelog.entry(ResignEvent(Seat(1))) + racelog.judged_at(-7) + racelog.entry(LapseEvent())
    found = list(racelog.read(racelog.block(9, entries)))
    assert found == [Logged(9, 9, ResignEvent(Seat(1))), Logged(9, -7, LapseEvent())]


@pytest.mark.parametrize("log", [b"\x00", b"\x00\x00\x00\x00\x05\x01", racelog.block(0, b"\x10")])
def test_a_log_cut_short_is_refused(log: bytes) -> None:
    with pytest.raises(ValueError, match="cut short"):
        list(racelog.read(log))


@pytest.mark.parametrize("entries", [b"\x1e", b"\x10\x05", b"\xff"])
def test_a_log_with_what_nobody_knows_is_refused(entries: bytes) -> None:
    with pytest.raises(ValueError, match=r"log (holds|names)"):
        list(racelog.read(racelog.block(0, entries)))


class StoredRecord(NamedTuple):
    """A record as release 0.1.0 wrote it."""

    meta: bytes
    state: bytes
    log: bytes
    starts_at: int


def read_record(name: str) -> StoredRecord:
    lines = dict(
        line.split(" ", 1) for line in (RECORDS / name).read_text("utf-8").splitlines() if line[:1] != "#"
    )
    return StoredRecord(
        bytes.fromhex(lines["meta"]),
        bytes.fromhex(lines["state"]),
        bytes.fromhex(lines["log"]),
        int(lines["at"]),
    )


@pytest.mark.parametrize("name", ["0.1.0-racing.txt", "0.1.0-offered.txt", "0.1.0-over.txt"])
def test_records_of_an_earlier_release_are_read_and_their_log_makes_the_same_race(name: str) -> None:
    stored = read_record(name)
    deal = unpack_deal(stored.meta)
    record = unpack(stored.state, deal, starts_at=stored.starts_at)
    starts_at = Millis(stored.starts_at)
    log = [racelog.replayable(each, starts_at=starts_at) for each in racelog.read(stored.log)]
    assert replay(deal.seed, deal.rules, deal.seats, log, starts_at=starts_at) == record.race
    assert pack(record) == stored.state
