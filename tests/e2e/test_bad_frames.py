"""Frames out of shape, out of turn or from the wrong seat, and requests alike: each has its code, and nothing changes."""

import asyncio
import json
from typing import Any

import pytest
from tests.e2e.meeting import gathered, racing, verdicts
from tests.friend import Frame, Friend, call, open_table
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

RACE: list[Any] = [0, -1, 2**31, 10**30, 1.5, "1", True, None, [1]]
SEAT: list[Any] = [0, 5, -1, 1.5, "2", True, None, {}]
FLAG: list[Any] = [0, 1, "true", None, []]
BAD: dict[str, dict[str, list[Any]]] = {
    "sit": {"name": [5, True, ["Ann"], {}]},
    "leave": {},
    "rename": {"name": [5, None, ["Ann"]]},
    "ready": {"ready": FLAG},
    "free_seat": {"seat": SEAT},
    "rules": {"target": ["2048", 2.5, True, [64]], "clock_s": ["180", 0.5, False, {}]},
    "start": {},
    "slide": {
        "race": RACE,
        "n": [0, -1, 2**32, 1.5, "1", True, None],
        "direction": ["LEFT", "", "left " * 50, 2, None, ["left"]],
    },
    "resign": {"race": RACE},
    "offer": {"race": RACE},
    "answer": {"race": RACE, "agree": FLAG},
    "race_on_without": {"race": RACE, "seat": SEAT},
    "play_again": {"race": RACE},
    "change_settings": {"race": RACE},
    "ping": {"t": ["now", None, True, []]},
}
"""By type and field, what is no value of it."""
GOOD: dict[str, Frame] = {
    "sit": {"name": "Zoe"},
    "leave": {},
    "rename": {"name": "Zoe"},
    "ready": {"ready": True},
    "free_seat": {"seat": 2},
    "rules": {"target": 64, "clock_s": None},
    "start": {},
    "slide": {"race": 1, "n": 1, "direction": "left"},
    "resign": {"race": 1},
    "offer": {"race": 1},
    "answer": {"race": 1, "agree": True},
    "race_on_without": {"race": 1, "seat": 2},
    "play_again": {"race": 1},
    "change_settings": {"race": 1},
    "ping": {"t": 1},
}
MAY_BE_LEFT_OUT = {("sit", "name")}
NO_FRAMES = [
    "", " ", "{", "}", "nonsense", "'left'", "NaN", '{"type":NaN}', "null", "true", "7", "-1e999", '"slide"', "[]",
    '[{"type":"start"}]', "[" * 4000, '{"type":' * 400, "{}", '{"type":null}', '{"type":7}', '{"type":["start"]}',
    '{"type":"nope"}', '{"type":"START"}', '{"type":"board"}', '{"type":"' + "x" * 4000 + '"}',
    '{"type":"start"} {"type":"start"}', '{"type":"ping","t":' + "[" * 2000 + "]" * 2000 + "}", "\ufeff{}", "\x00",
]  # fmt: skip
IN_A_ROW = 10


def out_of_shape() -> list[Frame]:
    """Make every frame with one field missing, of no such value or unknown, and with an id that is none."""
    frames: list[Frame] = []
    for kind, fields in BAD.items():
        good = {"type": kind, **GOOD[kind]}
        frames += [good | {field: value} for field, values in fields.items() for value in values]
        frames += [
            {name: good[name] for name in good if name != field}
            for field in fields
            if (kind, field) not in MAY_BE_LEFT_OUT
        ]
        frames.append(good | {"surprise": 1})
    return frames


async def what_stands(friends: list[Friend]) -> dict[str, Any]:
    """Ask what the table and its race are, and what each was told of them and of the own board."""
    shown = await asyncio.to_thread(call, friends[0].base, f"/api/tables/{friends[0].table_id}")
    told = [
        (friend.table["version"], friend.latest.get("race", {}).get("version"), friend.latest.get("board"))
        for friend in friends
    ]
    still = {name: value for name, value in shown.body.items() if name != "now"}
    return still | {"told": [(table, race, board and board["cells"]) for table, race, board in told]}


async def test_every_field_of_every_frame_is_checked_and_nothing_changes(base: str) -> None:
    async with racing(base, 2) as (ann, bo):
        await ann.slide(ann.useful() or "up")
        for each in (ann, bo):
            await each.until(lambda each=each: each.race["standings"][0]["slides"] == 1)  # type: ignore[misc]
        before = await what_stands([ann, bo])
        for number, frame in enumerate(out_of_shape()):
            await ann.send_text(json.dumps(frame | {"id": number}))
            await ann.until(lambda number=number: str(number) in ann.answers)  # type: ignore[misc]
            (refused,) = ann.answers[str(number)]
            assert (refused["type"], refused["code"]) == ("refused", "BAD_FRAME"), frame
            assert (refused["of"], refused["re"]) == (frame["type"], number), frame
            assert refused["message"]
            if number % (IN_A_ROW - 1) == 0:
                await ann.do("ping", t=number)
                await asyncio.sleep(0.02)
        assert await what_stands([ann, bo]) == before


@pytest.mark.parametrize("bad", ["x" * 65, 1.5, True, [1], {"a": 1}, 2**53 + 1])
async def test_an_id_out_of_shape_is_answered_without_it(base: str, bad: object) -> None:
    async with gathered(base, 1) as (ann,):
        await ann.send_text(json.dumps({"type": "ping", "t": 1, "id": bad}))
        await ann.until(lambda: "refused" in ann.latest)
        refused = ann.latest["refused"]
        assert (refused["code"], refused["of"], refused["re"]) == ("BAD_FRAME", "ping", None)


@pytest.mark.parametrize("given", ["", "x" * 64, 0, -7, 2**53])
async def test_an_id_in_shape_comes_back_as_it_is(base: str, given: object) -> None:
    async with gathered(base, 1) as (ann,):
        await ann.send_text(json.dumps({"type": "ping", "t": 1, "id": given}))
        await ann.until(lambda: "pong" in ann.latest)
        assert ann.latest["pong"]["re"] == given


async def test_what_is_no_frame_is_refused_with_words_and_nothing_changes(base: str) -> None:
    async with racing(base, 2) as (ann, bo):
        before = await what_stands([ann, bo])
        for number, text in enumerate(NO_FRAMES, 1):
            await ann.send_text(text)
            await ann.do("ping", t=number)
            refused = [frame for frame in ann.received if frame["type"] == "refused"]
            assert len(refused) == number, text[:40]
            assert (refused[-1]["code"], refused[-1]["re"]) == ("BAD_FRAME", None)
            assert refused[-1]["message"]
        assert await what_stands([ann, bo]) == before
        assert (await bo.slide(bo.useful() or "up"))["n"] == 1


async def test_nine_in_a_row_out_of_shape_are_borne_and_ten_are_not(base: str) -> None:
    async with racing(base, 2) as (ann, bo):
        for _ in range(3):
            for _ in range(IN_A_ROW - 1):
                await ann.send_text("?")
            await ann.do("ping", t=1)
        before = await what_stands([bo])
        for _ in range(IN_A_ROW):
            await ann.send_text('{"type":"slide"}')
        await ann.until(lambda: ann.closed is not None)
        assert ann.closed == 1008
        assert sum(frame["type"] == "refused" for frame in ann.received) == 4 * IN_A_ROW - 3
        async with Friend.at(base, ann.table_id, ann.cookie) as again:
            await again.until_racing()
            assert again.board["n"] == 0
            assert (await what_stands([bo]))["race"] == before["race"]


async def test_a_message_may_fill_4096_bytes_and_no_more(base: str) -> None:
    ping = '{"type":"ping","t":1}'
    async with racing(base, 2) as (ann, bo):
        await ann.send_text(ping.ljust(4096))
        await ann.until(lambda: "pong" in ann.latest)
        await ann.send_text(ping.ljust(4097))
        await ann.until(lambda: ann.closed is not None)
        assert ann.closed == 1009
        assert (await bo.slide(bo.useful() or "up"))["n"] == 1


async def test_bytes_close_the_socket(base: str) -> None:
    async with racing(base, 2) as (ann, bo):
        await ann.send_text(b'{"type":"resign","race":1}')
        await ann.until(lambda: ann.closed is not None)
        assert ann.closed == 1003
        assert bo.verdict is None
        assert (await bo.slide(bo.useful() or "up"))["n"] == 1


async def test_a_text_that_is_no_utf_8_closes_the_socket(base: str) -> None:
    async with racing(base, 2) as (ann, bo):
        assert ann._socket is not None
        await ann._socket.send(b'{"type":"resign","race":1,"id":"\xc3\x28"}', text=True)
        await ann.until(lambda: ann.closed is not None)
        assert ann.closed == 1007
        assert bo.verdict is None
        assert (await bo.slide(bo.useful() or "up"))["n"] == 1


TO_TABLE = ("rename", "ready", "free_seat", "rules", "start")
TO_RACE = ("slide", "resign", "offer", "answer")
NOT_MINE = dict.fromkeys(("leave", *TO_TABLE, "change_settings"), "NOT_SEATED")
NOT_RUNNING = dict.fromkeys((*TO_RACE, "race_on_without"), "RACE_NOT_RUNNING")
NOT_GATHERING = dict.fromkeys(TO_TABLE, "NOT_GATHERING") | {"sit": "ALREADY_SEATED"}
NOT_HOST = dict.fromkeys(("free_seat", "rules", "start", "change_settings"), "NOT_HOST")
NOT_OVER = dict.fromkeys(("play_again", "change_settings"), "RACE_NOT_OVER")
NOT_RACING = dict.fromkeys((*TO_RACE, "race_on_without"), "NOT_A_RACER") | {"sit": "NOT_GATHERING"}
OUT_OF_TURN: dict[str, tuple[dict[str, str], dict[str, str], dict[str, str]]] = {
    "gathering": (
        NOT_RUNNING
        | {"sit": "ALREADY_SEATED", "start": "NOT_ALL_READY"}
        | dict.fromkeys(("play_again", "change_settings"), "RACE_MOVED_ON"),
        NOT_RUNNING | NOT_HOST | {"sit": "ALREADY_SEATED", "play_again": "RACE_MOVED_ON"},
        NOT_RUNNING | NOT_MINE | {"play_again": "RACE_MOVED_ON"},
    ),
    "countdown": (
        NOT_GATHERING
        | NOT_OVER
        | dict.fromkeys(("slide", "offer", "answer"), "NOT_STARTED_YET")
        | {"race_on_without": "STILL_CONNECTED"},
        NOT_GATHERING
        | NOT_OVER
        | NOT_HOST
        | dict.fromkeys(("slide", "offer", "answer"), "NOT_STARTED_YET")
        | {"race_on_without": "STILL_CONNECTED"},
        NOT_MINE | NOT_RACING | {"play_again": "RACE_NOT_OVER"},
    ),
    "racing": (
        NOT_GATHERING | NOT_OVER | {"answer": "NO_OFFER", "race_on_without": "STILL_CONNECTED"},
        NOT_GATHERING | NOT_OVER | NOT_HOST | {"answer": "NO_OFFER", "race_on_without": "STILL_CONNECTED"},
        NOT_MINE | NOT_RACING | {"play_again": "RACE_NOT_OVER"},
    ),
    "finished": (
        NOT_GATHERING | dict.fromkeys((*TO_RACE, "race_on_without"), "RACE_OVER"),
        NOT_GATHERING | NOT_HOST | dict.fromkeys((*TO_RACE, "race_on_without"), "RACE_OVER"),
        NOT_MINE | NOT_RACING | {"play_again": "NOT_A_RACER"},
    ),
}
"""By phase, what is refused to the host, to a friend who is not ready, and to one who watches, and with which code."""


async def check_out_of_turn(phase: str, friends: list[Friend]) -> None:
    """Send everyone's frames at once, as a countdown is short."""
    before = await what_stands(friends)
    every = list(zip(friends, OUT_OF_TURN[phase], strict=True))
    sent = [{kind: await friend.send(kind, **GOOD[kind]) for kind in expected} for friend, expected in every]
    for (friend, expected), ids in zip(every, sent, strict=True):
        await friend.until(lambda friend=friend, ids=ids: set(ids.values()) <= set(friend.answers))  # type: ignore[misc]
        answers = {kind: friend.answers[each] for kind, each in ids.items()}
        assert {kind: answer[0].get("code") for kind, answer in answers.items()} == expected
        for kind, (answer, *others) in answers.items():
            assert not others
            assert answer["of"] == kind
            assert answer["message"]
    # From countdown to racing nothing changes but the time.
    assert (await what_stands(friends)) | {"phase": phase} == before


async def test_what_is_out_of_turn_is_refused_in_every_phase_to_everyone(base: str) -> None:
    async with gathered(base, 2, clock_s=4) as (ann, bo), Friend.at(base, ann.table_id) as watcher:
        everyone = [ann, bo, watcher]
        await ann.until(lambda: ann.table["watchers"] == 1)
        await bo.do("ready", ready=False)
        await check_out_of_turn("gathering", everyone)
        await bo.do("ready", ready=True)
        await ann.do("start")
        await watcher.until(lambda: watcher.phase("countdown") and "race" in watcher.latest)
        await ann.until(lambda: ann.phase("countdown") and "board" in ann.latest)
        await bo.until(lambda: bo.phase("countdown") and "board" in bo.latest)
        await check_out_of_turn("countdown", everyone)
        await watcher.until(lambda: watcher.phase("racing"))
        await ann.until_racing()
        await bo.until_racing()
        await check_out_of_turn("racing", everyone)
        await verdicts(everyone)
        await check_out_of_turn("finished", everyone)


async def test_what_is_about_a_wrong_seat_is_refused(base: str) -> None:
    async with gathered(base, 2) as (ann, bo):
        before = await what_stands([ann, bo])
        for seat in (1, 3, 4):
            assert await ann.refused("free_seat", seat=seat) == "SEAT_EMPTY"
        assert await what_stands([ann, bo]) == before
        await ann.do("start")
        for friend in (ann, bo):
            await friend.until_racing()
        before = await what_stands([ann, bo])
        assert await ann.refused("race_on_without", race=1, seat=1) == "STILL_CONNECTED"
        assert await ann.refused("race_on_without", race=1, seat=4) == "SEAT_EMPTY"
        for kind in (*TO_RACE, "race_on_without", "play_again", "change_settings"):
            assert await ann.refused(kind, **GOOD[kind] | {"race": 2}) in {"RACE_MOVED_ON", "RACE_NOT_OVER"}
        assert await what_stands([ann, bo]) == before


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "https://127.0.0.1", "file://", "nonsense"]
)
async def test_a_page_of_another_site_neither_opens_a_table_nor_gets_a_socket(base: str, origin: str) -> None:
    table, cookie = await open_table(base)
    refused = await asyncio.to_thread(
        call, base, "/api/tables", body={}, cookie=cookie, headers={"origin": origin}
    )
    assert (refused.status, refused.body["error"], refused.cookie) == (403, "FORBIDDEN", None)
    with pytest.raises(InvalidStatus) as denied:
        await connect(
            f"{base.replace('http', 'ws', 1)}/api/tables/{table}/socket",
            additional_headers={"cookie": cookie, "origin": origin},
        )
    assert denied.value.response.status_code == 403


@pytest.mark.parametrize(
    "cookies",
    ["", ";;;", "tilerace", "tilerace=", "tilerace=short", "tilerace=" + "A" * 5000, 'a=b; tilerace="x\\', "=;={}",
     "tilerace=" + "!" * 22, "\xff\xfe=\xfd"],
)  # fmt: skip
async def test_a_browser_with_rubbish_for_cookies_is_a_new_one(base: str, cookies: str) -> None:
    opened = await asyncio.to_thread(call, base, "/api/tables", body={}, cookie=cookies)
    assert opened.status == 201
    assert opened.cookie
    assert len(opened.cookie) == len("tilerace=") + 22
    async with Friend.at(base, opened.body["table"], opened.cookie) as ann:
        assert ann.table["you"] == {"seat": 1, "host": True}


@pytest.mark.parametrize("path", ["", "/{}", "/{}/qr.svg", "/{}/races/1/replay", "/{}/socket"])
async def test_a_wrong_method_is_told_the_right_one(base: str, path: str) -> None:
    table, _ = await open_table(base)
    for method in ("PUT", "PATCH", "DELETE", "POST" if path else "GET"):
        answer = await asyncio.to_thread(call, base, "/api/tables" + path.format(table), method=method)
        assert answer.status in {404, 405}, method
        assert set(answer.body) == {"error", "message"}
        assert answer.status == 404 or answer.headers["allow"]
        assert (answer.status == 404) == path.endswith("socket")


async def test_an_oversize_body_is_refused_before_it_has_all_come(base: str) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", int(base.rpartition(":")[2]))
    head = "POST /api/tables HTTP/1.1\r\nhost: here\r\ncontent-length: 1000000\r\n\r\n"
    writer.write(head.encode() + b" " * 5000)
    async with asyncio.timeout(10):
        answer = await reader.readuntil(b"}")
    writer.close()
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert b'"error":"BAD_REQUEST"' in answer
