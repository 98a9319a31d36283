"""Latencies by how many took how long: buckets a fiftieth apart, so that percentiles are within two in a hundred."""

import math
from dataclasses import dataclass, field

_STEP = math.log(1.02)
_LEAST_S = 1e-6


@dataclass(slots=True)
class Histogram:
    """How many latencies fell into each bucket."""

    counts: dict[int, int] = field(default_factory=dict)
    total: int = 0
    most_s: float = 0.0

    def add(self, seconds: float) -> None:
        """Count one."""
        bucket = int(math.log(seconds / _LEAST_S) / _STEP) if seconds > _LEAST_S else 0
        self.counts[bucket] = self.counts.get(bucket, 0) + 1
        self.total += 1
        self.most_s = max(self.most_s, seconds)

    def at(self, share: float) -> float:
        """Give the latency in seconds that a share of all stayed within.

        >>> each = Histogram()
        >>> for ms in range(1, 101):
        ...     each.add(ms / 1000)
        >>> 0.049 < each.at(0.5) < 0.052
        True
        """
        left = math.ceil(share * self.total)
        for bucket in sorted(self.counts):
            left -= self.counts[bucket]
            if left <= 0:
                return min(self.most_s, _LEAST_S * math.exp((bucket + 1) * _STEP))
        return 0.0
