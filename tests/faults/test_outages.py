"""Replicas of table-service, or all processes, that die across a moment that matters: no start and no end is lost."""

import asyncio
import contextlib
import random
import signal
from collections.abc import Sequence

import pytest
from tests.faults.figures import Figures
from tests.faults.fleet import Fleet
from tests.faults.party import Party, gathered, racing
from tests.faults.racer import careful
from tests.friend import WAIT_S, Frame, call
from tests.proxy import STALLED

BEFORE_MS = 100
DEAD_S = 20.0
GRACE_MS = 20_000
STARTS = 4


@pytest.mark.parametrize("doomed", [0, 1])
async def test_races_end_on_time_though_a_replica_of_table_service_dies_just_before(
    fleet: Fleet, rng: random.Random, figures: Figures, doomed: int
) -> None:
    async with contextlib.AsyncExitStack() as stack:
        parties = [
            await stack.enter_async_context(racing(fleet.bases, rng, watched=True, clock_s=2, choose=careful))
            for _ in range(3)
        ]
        for party in parties:
            party.press()
        # The others' deadlines are a little later than the first one's.
        await _until(fleet, _deadline(parties[0]) - BEFORE_MS)
        fleet.tables[doomed].kill()
        for party in parties:
            await party.until_over()
            figures.note(
                "a replica of table-service dies 100 ms before a deadline: everyone knows of the end",
                max(0, fleet.now() - _deadline(party)) / 1000,
                promised=1,
            )
        await asyncio.to_thread(fleet.restart, fleet.tables[doomed])
        for party in parties:
            _check_end(party, await party.over(), await _table(fleet, party))


async def test_a_race_that_nobody_has_in_memory_ends_on_time_though_a_replica_of_table_service_dies_just_before(
    fleet: Fleet, rng: random.Random, figures: Figures
) -> None:
    for doomed in fleet.tables:
        async with racing(fleet.bases, rng, clock_s=4, choose=careful) as party:
            party.press()
            await party.until_acked()
            await _leave_alone(party)
            for game in fleet.games:
                game.kill()
            await asyncio.to_thread(fleet.restart, *fleet.games)
            await _until(fleet, _deadline(party) - BEFORE_MS)
            doomed.kill()
            while (await _table(fleet, party))["phase"] != "finished":
                await asyncio.sleep(0.02)
            figures.note(
                "a replica of table-service dies 100 ms before a deadline: a race in nobody's memory is over",
                (fleet.now() - _deadline(party)) / 1000,
                promised=1,
            )
            await asyncio.to_thread(fleet.restart, doomed)
            for racer in party.racers:
                await racer.connect()
            _check_end(party, await party.over(), await _table(fleet, party))


async def test_a_race_whose_deadline_passes_while_everything_is_dead_ends_as_of_it_on_restart(
    fleet: Fleet, rng: random.Random, figures: Figures
) -> None:
    async with racing(fleet.bases, rng, size=4, watched=True, clock_s=6, choose=careful) as party:
        party.press()
        await party.until_acked()
        fleet.kill_all()
        await asyncio.sleep(DEAD_S)
        assert fleet.now() > _deadline(party)
        restarted = fleet.now()
        heard = {id(each): len(each.received) for each in party.everyone}
        await asyncio.to_thread(fleet.restart, *fleet.services)
        begun = asyncio.get_running_loop().time()
        async with asyncio.timeout(WAIT_S):
            while (await _table(fleet, party))["phase"] != "finished":
                await asyncio.sleep(0.02)
        figures.note(
            "everything is dead across a deadline: once it is back the race is over",
            asyncio.get_running_loop().time() - begun,
            promised=1,
        )
        await party.until_over()
        figures.note(
            "everything is dead across a deadline: once it is back everyone knows of the end",
            asyncio.get_running_loop().time() - begun,
            promised=10,
        )
        for racer in party.racers:
            refused = await racer.refused("slide", race=1, n=racer.board["n"] + 1, direction="up")
            assert refused == "RACE_OVER"
        for each in party.everyone:
            ends = [
                _grace_ends(frame) for frame in each.received[heard[id(each)] :] if frame["type"] == "table"
            ]
            assert all(end >= restarted + GRACE_MS for seats in ends for end in seats)
            assert all(seat["connected"] or not seat["name"] for seat in each.table["seats"])
        _check_end(party, await party.over(), await _table(fleet, party))


async def test_a_race_is_dealt_once_though_table_service_dies_between_start_and_deal(
    fleet: Fleet, rng: random.Random, figures: Figures
) -> None:
    async with gathered(fleet.bases, rng, size=4, watched=True, choose=careful) as party:
        host = party.racers[0]
        for line in fleet.game_lines:
            line.weather(up=STALLED)
        await host.send("start")
        for each in party.everyone:
            await each.until(lambda each=each: each.table["race"] is not None)  # type: ignore[misc]
            assert each.table["race"]["commitment"] is None
        for table in fleet.tables:
            table.kill()
        for line in fleet.game_lines:
            line.cut()
        fleet.calm()
        await asyncio.to_thread(fleet.restart, *fleet.tables)
        begun = asyncio.get_running_loop().time()
        for racer in party.racers:
            await racer.until(lambda racer=racer: "board" in racer.latest)  # type: ignore[misc]
        figures.note(
            "table-service dies between Start and Deal: once it is back everyone has a board",
            asyncio.get_running_loop().time() - begun,
            promised=2,
        )
        for racer in party.racers:
            await racer.until_racing()
            assert racer.number == 1
        commitments = {each.table["race"]["commitment"] for each in party.everyone}
        assert len(commitments) == 1
        assert None not in commitments
        party.press()
        await party.until_acked()
        await party.end()


async def test_a_tally_is_settled_once_though_table_service_dies_between_verdict_and_settling(
    fleet: Fleet, rng: random.Random, figures: Figures
) -> None:
    async with racing(fleet.bases, rng, size=3, watched=True, choose=careful) as party:
        party.press()
        await party.until_acked()
        await party.settled()
        for table in fleet.tables:
            table.signal(signal.SIGSTOP)
        for racer in party.racers[1:]:
            await racer.do("resign", race=1)
        for each in party.everyone:
            await each.until(lambda each=each: each.verdict is not None)  # type: ignore[misc]
            assert each.phase("racing")
        for table in fleet.tables:
            table.kill()
        await asyncio.to_thread(fleet.restart, *fleet.tables)
        begun = asyncio.get_running_loop().time()
        await party.until_over()
        figures.note(
            "table-service dies between verdict and settling: once it is back everyone sees the tally",
            asyncio.get_running_loop().time() - begun,
            promised=2,
        )
        _check_end(party, await party.over(), await _table(fleet, party))


async def test_a_start_is_made_once_though_the_gateway_dies_right_after_it_was_sent(
    fleet: Fleet, rng: random.Random
) -> None:
    for turn in range(STARTS):
        doomed = turn % 2
        async with gathered(_turned(fleet.bases, doomed), rng, choose=careful) as party:
            host = party.racers[0]
            await host.send("start")
            await asyncio.sleep(rng.uniform(0, 0.01))
            fleet.gateways[doomed].kill()
            await host.until(lambda host=host: host.closed is not None)  # type: ignore[misc]
            await _press_start(party)
            for racer in party.racers:
                await racer.until_racing()
                assert racer.number == 1
            party.press()
            await party.until_acked()
            await party.end()
            await asyncio.to_thread(fleet.restart, fleet.gateways[doomed])


async def _press_start(party: Party) -> None:
    """Press Start, as the host does who is back, and sees no race."""
    host = party.racers[0]
    while True:
        await party.until_back()
        if not host.phase("gathering"):
            return
        with contextlib.suppress(AssertionError):  # the socket closed: look again
            answer = await host.ask("start")
            assert answer["type"] == "done" or answer["code"] in {"NOT_GATHERING", "UNAVAILABLE"}, answer


async def _leave_alone(party: Party) -> None:
    """Have everyone close the page, and not come back."""
    for each in party.everyone:
        each.stop()
        await each.close()


def _deadline(party: Party) -> int:
    return int(party.racers[0].table["race"]["deadline"])


async def _until(fleet: Fleet, at: int) -> None:
    """Wait for a time of the store's clock, in milliseconds."""
    await asyncio.sleep(max(0, at - fleet.now()) / 1000)


async def _table(fleet: Fleet, party: Party) -> Frame:
    """Ask for the table as a watcher sees it."""
    answer = await asyncio.to_thread(call, fleet.bases[0], f"/api/tables/{party.racers[0].table_id}")
    assert answer.status == 200, answer
    found: Frame = answer.body
    return found


def _grace_ends(table: Frame) -> list[int]:
    return [seat["away_until"] for seat in table["seats"] if seat["name"] and seat["away_until"]]


def _turned(bases: Sequence[str], first: int) -> list[str]:
    return [*bases[first:], *bases[:first]]


def _check_end(party: Party, replay: Frame, table: Frame) -> None:
    """See that a race ended once, a race with a clock at its deadline, and that its tally was settled once."""
    verdict = replay["verdict"]
    won = {verdict["winner"]: 1} if verdict["winner"] else dict.fromkeys(verdict["tied"], 0.5)
    tally = {seat["seat"]: seat["tally"] for seat in table["seats"] if seat["name"] is not None}
    assert tally == {seat: won.get(seat, 0) for seat in tally}
    assert len(tally) == len(party.racers)
    if verdict["reason"] == "TIME_UP":
        assert replay["ended_at"] == table["race"]["ended_at"] == table["race"]["deadline"]
