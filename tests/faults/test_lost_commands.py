"""Commands on a table whose answer is lost: each is carried out once, and whoever asked is told that it is done."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Sequence

import pytest
from tests.faults.figures import Figures
from tests.faults.fleet import Fleet
from tests.faults.lines import lose_one_answer
from tests.faults.party import Party, gathered

from table_service.scripts import COMMIT
from wire import keys
from wire.ids import TableId

DONE_S = 2
CONNECTED_S = 1.0
"""How soon a gateway is connected to a replica that began to listen later than itself."""
LOST_S = 10.0

Losing = Callable[[Fleet, Party, Awaitable[None]], Awaitable[None]]


async def losing_the_stores(fleet: Fleet, _: Party, asked: Awaitable[None]) -> None:
    """Lose what the store answers to the table's commit."""
    lines = [fleet.store_lines["table-0"], fleet.store_lines["table-1"]]
    loss = lose_one_answer(lines, COMMIT.sha.encode())
    await asked
    assert loss.happened, "no answer was lost"


async def losing_table_services(fleet: Fleet, party: Party, asked: Awaitable[None]) -> None:
    """Lose what table-service answers to a command that it has carried out."""
    before = version(fleet, party)
    loss = lose_one_answer(fleet.table_lines, party.racers[0].table_id.encode(), silently=True)
    asking = asyncio.ensure_future(asked)
    async with asyncio.timeout(LOST_S):
        while version(fleet, party) == before:
            await asyncio.sleep(0.005)
    assert not asking.done(), "the answer was not lost"
    next(line for line in fleet.table_lines if line.port == loss.taken).cut()
    await asking


@pytest.mark.parametrize("losing", [losing_the_stores, losing_table_services])
async def test_a_command_whose_answer_is_lost_is_carried_out_once(
    fleet: Fleet, rng: random.Random, figures: Figures, losing: Losing
) -> None:
    async with gathered(fleet.bases, rng, size=4, watched=True) as party:
        host, friend = party.racers[:2]
        await asyncio.sleep(CONNECTED_S)

        async def losing_answer_to(asked: Awaitable[None]) -> None:
            begun = asyncio.get_running_loop().time()
            await losing(fleet, party, asked)
            took = asyncio.get_running_loop().time() - begun
            figures.note("the answer to a command is lost: it is said to be done", took, promised=DONE_S)

        for ready in (False, True):
            before = version(fleet, party)
            await losing_answer_to(friend.do("ready", ready=ready))
            assert version(fleet, party) == before + 1, "Ready was not pressed once"
            assert friend.table["seats"][1]["ready"] is ready
        before = version(fleet, party)
        await losing_answer_to(friend.do("rename", name="Zoe"))
        assert version(fleet, party) == before + 1, "the name was not taken once"
        assert friend.table["seats"][1]["name"] == "Zoe"
        await losing_answer_to(host.do("start"))
        await through(party, number=1)
        again = [party.racers[index].do("play_again", race=1) for index in rng.sample(range(4), 2)]
        await losing_answer_to(at_once(again))
        party.number = 2
        await through(party, number=2)


async def at_once(asked: Sequence[Awaitable[None]]) -> None:
    await asyncio.gather(*asked)


async def through(party: Party, *, number: int) -> None:
    """Race the race of a number, and check it."""
    for racer in party.racers:
        await racer.until_racing()
        assert racer.number == number, "it was started twice"
    party.press()
    await party.until_acked()
    await party.end()


def version(fleet: Fleet, party: Party) -> int:
    """Read the table's version in the store."""
    with fleet.client() as client:
        found = client.hget(keys.table_key(TableId(party.racers[0].table_id)), "v")
    assert isinstance(found, bytes)
    return int(found)
