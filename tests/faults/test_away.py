"""Who is away: just inside of grace and just outside of it, and when it is we who are."""

import asyncio
import random
import signal
from collections.abc import Iterator

import pytest
from tests.faults.fleet import Fleet, sailing
from tests.faults.party import Party, racing
from tests.faults.racer import Racer, careful
from tests.friend import Frame

GRACE_MS = 3_000
SIXTIETH_MS = GRACE_MS // 60
"""What a second is to the grace of a minute."""
ONE_PAUSED_S, ALL_PAUSED_S = 5.0, 7.0
SWEPT_S = 2.0
"""Sweeps come once a second."""


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    """Give a fleet whose grace is short, and whose leases last for longer than it takes a gateway to find another."""
    with sailing(tmp_path_factory.mktemp("fleet"), grace_ms=str(GRACE_MS), ping_ms="3000") as fleet:
        yield fleet


async def test_one_who_is_back_inside_of_grace_goes_on_and_could_not_be_raced_on_without(
    fleet: Fleet, rng: random.Random
) -> None:
    async with racing(fleet.bases, rng, size=3, choose=careful) as party:
        ann, cy = party.racers[0], party.racers[2]
        party.press()
        await party.until_acked()
        assert await ann.refused("race_on_without", race=1, seat=cy.seat) == "STILL_CONNECTED"
        until = await _goes_away(party, cy)
        n = cy.board["n"]
        while fleet.now() < until - SIXTIETH_MS:
            answer = await ann.ask("race_on_without", race=1, seat=cy.seat)
            answered = fleet.now()
            assert answer.get("code") == "GRACE_NOT_OVER" or answered >= until, answer
            await _wait_for(fleet, min(answered + 100, until - SIXTIETH_MS))
        await _comes_back(cy)
        assert cy.board["n"] == n
        await ann.until(lambda: _seat(ann, cy.seat)["connected"])
        assert await ann.refused("race_on_without", race=1, seat=cy.seat) == "STILL_CONNECTED"
        party.press()
        await party.until_acked()
        replay = await party.end()
        assert [event["type"] for event in replay["events"]] == ["resigned", "resigned"]


async def test_one_who_stays_away_past_grace_is_put_out_once_by_two_who_press_at_once(
    fleet: Fleet, rng: random.Random
) -> None:
    async with racing(fleet.bases, rng, size=4, watched=True, choose=careful) as party:
        ann, bo, _, di = party.racers
        party.press()
        await party.until_acked()
        seat = di.seat
        until = await _goes_away(party, di)
        await _wait_for(fleet, until + SIXTIETH_MS)
        await asyncio.gather(*(each.do("race_on_without", race=1, seat=seat) for each in (ann, bo)))
        for each in party.everyone:
            if each is not di:
                await each.until(lambda each=each: _stands(each, seat)["state"] == "out")  # type: ignore[misc]
                assert _stands(each, seat)["out"] == "left_behind"
        await _comes_back(di)
        assert await di.refused("slide", race=1, n=di.board["n"] + 1, direction="up") == "OUT_OF_RACE"
        replay = await party.end()
        assert [event["seat"] for event in replay["events"] if event["type"] == "left_behind"] == [seat]


async def test_one_whom_nobody_races_on_without_comes_back_past_grace_and_goes_on(
    fleet: Fleet, rng: random.Random
) -> None:
    async with racing(fleet.bases, rng, choose=careful) as party:
        ann, bo = party.racers
        party.press()
        await party.until_acked()
        until = await _goes_away(party, bo)
        n = bo.board["n"]
        await _wait_for(fleet, until + SIXTIETH_MS)
        await _comes_back(bo)
        assert bo.board["n"] == n
        await ann.until(lambda: _seat(ann, bo.seat)["connected"])
        assert await ann.refused("race_on_without", race=1, seat=bo.seat) == "STILL_CONNECTED"
        party.press()
        await party.until_acked()
        await party.end()


async def test_nobody_loses_grace_to_replicas_of_table_service_that_stand_still(
    fleet: Fleet, rng: random.Random
) -> None:
    async with racing(fleet.bases, rng, size=4, watched=True, keys_a_second=6, choose=careful) as party:
        party.press()
        await party.until_acked()
        for doomed, seconds in ((fleet.tables[:1], ONE_PAUSED_S), (fleet.tables, ALL_PAUSED_S)):
            for table in doomed:
                table.signal(signal.SIGSTOP)
            try:
                await asyncio.sleep(seconds)
                await party.until_acked()
            finally:
                for table in doomed:
                    table.signal(signal.SIGCONT)
            await asyncio.to_thread(fleet.wait_ready)
        await asyncio.sleep(SWEPT_S)
        assert not party.absences
        assert len({len(each.connections) for each in party.everyone}) == 1, "somebody had to come back"
        await party.end()


async def _goes_away(party: Party, racer: Racer) -> int:
    """Have a racer's page closed, all keys landed; give when grace ends, as the first racer is told."""
    await party.settled()
    racer.away = True
    await racer.close()
    ann = party.racers[0]
    await ann.until(lambda: bool(_seat(ann, racer.seat)["away_until"]))
    return int(_seat(ann, racer.seat)["away_until"])


async def _comes_back(racer: Racer) -> None:
    await racer.connect()
    racer.away = False
    await racer.until(lambda: "board" in racer.latest)


def _seat(racer: Racer, seat: int) -> Frame:
    found: Frame = racer.table["seats"][seat - 1]
    return found


def _stands(racer: Racer, seat: int) -> Frame:
    found: Frame = next(each for each in racer.race["standings"] if each["seat"] == seat)
    return found


async def _wait_for(fleet: Fleet, at: int) -> None:
    """Wait for a time of the store's clock, in milliseconds."""
    await asyncio.sleep(max(0, at - fleet.now()) / 1000)
