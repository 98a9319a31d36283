"""Rounds: everything that is compared is measured in turn, again and again, so that a busy moment hits all alike."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field

from bench.race.drive import Load


@dataclass(frozen=True, slots=True)
class Measured:
    """One span of load on one server."""

    slides: int
    seconds: float
    cpu_s: float
    own_cpu_s: float
    p50_s: float
    p99_s: float
    memory_kib: int
    cpu_by_process: dict[str, float] = field(default_factory=dict)

    @classmethod
    def of(
        cls, load: Load, *, cpu_s: float, memory_kib: int, cpu_by_process: dict[str, float] | None = None
    ) -> "Measured":
        """Take what a load came to, and what it cost."""
        return cls(
            load.slides, load.seconds, cpu_s, load.own_cpu_s, load.latency.at(0.5), load.latency.at(0.99),
            memory_kib, cpu_by_process or {},
        )  # fmt: skip

    @property
    def slides_a_second(self) -> float:
        """How many slides were answered in a second."""
        return self.slides / self.seconds

    @property
    def cpu_us(self) -> float:
        """Microseconds of the servers' processors a slide."""
        return 1e6 * self.cpu_s / self.slides

    @property
    def own_us(self) -> float:
        """Microseconds of the generator's processor a slide."""
        return 1e6 * self.own_cpu_s / self.slides


@dataclass(frozen=True, slots=True)
class Spread:
    """The least, the median and the most of some values."""

    least: float
    median: float
    most: float

    @classmethod
    def of(cls, values: Sequence[float]) -> "Spread":
        """Sum values up."""
        return cls(min(values), statistics.median(values), max(values))

    def shown(self, digits: int = 1, scale: float = 1.0) -> str:
        """Write it as least / median / most."""
        return " / ".join(f"{scale * value:,.{digits}f}" for value in (self.least, self.median, self.most))


def paired(ours: Sequence[Measured], theirs: Sequence[Measured]) -> Spread:
    """Give how many times as many slides we make a second of a server's processor, round by round."""
    return Spread.of([their.cpu_us / our.cpu_us for our, their in zip(ours, theirs, strict=True)])
