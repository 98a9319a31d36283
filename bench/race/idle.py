"""Idle: people sit at tables and nobody slides: what memory that takes, and what of a processor."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bench.race import servers
from bench.race.chart import Bar, Bars
from bench.race.drive import Loop
from bench.race.plan import Plan
from bench.race.player import Racer
from bench.race.processes import NONE, SERVICES, Memory
from bench.race.report import Section, table
from bench.race.rounds import Spread
from bench.race.servers import Server
from bench.race.tables import seat_table

TABLES = 500
TOGETHER = "the services together"
MOST_ROUNDS = 3
SETTLE_S, QUICK_SETTLE_S = 12.0, 3.0
"""Long enough for every socket to have been pinged once."""
TABLES_BETWEEN = 10
"""After how many tables those that sit already are heard, who must answer pings meanwhile."""


@dataclass(frozen=True, slots=True)
class Idle:
    """What each kind of process takes: memory, and how much of a processor."""

    memory: Mapping[str, Memory]
    processor: Mapping[str, float]


def section(plan: Plan) -> Section:
    """Measure a few times: memory varies little."""
    found = list[Idle]()
    for number in range(1, min(plan.rounds, 1 if plan.quick else MOST_ROUNDS) + 1):
        with servers.tilerace() as server:
            empty = _services(server.memory_by_name())
            loop = Loop(())
            try:
                seat_tables(loop, server, TABLES)
                found.append(_measure(server, loop, QUICK_SETTLE_S if plan.quick else SETTLE_S))
            finally:
                loop.close()
        full = _services(found[-1].memory)
        plan.say(
            f"idle {number}: {full.pss_kib / 1024:.0f} MiB of all services, "
            f"{(full.pss_kib - empty.pss_kib) / (4 * TABLES):.1f} KiB a socket"
        )
    return _written(found)


def _measure(server: Server, loop: Loop, seconds: float) -> Idle:
    before = server.cpu_by_name()
    loop.idle(seconds)
    used = {name: (cpu_s - before[name]) / seconds for name, cpu_s in server.cpu_by_name().items()}
    return Idle(server.memory_by_name(), used)


def seat_tables(loop: Loop, server: Server, tables: int) -> list[tuple[str, Sequence[Racer]]]:
    """Have four sit at each of some tables, heard by the loop; give the tables' paths with them."""
    seated = list[tuple[str, Sequence[Racer]]]()
    for number in range(tables):
        path, racers = seat_table(server.ports)
        for racer in racers:
            loop.hold(racer)
        seated.append((path, racers))
        if number % TABLES_BETWEEN == 0:
            loop.idle(0)
    return seated


def _services(memory: Mapping[str, Memory]) -> Memory:
    """Add up what the services take, without the store."""
    total = NONE
    for name in SERVICES:
        total = total.and_also(memory[name])
    return total


def _written(found: Sequence[Idle]) -> Section:
    rows, bars = [], []
    kinds = {name: [each.memory[name] for each in found] for name in found[0].memory}
    kinds[TOGETHER] = [_services(each.memory) for each in found]
    for name, took in kinds.items():
        rss, pss = (Spread.of(kib / 1024 for kib in kibs) for kibs in zip(*took, strict=True))
        of = SERVICES if name == TOGETHER else (name,)
        processor = Spread.of(100 * sum(each.processor[kind] for kind in of) for each in found)
        rows.append((name, rss.shown(), pss.shown(), processor.shown()))
        bars.append(Bar(name, pss, ours=True))
    head = ("", "RSS, MiB", "PSS, MiB (shared pages by their share)", "% of a processor")
    return Section(
        f"Idle: {4 * TABLES:,} sockets at {TABLES:,} tables, nobody slides",
        table(head, rows),
        Bars(f"Memory with {4 * TABLES:,} sockets", "MiB (PSS)", bars),
    )
