"""Writes replay_races.json: races that the engine ran, as the HTTP interface gives their replays; run it from the top.

`.venv/bin/python tests/page/replay_races.py`. Slides are chosen at random with fixed seeds, everything else is told by
the name of each case. Beside a replay stand the boards, as exponents, and the scores that the engine came to.
"""

import json
import random
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engine import Direction, Millis, Out, Race, Rules, Seat, Seed, commitment, slide
from engine.log import (
    AnswerEvent,
    Event,
    ExpireEvent,
    LapseEvent,
    LeftBehindEvent,
    LogEntry,
    OfferEvent,
    ResignEvent,
    SlideEvent,
    apply,
)

Case = dict[str, Any]
NAMES = {1: "Ann", 2: "Bo", 3: "Cy", 4: "Dee"}
STARTS_AT = Millis(1_900_000_000_000)
SOURCE = "races by the engine in Python, with slides at random: tests/page/replay_races.py"


@dataclass
class Course:
    """A race as it runs, and what its log says."""

    number: int
    target: int | None = None
    clock_s: int | None = None
    seats: int = 2
    ms: int = 0
    race: Race = field(init=False)
    slides: dict[int, list[tuple[int, str]]] = field(init=False)
    order: list[int] = field(default_factory=list)
    events: list[Case] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.chance = random.Random(self.number)
        self.seed = Seed(self.chance.randbytes(32))
        rules = Rules(self.target, None if self.clock_s is None else Millis(self.clock_s * 1000))
        seats = tuple(Seat(seat) for seat in range(1, self.seats + 1))
        self.race = Race.deal(self.seed, rules, seats, starts_at=STARTS_AT)
        self.slides = {seat: [] for seat in seats}

    def slid(self, seat: int, direction: Direction) -> None:
        self._happened(SlideEvent(Seat(seat), direction))
        self.slides[seat].append((self.ms, direction.word))
        self.order.append(seat)

    def did(self, word: str, seat: int | None = None) -> None:
        self._happened(_event(word, Seat(seat or 1)))
        self.events.append({"ms": self.ms, "type": word, "seat": seat, "after": len(self.order)})

    def slides_at_random(self, *seats: int, count: int = 10_000, pace: int = 90) -> None:
        """Let these racers slide in turns until the race is over, all are stuck, or each has made so many."""
        for _ in range(count):
            for seat in seats:
                found = self._useful(seat)
                if self.race.verdict is None and found:
                    self.ms += self.chance.randrange(pace)
                    self.slid(seat, self.chance.choice(found))

    def slides_alike(self, *seats: int, count: int = 10_000) -> None:
        """Let these racers make the very same slides in turns until all are stuck."""
        for _ in range(count):
            found = self._useful(seats[0])
            if not found:
                return
            direction = self.chance.choice(found)
            for seat in seats:
                self.ms += 40
                self.slid(seat, direction)

    def case(self, name: str, reason: str) -> Case:
        verdict = self.race.verdict
        if verdict is None or verdict.reason.name != reason:
            raise ValueError(f"{name}: {verdict}")
        return {
            "name": name,
            "replay": {
                "race": self.number,
                "seed": self.seed.hex(),
                "commitment": commitment(self.seed),
                "rules": {"target": self.target, "clock_s": self.clock_s},
                "starts_at": STARTS_AT,
                "ended_at": STARTS_AT + self.ms,
                "seats": [
                    {"seat": seat, "name": NAMES[seat], "slides": slides}
                    for seat, slides in self.slides.items()
                ],
                "order": self.order,
                "events": self.events,
                "verdict": {"winner": verdict.winner, "tied": verdict.tied, "reason": reason},
            },
            "finals": [_final(racer.seat, self.race) for racer in self.race.racers],
        }

    def _useful(self, seat: int) -> list[Direction]:
        racer = self.race.racer(Seat(seat))
        return [] if racer.out else [each for each in Direction if slide(racer.board, each)]

    def _happened(self, event: Event) -> None:
        self.race = apply(self.race, LogEntry(Millis(STARTS_AT + self.ms), event))


def _final(seat: Seat, race: Race) -> Case:
    racer = race.racer(seat)
    outs = {Out.RESIGNED: "resigned", Out.LEFT_BEHIND: "left_behind"}
    state = outs[racer.out] if racer.out else "stuck" if racer.stuck else "sliding"
    return {
        "seat": seat, "cells": list(racer.board.cells), "score": racer.score, "slides": racer.slides,
        "state": state,
    }  # fmt: skip


def _event(word: str, seat: Seat) -> Event:
    events: dict[str, Event] = {
        "resigned": ResignEvent(seat), "left_behind": LeftBehindEvent(seat), "offered": OfferEvent(seat),
        "agreed": AnswerEvent(seat, agree=True), "declined": AnswerEvent(seat, agree=False),
        "lapsed": LapseEvent(), "time_up": ExpireEvent(),
    }  # fmt: skip
    return events[word]


def target() -> Case:
    course = Course(1, target=64)
    course.slides_at_random(1, 2)
    return course.case("two race to 64, and one makes it", "TARGET")


def last_in_race() -> Case:
    course = Course(2, target=2048, seats=3)
    course.slides_at_random(1, 2, 3, count=6)
    course.did("left_behind", 2)
    course.slides_at_random(1, 3, count=4)
    course.ms += 500
    course.did("resigned", 1)
    return course.case("three race, one is left behind and one resigns", "LAST_IN_RACE")


def before_the_start() -> Case:
    course = Course(3, clock_s=180, ms=-1200)
    course.did("resigned", 2)
    return course.case("one of two resigns in the countdown", "LAST_IN_RACE")


def all_stuck() -> Case:
    course = Course(4, seats=4)
    course.slides_at_random(1, 2)
    course.slides_at_random(3)
    course.slides_at_random(4)
    return course.case("four race until nobody can slide", "ALL_STUCK")


def all_stuck_alike() -> Case:
    course = Course(5)
    course.slides_alike(1, 2)
    return course.case("two who slide alike are stuck alike, and tie", "ALL_STUCK")


def outscored() -> Case:
    course = Course(6)
    course.slides_at_random(2)
    course.slides_at_random(1)
    return course.case("one is stuck, and the other passes that score", "OUTSCORED")


def time_up() -> Case:
    course = Course(7, target=8192, clock_s=60, seats=4)
    course.slides_at_random(1, 2, 3, 4, count=20)
    course.ms = 60_000
    course.did("time_up")
    return course.case("the clock ends a race of four", "TIME_UP")


def time_up_alike() -> Case:
    course = Course(8, clock_s=60, seats=3)
    course.slides_alike(1, 3, count=12)
    course.did("resigned", 2)
    course.ms = 60_000
    course.did("time_up")
    return course.case("the clock ends a race that two share", "TIME_UP")


def agreed() -> Case:
    course = Course(9, seats=3)
    course.slides_at_random(1, 2, 3, count=3)
    course.did("offered", 1)
    course.did("agreed", 3)
    course.did("declined", 2)
    course.slides_at_random(1, count=10)
    course.did("offered", 1)
    course.slides_at_random(1, 3, count=1)  # Cy had not agreed to this one
    course.did("offered", 2)
    course.ms += 30_000
    course.did("lapsed")
    course.did("offered", 3)
    course.slides_at_random(3, count=2)
    course.did("agreed", 2)
    course.did("agreed", 1)
    return course.case("offers are declined, off by a slide, lapsed and agreed to", "AGREED")


def agreed_by_going() -> Case:
    course = Course(10, seats=3)
    course.slides_at_random(1, 2, 3, count=2)
    course.did("offered", 1)
    course.did("agreed", 2)
    course.ms += 700
    course.did("resigned", 3)
    return course.case("the only one who had not agreed resigns", "AGREED")


MADE = (
    target, last_in_race, before_the_start, all_stuck, all_stuck_alike, outscored, time_up, time_up_alike, agreed,
    agreed_by_going,
)  # fmt: skip


def main() -> None:
    """Write the file."""
    lines = ",\n".join(json.dumps(make(), separators=(",", ":")) for make in MADE)
    text = f'{{"source": {json.dumps(SOURCE)}, "cases": [\n{lines}\n]}}\n'
    Path(__file__).with_suffix(".json").write_text(text)


if __name__ == "__main__":
    main()
