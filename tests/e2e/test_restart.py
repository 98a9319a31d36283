"""All services stopped and started again on the same store, in the middle of a race (docs/architecture.md, rules 3, 6, 13)."""

import asyncio
import contextlib
import random
import signal
from collections.abc import AsyncIterator, Iterator

import pytest
import redis
from tests.e2e.flying import Flight
from tests.e2e.meeting import gathered, racing, verdicts
from tests.e2e.replaying import cells_of, made_again, replayed, slides_of
from tests.friend import Friend
from tests.stack import STOP_S, Stack, make_stack, running
from websockets.exceptions import ConnectionClosed

SETTINGS = {"grace_ms": "3000", "ping_ms": "500", "countdown_ms": "700", "clocks_s": "2,180"}
WORDS = ("up", "down", "left", "right")


@pytest.fixture(scope="module")
def own_stack(store_port: int, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """A stack that may be stopped: in the store's second database, apart from the one that other tests share."""
    with redis.Redis(port=store_port, db=1) as client:
        client.flushdb()
    described = make_stack(
        f"redis://127.0.0.1:{store_port}/1", tmp_path_factory.mktemp("restart"), **SETTINGS
    )
    with running(described):
        yield described


@pytest.fixture
def base(own_stack: Stack) -> str:
    return own_stack.base


async def end_all(stack: Stack, number: signal.Signals) -> list[int]:
    """Have all services end at once; give what they ended with."""
    for service in stack.services:
        service.signal(number)
    processes = [service.process for service in stack.services]
    return [await asyncio.to_thread(process.wait, STOP_S) for process in processes if process is not None]


async def slid_to(friend: Friend, n: int) -> list[str]:
    return await friend.slides_until(lambda: friend.board["n"] == n)


async def come_back(friends: list[Friend]) -> None:
    """Have friends connect again, and see their table and race anew."""
    for friend in friends:
        await friend.until(lambda friend=friend: friend.closed is not None)  # type: ignore[misc]
        friend.latest.clear()
        await friend.connect()


@contextlib.asynccontextmanager
async def watching_the_goodbye(friends: list[Friend]) -> AsyncIterator[None]:
    """Check that every socket is told to come back, and is closed with 1012."""
    yield
    for friend in friends:
        await friend.until(lambda friend=friend: friend.closed is not None)  # type: ignore[misc]
        assert friend.closed == 1012
        assert friend.received[-1]["type"] == "bye"
        assert 0 < friend.received[-1]["retry_ms"] <= 1000


async def test_a_race_goes_on_with_the_same_boards_after_all_services_were_stopped(
    base: str, own_stack: Stack
) -> None:
    async with racing(base, 2) as (ann, bo):
        made = {friend.seat: await slid_to(friend, 4) for friend in (ann, bo)}
        await ann.do("offer", race=1)
        boards = {friend.seat: friend.board["cells"] for friend in (ann, bo)}
        before = ann.table["race"]
        async with watching_the_goodbye([ann, bo]):
            assert await end_all(own_stack, signal.SIGTERM) == [0, 0, 0]
        await asyncio.to_thread(own_stack.start)
        await come_back([ann, bo])
        for friend in (ann, bo):
            await friend.until_racing()
            assert (friend.board["n"], friend.board["cells"]) == (4, boards[friend.seat])
            assert friend.table["race"] == before
            assert friend.race["offer"]["by"] == 1
        for friend in (ann, bo):
            made[friend.seat] += await slid_to(friend, 8)
        await bo.do("resign", race=1)
        await verdicts([ann, bo])
        replay = await replayed(ann)
        assert {seat: slides_of(replay, seat) for seat in made} == made
        assert [event["type"] for event in replay["events"]] == ["offered", "resigned"]
        assert ann.race["last_offer"] == {"by": 1, "outcome": "slid", "seat": 2}
        assert ann.table["seats"][0]["tally"] == 1


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
async def test_keys_in_flight_when_all_services_end_land_once(
    base: str, own_stack: Stack, number: signal.Signals
) -> None:
    keys = random.Random(number).choices(WORDS, k=200)
    async with racing(base, 2) as (ann, bo):
        flight = Flight(bo)
        flight.press(keys)
        ending = asyncio.create_task(end_all(own_stack, number))
        with contextlib.suppress(ConnectionClosed):
            while flight.keys:
                await flight.fill()
                if not await flight.answer():
                    break
                await asyncio.sleep(0.01)
        await ending
        await asyncio.to_thread(own_stack.start)
        await come_back([ann, bo])
        await bo.until_racing()
        await flight.again()
        flight.keys.clear()
        await flight.land()
        pressed = len(flight.landed) + len(flight.useless)
        assert pressed
        await ann.do("resign", race=1)
        await verdicts([ann, bo])
        replay = await replayed(ann)
        assert slides_of(replay, 2) == flight.landed
        reveal = {board["seat"]: board["cells"] for board in ann.latest["reveal"]["boards"]}
        assert cells_of(made_again(replay)) == reveal


async def test_a_deadline_that_passes_while_all_are_down_ends_the_race_as_of_it(
    base: str, own_stack: Stack
) -> None:
    async with racing(base, 2, clock_s=2) as (ann, bo):
        await bo.slides_until(lambda: bo.board["score"] >= 8)
        cells = bo.board["cells"]
        assert ann.verdict is None
        await end_all(own_stack, signal.SIGKILL)
        deadline = ann.table["race"]["deadline"]
        await until_the_store_says(own_stack, deadline + 300)
        await asyncio.to_thread(own_stack.start)
        await come_back([ann, bo])
        verdict = await verdicts([ann, bo])
        assert (verdict["reason"], verdict["winner"]) == ("TIME_UP", 2)
        race = ann.table["race"]
        assert race["ended_at"] == race["deadline"] == deadline
        assert bo.latest["reveal"]["boards"][1]["cells"] == cells
        assert [seat["tally"] for seat in ann.table["seats"][:2]] == [0, 1]
        assert (await replayed(ann))["events"][-1]["ms"] == 2000


async def test_a_start_that_passes_while_all_are_down_leaves_a_race_that_runs(
    base: str, own_stack: Stack
) -> None:
    async with gathered(base, 2) as (ann, bo):
        await ann.do("start")
        await end_all(own_stack, signal.SIGKILL)
        await asyncio.to_thread(own_stack.start)
        await come_back([ann, bo])
        await bo.until_racing()
        assert (await bo.slide(bo.useful() or "up"))["n"] == 1


async def test_an_outage_of_ours_costs_nobody_grace(base: str, own_stack: Stack) -> None:
    async with racing(base, 2) as (ann, bo):
        await end_all(own_stack, signal.SIGKILL)
        await asyncio.sleep(4.5)
        await asyncio.to_thread(own_stack.start)
        await come_back([ann])
        await ann.until_racing()
        assert await ann.refused("race_on_without", race=1, seat=2) in {"STILL_CONNECTED", "GRACE_NOT_OVER"}
        await come_back([bo])
        await bo.until_racing()
        assert (await bo.slide(bo.useful() or "up"))["n"] == 1


async def until_the_store_says(stack: Stack, at_ms: int) -> None:
    """Wait for a time of the store's clock."""
    with redis.Redis.from_url(stack.game.environment["TILERACE_REDIS_URL"]) as store:
        while True:
            seconds, micros = store.time()
            if seconds * 1000 + micros // 1000 >= at_ms:
                return
            await asyncio.sleep(0.05)
