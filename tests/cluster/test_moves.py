"""A bucket's slot moves to another primary while its friends race: nothing is lost or made twice, and others feel nothing."""

import asyncio
import random
from collections.abc import Callable

import pytest
from redis import Redis
from tests.cluster.fleet import bucket_of, longest_wait, racing_in_every_shard, see_undisturbed
from tests.cluster.nodes import Node, Nodes
from tests.faults.figures import Figures
from tests.faults.fleet import Fleet

from wire import keys

MOVES = [
    pytest.param(Nodes.move, "key by key", id="key by key"),
    pytest.param(Nodes.move_at_once, "at once", id="at once"),
]
BALLAST = 200


@pytest.mark.parametrize(("move", "how"), MOVES)
async def test_a_bucket_moves_to_and_fro_while_friends_race_in_it(
    fleet: Fleet,
    nodes: Nodes,
    rng: random.Random,
    figures: Figures,
    move: Callable[[Nodes, int, Node], None],
    how: str,
) -> None:
    async with racing_in_every_shard(fleet, nodes, rng) as parties:
        (source, moved), (target, _), _ = parties.items()
        bucket = bucket_of(moved)
        _weigh(source, bucket)
        for node in (target, source):
            begun = asyncio.get_running_loop().time()
            await asyncio.to_thread(move, nodes, bucket, node)
            took = asyncio.get_running_loop().time() - begun
            await moved.until_acked()
            figures.note(
                f"a slot moved {how}: a slide in it waited", longest_wait(moved, begun), promised=took + 1
            )
            for party in list(parties.values())[1:]:
                figures.note(
                    f"a slot moved {how}: a slide elsewhere waited", longest_wait(party, begun), promised=1
                )
        for party in parties.values():
            await party.end()
            see_undisturbed(party)


def _weigh(node: Node, bucket: int) -> None:
    """Put more into a bucket, so that it takes a while to move."""
    with Redis(port=node.port) as client, client.pipeline(transaction=False) as pipe:
        for number in range(BALLAST):
            pipe.set(f"{keys.tag(bucket)}:ballast:{number}", "x" * 1_000)
        pipe.execute()
