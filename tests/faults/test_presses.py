"""Two presses of everything at one moment, through both gateways and both replicas: each counts once, or says why not."""

import asyncio
import random
import time
from collections import Counter
from collections.abc import Iterator

import pytest
from tests.e2e.replaying import replayed
from tests.faults.fleet import Fleet, sailing
from tests.faults.heats import Heats, Sprinter, meeting
from tests.faults.presses import ANN, CASES, DONE, Case, Press
from tests.friend import Frame, call

ROUNDS = 6
LAST_S = 20.0


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    """Have each gateway know its own replicas only, boards come alive at once, and grace run out soon."""
    with sailing(tmp_path_factory.mktemp("presses"), apart=True, countdown_ms="0", grace_ms="300") as fleet:
        yield fleet


@pytest.mark.parametrize("case", CASES.values(), ids=list(CASES))
async def test_what_is_pressed_at_once_counts_once_or_is_refused(
    fleet: Fleet, rng: random.Random, case: Case
) -> None:
    outcomes: Counter[tuple[str, ...]] = Counter()
    async with asyncio.TaskGroup() as tasks:
        for _ in range(ROUNDS):
            tasks.create_task(press_once(fleet, random.Random(rng.random()), case, outcomes))
    assert set(outcomes) <= set(case.may_be), outcomes


async def press_once(
    fleet: Fleet, rng: random.Random, case: Case, outcomes: Counter[tuple[str, ...]]
) -> None:
    async with meeting(fleet.bases, rng, 3) as heats:
        if case.at != "gathering":
            await heats.start()
        if case.at == "finished":
            await race_out(heats)
        for each in case.first:
            assert await each.by(heats) == DONE
        if case.away is not None:
            await heats.friends[case.away].drop()
            await until_grace_is_over(heats.friends[ANN], case.away + 1)
        if case.at != "racing":
            line_up(heats)
        told = await press_all(heats, case.presses, rng)
        outcomes[told] += 1
        if case.away is not None:
            await heats.friends[case.away].connect()
        await check_table(fleet, heats)
        begun = any(
            each.kind in {"start", "play_again"} and answer == DONE
            for each, answer in zip(case.presses, told, strict=True)
        )
        race = heats.friends[ANN].table["race"]
        assert race is None or race["number"] == heats.number + begun, (told, race)
        heats.number += begun
        await race_to_the_end(heats)
        await check_tally(heats, left=any(each.kind in {"leave", "free_seat"} for each in case.presses))


async def press_all(heats: Heats, presses: tuple[Press, ...], rng: random.Random) -> tuple[str, ...]:
    """Press all at once, in any order where it is by several; give what each was answered."""
    order = list(range(len(presses)))
    if len({each.who for each in presses}) > 1:
        rng.shuffle(order)
    answers = await asyncio.gather(*(presses[index].by(heats) for index in order))
    return tuple(answers[order.index(index)] for index in range(len(presses)))


def line_up(heats: Heats) -> None:
    for each in heats.everyone:
        each.line_up()


async def until_grace_is_over(friend: Sprinter, seat: int) -> None:
    """Wait until one who is away may be raced on without."""
    await friend.until(lambda: not friend.table["seats"][seat - 1]["connected"])
    await asyncio.sleep(friend.table["seats"][seat - 1]["away_until"] / 1000 - time.time() + 0.02)


async def check_table(fleet: Fleet, heats: Heats) -> None:
    """See that everyone is shown one table, and one that the rules allow."""
    answers = [call(base, f"/api/tables/{heats.watcher.table_id}") for base in fleet.bases]
    least = max(answer.body["version"] for answer in answers)
    async with asyncio.timeout(LAST_S):
        while not is_one(tables := [each.table for each in heats.everyone], least):
            await asyncio.sleep(0.01)
    shown = [shown_of(table) for table in tables]
    assert shown == shown[:1] * len(shown)
    names = [seat["name"] for seat in tables[0]["seats"] if seat["name"] is not None]
    assert len(set(names)) == len(names), names
    seats = [seat for table in tables if (seat := table["you"]["seat"]) is not None]
    assert sorted(seats) == [seat["seat"] for seat in tables[0]["seats"] if seat["name"] is not None]
    hosts = [table["you"]["seat"] for table in tables if table["you"]["host"]]
    assert hosts == ([tables[0]["host"]] if seats else [])


def is_one(tables: list[Frame], least: int) -> bool:
    """Tell whether all are of one version, not before another, and what was begun is dealt."""
    versions = {table["version"] for table in tables}
    race = tables[0]["race"]
    return len(versions) == 1 and min(versions) >= least and (race is None or race["commitment"] is not None)


def shown_of(table: Frame) -> Frame:
    """Give what does not change with the time and is the same for all."""
    seats = [{key: seat.get(key) for key in ("seat", "name", "ready", "tally")} for seat in table["seats"]]
    return {"host": table["host"], "rules": table["rules"], "race": table["race"], "seats": seats}


async def race_to_the_end(heats: Heats) -> None:
    """End the race that is on, or, to see that one can race at this table, another."""
    if heats.friends[ANN].phase("gathering"):
        await begin_anew(heats)
    await race_out(heats)


async def begin_anew(heats: Heats) -> None:
    """Have everyone sit and be ready, and whoever is the host start."""
    line_up(heats)
    for friend in heats.friends:
        if friend.table["you"]["seat"] is None:
            await friend.sits()
    (host,) = [friend for friend in heats.friends if friend.table["you"]["host"]]
    for friend in heats.friends:
        if friend is not host:
            await friend.do("ready", ready=True)
    await host.do("start")
    heats.number += 1


async def race_out(heats: Heats) -> None:
    """Have all but one go out, where it is not over yet, and check the race."""
    for friend in heats.friends:
        await friend.until(
            lambda friend=friend: (  # type: ignore[misc]
                friend.table["race"] is not None
                and friend.number == heats.number
                and friend.latest.get("race", {}).get("race") == heats.number
            )
        )
    for friend in heats.friends[1:]:
        answer = await friend.ask("resign", race=heats.number)
        assert answer["type"] == DONE or answer["code"] in {"RACE_OVER", "NOT_A_RACER", "OUT_OF_RACE"}, answer
    heats.check(await heats.over())


async def check_tally(heats: Heats, *, left: bool) -> None:
    """See that the tally is that of all races; of those who `left`, their part may be missing."""
    points = 0.0
    for number in range(1, heats.number + 1):
        verdict = (await replayed(heats.friends[ANN], number))["verdict"]
        points += 1 if verdict["winner"] else len(verdict["tied"]) / 2
    tally = sum(seat["tally"] for seat in heats.friends[ANN].table["seats"] if seat["name"] is not None)
    assert tally == points or (left and tally < points), (tally, points)


async def test_two_tables_that_one_browser_opens_at_once_are_two(fleet: Fleet) -> None:
    cookie = (await asyncio.to_thread(call, fleet.bases[0], "/")).cookie
    asks = [
        asyncio.to_thread(call, base, "/api/tables", cookie=cookie, method="POST")
        for base in fleet.bases * ROUNDS
    ]
    opened = await asyncio.gather(*asks)
    assert {answer.status for answer in opened} == {201}
    tables = {answer.body["table"] for answer in opened}
    assert len(tables) == len(opened)
    for table in tables:
        shown = [call(base, f"/api/tables/{table}").body for base in fleet.bases]
        assert [(each["host"], each["phase"], each["version"]) for each in shown] == [(1, "gathering", 1)] * 2
