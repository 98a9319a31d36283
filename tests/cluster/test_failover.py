"""A primary dies, stands still or is handed over while friends race: its replica goes on, and other shards feel nothing."""

import asyncio
import random
import signal

import pytest
from tests.cluster.fleet import longest_wait, racing_in_every_shard, see_undisturbed
from tests.cluster.nodes import Nodes
from tests.faults.figures import Figures
from tests.faults.fleet import Fleet
from tests.friend import open_table


async def test_a_primary_is_handed_over_as_planned_and_nothing_at_all_is_lost(
    fleet: Fleet, nodes: Nodes, rng: random.Random, figures: Figures
) -> None:
    async with racing_in_every_shard(fleet, nodes, rng) as parties:
        for node, party in parties.items():
            begun = asyncio.get_running_loop().time()
            await asyncio.to_thread(nodes.hand_over, node)
            took = await party.until_acked(since=begun)
            figures.note("a primary is handed over: everyone's next slide is answered", took, promised=2)
            await asyncio.to_thread(nodes.until_whole)
        for party in parties.values():
            await party.end()
            see_undisturbed(party)
            assert not any(racer.slides.rewinds for racer in party.racers)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSTOP], ids=["dies", "stands still"])
async def test_a_primary_goes_and_its_replica_goes_on_while_other_shards_feel_nothing(
    fleet: Fleet, nodes: Nodes, rng: random.Random, figures: Figures, how: signal.Signals
) -> None:
    word = "dies" if how is signal.SIGKILL else "stands still"
    async with racing_in_every_shard(fleet, nodes, rng) as parties:
        (node, party), *others = parties.items()
        party.rewound = True
        assert node.process is not None
        begun = asyncio.get_running_loop().time()
        node.process.send_signal(how)
        try:
            await asyncio.to_thread(nodes.until_primary, nodes.replica_of(node), without=node)
            over = asyncio.get_running_loop().time()
            took = await party.until_acked(since=over)
            figures.note(f"a primary {word}: the next slide once its replica took over", took, promised=2)
            for _, other in others:
                await other.until_acked()
                figures.note(
                    f"a primary {word}: a slide in another shard waited",
                    longest_wait(other, begun),
                    promised=0.5,
                )
        finally:
            node.process.send_signal(signal.SIGCONT)
        await open_table(fleet.bases[0])
        for each in parties.values():
            await each.end()
        party.see_nobody_away()
        for _, other in others:
            see_undisturbed(other)
