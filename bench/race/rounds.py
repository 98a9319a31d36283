"""Rounds: everything that is compared is measured in turn, again and again, so that a busy moment hits all alike."""

import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from bench.race.drive import Load
from bench.race.processes import NONE, Memory
from bench.race.servers import Server


@dataclass(frozen=True, slots=True)
class Measured:
    """One span of load on one server."""

    slides: int
    seconds: float
    cpu_s: float
    own_cpu_s: float = 0.0
    p50_s: float = 0.0
    p99_s: float = 0.0
    memory: Memory = NONE
    cpu_by_name: dict[str, float] = field(default_factory=dict)

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


def measured(server: Server, run: Callable[[], Load]) -> Measured:
    """Measure a server while a load runs.

    Raises:
        RuntimeError: no slide was answered.
    """
    before = server.cpu_by_name()
    load = run()
    used = {name: cpu_s - before[name] for name, cpu_s in server.cpu_by_name().items()}
    if not load.slides:
        raise RuntimeError("no slide was answered")
    return Measured(
        load.slides,
        load.seconds,
        sum(used.values()),
        load.own_cpu_s,
        load.latency.at(0.5),
        load.latency.at(0.99),
        server.memory(),
        used,
    )


@dataclass(frozen=True, slots=True)
class Spread:
    """The least, the median and the most of some values."""

    least: float
    median: float
    most: float

    @classmethod
    def of(cls, values: Iterable[float]) -> "Spread":
        """Sum values up."""
        found = list(values)
        return cls(min(found), statistics.median(found), max(found))

    def shown(self, digits: int = 1) -> str:
        """Write it as least / median / most, or as one value where they are one."""
        written = [f"{value:,.{digits}f}" for value in (self.least, self.median, self.most)]
        return written[0] if len(set(written)) == 1 else " / ".join(written)


def paired(ours: Sequence[Measured], theirs: Sequence[Measured]) -> Spread:
    """Give how many times as much of the servers' processors a slide takes theirs, round by round."""
    return Spread.of(their.cpu_us / our.cpu_us for our, their in zip(ours, theirs, strict=True))


def where(rounds: Sequence[Measured]) -> str:
    """Write the median of what each kind of process takes, µs a slide."""
    return ", ".join(
        f"{name} {Spread.of(1e6 * each.cpu_by_name.get(name, 0.0) / each.slides for each in rounds).median:.1f}"
        for name in rounds[0].cpu_by_name
    )
