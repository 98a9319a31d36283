"""Processes that die during slides, and come back."""

import asyncio
import random
from functools import partial

from tests.faults.figures import Figures
from tests.faults.fleet import Fleet
from tests.faults.parties import KEYS_A_SECOND, all_acked, two_racing
from tests.faults.party import gathered, racing, start
from tests.faults.racer import Racer, careful

ROUNDS, KILLS_A_ROUND = 2, 25
TURNS = 6


async def test_the_next_slide_is_soon_answered_each_of_fifty_times_that_a_replica_is_killed(
    fleet: Fleet, rng: random.Random, figures: Figures
) -> None:
    doomed = rng.randrange(2)
    for _ in range(ROUNDS):
        async with two_racing(fleet.bases, rng) as parties:
            for _ in range(KILLS_A_ROUND):
                game = fleet.games[doomed]
                game.kill()
                game.start()
                took = await all_acked(parties)
                figures.note(
                    "a replica of game-service is killed: everyone's next slide is answered", took, promised=2
                )
                await asyncio.to_thread(fleet.wait_ready)
                # Mostly the one that took the races over, now and then the one that just came back.
                doomed = 1 - doomed if rng.random() < 0.9 else doomed
            for party in parties:
                await party.end()


async def test_when_a_gateway_is_killed_its_clients_are_soon_back_through_the_other(
    fleet: Fleet, rng: random.Random, figures: Figures
) -> None:
    async with racing(
        fleet.bases, rng, size=4, watched=True, keys_a_second=KEYS_A_SECOND, choose=careful
    ) as party:
        party.press()
        for number, gateway in enumerate(fleet.gateways):
            await party.until_acked()
            dropped = [each for each in party.everyone if each.base == fleet.bases[number]]
            assert dropped
            begun = asyncio.get_running_loop().time()
            backs = [(each, partial(_is_back, each, before=len(each.connections))) for each in dropped]
            gateway.kill()
            for each, back in backs:
                await each.until(back, seconds=30)
            took = asyncio.get_running_loop().time() - begun
            figures.note(
                "a gateway is killed: its clients are back, with board and standings", took, promised=5
            )
            assert {each.base for each in dropped} == {fleet.bases[1 - number]}
            await party.until_acked()
            await asyncio.to_thread(fleet.restart, gateway)
        assert not party.absences
        await party.end()
        assert not party.absences


async def test_commands_are_carried_out_though_each_replica_dies_right_after_the_other_came_back(
    fleet: Fleet, rng: random.Random, figures: Figures
) -> None:
    async with gathered(fleet.bases, rng, size=3, choose=careful) as party:
        bo, cy = party.racers[1:]
        loop = asyncio.get_running_loop()
        for turn in range(TURNS):
            table = fleet.tables[turn % 2]
            table.kill()
            begun = loop.time()
            await asyncio.gather(bo.do("rename", name=f"Bo {turn}"), cy.do("rename", name=f"Cy {turn}"))
            figures.note(
                "a replica of table-service is killed: a command is carried out",
                loop.time() - begun,
                promised=2,
            )
            await asyncio.to_thread(fleet.restart, table)
        await start(party)
        party.press()
        await party.until_acked()
        await party.end()
        assert not party.absences


def _is_back(each: Racer, *, before: int) -> bool:
    """Tell whether one is connected again and sees all that belongs on the screen."""
    if each.closed is not None or len(each.connections) == before:
        return False
    seen = {frame["type"] for frame in each.received[each.connections[-1] :]}
    return seen >= ({"table", "race", "board"} if each.table["you"]["seat"] else {"table", "race"})
