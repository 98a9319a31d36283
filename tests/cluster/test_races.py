"""Whole races on a Cluster: what a friend may do on a single store works in each of its shards."""

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator

from tests.cluster.fleet import racing_in_every_shard, see_undisturbed, shards, wanting
from tests.cluster.nodes import Nodes
from tests.faults.figures import Figures
from tests.faults.fleet import Fleet
from tests.faults.heats import Heats, meeting
from tests.friend import Friend

CLOCK_S = 2
SOME_SLIDES = 12


@contextlib.asynccontextmanager
async def meeting_in_every_shard(
    fleet: Fleet, nodes: Nodes, rng: random.Random, **rules: int | None
) -> AsyncIterator[list[Heats]]:
    async with contextlib.AsyncExitStack() as stack:
        yield [
            await stack.enter_async_context(meeting(fleet.bases, rng, 3, where=wanting(nodes, node), **rules))
            for node in shards(nodes)
        ]


async def test_races_in_every_shard_are_raced_to_the_verdict_revealed_and_replayed(
    fleet: Fleet, nodes: Nodes, rng: random.Random
) -> None:
    async with racing_in_every_shard(fleet, nodes, rng) as parties:
        for party in parties.values():
            await party.until_acked()
        for party in parties.values():
            replay = await party.end()
            assert replay["verdict"]["reason"] == "LAST_IN_RACE"
            see_undisturbed(party)


async def test_friends_race_again_in_every_shard_and_the_tally_counts(
    fleet: Fleet, nodes: Nodes, rng: random.Random
) -> None:
    async with meeting_in_every_shard(fleet, nodes, rng) as tables:
        for _ in range(2):
            await asyncio.gather(*(_race_once(heats) for heats in tables))
        for heats in tables:
            for each in heats.everyone:
                await each.until(lambda each=each: _tallies(each) == [0, 0, 2])  # type: ignore[misc]


async def test_the_clock_ends_races_in_every_shard(fleet: Fleet, nodes: Nodes, rng: random.Random) -> None:
    async with meeting_in_every_shard(fleet, nodes, rng, clock_s=CLOCK_S) as tables:
        for heats in tables:
            await heats.start()
            await heats.friends[1].makes(heats.friends[1].useful() or "up")
        for heats in tables:
            replay = await heats.over()
            heats.check(replay)
            assert replay["verdict"]["reason"] == "TIME_UP"


async def test_who_leaves_is_seen_to_be_away_and_to_come_back_in_every_shard(
    fleet: Fleet, nodes: Nodes, rng: random.Random, figures: Figures
) -> None:
    async with meeting_in_every_shard(fleet, nodes, rng) as tables:
        for heats in tables:
            leaver = heats.friends[2]
            seat = leaver.seat
            for connected in (False, True):
                begun = asyncio.get_running_loop().time()
                await (leaver.connect() if connected else leaver.drop())
                for each in (heats.friends[0], heats.friends[1], heats.watcher):
                    await each.until(
                        lambda each=each: each.table["seats"][seat - 1]["connected"] is connected  # type: ignore[misc] # noqa: B023
                    )
                took = asyncio.get_running_loop().time() - begun
                figures.note("on a Cluster: who goes or comes back is seen to", took, promised=2)


async def _race_once(heats: Heats) -> None:
    """Have everyone slide some, and all but the first resign."""
    await heats.start()
    for friend in heats.friends:
        for _ in range(SOME_SLIDES):
            await friend.makes(friend.useful() or "up")
    for friend in heats.friends[1:]:
        await friend.do("resign", race=heats.number)
    heats.check(await heats.over())


def _tallies(each: Friend) -> list[int]:
    return sorted(seat["tally"] for seat in each.table["seats"] if seat["name"])
