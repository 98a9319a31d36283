"""Held: ten thousand sockets on one gateway, of whom few slide."""

from collections.abc import Mapping, Sequence

from bench.race import processes, servers
from bench.race.drive import Loop
from bench.race.idle import TABLES, TABLES_BETWEEN, seat_tables
from bench.race.plan import RACERS, Plan
from bench.race.player import Racer
from bench.race.report import Section, table
from bench.race.rounds import Measured, Spread, measured
from bench.race.servers import Server
from bench.race.tables import seat_racers

SOCKETS = 10_000
RATES = (500, 1_000)
MOST_ROUNDS = 3
SPARE_FILES = 200


def section(plan: Plan) -> Section:
    """Measure both rates a few times, with all sockets answering pings the while."""
    found: dict[int, list[Measured]] = {rate: [] for rate in RATES}
    for number in range(1, min(plan.rounds, MOST_ROUNDS) + 1):
        with servers.tilerace() as server:
            _check_files(server)
            for rate, last in _measure(server, plan).items():
                found[rate].append(last)
                plan.say(
                    f"held {number}, {rate:,} slides/s: p50 {1e3 * last.p50_s:.1f} ms, p99 {1e3 * last.p99_s:.1f} ms, "
                    f"{last.memory.pss_kib / 1024:.0f} MiB"
                )
    return _written(found)


def _measure(server: Server, plan: Plan) -> Mapping[int, Measured]:
    loop = Loop(seat_racers(server.ports, RACERS))
    try:
        _hold(loop, server)
        loop.open(plan.warm_s, slides_a_second=RATES[0])
        return {
            rate: measured(server, lambda rate=rate: loop.open(plan.seconds, slides_a_second=rate))  # type: ignore[misc]
            for rate in RATES
        }
    finally:
        loop.close()


def _hold(loop: Loop, server: Server) -> None:
    """Fill tables with people, and have the rest watch them."""
    tables = seat_tables(loop, server, TABLES)
    for number in range(SOCKETS - RACERS - 4 * TABLES):
        path, _ = tables[number % TABLES]
        loop.hold(Racer.at(server.ports[0], path))
        if number % (4 * TABLES_BETWEEN) == 0:
            loop.idle(0)


def _check_files(server: Server) -> None:
    """See that the gateway may hold so many.

    Raises:
        RuntimeError: this machine does not allow it.
    """
    gateway = next(pid for pid in server.pids if processes.name(pid) == "web-gateway")
    if (most := processes.most_files(gateway)) < SOCKETS + SPARE_FILES:
        raise RuntimeError(
            f"{SOCKETS:,} sockets are too many for a limit of {most:,} open files (ulimit -Hn)"
        )


def _written(found: Mapping[int, Sequence[Measured]]) -> Section:
    head = (
        "slides a second",
        "p50, ms",
        "p99, ms",
        "µs a slide, pings and all",
        "memory, store and all, MiB",
    )
    rows = [
        (
            f"{rate:,}",
            Spread.of(1e3 * each.p50_s for each in rounds).shown(),
            Spread.of(1e3 * each.p99_s for each in rounds).shown(),
            Spread.of(each.cpu_us for each in rounds).shown(0),
            Spread.of(each.memory.pss_kib / 1024 for each in rounds).shown(0),
        )
        for rate, rounds in found.items()
    ]
    title = (
        f"Held: {SOCKETS:,} sockets on one gateway, {RACERS} of them racers, the others seated or watching"
    )
    return Section(title, table(head, rows))
