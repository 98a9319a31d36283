"""The store comes back with nothing in it: tables are gone, that is said clearly, and nothing haunts."""

import asyncio
import random
import shutil
from functools import partial

from tests.faults.figures import Figures
from tests.faults.fleet import Fleet
from tests.faults.party import racing
from tests.faults.racer import Racer
from tests.friend import call

HEARD_S = 4.0
LINES = 10
"""How many lines of trouble there may be, the store's end included."""


async def test_a_store_that_comes_back_empty_has_tables_gone_and_nothing_haunts(
    fleet: Fleet, rng: random.Random, figures: Figures
) -> None:
    before = len(_troubles(fleet))
    async with racing(fleet.bases, rng, size=2, watched=True, clock_s=6) as party:
        party.press()
        await party.until_acked()
        table = party.racers[0].table_id
        fleet.store.kill()
        shutil.rmtree(fleet.store.folder / "appendonlydir")
        await asyncio.to_thread(fleet.store.start)
        begun = asyncio.get_running_loop().time()
        for each in party.everyone:
            await each.until(partial(_is_closed_for_good, each))
            assert each.received[-1]["code"] == "TABLE_UNKNOWN"
            assert each.received[-1]["message"]
        took = asyncio.get_running_loop().time() - begun
        figures.note("the store is back empty: everyone is told that the table is gone", took, promised=2)
    for base in fleet.bases:
        answer = await asyncio.to_thread(call, base, f"/api/tables/{table}")
        assert (answer.status, answer.body["error"]) == (404, "TABLE_UNKNOWN"), answer
    async with racing(fleet.bases, rng, size=2, watched=True) as party:
        party.press()
        await party.until_acked()
        await party.end()
    heard = await asyncio.to_thread(_commands, fleet)
    assert heard, "nobody asks the store for anything"
    assert not [command for command in heard if table in command]
    assert len(_troubles(fleet)) - before <= LINES


def _is_closed_for_good(each: Racer) -> bool:
    return each.closed == 4404


def _troubles(fleet: Fleet) -> list[str]:
    return [
        line for line in fleet.logs.splitlines() if '"level": "warning"' in line or '"level": "error"' in line
    ]


def _commands(fleet: Fleet) -> list[str]:
    """Listen to all that the services ask of the store for some seconds."""
    end = fleet.now() + HEARD_S * 1000
    heard = []
    with fleet.client() as client, client.monitor() as monitor:
        for told in monitor.listen():
            heard.append(str(told["command"]))
            if told["time"] * 1000 > end:
                return heard
    raise AssertionError("the store ended")
