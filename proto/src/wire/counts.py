"""Counts of the hot path: plain numbers that cost a fraction of a microsecond, given to Prometheus when it asks.

prometheus_client's own take a lock and one to two microseconds each, where all that is done for a slide takes some fifty;
off the hot path they are used as they are. Only the loop's thread adds to a count. Who collects, in another thread, reads
whole numbers, and nothing that grows: which values a label has is fixed when the count is made.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from prometheus_client import REGISTRY, CollectorRegistry, disable_created_metrics
from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily, Metric

SECONDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""The bounds of every histogram of latencies, so that hops can be held against each other."""

# When a series began is as many lines again, and nobody here asks for it.
disable_created_metrics()  # type: ignore[no-untyped-call]


class Spread:
    """How values spread over buckets, each up to its bound and that included, and one for all above the last."""

    __slots__ = ("_bounds", "_counts", "_total")

    def __init__(self, bounds: Sequence[float] = SECONDS) -> None:
        """Begin with none; the bounds ascend."""
        self._bounds = tuple(map(float, bounds))
        self._counts = [0] * (len(bounds) + 1)
        self._total = 0.0

    def add(self, value: float) -> None:
        """Count one value."""
        self._counts[bisect_left(self._bounds, value)] += 1
        self._total += value

    def add_until(self, now: float, since: Sequence[float]) -> None:
        """Count how long it has been since each of some moments, all of one clock, in seconds."""
        counts, bounds = self._counts, self._bounds
        for moment in since:
            counts[bisect_left(bounds, now - moment)] += 1
        self._total += len(since) * now - sum(since)

    def read(self) -> tuple[list[tuple[str, float]], float]:
        """Give how many values there are up to each bound, in Prometheus' words for it, and the sum of all values."""
        counts, total = self._counts.copy(), self._total
        return list(zip([*map(str, self._bounds), "+Inf"], accumulate(counts), strict=True)), total


def spread(
    name: str,
    documentation: str,
    *,
    bounds: Sequence[float] = SECONDS,
    registry: CollectorRegistry = REGISTRY,
) -> Spread:
    """Make a histogram, and have it collected."""
    made = Spread(bounds)

    def family() -> Metric:
        buckets, total = made.read()
        return HistogramMetricFamily(name, documentation, buckets=buckets, sum_value=total)

    registry.register(_Collected(family))
    return made


def spreads(
    name: str,
    documentation: str,
    label: str,
    values: Sequence[str],
    *,
    registry: CollectorRegistry = REGISTRY,
) -> Mapping[str, Spread]:
    """Make a histogram of latencies for each value of a label, and have them collected."""
    made = {value: Spread() for value in values}

    def family() -> Metric:
        found = HistogramMetricFamily(name, documentation, labels=[label])
        for value, each in made.items():
            found.add_metric([value], *each.read())
        return found

    registry.register(_Collected(family))
    return made


def tally(
    name: str,
    documentation: str,
    label: str,
    values: Sequence[str],
    *,
    registry: CollectorRegistry = REGISTRY,
) -> dict[str, int]:
    """Make a counter for each value of a label, all of them 0, and have them collected.

    Add to them with `made[value] += 1`, which raises KeyError for a value that is none of the label's.
    """
    made = dict.fromkeys(values, 0)

    def family() -> Metric:
        found = CounterMetricFamily(name, documentation, labels=[label])
        for value, count in made.items():
            found.add_metric([value], count)
        return found

    registry.register(_Collected(family))
    return made


@dataclass(frozen=True, slots=True, eq=False)
class _Collected:
    """What a registry asks for a family as it is now."""

    family: Callable[[], Metric]

    def collect(self) -> Iterator[Metric]:
        yield self.family()
