"""Counts of the hot path, as a registry reads them, which is what Prometheus sees."""

import pytest
from prometheus_client import CollectorRegistry

from wire import counts


@pytest.fixture
def registry() -> CollectorRegistry:
    return CollectorRegistry(auto_describe=True)


def value(registry: CollectorRegistry, name: str, **labels: str) -> float | None:
    return registry.get_sample_value(name, labels)


def test_a_value_counts_for_every_bound_that_it_does_not_pass(registry: CollectorRegistry) -> None:
    spread = counts.spread("size", "Sizes.", bounds=(1, 2, 4), registry=registry)
    for each in (0.5, 1, 2, 2.5, 9):
        spread.add(each)
    found = [value(registry, "size_bucket", le=bound) for bound in ("1.0", "2.0", "4.0", "+Inf")]
    assert found == [2, 3, 4, 5]
    assert (value(registry, "size_count"), value(registry, "size_sum")) == (5, 15.0)


def test_many_moments_are_counted_like_each_by_itself(registry: CollectorRegistry) -> None:
    one = counts.spread("one", "One by one.", registry=registry)
    all_at_once = counts.spread("all", "All at once.", registry=registry)
    now, moments = 1_000_000.0, [1_000_000.0, 999_999.9985, 999_999.5, 999_000.0]
    for moment in moments:
        one.add(now - moment)
    all_at_once.add_until(now, moments)
    assert all_at_once.read()[0] == one.read()[0]
    assert value(registry, "all_sum") == pytest.approx(value(registry, "one_sum"))


def test_a_histogram_of_nothing_is_there_with_all_its_buckets(registry: CollectorRegistry) -> None:
    counts.spread("empty", "Nothing.", registry=registry)
    for bound in (*map(str, counts.SECONDS), "+Inf"):
        assert value(registry, "empty_bucket", le=bound) == 0
    assert value(registry, "empty_sum") == 0


def test_each_value_of_a_label_has_a_histogram_of_its_own(registry: CollectorRegistry) -> None:
    calls = counts.spreads("calls", "Calls.", "call", ("read", "commit"), registry=registry)
    calls["read"].add(0.002)
    assert value(registry, "calls_count", call="read") == 1
    assert value(registry, "calls_count", call="commit") == 0
    assert value(registry, "calls_bucket", call="read", le="0.001") == 0
    assert value(registry, "calls_bucket", call="read", le="0.0025") == 1


def test_a_counter_has_all_its_values_from_the_start_and_no_others(registry: CollectorRegistry) -> None:
    outcomes = counts.tally("outcomes", "Outcomes.", "outcome", ("made", "refused"), registry=registry)
    assert value(registry, "outcomes_total", outcome="refused") == 0
    outcomes["made"] += 2
    assert value(registry, "outcomes_total", outcome="made") == 2
    with pytest.raises(KeyError):
        outcomes["another"] += 1


def test_two_of_one_name_are_a_slip(registry: CollectorRegistry) -> None:
    counts.tally("twice", "Once.", "outcome", ("made",), registry=registry)
    with pytest.raises(ValueError, match="twice"):
        counts.tally("twice", "Again.", "outcome", ("made",), registry=registry)
