"""So many a second, with bursts."""

import pytest

from web_gateway.pace import Pace, retry_ms


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_burst_is_allowed_and_then_only_the_pace() -> None:
    clock = Clock()
    pace = Pace(60, burst=120, monotonic=clock)
    assert sum(pace.allows() for _ in range(200)) == 120
    clock.now = 1.0
    assert sum(pace.allows() for _ in range(200)) == 60


def test_a_pause_fills_no_more_than_the_burst() -> None:
    clock = Clock()
    pace = Pace(60, burst=120, monotonic=clock)
    assert sum(pace.allows() for _ in range(50)) == 50
    clock.now = 100.0
    assert sum(pace.allows() for _ in range(200)) == 120


def test_what_was_asked_for_lately_is_not_full() -> None:
    clock = Clock()
    pace = Pace(60, burst=120, monotonic=clock)
    pace.allows()
    lately = pace.full
    clock.now = 1.0
    assert (lately, pace.full) == (False, True)


@pytest.mark.parametrize(("sockets", "latest"), [(1, 500), (250, 500), (800, 1600), (20_000, 2_000)])
def test_the_more_sockets_are_sent_away_the_farther_apart_they_come_back(sockets: int, latest: int) -> None:
    assert (retry_ms(sockets, 0.0), retry_ms(sockets, 1.0)) == (100, latest)
    assert retry_ms(sockets, 0.5) == (100 + latest) // 2
