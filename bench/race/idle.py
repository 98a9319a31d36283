"""Idle: people sit at tables and nobody slides; what counts is memory."""

from collections.abc import Mapping, Sequence

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
MOST_ROUNDS = 3
SETTLE_S, QUICK_SETTLE_S = 12.0, 3.0
"""Long enough for every socket to have been pinged once."""
TABLES_BETWEEN = 10
"""After how many tables those that sit already are heard, who must answer pings meanwhile."""


def section(plan: Plan) -> Section:
    """Measure a few times: memory varies little."""
    found = list[Mapping[str, Memory]]()
    for number in range(1, min(plan.rounds, 1 if plan.quick else MOST_ROUNDS) + 1):
        with servers.tilerace() as server:
            empty = server.memory_by_name()
            loop = Loop(())
            try:
                seat_tables(loop, server, TABLES)
                loop.idle(QUICK_SETTLE_S if plan.quick else SETTLE_S)
                found.append(server.memory_by_name())
            finally:
                loop.close()
        held = services(found[-1]).pss_kib - services(empty).pss_kib
        plan.say(
            f"idle {number}: {services(found[-1]).pss_kib / 1024:.0f} MiB of all services, "
            f"{held / (4 * TABLES):.1f} KiB a socket"
        )
    return _written(found)


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


def services(memory: Mapping[str, Memory]) -> Memory:
    """Add up what the services take, without the store."""
    total = NONE
    for name in SERVICES:
        total = total.and_also(memory[name])
    return total


def _written(found: Sequence[Mapping[str, Memory]]) -> Section:
    rows, bars = [], []
    kinds = {name: [each[name] for each in found] for name in found[0]}
    for name, took in (*kinds.items(), ("the services together", [services(each) for each in found])):
        rss, pss = (Spread.of(kib / 1024 for kib in kibs) for kibs in zip(*took, strict=True))
        rows.append((name, rss.shown(), pss.shown()))
        bars.append(Bar(name, pss, ours=True))
    return Section(
        f"Idle: {4 * TABLES:,} sockets at {TABLES:,} tables, nobody slides",
        table(("", "RSS, MiB", "PSS, MiB (shared pages by their share)"), rows),
        Bars(f"Memory with {4 * TABLES:,} sockets", "MiB (PSS)", bars),
    )
