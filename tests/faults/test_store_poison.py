"""One entry of the store is bad: it is told of now and then, and nobody else has to wait for it."""

import contextlib
import random
from collections import Counter
from collections.abc import Callable

from redis import Redis
from tests.faults.figures import Figures
from tests.faults.fleet import Fleet
from tests.faults.party import Party, racing

from wire import keys
from wire.ids import RaceId, TableId, race_id

TOLD_S = 6.0
LINES_A_SECOND = 10.0
"""How many lines a second all services together may write of a dozen bad entries, at first."""

Poison = Callable[[Redis, TableId, RaceId], object]


def damage_race(store: Redis, _table: TableId, race: RaceId) -> None:
    store.hset(keys.race_key(race), mapping={"v": 900, "s": b"\x07nonsense"})


def damage_table(store: Redis, table: TableId, _race: RaceId) -> None:
    store.hset(keys.table_key(table), mapping={"v": 900, "r": b"\x07nonsense"})


def unnumber_race(store: Redis, _table: TableId, race: RaceId) -> None:
    store.hset(keys.race_key(race), "v", "nonsense")


def unnumber_table(store: Redis, table: TableId, _race: RaceId) -> None:
    store.hset(keys.table_key(table), "v", "nonsense")


def damage_clocks(store: Redis, table: TableId, _race: RaceId) -> None:
    bad = {b"nonsense:\xff": 1, b"deal:nonsense": 1, b"settle:": 1}
    store.zadd(keys.clocks_key(keys.bucket_of(table)), bad)


def mistake_race(store: Redis, _table: TableId, race: RaceId) -> None:
    _mistake(store, keys.race_key(race))


def mistake_log(store: Redis, _table: TableId, race: RaceId) -> None:
    with store.pipeline() as at_once:  # or a slide would be logged in between
        at_once.delete(keys.log_key(race))
        at_once.sadd(keys.log_key(race), "nonsense")
        at_once.execute()


def mistake_table(store: Redis, table: TableId, _race: RaceId) -> None:
    _mistake(store, keys.table_key(table))


def mistake_watchers(store: Redis, table: TableId, _race: RaceId) -> None:
    _mistake(store, keys.watchers_key(table))


def _mistake(store: Redis, key: str) -> None:
    """Have a key hold what no service of ours writes there."""
    store.delete(key)
    store.set(key, "nonsense")


POISONS = (
    damage_race, damage_table, unnumber_race, unnumber_table, damage_clocks, mistake_race, mistake_log, mistake_table,
    mistake_watchers,
)  # fmt: skip
SHARED = (keys.clocks_key, keys.leases_key, keys.gateways_key, keys.sweep_key)
"""Keys that all tables of a bucket share."""


async def test_bad_entries_spoil_nothing_else(fleet: Fleet, rng: random.Random, figures: Figures) -> None:
    async with contextlib.AsyncExitStack() as tables:
        victims = [await tables.enter_async_context(racing(fleet.bases, rng, size=2)) for _ in POISONS]
        party = await tables.enter_async_context(racing(fleet.bases, rng, size=3, watched=True, clock_s=6))
        before = _troubles(fleet)
        with fleet.client() as store:
            try:
                for poison, victim in zip(POISONS, victims, strict=True):
                    victim.press()
                    await victim.until_acked()
                    table = _table(victim)
                    poison(store, table, race_id(table, 1))
                for spoilt, bucket in zip(SHARED, _buckets_beside(party), strict=False):
                    _mistake(store, spoilt(bucket))
                await _see_it_through(party, figures)
            finally:
                store.flushall()
        told = Counter(_troubles(fleet)) - Counter(before)
        assert told, "nobody told of it"
        figures.note(
            "entries are bad: lines of log a second",
            told.total() / TOLD_S,
            promised=LINES_A_SECOND,
            unit="lines/s",
        )


async def _see_it_through(party: Party, figures: Figures) -> None:
    """Race to the end by the clock, and see that everybody is answered and the end is told as ever."""
    party.press()
    for _ in range(10):
        took = await party.until_acked()
        figures.note("entries beside are bad: everyone's slide is answered", took, promised=1)
    await party.over()
    race = party.racers[0].table["race"]
    told = next(
        frame["now"] for frame in party.racers[0].received if frame["type"] == "race" and frame["verdict"]
    )
    late = told - race["deadline"]
    figures.note("entries beside are bad: an end by the clock is told", late / 1000, promised=1)


def _table(party: Party) -> TableId:
    return TableId(party.racers[0].table_id)


def _buckets_beside(party: Party) -> list[int]:
    return [bucket for bucket in range(keys.BUCKETS) if bucket != keys.bucket_of(_table(party))]


def _troubles(fleet: Fleet) -> list[str]:
    """Give the lines of all logs that tell of trouble."""
    return [
        line for line in fleet.logs.splitlines() if '"level": "warning"' in line or '"level": "error"' in line
    ]
