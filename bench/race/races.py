"""Races: five thousand live ones instead of a hundred, of which as many slide; game-service and its store alone.

All are followed, as they are where somebody watches them, so that they stay in memory. The racers come straight over
the Link, so that no gateway takes part.
"""

import asyncio
import contextlib
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import redis
import uvloop
from bench.race import stores
from bench.race.fleet import game_service, pid_of, running, wait_for_port
from bench.race.link import SEATS, Gateway
from bench.race.plan import RACERS, Plan
from bench.race.report import Section, table
from bench.race.rounds import Measured, Spread, measured, paired, where
from bench.race.servers import Server
from tests.stack import Valkey, free_port

from wire.ids import RaceId, TableId, new_table_id, race_id

LIVE = (100, 5_000)
SLIDING = RACERS // len(SEATS)
SLIDES_A_SECOND = 30
"""How often every racer slides in a round, for each second that a round is said to take: games must not run out."""
WARM = 30


@dataclass(frozen=True, slots=True)
class Live:
    """A round: its load, and the bytes that a live race takes, and a slide."""

    measured: Measured
    store_bytes_a_race: float
    store_bytes_a_slide: float
    service_bytes_a_race: float


def section(plan: Plan) -> Section:
    """Measure both in turn."""
    found: dict[int, list[Live]] = {count: [] for count in LIVE}
    for number in range(1, plan.rounds + 1):
        for count in LIVE:
            last = _measure(count, plan)
            found[count].append(last)
            plan.say(
                f"races {number}, {count:,} live: {last.measured.slides_a_second:,.0f} slides/s, "
                f"{last.measured.cpu_us:.1f} µs a slide; a race {last.store_bytes_a_race:,.0f} B in the store, "
                f"{last.service_bytes_a_race:,.0f} B in game-service; a slide {last.store_bytes_a_slide:.1f} B"
            )
    return _written(found)


def _measure(count: int, plan: Plan) -> Live:
    tables: list[TableId] = [new_table_id() for _ in range(count + 1)]
    first, *races = [race_id(table, 1) for table in tables]
    with _game() as (server, store, target), asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        gateway = runner.run(Gateway.to(target))
        try:
            runner.run(_prepare(gateway, [first]))  # what is loaded once is none of a race's
            stored, kept = _used(store), server.memory_by_name()["game-service"]
            runner.run(_prepare(gateway, races))
            dealt, keeps = _used(store), server.memory_by_name()["game-service"]
            runner.run(gateway.attach(races[:SLIDING]))
            runner.run(gateway.slide(WARM))
            before = _used(store)
            found = measured(server, lambda: runner.run(gateway.slide(round(SLIDES_A_SECOND * plan.seconds))))
            return Live(
                found,
                (dealt - stored) / count,
                (_used(store) - before) / found.slides,
                1024 * (keeps.pss_kib - kept.pss_kib) / count,
            )
        finally:
            runner.run(gateway.aclose())


async def _prepare(gateway: Gateway, races: Sequence[RaceId]) -> None:
    await gateway.deal(races)
    await gateway.follow(races)


@contextlib.contextmanager
def _game() -> Iterator[tuple[Server, Valkey, str]]:
    """Run a store and a game-service within the block; give them, and where the latter is called."""
    port = free_port()
    with tempfile.TemporaryDirectory() as folder, stores.single() as (store,):
        service = game_service(Path(folder), port, store.url)
        with running([service]):
            wait_for_port(service, port)
            yield Server((port,), (pid_of(service), pid_of(store))), store, f"127.0.0.1:{port}"


def _used(store: Valkey) -> int:
    with redis.Redis(port=store.port) as client:
        used: int = client.info("memory")["used_memory"]
        return used


def _written(found: Mapping[int, Sequence[Live]]) -> Section:
    few = [each.measured for each in found[LIVE[0]]]
    rows = []
    for count, rounds in found.items():
        loads = [each.measured for each in rounds]
        rows.append(
            (
                f"{count:,}",
                Spread.of(each.cpu_us for each in loads).shown(),
                "1" if count == LIVE[0] else paired(few, loads).shown(2),
                where(loads),
                Spread.of(each.store_bytes_a_race for each in rounds).shown(0),
                Spread.of(each.store_bytes_a_slide for each in rounds).shown(1),
                Spread.of(each.service_bytes_a_race for each in rounds).shown(0),
            )
        )
    head = (
        "live races", "µs a slide", "times the first", "by process, µs a slide", "bytes of the store a race",
        "bytes of the store a slide", "bytes of game-service a race",
    )  # fmt: skip
    title = (
        f"Races: {SLIDING} of the live ones slide, the others are followed; game-service and its store alone"
    )
    return Section(title, table(head, rows))
