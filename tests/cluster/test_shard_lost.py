"""A shard is gone, primary and replica: its tables are refused in words, all others go on, and health tells of oneself."""

import asyncio
import random
import time

from tests.cluster.fleet import longest_wait, racing_in_every_shard, see_undisturbed
from tests.cluster.nodes import Nodes
from tests.faults.figures import Figures
from tests.faults.fleet import Fleet
from tests.faults.health import serves
from tests.faults.party import Party
from tests.friend import call

OPENINGS = 24


async def test_a_shard_is_lost_and_found_again_while_friends_race_in_the_others(
    fleet: Fleet, nodes: Nodes, rng: random.Random, figures: Figures
) -> None:
    async with racing_in_every_shard(fleet, nodes, rng) as parties:
        (node, lost), *others = parties.items()
        begun = asyncio.get_running_loop().time()
        for each in (nodes.replica_of(node), node):
            each.kill()
        await _see_words(fleet, lost, figures)
        await _open_some(fleet, figures)
        for _, party in others:
            await party.until_acked()
            assert (
                await asyncio.to_thread(call, fleet.bases[0], f"/api/tables/{party.racers[0].table_id}")
            ).status == 200
            await party.end()
            see_undisturbed(party)
            waited = longest_wait(party, begun)
            figures.note("a shard is lost: a slide in another waited", waited, promised=0.5)
        for service in (*fleet.games, *fleet.tables):
            assert await serves(service)
        for base in fleet.bases:
            assert (await asyncio.to_thread(call, base, "/healthz")).status == 200
            assert (await asyncio.to_thread(call, base, "/readyz")).status == 200
        found = asyncio.get_running_loop().time()
        await asyncio.to_thread(nodes.mend)
        took = await lost.until_acked(since=found)
        figures.note("a shard is found again: everyone's next slide is answered", took, promised=4)
        await lost.end()


async def _see_words(fleet: Fleet, party: Party, figures: Figures) -> None:
    """See that whoever asks for what is lost is told so in words, soon."""
    table = party.racers[0].table_id
    for base in fleet.bases:
        for path in (f"/api/tables/{table}", f"/api/tables/{table}/races/1/replay"):
            begun = time.monotonic()
            answer = await asyncio.to_thread(call, base, path)
            took = time.monotonic() - begun
            figures.note("a shard is lost: that is said to who asks for its tables", took, promised=2)
            assert (answer.status, answer.body["error"]) == (503, "UNAVAILABLE"), answer
            assert answer.body["message"]


async def _open_some(fleet: Fleet, figures: Figures) -> None:
    """See that of many who open a table each is given one, or told in words that it cannot be now."""
    told = []
    for _ in range(OPENINGS):
        begun = time.monotonic()
        answer = await asyncio.to_thread(call, fleet.bases[0], "/api/tables", method="POST")
        figures.note("a shard is lost: who opens a table is answered", time.monotonic() - begun, promised=2)
        assert answer.status == 201 or answer.body["error"] == "UNAVAILABLE", answer
        told.append(answer.status)
    assert 201 in told
