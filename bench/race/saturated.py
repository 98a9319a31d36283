"""Saturated: everybody slides as soon as they are answered, on tilerace and on its peers in turn."""

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass

from bench.race import peer, servers
from bench.race.chart import Bar, Bars
from bench.race.drive import Loop
from bench.race.plan import Plan
from bench.race.player import SLIDES_A_SECOND, Player, Racer
from bench.race.report import Section, table
from bench.race.rounds import Measured, Spread, measured, paired, where
from bench.race.servers import Server
from bench.race.tables import seat_racers


@dataclass(frozen=True, slots=True)
class Contestant:
    """One that is measured: how to run it, and how to have players at it."""

    name: str
    run: Callable[[], AbstractContextManager[Server]]
    players: Callable[[int, int], Sequence[Player]]


OURS = Contestant("tilerace", servers.tilerace, lambda port, count: seat_racers((port,), count))
SCHEMA = Contestant("Colyseus, schema", lambda: servers.peer("colyseus.js", "schema"), peer.colyseus)
BOARDGAME = Contestant("boardgame.io", lambda: servers.peer("boardgame.js"), peer.boardgame)
PEERS = (
    SCHEMA,
    Contestant("Colyseus, broadcast", lambda: servers.peer("colyseus.js"), peer.colyseus),
    BOARDGAME,
    Contestant("socket.io", lambda: servers.peer("socketio.js"), peer.socketio),
    Contestant("ws", lambda: servers.peer("ws.js"), peer.ws),
)


@dataclass(slots=True)
class Found:
    """What the rounds of one came to, and how many of our races began while they were measured."""

    rounds: list[Measured]
    races: int = 0


def section(plan: Plan) -> Section:
    """Measure all in turn, and say how they compare."""
    contestants = (OURS, SCHEMA, BOARDGAME) if plan.quick else (OURS, *PEERS)
    found = {each.name: Found([]) for each in contestants}
    for number in range(1, plan.rounds + 1):
        for each in contestants:
            _measure(each, plan, found[each.name])
            last = found[each.name].rounds[-1]
            plan.say(
                f"saturated {number}, {each.name}: {last.slides_a_second:,.0f} slides/s, {last.cpu_us:.1f} µs "
                f"of the servers and {last.own_us:.1f} µs of the generator a slide"
            )
            time.sleep(0.5)
    return _written(found, plan)


def _measure(contestant: Contestant, plan: Plan, found: Found) -> None:
    with contestant.run() as server:
        players = contestant.players(server.ports[0], plan.racers)
        loop = Loop(players)
        try:
            loop.closed(plan.warm_s)
            before = _races(players)
            found.rounds.append(measured(server, lambda: loop.closed(plan.seconds)))
            found.races += _races(players) - before
        finally:
            loop.close()


def _races(players: Sequence[Player]) -> int:
    """Count the races that ours began so far."""
    return sum(each.race for each in players if isinstance(each, Racer) and each.is_host)


def _written(found: Mapping[str, Found], plan: Plan) -> Section:
    ours = found[OURS.name]
    slides = sum(each.slides for each in ours.rounds)
    costs = {name: Spread.of(each.cpu_us for each in its.rounds) for name, its in found.items()}
    lines = table(
        (
            "",
            "slides a second",
            "µs of the servers a slide",
            "times ours (less is cheaper)",
            "p50, ms",
            "p99, ms",
            "memory (PSS), MiB",
        ),
        (
            (
                name,
                Spread.of(each.slides_a_second for each in its.rounds).shown(0),
                costs[name].shown(),
                "1" if its is ours else paired(ours.rounds, its.rounds).shown(2),
                Spread.of(1e3 * each.p50_s for each in its.rounds).shown(),
                Spread.of(1e3 * each.p99_s for each in its.rounds).shown(),
                f"{Spread.of(each.memory.pss_kib / 1024 for each in its.rounds).median:.0f}",
            )
            for name, its in found.items()
        ),
    )
    own = {name: Spread.of(each.own_us for each in its.rounds).median for name, its in found.items()}
    generator = ", ".join(f"{name} {us:.1f}" for name, us in own.items())
    lines += [
        "",
        f"tilerace by process, µs a slide: {where(ours.rounds)}.",
        f"Of a thousand slides of tilerace {1e3 * ours.races / slides:.2f} began a race.",
        f"The generator, µs a slide: {generator}.",
        "",
        _fair(plan.racers),
    ]
    bars = [Bar(name, spread, ours=name == OURS.name) for name, spread in costs.items()]
    chart = Bars(
        f"What a slide costs: {plan.racers} racers, races of four",
        "µs of the servers' processors a slide",
        bars,
    )
    return Section(f"Saturated: {plan.racers} racers, races of four", lines, chart)


def _fair(racers: int) -> str:
    return (
        "tilerace has a slide in a synced file before it answers; all others keep theirs in memory. Racers of tilerace slide "
        f"{SLIDES_A_SECOND} times a second at most, near what a socket may, so {racers} of them come to "
        f"{racers * SLIDES_A_SECOND:,}: where they come near it its processors are not full, and what to compare is the cost of "
        "a slide. Its latency is that of messages that wait for more slides (`wire.batching`)."
    )
