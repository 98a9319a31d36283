"""Logs: replayed in order they make the same race (docs/rules.md §4)."""

import pytest

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
    Race,
    Reason,
    ResignEvent,
    Rules,
    Seat,
    Seed,
    SlideEvent,
    apply,
    can_slide,
    errors,
    replay,
    slide,
)

SEED = Seed(bytes(range(32)))
SEATS = (Seat(1), Seat(2), Seat(3), Seat(4))
START = Millis(50_000)
RULES = Rules(clock_ms=60_000)
EVERY_KIND: list[tuple[int, Event]] = [
    (-1_000, ResignEvent(Seat(4))),
    (0, OfferEvent(Seat(1))),
    (1, AnswerEvent(Seat(2), agree=True)),
    (2, AnswerEvent(Seat(3), agree=False)),
    (3, OfferEvent(Seat(2))),
    (30_003, LapseEvent()),
    (30_004, LeftBehindEvent(Seat(3))),
    (60_000, ExpireEvent()),
]


def played(length: int) -> list[LogEntry]:
    """Seats 1 and 2 slide in turn, each the first way that its board can."""
    race = Race.deal(SEED, Rules(), SEATS, starts_at=START)
    log: list[LogEntry] = []
    while len(log) < length:
        racer = race.racers[len(log) % 2]
        direction = next(each for each in Direction if slide(racer.board, each))
        log.append(LogEntry(Millis(START + len(log)), SlideEvent(racer.seat, direction)))
        race = apply(race, log[-1])
    return log


def test_a_log_with_every_kind_of_event_makes_the_same_race() -> None:
    log = [LogEntry(Millis(START + ms), event) for ms, event in EVERY_KIND]
    race = Race.deal(SEED, RULES, SEATS, starts_at=START)
    race = race.resign(Seat(4), now=Millis(START - 1_000)).make_offer(Seat(1), now=START)
    race = race.answer_offer(Seat(2), agree=True, now=Millis(START + 1))
    race = race.answer_offer(Seat(3), agree=False, now=Millis(START + 2))
    race = race.make_offer(Seat(2), now=Millis(START + 3)).lapse(now=Millis(START + 30_003))
    race = race.leave_behind(Seat(3), now=Millis(START + 30_004)).expire(now=Millis(START + 60_000))
    assert replay(SEED, RULES, SEATS, log, starts_at=START) == race
    assert race.verdict is not None
    assert race.verdict.reason is Reason.TIME_UP


def test_the_same_log_makes_the_same_race_each_time_and_another_seed_does_not() -> None:
    log = played(60)
    race = replay(SEED, Rules(), SEATS, log, starts_at=START)
    assert race == replay(SEED, Rules(), SEATS, log, starts_at=START)
    assert race.slides == 60
    assert all(can_slide(racer.board) for racer in race.racers)
    assert Race.deal(Seed(bytes(32)), Rules(), SEATS, starts_at=START).racers != race.racers


def test_nobody_who_slides_less_or_later_changes_what_another_meets() -> None:
    log = played(60)
    alone = [entry for entry in log if isinstance(entry.event, SlideEvent) and entry.event.seat == 1]
    together = replay(SEED, Rules(), SEATS, log, starts_at=START)
    assert replay(SEED, Rules(), SEATS, alone, starts_at=START).racer(Seat(1)) == together.racer(Seat(1))


def test_a_log_that_breaks_a_rule_is_no_log() -> None:
    early = LogEntry(Millis(START - 1), SlideEvent(Seat(1), Direction.LEFT))
    with pytest.raises(errors.NotStartedYet):
        replay(SEED, RULES, SEATS, [early], starts_at=START)
