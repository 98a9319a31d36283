"""Replays count slides without a race of each: they make, and refuse, what a race does entry by entry (docs/rules.md §4)."""

import random
from collections.abc import Iterator
from functools import reduce

import pytest
from hypothesis import given
from hypothesis import strategies as st

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
    errors,
    replay,
)

STARTS_AT = Millis(1_000_000)
COURSES = st.integers(0, 2**32)


class Course:
    """A race at random, past its verdict: the log of what happened, and what could not have happened where in it."""

    def __init__(self, number: int) -> None:
        self.chance = random.Random(number)
        self.seed = Seed(self.chance.randbytes(32))
        self.rules = Rules(
            self.chance.choice([None, None, 64, 256]), self.chance.choice([None, 60_000, 240_000])
        )
        self.seats = tuple(Seat(seat) for seat in self.chance.sample((1, 2, 3, 4), self.chance.randint(2, 4)))
        self.dealt = self.race = Race.deal(self.seed, self.rules, self.seats, starts_at=STARTS_AT)
        # Without events most races go on until boards are stuck.
        self.eventful = self.chance.choice([0, 0.01, 0.1])
        self.now = STARTS_AT - 20
        self.log: list[LogEntry] = []
        self.refused: list[tuple[int, LogEntry, errors.RuleBroken]] = []
        left = 3_000
        while left > 0:
            left = min(left - 1, 5) if self.race.verdict else left - 1
            self.happen(self.event())

    def event(self) -> Event:
        seat = (
            Seat(self.chance.randint(1, 4)) if self.chance.random() < 0.02 else self.chance.choice(self.seats)
        )
        self.now += self.chance.choice([0, 0, 1, 500])
        deadline = self.race.deadline
        if deadline is not None and self.chance.random() < 0.01:
            self.now = max(self.now, deadline - self.chance.randint(0, 1))
        late = deadline is not None and self.now >= deadline
        if self.chance.random() < (0.5 if late else self.eventful):
            return self.expiry_or_more(seat)
        return SlideEvent(seat, self.chance.choice(list(Direction)))

    def expiry_or_more(self, seat: Seat) -> Event:
        events: list[Event] = [ExpireEvent(), ResignEvent(seat), LeftBehindEvent(seat), OfferEvent(seat)]
        if self.race.offer is not None:
            self.now += self.chance.choice([0, 0, 0, 30_000])
            events += [LapseEvent(), AnswerEvent(seat, agree=False), OfferEvent(seat)]
            for other in self.seats if self.chance.random() < 0.5 else ():
                self.happen(
                    OfferEvent(other) if self.chance.random() < 0.1 else AnswerEvent(other, agree=True)
                )
        return self.chance.choice([*events, AnswerEvent(seat, agree=True)])

    def happen(self, event: Event) -> None:
        entry = LogEntry(Millis(self.now), event)
        try:
            self.race = apply(self.race, entry)
            self.log.append(entry)
        except errors.RuleBroken as broken:
            self.refused.append((len(self.log), entry, broken))

    def replay(self, log: Iterator[LogEntry]) -> Race:
        return replay(self.seed, self.rules, self.seats, log, starts_at=STARTS_AT)


@given(COURSES)
def test_a_replay_makes_the_race_that_its_entries_make_one_by_one(number: int) -> None:
    course = Course(number)
    assert course.replay(iter(course.log)) == course.race
    cut = course.log[: course.chance.randint(0, len(course.log))]
    assert course.replay(iter(cut)) == reduce(apply, cut, course.dealt)


@given(COURSES)
def test_a_replay_refuses_what_could_not_have_happened_in_the_same_words(number: int) -> None:
    course = Course(number)
    for at, entry, broken in course.chance.sample(course.refused, min(20, len(course.refused))):
        rest = iter([*course.log[:at], entry, *course.log[at:]])
        with pytest.raises(errors.RuleBroken) as caught:
            course.replay(rest)
        assert repr(caught.value) == repr(broken)
        assert list(rest) == course.log[at:]


def test_races_at_random_come_to_every_end_and_every_refusal() -> None:
    courses = [Course(number) for number in range(200)]
    assert {course.race.verdict.reason for course in courses if course.race.verdict} == set(Reason)
    assert {type(broken) for course in courses for _, _, broken in course.refused} == {
        errors.NotStartedYet, errors.RaceOver, errors.NotARacer, errors.OutOfRace, errors.RacerStuck,
        errors.SlideChangesNothing, errors.NoOffer, errors.AlreadyAnswered, errors.OfferStands, errors.OfferTooSoon,
    }  # fmt: skip
