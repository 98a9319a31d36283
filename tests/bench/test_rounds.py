"""What rounds come to: latencies by share, spreads, and how many times as much one takes as another."""

import pytest
from bench.race.histogram import Histogram
from bench.race.rounds import Measured, Spread, paired, where


def a_round(cpu_us: float) -> Measured:
    """Make a round of a thousand slides that took so much of the processor each."""
    return Measured(1_000, 1.0, cpu_us / 1e3, cpu_by_name={"web-gateway": cpu_us / 2e3})


@pytest.mark.parametrize(("share", "wanted_ms"), [(0.5, 500), (0.99, 990), (1.0, 1_000)])
def test_a_latency_is_given_within_two_of_a_hundred(share: float, wanted_ms: int) -> None:
    latencies = Histogram()
    for ms in range(1, 1_001):
        latencies.add(ms / 1_000)
    assert latencies.at(share) == pytest.approx(wanted_ms / 1_000, rel=0.02)


def test_no_latency_is_said_to_be_longer_than_the_longest() -> None:
    latencies = Histogram()
    latencies.add(0.01)
    assert latencies.at(0.99) == 0.01


def test_a_span_without_a_slide_has_no_latency() -> None:
    assert Histogram().at(0.5) == 0.0


def test_a_spread_is_the_least_the_median_and_the_most() -> None:
    assert Spread.of([4.0, 1.0, 2.0]).shown() == "1.0 / 2.0 / 4.0"


def test_rounds_are_compared_in_pairs() -> None:
    ours, theirs = [a_round(10), a_round(20)], [a_round(30), a_round(40)]
    assert paired(ours, theirs) == Spread(2.0, 2.5, 3.0)


def test_rounds_of_which_one_is_missing_are_not_compared() -> None:
    with pytest.raises(ValueError, match="shorter"):
        paired([a_round(10), a_round(20)], [a_round(30)])


def test_the_median_of_what_each_process_takes_is_told() -> None:
    assert where([a_round(10), a_round(20), a_round(60)]) == "web-gateway 10.0"
