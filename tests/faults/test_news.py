"""News between replicas whose connections to it are killed again and again: it is back within two seconds."""

import asyncio
import random
from collections.abc import Iterator

import pytest
from tests.faults.figures import Figures
from tests.faults.fleet import Fleet, sailing
from tests.faults.party import gathered, racing
from tests.faults.racer import Racer, careful

KILLS = 10
BACK_S = 2


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    """Give a fleet whose gateways know but one replica of game-service each: what one commits is news to the other."""
    with sailing(tmp_path_factory.mktemp("fleet"), apart=True) as fleet:
        yield fleet


async def test_standings_move_at_the_other_replica_while_its_news_is_cut_off(
    fleet: Fleet, rng: random.Random, figures: Figures
) -> None:
    async with racing(fleet.bases, rng, size=2, choose=careful) as party:
        racer, follower = party.racers
        racer.pressing = True
        for _ in range(KILLS):
            kill_news(fleet)
            await racer.until_acked()
            begun, slides = now(), len(racer.slides.made)
            await follower.until(lambda slides=slides: slides_seen(follower, 1) >= slides)  # type: ignore[misc]
            took = now() - begun
            figures.note("news of races is cut off: others see a slide", took, promised=BACK_S)
            await asyncio.sleep(rng.uniform(0, 0.3))
        await party.end()


async def test_a_table_changes_everywhere_while_its_news_is_cut_off(
    fleet: Fleet, rng: random.Random, figures: Figures
) -> None:
    async with gathered(fleet.bases, rng, size=2, watched=True) as party:
        for clock_s in [2, 4, 6, 180] * 2:
            kill_news(fleet)
            begun = now()
            await party.racers[0].do("rules", target=None, clock_s=clock_s)
            for each in party.everyone:
                await each.until(lambda each=each, to=clock_s: each.table["rules"]["clock_s"] == to)  # type: ignore[misc]
            figures.note("news of tables is cut off: others see a change", now() - begun, promised=BACK_S)


async def test_connections_to_the_news_that_were_killed_are_made_anew(fleet: Fleet, figures: Figures) -> None:
    await until_all_listen(fleet)
    for _ in range(3):
        kill_news(fleet)
        begun = now()
        await until_all_listen(fleet)
        figures.note("connections to the news are killed: they are back", now() - begun, promised=BACK_S)


def kill_news(fleet: Fleet) -> None:
    with fleet.client() as client:
        client.execute_command("CLIENT", "KILL", "TYPE", "pubsub")


async def until_all_listen(fleet: Fleet) -> None:
    """Wait until every replica has a connection that hears the news."""
    async with asyncio.timeout(5 * BACK_S):
        with fleet.client() as client:
            while len(client.client_list(_type="pubsub")) < len(fleet.games) + len(fleet.tables):
                await asyncio.sleep(0.02)


def slides_seen(follower: Racer, seat: int) -> int:
    """Give how many slides of a seat somebody was told of."""
    standings = follower.latest.get("race", {}).get("standings", [])
    return next((int(each["slides"]) for each in standings if each["seat"] == seat), 0)


def now() -> float:
    return asyncio.get_running_loop().time()
