"""A seat that is freed as table-service dies or is replaced: its friend is told, once, whoever tells it."""

import asyncio
import random

import pytest
from tests.faults.figures import Figures
from tests.faults.fleet import Fleet
from tests.faults.party import gathered, start
from tests.faults.racer import Racer, careful
from tests.stack import Service

TURNS = 4
"""Each replica is the one that tells, at times."""
JUST_S = 0.02
ROLLED_S = 0.06
"""After this long gateways have been sent elsewhere, and are not there yet."""


@pytest.mark.parametrize("how", ["is rolled", "was killed just before", "is killed right after"])
async def test_a_friend_whose_seat_is_freed_as_a_replica_of_table_service_goes_is_told_once(
    fleet: Fleet, rng: random.Random, figures: Figures, how: str
) -> None:
    async with gathered(fleet.bases, rng, size=3, choose=careful) as party:
        ann, bo, cy = party.racers
        for turn in range(1, TURNS + 1):
            table = fleet.tables[turn % 2]
            loop = asyncio.get_running_loop()
            begun = loop.time()
            await _freed_as_it_goes(ann, bo.seat, table, how)
            await bo.until(lambda turn=turn: words(bo) == turn and bo.table["you"]["seat"] is None)  # type: ignore[misc]
            figures.note(
                f"a seat is freed as a replica of table-service {how}: its friend is told",
                loop.time() - begun,
                promised=2,
            )
            await asyncio.to_thread(table.end)
            await asyncio.to_thread(fleet.restart, table)
            await bo.sits("Bo")
            await bo.do("ready", ready=True)
        await start(party)
        party.press()
        await party.until_acked()
        await party.end()
        assert [words(each) for each in (ann, bo, cy)] == [0, TURNS, 0]
        assert {frame["why"] for frame in bo.received if frame["type"] == "freed"} == {"host"}
        assert [len(each.connections) for each in party.everyone] == [1, 1, 1]


async def _freed_as_it_goes(host: Racer, seat: int, table: Service, how: str) -> None:
    """Have the host free a seat at the moment when a replica goes."""
    match how:
        case "is rolled":
            rolled = asyncio.create_task(asyncio.to_thread(table.stop))
            await asyncio.sleep(ROLLED_S)
            await host.do("free_seat", seat=seat)
            await rolled
        case "was killed just before":
            table.kill()
            await asyncio.sleep(JUST_S)
            await host.do("free_seat", seat=seat)
        case _:
            freeing = asyncio.create_task(host.do("free_seat", seat=seat))
            await asyncio.sleep(0.002)
            table.kill()
            await freeing


def words(each: Racer) -> int:
    """Tell how often one was told that the seat is lost."""
    return sum(frame["type"] == "freed" for frame in each.received)
