"""The store is away: it is said in words, no process is the worse for it, and all goes on by itself."""

import asyncio
import random
import time

from tests.faults.figures import Figures
from tests.faults.fleet import Fleet
from tests.faults.health import serves
from tests.faults.party import Party, racing
from tests.friend import call, open_table

AWAY_S = 9.0


async def test_a_store_that_is_away_is_said_so_and_ends_nothing(
    fleet: Fleet, rng: random.Random, figures: Figures
) -> None:
    ids = [service.process.pid for service in fleet.services if service.process]
    async with racing(fleet.bases, rng, size=3, watched=True) as party:
        idle = party.watcher
        assert idle is not None
        party.press()
        await party.until_acked()
        for line in fleet.store_lines.values():
            line.refuse()
        try:
            await _see_words(fleet, party, figures)
        finally:
            for line in fleet.store_lines.values():
                line.open()
        took = await party.until_acked()
        figures.note("the store was away and is back: everyone's next slide is answered", took, promised=2)
        begun = time.monotonic()
        await open_table(fleet.bases[0])
        figures.note(
            "the store was away and is back: a table is opened", time.monotonic() - begun, promised=2
        )
        await party.end()
        assert len(idle.connections) == 1, "an idle socket was closed"
        party.see_nobody_away()
    assert ids == [service.process.pid for service in fleet.services if service.process]
    assert not any(service.process and service.process.poll() for service in fleet.services)


async def _see_words(fleet: Fleet, party: Party, figures: Figures) -> None:
    """While the store is away, ask for this and that: every answer is in words, and comes soon."""
    end = time.monotonic() + AWAY_S
    table = party.racers[0].table_id
    while time.monotonic() < end:
        for base in fleet.bases:
            for method, path in (
                ("POST", "/api/tables"),
                ("GET", f"/api/tables/{table}"),
                ("GET", f"/api/tables/{table}/races/1/replay"),
            ):
                begun = time.monotonic()
                answer = await asyncio.to_thread(call, base, path, method=method)
                figures.note(
                    "the store is away: that is said to who asks", time.monotonic() - begun, promised=2
                )
                assert (answer.status, answer.body["error"]) == (503, "UNAVAILABLE"), answer
                assert answer.body["message"]
            assert (await asyncio.to_thread(call, base, "/healthz")).status == 200
            assert (await asyncio.to_thread(call, base, "/readyz")).status == 200
        for number, service in enumerate((*fleet.games, *fleet.tables)):
            assert await serves(service), f"service {number} does not say that it serves"
        await asyncio.sleep(0.2)
