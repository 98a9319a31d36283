"""Two replicas of each service on a Cluster, each told of another of its nodes, and parties that race in its shards."""

import contextlib
import random
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

from tests.cluster.nodes import Node, Nodes
from tests.faults.fleet import SETTINGS, Fleet
from tests.faults.lines import Lines
from tests.faults.party import Party, racing
from tests.faults.racer import careful

from wire import keys
from wire.ids import TableId

KEYS_A_SECOND = 6.0
PING_MS = "4000"
"""Leases last for two pings, and are to outlast the seconds in which a replica takes over, as those by default do."""


@contextlib.contextmanager
def sailing_on(nodes: Nodes, folder: Path, **settings: str) -> Iterator[Fleet]:
    """Run a fleet within the block; `settings` are further TILERACE_* variables."""
    with Lines() as lines:
        fleet = Fleet(lines, nodes.all[0], folder, SETTINGS | {"ping_ms": PING_MS} | settings)
        # Primaries and replicas alike, past all lines: a node tells its own address to whoever asks for the others'.
        for service, node in zip([*fleet.games, *fleet.tables], nodes.all, strict=False):
            service.environment = {**service.environment, "TILERACE_REDIS_URL": node.url}
        try:
            fleet.start()
            yield fleet
        finally:
            fleet.stop()


def bucket_of(party: Party) -> int:
    """Give the bucket of a party's table."""
    return keys.bucket_of(TableId(party.racers[0].table_id))


def shards(nodes: Nodes) -> list[Node]:
    """Give the primaries."""
    return [node for node in nodes.all if node.is_primary]


def wanting(nodes: Nodes, node: Node) -> Callable[[str], bool]:
    """Give what tells whether a table is on a node."""
    return lambda table: nodes.holder(keys.bucket_of(TableId(table))) is node


@contextlib.asynccontextmanager
async def racing_in_every_shard(
    fleet: Fleet, nodes: Nodes, rng: random.Random, *, size: int = 3
) -> AsyncIterator[dict[Node, Party]]:
    """Have a party race at a table in each shard, by its primary; everyone presses keys and was answered once."""
    async with contextlib.AsyncExitStack() as stack:
        parties = {
            node: await stack.enter_async_context(
                racing(
                    fleet.bases, rng, size=size, watched=True, keys_a_second=KEYS_A_SECOND, choose=careful,
                    where=wanting(nodes, node),
                )
            )
            for node in shards(nodes)
        }  # fmt: skip
        for party in parties.values():
            party.press()
            await party.until_acked()
        yield parties


def see_undisturbed(party: Party) -> None:
    """See that no socket of a party was closed, and no seat shown as left."""
    connections = [len(each.connections) for each in party.everyone]
    assert connections == [1] * len(connections), f"sockets were closed: {connections} connections"
    party.see_nobody_away()


def longest_wait(party: Party, begun: float) -> float:
    """Give the longest that a slide answered after the loop's time `begun` has waited."""
    return max(
        wait for racer in party.racers for at, wait in zip(racer.acks, racer.waits, strict=True) if at > begun
    )
