"""The replay of a race that is over: its exact shape, and that everything follows from seed and slides (docs/rules.md §2, §4)."""

import asyncio
import hashlib

import pytest
from tests.e2e.meeting import gathered, racing, started, verdicts
from tests.e2e.replaying import ask_replay, cells_of, made_again, replayed, slides_of
from tests.friend import Frame, Friend


async def play(friend: Friend, slides: int) -> list[str]:
    goal = friend.board["n"] + slides
    return await friend.slides_until(lambda: friend.board["n"] >= goal)


def follows_from_its_seed(replay: Frame, friend: Friend) -> None:
    """Check a replay against the commitment, the reveal, the verdict and the standings that a friend was told."""
    race = made_again(replay)
    seed = bytes.fromhex(replay["seed"])
    told = friend.table["race"]
    assert hashlib.sha256(seed).hexdigest() == replay["commitment"] == told["commitment"]
    assert replay["seed"] == friend.latest["reveal"]["seed"]
    assert (replay["rules"], replay["starts_at"]) == (told["rules"], told["starts_at"])
    assert replay["ended_at"] == told["ended_at"]
    assert cells_of(race) == {board["seat"]: board["cells"] for board in friend.latest["reveal"]["boards"]}
    assert replay["verdict"] == friend.verdict
    assert race.verdict is not None
    assert race.verdict.reason.name == replay["verdict"]["reason"]
    assert [(each.seat, each.score, each.slides) for each in race.racers] == [
        (each["seat"], each["score"], each["slides"]) for each in friend.race["standings"]
    ]


async def test_a_replay_has_exactly_what_is_documented(base: str) -> None:
    async with racing(base, 3) as (ann, bo, cy):
        made = {1: await play(ann, 3)}
        await ann.do("offer", race=1)
        await cy.do("answer", race=1, agree=True)
        made[2] = await play(bo, 2)
        made[1] += await play(ann, 1)
        await cy.do("resign", race=1)
        await bo.do("resign", race=1)
        await verdicts([ann, bo, cy])
        replay = await replayed(ann)
        follows_from_its_seed(replay, ann)
        race = ann.table["race"]
        times = [[ms for ms, _ in seat["slides"]] for seat in replay["seats"]]
        event_ms = [event["ms"] for event in replay["events"]]
        assert replay == {
            "race": 1,
            "link": ann.latest["hello"]["link"] + "/replay/1",
            "seed": ann.latest["reveal"]["seed"],
            "commitment": race["commitment"],
            "rules": {"target": None, "clock_s": None},
            "starts_at": race["starts_at"],
            "ended_at": race["ended_at"],
            "seats": [
                {
                    "seat": 1,
                    "name": "Ann",
                    "slides": [list(each) for each in zip(times[0], made[1], strict=True)],
                },
                {
                    "seat": 2,
                    "name": "Bo",
                    "slides": [list(each) for each in zip(times[1], made[2], strict=True)],
                },
                {"seat": 3, "name": "Cy", "slides": []},
            ],
            "order": [1, 1, 1, 2, 2, 1],
            "events": [
                {"ms": event_ms[0], "type": "offered", "seat": 1, "after": 3},
                {"ms": event_ms[1], "type": "agreed", "seat": 3, "after": 3},
                {"ms": event_ms[2], "type": "resigned", "seat": 3, "after": 6},
                {"ms": event_ms[3], "type": "resigned", "seat": 2, "after": 6},
            ],
            "verdict": {"winner": 1, "tied": [], "reason": "LAST_IN_RACE"},
        }
        assert event_ms == sorted(event_ms)
        assert all(each == sorted(each) for each in times)
        assert race["starts_at"] + event_ms[-1] == race["ended_at"]


async def test_there_is_no_replay_before_the_end(base: str) -> None:
    async with gathered(base, 2) as (ann, bo):
        assert (await ask_replay(ann)).status == 404
        await ann.do("start")
        await ann.until(lambda: ann.phase("countdown") and "race" in ann.latest)
        for _ in range(2):
            answer = await ask_replay(ann)
            assert (answer.status, answer.body["error"]) == (409, "RACE_NOT_OVER")
            assert set(answer.body) == {"error", "message"}
            await ann.until_racing()
        await bo.do("resign", race=1)
        await verdicts([ann, bo])
        assert (await ask_replay(ann)).status == 200
        for number in (2, 0, -1, 10**12):
            answer = await ask_replay(ann, number)
            assert (answer.status, answer.body["error"]) == (404, "RACE_UNKNOWN")


async def test_a_resignation_before_the_start_has_a_time_below_zero(base: str) -> None:
    async with gathered(base, 2) as (ann, bo):
        await ann.do("start")
        await bo.until(lambda: bo.phase("countdown") and "race" in bo.latest)
        await bo.do("resign", race=1)
        await verdicts([ann, bo])
        replay = await replayed(ann)
        follows_from_its_seed(replay, ann)
        (event,) = replay["events"]
        assert (event["type"], event["seat"], event["after"]) == ("resigned", 2, 0)
        assert event["ms"] < 0
        assert replay["ended_at"] == replay["starts_at"] + event["ms"]


@pytest.mark.parametrize("agree", [True, False])
async def test_answers_to_offers_are_in_the_replay(base: str, agree: bool) -> None:  # noqa: FBT001
    async with racing(base, 2) as (ann, bo):
        await ann.do("offer", race=1)
        await bo.do("answer", race=1, agree=agree)
        if not agree:
            await bo.do("resign", race=1)
        await verdicts([ann, bo])
        replay = await replayed(ann)
        follows_from_its_seed(replay, ann)
        assert [event["type"] for event in replay["events"]] == [
            "offered", *(["agreed"] if agree else ["declined", "resigned"]),
        ]  # fmt: skip


async def test_a_race_that_the_clock_ended_says_so_in_its_replay(base: str) -> None:
    async with racing(base, 4, clock_s=2, target=8192) as friends:
        for friend in friends:
            await play(friend, 5)
        await verdicts(friends)
        replay = await replayed(friends[0])
        follows_from_its_seed(replay, friends[0])
        assert replay["events"] == [{"ms": 2000, "type": "time_up", "seat": None, "after": 20}]


async def test_the_slide_that_makes_the_target_is_the_last_of_a_replay(base: str) -> None:
    async with racing(base, 2, target=64) as (ann, bo):
        await play(bo, 4)
        made = await ann.slides_until(lambda: ann.verdict is not None)
        await verdicts([ann, bo])
        replay = await replayed(bo)
        follows_from_its_seed(replay, bo)
        assert slides_of(replay, 1) == made
        assert replay["order"][-1] == 1
        assert replay["starts_at"] + replay["seats"][0]["slides"][-1][0] == replay["ended_at"]


async def test_one_left_behind_is_so_in_the_replay(base: str) -> None:
    async with racing(base, 2) as (ann, bo):
        await bo.close()
        answer = await ann.ask("race_on_without", race=1, seat=2)
        while answer["type"] == "refused":
            assert answer["code"] in {"STILL_CONNECTED", "GRACE_NOT_OVER"}
            await ann.until(lambda: not ann.table["seats"][1]["connected"])
            answer = await _ask_after(ann, ann.table["seats"][1]["away_until"])
        await ann.until_over()
        replay = await replayed(ann)
        follows_from_its_seed(replay, ann)
        assert [(event["type"], event["seat"]) for event in replay["events"]] == [("left_behind", 2)]


async def _ask_after(friend: Friend, at: int) -> Frame:
    while (await friend.ask("ping", t=0))["now"] <= at:
        await asyncio.sleep(0.1)
    return await friend.ask("race_on_without", race=1, seat=2)


async def test_each_race_of_a_table_keeps_its_replay(base: str) -> None:
    async with gathered(base, 2) as (ann, bo):
        await started([ann, bo])
        made = await play(bo, 3)
        await bo.do("resign", race=1)
        await verdicts([ann, bo])
        first = await replayed(ann)
        await ann.do("play_again", race=1)
        for friend in (ann, bo):
            await friend.until(lambda friend=friend: friend.number == 2)  # type: ignore[misc]
            await friend.until_racing()
        await bo.do("resign", race=2)
        await verdicts([ann, bo])
        second = await replayed(ann, 2)
        follows_from_its_seed(second, ann)
        assert await replayed(ann, 1) == first
        assert slides_of(first, 2) == made
        assert second["seed"] != first["seed"]
        assert [seat["name"] for seat in second["seats"]] == ["Bo", "Ann"]
