"""The verdict: who won or tied, and why (docs/rules.md §4, "How a race ends")."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

from engine.offer import Offer
from engine.rules import Seat
from engine.standing import Racer


class Reason(IntEnum):
    """Why a race ended; the numbers are stored."""

    TARGET = 1
    LAST_IN_RACE = 2
    ALL_STUCK = 3
    OUTSCORED = 4
    TIME_UP = 5
    AGREED = 6


@dataclass(frozen=True, slots=True)
class Verdict:
    """One winner, or two or more who tied; everyone else has lost."""

    winner: Seat | None
    tied: tuple[Seat, ...]
    reason: Reason


def highest(racers: Sequence[Racer], reason: Reason) -> Verdict:
    """Give the win to the highest score among those in the race; a shared one is a tie."""
    best = max(racer.score for racer in racers)
    seats = tuple(racer.seat for racer in racers if racer.score == best)
    return Verdict(seats[0], (), reason) if len(seats) == 1 else Verdict(None, seats, reason)


def judge(
    racers: Sequence[Racer], offer: Offer | None, *, made_target: Seat | None = None, time_is_up: bool = False
) -> Verdict | None:
    """Judge a race after one event, by the six rules in their order, or give None where it goes on.

    `made_target` is who has just made the target tile; `time_is_up` is whether the deadline has passed.
    """
    if made_target is not None:
        return Verdict(made_target, (), Reason.TARGET)
    in_race = [racer for racer in racers if racer.out is None]
    if len(in_race) == 1:
        return Verdict(in_race[0].seat, (), Reason.LAST_IN_RACE)
    sliding = [racer for racer in in_race if not racer.stuck]
    if not sliding:
        return highest(in_race, Reason.ALL_STUCK)
    if len(sliding) == 1 and sliding[0].score > max(racer.score for racer in in_race if racer.stuck):
        return Verdict(sliding[0].seat, (), Reason.OUTSCORED)
    if time_is_up:
        return highest(in_race, Reason.TIME_UP)
    if offer is not None and all(racer.seat in offer.agreed for racer in in_race):
        return Verdict(None, tuple(racer.seat for racer in in_race), Reason.AGREED)
    return None
