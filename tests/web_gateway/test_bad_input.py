"""Frames out of shape, unknown, out of turn or from the wrong seat are refused with their code, and change nothing."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from functools import partial
from typing import Any

import pytest
from tests.friend import Frame, Friend, open_table
from tests.web_gateway.test_client_frames import GOOD
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

RULES = {"target": None, "clock_s": None}
OF_RACES = ["slide", "resign", "offer", "answer", "race_on_without", "play_again", "change_settings"]


@contextlib.asynccontextmanager
async def gathered(base: str) -> AsyncIterator[tuple[Friend, Friend, Friend]]:
    """Have Ann host, Bo sit, and somebody watch."""
    table, cookie = await open_table(base, name="Ann", rules=RULES)
    async with (
        Friend.at(base, table, cookie) as ann,
        Friend.at(base, table) as bo,
        Friend.at(base, table) as watcher,
    ):
        await bo.sits("Bo")
        sat = next(frame["version"] for frame in bo.received if frame.get("you", {}).get("seat"))
        # The tab that sat is given a new number, which is a change of the table, too.
        await ann.until(lambda: ann.table["version"] > sat and ann.table["watchers"] == 1)
        yield ann, bo, watcher


@contextlib.asynccontextmanager
async def racing(base: str) -> AsyncIterator[tuple[Friend, Friend, Friend]]:
    async with gathered(base) as (ann, bo, watcher):
        await bo.do("ready", ready=True)
        await ann.do("start")
        for friend in (ann, bo):
            await friend.until_racing()
        await watcher.until(lambda: watcher.phase("racing") and "race" in watcher.latest)
        yield ann, bo, watcher


def good(kind: str, **changes: object) -> Frame:
    return next(frame for frame in GOOD if frame["type"] == kind) | changes


async def refusal(friend: Friend, frame: Frame) -> str:
    """Send a frame as it is; give the code it is refused with."""
    fields = {name: value for name, value in frame.items() if name != "type"}
    return await friend.refused(frame["type"], **fields)


def standing(friend: Friend) -> dict[str, Any]:
    """What must stay the same: the table but for its clock, and how the race stands."""
    still = {name: value for name, value in friend.table.items() if name != "now"}
    race = friend.latest.get("race")
    return still | {"standings": race and race["standings"], "offer": race and race["offer"]}


def out_of_shape() -> list[Frame]:
    return [frame | {field: {"no": "such"}} for frame in GOOD for field in frame if field != "type"] + [
        frame | {"extra": 1} for frame in GOOD
    ]


async def test_every_field_out_of_shape_is_refused_and_changes_nothing(base: str) -> None:
    async with racing(base) as (ann, _, _):
        before = standing(ann)
        for number, frame in enumerate(out_of_shape()):
            assert await refusal(ann, frame) == "BAD_FRAME"
            if number % 5 == 0:
                await ann.do("ping", t=number)
            await asyncio.sleep(0.05)
        assert standing(ann) == before


@pytest.mark.parametrize("text", ["", "{", "null", "[]", "5", '{"type":"nope"}', '{"type":7}', "{}", '"sit"'])
async def test_what_is_no_frame_is_refused_with_words(base: str, text: str) -> None:
    async with gathered(base) as (ann, _, _):
        await ann.send_text(text)
        await ann.until(lambda: "refused" in ann.latest)
        refused = ann.latest["refused"]
        assert (refused["code"], refused["re"]) == ("BAD_FRAME", None)
        assert refused["message"]


async def test_ten_in_a_row_out_of_shape_close_the_socket(base: str) -> None:
    async with gathered(base) as (ann, bo, _):
        for _ in range(9):
            await ann.send_text("?")
        await ann.do("ping", t=1)
        for _ in range(10):
            await ann.send_text("?")
        await ann.until(lambda: ann.closed is not None)
        assert ann.closed == 1008
        assert sum(frame["type"] == "refused" for frame in ann.received) == 19
        await bo.do("ping", t=1)


@pytest.mark.parametrize(("message", "code"), [("x" * 5000, 1009), (b"bytes", 1003)])
async def test_what_is_too_long_or_no_text_closes_the_socket(
    base: str, message: str | bytes, code: int
) -> None:
    async with gathered(base) as (ann, bo, _):
        await ann.send_text(message)
        await ann.until(lambda: ann.closed is not None)
        assert ann.closed == code
        await bo.do("ping", t=1)


async def test_before_the_start_nothing_of_a_race_is_taken(base: str) -> None:
    async with gathered(base) as (ann, bo, watcher):
        before = standing(ann)
        for kind in OF_RACES:
            for friend in (ann, bo, watcher):
                code = await refusal(friend, good(kind))
                assert code in {"RACE_NOT_RUNNING", "RACE_MOVED_ON", "NOT_SEATED", "NOT_HOST"}, kind
        assert standing(ann) == before


async def test_while_racing_nothing_of_gathering_is_taken(base: str) -> None:
    async with racing(base) as (ann, _, _):
        before = standing(ann)
        for kind in ("rename", "ready", "free_seat", "rules", "start"):
            assert await refusal(ann, good(kind)) == "NOT_GATHERING", kind
        assert await refusal(ann, good("sit")) == "ALREADY_SEATED"
        for kind in ("play_again", "change_settings"):
            assert await refusal(ann, good(kind)) in {"RACE_NOT_OVER", "RACE_NOT_RUNNING", "NOT_GATHERING"}, (
                kind
            )
        assert standing(ann) == before


async def test_what_is_the_hosts_is_refused_to_others(base: str) -> None:
    async with gathered(base) as (ann, bo, watcher):
        before = standing(ann)
        for kind in ("free_seat", "rules", "start"):
            assert await refusal(bo, good(kind)) == "NOT_HOST", kind
            assert await refusal(watcher, good(kind)) in {"NOT_SEATED", "NOT_HOST"}, kind
        for kind in ("leave", "rename", "ready"):
            assert await refusal(watcher, good(kind)) == "NOT_SEATED", kind
        assert standing(ann) == before


async def test_a_watcher_takes_no_part_in_the_race(base: str) -> None:
    async with racing(base) as (ann, _, watcher):
        before = standing(ann)
        for kind in ("slide", "resign", "offer", "answer"):
            assert await refusal(watcher, good(kind)) == "NOT_A_RACER", kind
        assert await refusal(watcher, good("race_on_without")) in {"NOT_SEATED", "NOT_A_RACER"}
        assert "board" not in watcher.latest
        assert standing(ann) == before


@pytest.mark.parametrize("kind", ["slide", "resign", "offer", "answer", "race_on_without"])
async def test_what_is_for_another_race_is_refused(base: str, kind: str) -> None:
    async with racing(base) as (ann, _, _):
        before = standing(ann)
        assert await refusal(ann, good(kind, race=2)) == "RACE_MOVED_ON"
        assert standing(ann) == before


@pytest.mark.parametrize(
    ("kind", "changes", "code"),
    [
        ("rules", {"target": 0, "clock_s": None}, "BAD_RULES"),
        ("rules", {"target": 100, "clock_s": None}, "BAD_RULES"),
        ("rules", {"target": 10**30, "clock_s": None}, "BAD_RULES"),
        ("rules", {"target": 2048, "clock_s": 7}, "BAD_RULES"),
        ("rules", {"target": 2048, "clock_s": -1}, "BAD_RULES"),
        ("rename", {"name": ""}, "BAD_NAME"),
        ("rename", {"name": " \t "}, "BAD_NAME"),
        ("rename", {"name": "x" * 21}, "BAD_NAME"),
        ("rename", {"name": "x" * 3000}, "BAD_NAME"),
        ("rename", {"name": "a\u202eb"}, "BAD_NAME"),
        ("rename", {"name": "a\u0007b"}, "BAD_NAME"),
        ("free_seat", {"seat": 3}, "SEAT_EMPTY"),
        ("free_seat", {"seat": 1}, "SEAT_EMPTY"),
        ("start", {}, "NOT_ALL_READY"),
    ],
)
async def test_what_the_table_cannot_take_is_refused(base: str, kind: str, changes: Frame, code: str) -> None:
    async with gathered(base) as (ann, _, _):
        before = standing(ann)
        assert await refusal(ann, {"type": kind} | changes) == code
        assert standing(ann) == before


async def test_each_slide_has_one_answer_in_order_whoever_judges_it(base: str) -> None:
    async with racing(base) as (ann, _, _):
        useful = ann.useful() or "up"
        frames = [
            good("slide", n=1, direction=useful, id="applied"),
            good("slide", n=1, direction=useful, id="again"),
            good("slide", race=9, n=2, id="elsewhere"),
            good("slide", n=9, id="gap"),
            good("slide", n=2, direction="north", id="malformed"),
            good("slide", n=1, direction="left" if useful != "left" else "right", id="conflict"),
        ]
        for frame in frames:
            await ann.send_text(json.dumps(frame))
        await ann.until(lambda: "conflict" in ann.answers)
        answers = [frame for frame in ann.received if frame.get("re") in {each["id"] for each in frames}]
        assert [answer["re"] for answer in answers] == [frame["id"] for frame in frames]
        assert [answer.get("code", answer["type"]) for answer in answers] == [
            "board", "board", "RACE_MOVED_ON", "SLIDE_OUT_OF_ORDER", "BAD_FRAME", "SLIDE_CONFLICT",
        ]  # fmt: skip
        assert [answer.get("n") for answer in answers] == [1, 1, 2, 9, 2, 1]
        for answer in answers[2:]:
            after = ann.received[ann.received.index(answer) + 1 :]
            snapshot = next(frame for frame in after if frame["type"] == "board")
            assert (snapshot["n"], snapshot["slide"], snapshot["re"]) == (1, None, None)


def refused_in_all(friend: Friend, number: int) -> bool:
    return len([frame for frame in friend.received if frame["type"] == "refused"]) == number


async def test_slides_come_in_bursts_but_not_for_ever(base: str) -> None:
    async with racing(base) as (ann, bo, _):
        codes: list[str] = []
        while codes.count("TOO_FAST") <= 20:
            assert len(codes) < 2_000
            # Not so many that they wait for their turn in vain; on a slow machine some come back meanwhile.
            for number in range(200):
                await ann.send("slide", race=1, n=900 + number, direction="up")
            await ann.until(partial(refused_in_all, ann, len(codes) + 200))
            codes = [frame["code"] for frame in ann.received if frame["type"] == "refused"]
        assert codes.count("SLIDE_OUT_OF_ORDER") >= 32
        assert ann.board["n"] == 0
        await bo.slide(bo.useful() or "up")


@pytest.mark.parametrize("frame", [good("slide"), good("ping")], ids=["slides", "others"])
async def test_frames_come_in_bursts_but_not_for_ever(base: str, frame: Frame) -> None:
    async with gathered(base) as (ann, bo, _):
        for _ in range(600):
            await ann.send_text(json.dumps(frame))
        await ann.until(lambda: any(each.get("code") == "TOO_FAST" for each in ann.received))
        await bo.do("ping", t=1)


@pytest.mark.parametrize("table", ["ZZZZZZZZ", "nonsense", "K7QM2XWPP"])
async def test_an_unknown_table_is_refused_and_closed(base: str, table: str) -> None:
    friend = await Friend(base, table).connect()
    await friend.until(lambda: friend.closed is not None)
    assert friend.closed == 4404
    assert friend.received[-1]["code"] == "TABLE_UNKNOWN"
    await friend.close()


async def test_a_page_of_another_site_gets_no_socket(base: str) -> None:
    table, _ = await open_table(base)
    url = base.replace("http", "ws", 1) + f"/api/tables/{table}/socket"
    with pytest.raises(InvalidStatus) as refused:
        await connect(url, origin="http://evil.example")  # type: ignore[arg-type]
    assert refused.value.response.status_code == 403
    assert json.loads(refused.value.response.body or b"{}")["error"] == "FORBIDDEN"
    async with connect(url, origin=base) as socket:  # type: ignore[arg-type]
        assert json.loads(await socket.recv())["type"] == "hello"
