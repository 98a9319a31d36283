"""So much at once, and no more while what came first waits too long."""

import contextlib

import pytest

from wire.in_hand import InHand
from wire.refusal import Refusal, Refused


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def in_hand(clock: Clock) -> InHand:
    return InHand(2, patience_s=1.0, monotonic=clock)


def refuses(in_hand: InHand, kind: int = 0) -> bool:
    try:
        with in_hand.one(kind):
            return False
    except Refused as refused:
        return refused.refusal is Refusal.UNAVAILABLE


def test_more_than_the_most_is_refused_until_something_is_done(in_hand: InHand) -> None:
    with in_hand.one():
        with in_hand.one():
            assert refuses(in_hand)
        assert not refuses(in_hand)


def test_nothing_is_taken_on_while_what_came_first_waits_too_long(in_hand: InHand, clock: Clock) -> None:
    with in_hand.one():
        clock.now = 1.0
        assert not refuses(in_hand)
        clock.now = 1.1
        assert refuses(in_hand)
    assert not refuses(in_hand)


def test_what_waits_too_long_keeps_nothing_of_another_kind_from_being_taken_on(
    in_hand: InHand, clock: Clock
) -> None:
    with in_hand.one(3):
        clock.now = 1.1
        assert refuses(in_hand, 3)
        assert not refuses(in_hand, 4)
    assert not refuses(in_hand, 3)


def test_what_fails_is_not_under_way_any_more(in_hand: InHand) -> None:
    for _ in range(3):
        with contextlib.suppress(ValueError), in_hand.one():
            raise ValueError
    assert not refuses(in_hand)
