"""Services whose clocks are wrong by ten minutes, each in its own way: the store's clock alone counts."""

import asyncio
import contextlib
import json
import random
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest
from tests.faults.figures import Figures
from tests.faults.fleet import Fleet, sailing
from tests.faults.party import Party, gathered, racing
from tests.faults.racer import careful
from tests.friend import Friend, open_table
from tests.stack import Service

SKEWS_S = (600, -600, -540, 660, 720, -660)
"""Of both replicas of game-service, of table-service, and of the gateway."""
COUNTDOWN_MS, GRACE_MS, CLOCK_S = 600, 3_000, 2
ANSWER_MS = 1_000


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    """Give a fleet in which no two services agree on the time of day."""
    with sailing(tmp_path_factory.mktemp("fleet"), prepare=skew, grace_ms=str(GRACE_MS)) as fleet:
        yield fleet


def skew(fleet: Fleet) -> None:
    for service, seconds in zip(fleet.services, SKEWS_S, strict=True):
        skewed = {"PYTHONPATH": str(Path(__file__).parent / "skewed"), "SKEW_S": str(seconds)}
        service.environment = {**service.environment, **skewed}


def test_their_clocks_are_wrong(fleet: Fleet) -> None:
    for service, seconds in zip(fleet.services, SKEWS_S, strict=True):
        assert abs(last_said(service) - fleet.now() / 1000 - seconds) < 60


async def test_a_race_starts_and_ends_by_the_stores_clock(
    fleet: Fleet, rng: random.Random, figures: Figures
) -> None:
    begun = fleet.now()
    async with gathered(fleet.bases, rng, size=4, watched=True, choose=careful, clock_s=CLOCK_S) as party:
        before = fleet.now()
        await party.racers[0].do("start")
        after = fleet.now()
        await party.racers[0].until(lambda: party.racers[0].table["race"]["commitment"] is not None)
        race = party.racers[0].table["race"]
        assert before + COUNTDOWN_MS <= race["starts_at"] <= after + COUNTDOWN_MS
        assert race["deadline"] == race["starts_at"] + CLOCK_S * 1000
        for each in party.everyone:
            await each.until(lambda each=each: each.phase("racing"))  # type: ignore[misc]
        late_ms = fleet.now() - race["starts_at"]
        assert late_ms >= 0, "the boards came alive early"
        figures.note(
            "clocks are wrong: the boards come alive after their time", late_ms, promised=200, unit="ms"
        )
        party.press()
        for each in party.everyone:
            await each.until_over()
        late_ms = fleet.now() - race["deadline"]
        assert late_ms >= 0, "the race ended early"
        figures.note("clocks are wrong: a race ends after its deadline", late_ms, promised=1_000, unit="ms")
        assert party.racers[0].table["race"]["ended_at"] == race["deadline"]
        replay = await party.over()
        assert all(seat["slides"] for seat in replay["seats"])
        check_times(party, begun, fleet.now())


async def test_who_is_away_has_their_time_by_the_stores_clock(fleet: Fleet, rng: random.Random) -> None:
    begun = fleet.now()
    async with racing(fleet.bases, rng, size=3, choose=careful) as party:
        host, friend, gone = party.racers
        party.press()
        await party.until_acked()
        before = fleet.now()
        gone.stop()
        await gone.close()
        await host.until(lambda: not host.table["seats"][2]["connected"])
        away_until = host.table["seats"][2]["away_until"]
        assert before + GRACE_MS <= away_until <= fleet.now() + GRACE_MS
        assert await friend.refused("race_on_without", race=1, seat=3) == "GRACE_NOT_OVER"
        while fleet.now() < away_until:
            await asyncio.sleep(0.05)
        await friend.do("race_on_without", race=1, seat=3)
        party.racers.remove(gone)
        replay = await party.end()
        assert before + GRACE_MS <= replay["starts_at"] + replay["events"][0]["ms"] <= fleet.now()
        check_times(party, begun, fleet.now())
        others = [seat for frame in host.received if frame["type"] == "table" for seat in frame["seats"][:2]]
        assert all(seat["connected"] for seat in others if seat["name"]), (
            "one who was there was taken for away"
        )


async def test_a_gateway_that_has_not_heard_the_store_tells_no_time(fleet: Fleet) -> None:
    table, cookie = await open_table(fleet.bases[0])
    fleet.kill_all()
    fleet.gateways[0].start()
    friend = Friend(fleet.bases[0], table, cookie)
    while True:
        with contextlib.suppress(OSError):
            connecting = asyncio.create_task(friend.connect())
            await asyncio.wait([connecting], timeout=1)
            if not connecting.done():
                break
            await connecting
    begun = fleet.now()
    await asyncio.to_thread(
        fleet.restart, *(each for each in fleet.services if each is not fleet.gateways[0])
    )
    await connecting
    times = [frame["now"] for frame in friend.received if "now" in frame]
    assert begun - ANSWER_MS <= min(times) <= max(times) <= fleet.now()
    assert [frame["type"] for frame in friend.received[:2]] == ["hello", "table"]
    await friend.close()


def check_times(party: Party, begun: int, ended: int) -> None:
    """Hold every time that anybody was told against the store's clock; an estimate of it may be a little old."""
    for each in party.everyone:
        times = [frame["now"] for frame in each.received if "now" in frame]
        assert begun - ANSWER_MS <= min(times) <= max(times) <= ended, (begun, min(times), max(times), ended)


def last_said(service: Service) -> float:
    """Give when a service wrote its last line, by its own clock, in seconds."""
    line = service.log.read_text().splitlines()[-1]
    return datetime.fromisoformat(json.loads(line)["ts"]).timestamp()
