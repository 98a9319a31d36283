"""A race's log, and its replay (docs/rules.md §4)."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import assert_never

from engine.draws import Draws, Seed
from engine.race import Race
from engine.rules import Millis, Rules, Seat
from engine.slide import Direction
from engine.stretch import Stretch

_KEPT_DRAWS = 1024


@dataclass(frozen=True, slots=True)
class SlideEvent:
    """A racer's slide counted."""

    seat: Seat
    direction: Direction


@dataclass(frozen=True, slots=True)
class ResignEvent:
    """A racer resigned, or left the table."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class LeftBehindEvent:
    """A racer was raced on without."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class OfferEvent:
    """A racer offered peace."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class AnswerEvent:
    """A racer agreed to the offer, or declined it."""

    seat: Seat
    agree: bool


@dataclass(frozen=True, slots=True)
class LapseEvent:
    """The offer lapsed."""


@dataclass(frozen=True, slots=True)
class ExpireEvent:
    """The deadline passed."""


Event = SlideEvent | ResignEvent | LeftBehindEvent | OfferEvent | AnswerEvent | LapseEvent | ExpireEvent


@dataclass(frozen=True, slots=True)
class LogEntry:
    """What happened, and when, in milliseconds of the store's clock."""

    at: Millis
    event: Event


def apply(race: Race, entry: LogEntry) -> Race:
    """Make one entry happen.

    Raises:
        RuleBroken: it could not have happened.
    """
    now = entry.at
    match entry.event:
        case SlideEvent(seat, direction):
            return race.slide(seat, direction, now=now).race
        case ResignEvent(seat):
            return race.resign(seat, now=now)
        case LeftBehindEvent(seat):
            return race.leave_behind(seat, now=now)
        case OfferEvent(seat):
            return race.make_offer(seat, now=now)
        case AnswerEvent(seat, agree):
            return race.answer_offer(seat, agree=agree, now=now)
        case LapseEvent():
            return race.lapse(now=now)
        case ExpireEvent():
            return race.expire(now=now)
        case _:
            assert_never(entry.event)


def replay(
    seed: Seed, rules: Rules, seats: tuple[Seat, ...], log: Iterable[LogEntry], *, starts_at: Millis
) -> Race:
    """Make a race of its log, from the deal on; the same race as the one that wrote it.

    Raises:
        RuleBroken: the log is not one of such a race.
    """
    race = Race.deal(seed, rules, seats, starts_at=starts_at)
    stretch = Stretch(replace(race, draws=Draws(seed, kept=_KEPT_DRAWS)))
    for entry in log:
        event = entry.event
        if not isinstance(event, SlideEvent) or not stretch.slide(event.seat, event.direction, now=entry.at):
            stretch = Stretch(apply(stretch.race, entry))
    return stretch.race
