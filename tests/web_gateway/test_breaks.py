"""Replicas that vanish, hang or go away: what a racer may notice is a short wait, and no slide is lost or made twice."""

import asyncio
import contextlib
import signal
import socket
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.friend import Friend, call, open_table
from tests.stack import Service, Stack, make_stack
from tests.web_gateway.conftest import SETTINGS

from wire.routing import choose

PATIENT = SETTINGS | {"grace_ms": "20000", "ping_ms": "5000"}
"""Leases of 10 s outlast the 4 s in which a gateway finds that a replica hangs, as those of 20 s do by default."""
LISTENS = ("TILERACE_GAME_LISTEN", "TILERACE_TABLE_LISTEN")
KEYS = ("down", "left", "right", "up")


@dataclass
class Doubled:
    """A stack with two replicas of game-service and of table-service, and one gateway that knows them all."""

    stack: Stack
    games: tuple[Service, Service]
    tables: tuple[Service, Service]

    @property
    def base(self) -> str:
        return self.stack.base


@pytest.fixture
def doubled(store_url: str, tmp_path: Path) -> Iterator[Doubled]:
    first, second = (make_stack(store_url, tmp_path / name, **PATIENT) for name in ("one", "two"))
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    targets = {
        name: ",".join((one.environment[listen], two.environment[listen]))
        for name, listen, one, two in (
            ("TILERACE_GAME_TARGET", "TILERACE_GAME_LISTEN", first.game, second.game),
            ("TILERACE_TABLE_TARGET", "TILERACE_TABLE_LISTEN", first.table, second.table),
        )
    }
    for service in (first.table, second.table, first.gateway):
        service.environment = {
            **service.environment,
            **{name: at for name, at in targets.items() if name in service.environment},
        }
    with contextlib.ExitStack() as stops:
        for service in (first.game, second.game, first.table, second.table, first.gateway):
            service.start()
            stops.callback(_end, service)
        for service in (first.game, second.game, first.table, second.table):
            until_listening(service)
        first.wait_ready()
        yield Doubled(first, (first.game, second.game), (first.table, second.table))


def _end(service: Service) -> None:
    """Stop a service, also one that is paused or has ended."""
    assert service.process is not None
    if service.process.poll() is None:
        service.signal(signal.SIGCONT)
        service.stop()


@contextlib.asynccontextmanager
async def racing(base: str) -> AsyncIterator[tuple[Friend, Friend]]:
    table, cookie = await open_table(base, name="Ann", rules={"target": None, "clock_s": None})
    async with Friend.at(base, table, cookie) as ann, Friend.at(base, table) as bo:
        await bo.sits("Bo")
        await bo.do("ready", ready=True)
        await ann.do("start")
        for friend in (ann, bo):
            await friend.until_racing()
        yield ann, bo


async def back(service: Service, number: signal.Signals) -> None:
    """Start a service that the signal ended, or have it go on where that paused it; wait until it listens."""
    assert service.process is not None
    if number is signal.SIGSTOP:
        service.signal(signal.SIGCONT)
    else:
        await asyncio.to_thread(service.process.wait, 10)
        service.start()
    await asyncio.to_thread(until_listening, service)
    await asyncio.sleep(1)


def until_listening(service: Service) -> None:
    host, _, port = next(at for name, at in service.environment.items() if name in LISTENS).partition(":")
    end = time.monotonic() + 30
    while True:
        try:
            socket.create_connection((host, int(port)), 1).close()
        except OSError:
            assert time.monotonic() < end, f"{service.module} does not listen"
            time.sleep(0.05)
        else:
            return


async def slide_on(friend: Friend, count: int) -> list[str]:
    """Make slides one after the other, each answered, and be sure that each was made once."""
    made = []
    for _ in range(count):
        direction = friend.useful() or "up"
        before = friend.board["n"]
        answer = await friend.slide(direction)
        assert answer["type"] == "board", answer
        assert friend.board["n"] == before + 1
        made.append(direction)
    return made


async def replayed(base: str, ann: Friend, bo: Friend) -> list[str]:
    """End the race; give Ann's slides as the log has them."""
    await bo.do("resign", race=1)
    await ann.until_over()
    answer = await asyncio.to_thread(call, base, f"/api/tables/{ann.table_id}/races/1/replay")
    return [word for _, word in answer.body["seats"][0]["slides"]]


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGSTOP])
async def test_a_race_goes_on_when_either_replica_of_game_service_goes(
    doubled: Doubled, number: signal.Signals
) -> None:
    async with racing(doubled.base) as (ann, bo):
        made = await slide_on(ann, 5)
        for game in doubled.games:
            game.signal(number)
            made += await slide_on(ann, 5)
            await slide_on(bo, 2)
            await back(game, number)
        assert (ann.closed, bo.closed) == (None, None)
        assert await replayed(doubled.base, ann, bo) == made


async def test_slides_in_flight_when_a_replica_vanishes_are_each_answered_once_in_order(
    doubled: Doubled,
) -> None:
    async with racing(doubled.base) as (ann, bo):
        for game in doubled.games:
            start = ann.board["n"]
            ids = []
            for step in range(8):
                if step == 4:
                    game.signal(signal.SIGKILL)
                ids.append(await ann.send("slide", race=1, n=start + 1 + step, direction=KEYS[step % 4]))
            await ann.until(lambda ids=ids: all(each in ann.answers for each in ids))  # type: ignore[misc]
            assert [len(ann.answers[each]) for each in ids] == [1] * 8
            told = [frame["re"] for frame in ann.received if frame.get("re") in ids]
            assert told == ids
            await back(game, signal.SIGKILL)
            applied = [ann.answers[each][0] for each in ids if ann.answers[each][0]["type"] == "board"]
            assert ann.board["n"] == start + len(applied)
        log = await replayed(doubled.base, ann, bo)
        assert len(log) == ann.board["n"]


async def test_services_that_other_tests_share_are_not_at_work_in_the_store_of_this_one(
    stack: Stack, doubled: Doubled
) -> None:
    await open_table(stack.base)
    table, _ = await open_table(doubled.base)
    assert (await asyncio.to_thread(call, stack.base, f"/api/tables/{table}")).status == 404


def away_in(friend: Friend) -> list[str]:
    """Give the names of those whom a friend was ever told to be away."""
    seats = [seat for frame in friend.received if frame["type"] == "table" for seat in frame["seats"]]
    return [seat["name"] for seat in seats if seat["name"] is not None and not seat["connected"]]


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGSTOP])
async def test_a_table_goes_on_when_either_replica_of_table_service_goes(
    doubled: Doubled, number: signal.Signals
) -> None:
    base = doubled.base
    table, cookie = await open_table(base, name="Ann")
    async with Friend.at(base, table, cookie) as ann, Friend.at(base, table) as bo:
        await bo.sits("Bo")
        for turn, service in enumerate(doubled.tables):
            service.signal(number)
            await bo.do("rename", name=f"Bo the {turn}")
            await ann.until(lambda turn=turn: ann.table["seats"][1]["name"] == f"Bo the {turn}")
            await back(service, number)
        assert (ann.closed, bo.closed) == (None, None)
        assert away_in(ann) == []
        assert ann.table["watchers"] == 0


async def test_a_page_that_is_loaded_anew_while_its_sit_hangs_has_the_seat(doubled: Doubled) -> None:
    table, cookie = await open_table(doubled.base, name="Ann")
    at = [each.environment["TILERACE_TABLE_LISTEN"] for each in doubled.tables]
    hangs = doubled.tables[at.index(choose(table, at)[0])]
    async with Friend.at(doubled.base, table, cookie) as ann:
        gone = Friend(doubled.base, table)
        await gone.connect()
        hangs.signal(signal.SIGSTOP)
        await gone.send("sit", name="Bo")
        await asyncio.sleep(0.2)
        await gone.drop()
        async with Friend.at(doubled.base, table, gone.cookie) as bo:
            await bo.until(lambda: bo.table["you"]["seat"] == 2 or bo.closed is not None)
            await back(hangs, signal.SIGSTOP)
            await bo.do("ready", ready=True)
            await ann.until(lambda: ann.table["seats"][1]["ready"] and ann.table["seats"][1]["connected"])
            assert bo.closed is None


async def test_a_gateway_that_goes_away_says_goodbye_and_takes_nobodys_seat(doubled: Doubled) -> None:
    gateway = doubled.stack.gateway
    async with racing(doubled.base) as (ann, bo):
        await slide_on(ann, 3)
        gateway.signal(signal.SIGTERM)
        for friend in (ann, bo):
            await friend.until(lambda friend=friend: friend.closed is not None)  # type: ignore[misc]
            assert friend.closed == 1012
            assert friend.received[-1]["type"] == "bye"
            assert 0 <= friend.received[-1]["retry_ms"] <= 1000
        assert gateway.process is not None
        assert await asyncio.to_thread(gateway.process.wait, 5) == 0
        gateway.start()
        await asyncio.to_thread(doubled.stack.wait_ready)
        async with Friend.at(doubled.base, ann.table_id, ann.cookie) as again:
            await again.until_racing()
            assert again.board["n"] == 3
            await slide_on(again, 3)
