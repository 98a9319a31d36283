"""Compared: tilerace on one machine's worth of processes beside tilerace on more of them, under the same load."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager

from bench.race.drive import Loop
from bench.race.plan import Plan
from bench.race.report import table
from bench.race.rounds import Measured, Spread, measured, paired, where
from bench.race.servers import Server
from bench.race.tables import seat_racers

RATE = 3_000
SATURATED, PACED = "saturated", f"{RATE:,} slides a second"
Ways = Mapping[str, Callable[[], AbstractContextManager[Server]]]
"""Ways to run it, by name; the others are held against the first."""
Found = Mapping[str, Mapping[str, Sequence[Measured]]]
"""By load, then by way."""


def compare(title: str, ways: Ways, plan: Plan) -> Found:
    """Measure all ways in turn, saturated and at a pace."""
    found: dict[str, dict[str, list[Measured]]] = {
        load: {way: [] for way in ways} for load in (SATURATED, PACED)
    }
    for number in range(1, plan.rounds + 1):
        for way, run in ways.items():
            with run() as server:
                for load, last in _measure(server, plan).items():
                    found[load][way].append(last)
                    plan.say(
                        f"{title} {number}, {way}, {load}: {last.slides_a_second:,.0f} slides/s, {last.cpu_us:.1f} µs "
                        f"a slide, p99 {1e3 * last.p99_s:.1f} ms"
                    )
    return found


def _measure(server: Server, plan: Plan) -> Mapping[str, Measured]:
    loop = Loop(seat_racers(server.ports, plan.racers))
    try:
        loop.closed(plan.warm_s)
        return {
            SATURATED: measured(server, lambda: loop.closed(plan.seconds)),
            PACED: measured(server, lambda: loop.open(plan.seconds, slides_a_second=RATE)),
        }
    finally:
        loop.close()


def written(found: Found) -> list[str]:
    """Write a table, and what each kind of process takes."""
    rows, parts = [], []
    for load, ways in found.items():
        first = next(iter(ways.values()))
        for way, rounds in ways.items():
            rows.append(
                (
                    load,
                    way,
                    Spread.of(each.cpu_us for each in rounds).shown(),
                    "1" if rounds is first else paired(first, rounds).shown(2),
                    Spread.of(1e3 * each.p50_s for each in rounds).shown(),
                    Spread.of(1e3 * each.p99_s for each in rounds).shown(),
                )
            )
            parts.append(f"- {way}, {load}: {where(rounds)}")
    head = (
        "load",
        "",
        "µs of all processes a slide, the store's too",
        "times the first",
        "p50, ms",
        "p99, ms",
    )
    return [*table(head, rows), "", "By process, µs a slide:", "", *parts]
