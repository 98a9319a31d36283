"""Slides in flight over a slow line: each key lands once or is useless, whatever is lost (docs/architecture.md, rule 4)."""

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator, Sequence

import pytest
from tests.e2e.flying import MOST_IN_FLIGHT, Flight
from tests.e2e.meeting import gathered, racing, started, verdicts
from tests.e2e.replaying import cells_of, made_again, replayed, slides_of
from tests.friend import Frame, Friend, board_of
from tests.proxy import Proxy

from engine import Direction, Race, Seat, can_slide, slide
from engine.errors import SlideChangesNothing

WORDS = ("up", "down", "left", "right")


@contextlib.asynccontextmanager
async def far_away(base: str) -> AsyncIterator[tuple[Friend, Friend, Proxy]]:
    """Have Ann race near the gateway, and Bo behind 150 ms each way."""
    async with (
        gathered(base, 1) as (ann,),
        Proxy.to(int(base.rpartition(":")[2]), delay_s=0.15) as proxy,
        Friend.at(proxy.base, ann.table_id) as bo,
    ):
        await bo.sits("Bo")
        await bo.do("ready", ready=True)
        await started([ann, bo])
        yield ann, bo, proxy


async def end(ann: Friend, bo: Friend) -> Frame:
    """End the race, and give its replay."""
    await ann.do("resign", race=1)
    await verdicts([ann, bo])
    return await replayed(ann)


def one_by_one(replay: Frame, keys: Sequence[str], *, seat: int) -> tuple[list[str], list[str]]:
    """Give which keys the engine takes, pressed one by one with no network between, and which move nothing."""
    race = Race.deal(
        made_again(replay).seed,
        made_again(replay).rules,
        tuple(Seat(each["seat"]) for each in replay["seats"]),
        starts_at=made_again(replay).starts_at,
    )
    landed, useless = [], []
    for key in keys:
        try:
            race = race.slide(Seat(seat), Direction[key.upper()], now=race.starts_at).race
        except SlideChangesNothing:
            useless.append(key)
        else:
            landed.append(key)
    return landed, useless


def useless_on(frame: Frame) -> str | None:
    board = board_of(frame)
    return next((word for word in WORDS if slide(board, Direction[word.upper()]) is None), None)


async def until_a_direction_is_useless(friend: Friend) -> str:
    """Slide until some direction moves nothing."""
    while (found := useless_on(friend.board)) is None:
        await friend.slide(friend.useful() or "up")
    assert can_slide(board_of(friend.board))
    return found


def check(replay: Frame, bo: Friend, keys: Sequence[str]) -> None:
    """Check what the race took of Bo's keys against the engine, and the board that Bo was left with."""
    landed, _ = one_by_one(replay, keys, seat=2)
    assert slides_of(replay, 2) == landed
    boards = {board["seat"]: board["cells"] for board in bo.latest["reveal"]["boards"]}
    assert cells_of(made_again(replay)) == boards
    assert bo.board["cells"] == boards[2]
    assert bo.board["n"] == len(landed)


@pytest.mark.parametrize("mix", [("left", "left", "up"), WORDS])
async def test_every_key_in_flight_lands_once_or_is_useless(base: str, mix: Sequence[str]) -> None:
    keys = random.Random(len(mix)).choices(mix, k=32)
    async with far_away(base) as (ann, bo, _):
        flight = Flight(bo)
        flight.press(keys)
        await flight.land()
        replay = await end(ann, bo)
        landed, useless = one_by_one(replay, keys, seat=2)
        assert (flight.landed, flight.useless) == (landed, useless)
        assert flight.most_in_flight == MOST_IN_FLIGHT
        check(replay, bo, keys)


async def test_those_behind_a_useless_slide_are_renumbered_and_land(base: str) -> None:
    async with far_away(base) as (ann, bo, _):
        useless = await until_a_direction_is_useless(bo)
        before = [frame["direction"] for frame in bo.sent if frame["type"] == "slide"]
        useful = bo.useful() or "up"
        flight = Flight(bo)
        flight.press([useless, useful, "left", "up"])
        await flight.land()
        assert flight.refused[:4] == ["SLIDE_CHANGES_NOTHING", *["SLIDE_OUT_OF_ORDER"] * 3]
        assert flight.landed[0] == useful
        check(await end(ann, bo), bo, [*before, useless, useful, "left", "up"])


@pytest.mark.parametrize("lost", ["the slides", "the answers"])
async def test_slides_in_flight_when_the_line_breaks_land_once_after_it(base: str, lost: str) -> None:
    keys = random.Random(lost).choices(WORDS, k=32)
    async with far_away(base) as (ann, bo, proxy):
        flight = Flight(bo)
        flight.press(keys)
        for _ in range(5):
            await flight.fill()
            await flight.answer()
        (proxy.up if lost == "the slides" else proxy.down).stall()
        await flight.fill()
        if lost == "the answers":
            # What is in flight may all be useless on this board, so there is no count to wait for.
            await asyncio.sleep(1)
        await proxy.cut()
        await bo.until(lambda: bo.closed is not None)
        await come_back(bo)
        await flight.again()
        await flight.land()
        check(await end(ann, bo), bo, keys)


async def test_a_line_that_breaks_again_and_again_doubles_no_key(base: str) -> None:
    keys = random.Random(3).choices(WORDS, k=40)
    async with far_away(base) as (ann, bo, proxy):
        flight = Flight(bo)
        flight.press(keys)
        for break_number in range(4):
            await flight.fill()
            await asyncio.sleep(0.07 * break_number)
            await proxy.cut()
            await bo.until(lambda: bo.closed is not None)
            await come_back(bo)
            await flight.again()
        await flight.land()
        check(await end(ann, bo), bo, keys)


async def come_back(friend: Friend) -> None:
    """Open a socket of the same browser, and wait for its board."""
    friend.latest.pop("board", None)
    friend.latest.pop("table", None)
    await friend.connect()
    await friend.until_racing()


async def test_an_applied_number_is_answered_with_the_board_and_in_another_direction_refused(
    base: str,
) -> None:
    async with racing(base, 2) as (ann, bo):
        made = [bo.useful() or "up"]
        await bo.slide(made[0])
        made.append(bo.useful() or "up")
        after = await bo.slide(made[1])
        for n, direction in enumerate(made, 1):
            again = await bo.ask("slide", race=1, n=n, direction=direction)
            assert (again["type"], again["n"], again["slide"]) == ("board", 2, None)
            assert again["cells"] == after["cells"]
            other = next(word for word in WORDS if word != direction)
            assert await bo.refused("slide", race=1, n=n, direction=other) == "SLIDE_CONFLICT"
        assert await bo.refused("slide", race=1, n=4, direction="left") == "SLIDE_OUT_OF_ORDER"
        assert slides_of(await end(ann, bo), 2) == made


async def test_the_last_64_slides_can_be_told_apart_and_older_ones_conflict(base: str) -> None:
    async with racing(base, 2) as (_, bo):
        made: list[str] = []
        while len(made) < 66:
            made.append(bo.useful() or "up")
            assert (await bo.slide(made[-1]))["type"] == "board"
        repeated = await bo.ask("slide", race=1, n=3, direction=made[2])
        assert (repeated["type"], repeated["n"]) == ("board", 66)
        assert await bo.refused("slide", race=1, n=2, direction=made[1]) == "SLIDE_CONFLICT"


async def test_a_refused_slide_is_followed_by_the_board(base: str) -> None:
    async with racing(base, 2) as (_, bo):
        slid = await bo.slide(bo.useful() or "up")
        refused = await bo.ask("slide", race=1, n=7, direction="left")
        assert (refused["of"], refused["n"], refused["code"]) == ("slide", 7, "SLIDE_OUT_OF_ORDER")
        at = bo.received.index(refused)
        await bo.until(lambda: any(frame["type"] == "board" for frame in bo.received[at:]))
        snapshot = next(frame for frame in bo.received[at:] if frame["type"] == "board")
        assert (snapshot["n"], snapshot["cells"], snapshot["slide"], snapshot["tile"]) == (
            1, slid["cells"], None, None,
        )  # fmt: skip
