"""Paced: slides fall due at an even rate, as people make them, and their latency counts from when they were due."""

from collections.abc import Mapping, Sequence

from bench.race import servers
from bench.race.chart import Bar, Bars
from bench.race.drive import Loop
from bench.race.plan import Plan
from bench.race.report import Section, table
from bench.race.rounds import Measured, Spread, measured, where
from bench.race.tables import seat_racers

Pace = tuple[int, str]
"""Slides a second, and when the store syncs its file."""
WHY = (
    "Where little comes, a slide has messages, a commit and a sync of the store's file to itself, which a saturated one shares "
    "with a hundred others; the processor is idle meanwhile."
)
PACES: Sequence[Pace] = ((3_000, "always"), (500, "always"), (3_000, "everysec"), (500, "everysec"))


def section(plan: Plan) -> Section:
    """Measure all paces in turn."""
    paces = PACES[:2] if plan.quick else PACES
    found: dict[Pace, list[Measured]] = {pace: [] for pace in paces}
    for number in range(1, plan.rounds + 1):
        for rate, fsync in paces:
            last = _measure(rate, plan, fsync=fsync)
            found[rate, fsync].append(last)
            plan.say(
                f"paced {number}, {rate:,} slides/s, synced {fsync}: {last.slides_a_second:,.0f} answered a second, "
                f"p50 {1e3 * last.p50_s:.1f} ms, p99 {1e3 * last.p99_s:.1f} ms, {last.cpu_us:.0f} µs a slide"
            )
    return _written(found, plan)


def _measure(rate: int, plan: Plan, *, fsync: str) -> Measured:
    with servers.tilerace(fsync=fsync) as server:
        loop = Loop(seat_racers(server.ports, plan.racers))
        try:
            loop.open(plan.warm_s, slides_a_second=rate)
            return measured(server, lambda: loop.open(plan.seconds, slides_a_second=rate))
        finally:
            loop.close()


def _written(found: Mapping[Pace, Sequence[Measured]], plan: Plan) -> Section:
    rows, bars, parts = [], [], []
    for (rate, fsync), rounds in found.items():
        p50 = Spread.of(1e3 * each.p50_s for each in rounds)
        p99 = Spread.of(1e3 * each.p99_s for each in rounds)
        cost = Spread.of(each.cpu_us for each in rounds)
        rows.append((f"{rate:,}", fsync, p50.shown(), p99.shown(), cost.shown(0)))
        parts.append(f"- {rate:,} a second, {fsync}: {where(rounds)}")
        bars += [
            Bar(f"{rate:,} a second, synced {fsync}: {at}", spread, ours=True)
            for at, spread in (("p50", p50), ("p99", p99))
        ]
    head = ("slides a second", "the store syncs", "p50, ms", "p99, ms", "µs a slide")
    return Section(
        f"Paced: {plan.racers} racers, slides due at an even rate",
        [*table(head, rows), "", WHY, "", "By process, µs a slide:", "", *parts],
        Bars("How long a slide takes from when it was due", "ms until the answer", bars),
    )
