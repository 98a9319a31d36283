"""What counts on either side of start and deadline, by the store's clock alone (docs/architecture.md, rule 3)."""

import asyncio

from tests.e2e.meeting import gathered, racing, verdicts
from tests.e2e.replaying import made_again, replayed, slides_of
from tests.friend import Frame, Friend


def now_of(friend: Friend) -> int:
    """Give the latest time of the store that a friend was told."""
    return max(int(frame["now"]) for frame in friend.received if "now" in frame)


async def until_ms_left(friend: Friend, ms: int) -> None:
    """Wait until `ms` are left to the deadline, as near as pings tell."""
    while (left := friend.table["race"]["deadline"] - (await friend.ask("ping", t=0))["now"]) > ms:
        await asyncio.sleep(max((left - ms) / 1000, 0.005))


async def ended_by_the_clock(friends: list[Friend]) -> Frame:
    """Wait for the end; check that it came as of the deadline, for everyone."""
    verdict = await verdicts(friends)
    assert verdict["reason"] == "TIME_UP"
    race = friends[0].table["race"]
    assert race["ended_at"] == race["deadline"] == race["starts_at"] + race["rules"]["clock_s"] * 1000
    replay = await replayed(friends[0])
    assert replay["ended_at"] == race["deadline"]
    assert all(ms < race["rules"]["clock_s"] * 1000 for seat in replay["seats"] for ms, _ in seat["slides"])
    assert made_again(replay).verdict is not None
    return verdict


async def test_a_resignation_just_before_the_deadline_counts(base: str) -> None:
    async with racing(base, 2, clock_s=2) as (ann, bo):
        await until_ms_left(ann, 300)
        await bo.do("resign", race=1)
        verdict = await verdicts([ann, bo])
        assert (verdict["reason"], verdict["winner"]) == ("LAST_IN_RACE", 1)
        race = ann.table["race"]
        assert race["starts_at"] < race["ended_at"] < race["deadline"]


async def test_a_resignation_after_the_deadline_has_no_effect(base: str) -> None:
    async with racing(base, 2, clock_s=2) as (ann, bo):
        await until_ms_left(ann, 0)
        assert await bo.refused("resign", race=1) == "RACE_OVER"
        verdict = await ended_by_the_clock([ann, bo])
        assert verdict["tied"] == [1, 2]
        assert [standing["state"] for standing in ann.race["standings"]] == ["sliding", "sliding"]


async def test_resignations_hurled_at_the_deadline_are_wholly_before_or_after_it(base: str) -> None:
    async with racing(base, 3, clock_s=2) as (ann, bo, cy):
        await until_ms_left(ann, 40)
        answers = await asyncio.gather(*(friend.ask("resign", race=1) for friend in (bo, cy)))
        verdict = await verdicts([ann, bo, cy])
        counted = [answer["type"] == "done" for answer in answers]
        assert [standing["state"] == "out" for standing in ann.race["standings"][1:]] == counted
        assert (verdict["reason"] == "LAST_IN_RACE") == all(counted)
        replay = await replayed(ann)
        assert sum(event["type"] == "resigned" for event in replay["events"]) == sum(counted)
        assert all(event["ms"] < 2000 for event in replay["events"] if event["type"] == "resigned")


async def test_an_agreement_just_before_the_deadline_is_a_tie(base: str) -> None:
    async with racing(base, 2, clock_s=2) as (ann, bo):
        await ann.do("offer", race=1)
        await ann.slide(ann.useful() or "up")
        await until_ms_left(ann, 300)
        await bo.do("answer", race=1, agree=True)
        verdict = await verdicts([ann, bo])
        assert (verdict["reason"], verdict["tied"]) == ("AGREED", [1, 2])
        assert ann.race["last_offer"] == {"by": 1, "outcome": "agreed", "seat": 2}


async def test_an_agreement_after_the_deadline_has_no_effect(base: str) -> None:
    async with racing(base, 2, clock_s=2) as (ann, bo):
        await ann.do("offer", race=1)
        await ann.slides_until(lambda: ann.board["score"] > 0)
        await until_ms_left(ann, 0)
        assert await bo.refused("answer", race=1, agree=True) == "RACE_OVER"
        assert await bo.refused("offer", race=1) == "RACE_OVER"
        verdict = await ended_by_the_clock([ann, bo])
        assert (verdict["winner"], verdict["tied"]) == (1, [])
        assert ann.race["offer"] is None


async def test_leaving_just_before_the_deadline_is_resigning(base: str) -> None:
    async with racing(base, 3, clock_s=2) as (ann, bo, cy):
        await bo.slides_until(lambda: bo.board["score"] > 0)
        await until_ms_left(ann, 500)
        await bo.do("leave")
        await ann.until(lambda: ann.race["standings"][1]["state"] == "out")
        assert now_of(ann) < ann.table["race"]["deadline"]
        verdict = await ended_by_the_clock([ann, cy])
        assert verdict["tied"] == [1, 3]
        await ann.until(lambda: ann.table["seats"][1]["name"] is None)


async def test_leaving_after_the_deadline_keeps_the_win(base: str) -> None:
    async with racing(base, 2, clock_s=2) as (ann, bo):
        await bo.slides_until(lambda: bo.board["score"] > 0)
        await until_ms_left(ann, 0)
        await bo.do("leave")
        verdict = await ended_by_the_clock([ann, bo])
        assert verdict["winner"] == 2
        assert [standing["state"] for standing in ann.race["standings"]] == ["sliding", "sliding"]
        await ann.until(lambda: ann.table["seats"][1]["name"] is None)


async def test_slides_before_the_start_are_refused_and_those_at_it_count(base: str) -> None:
    async with gathered(base, 2) as (ann, bo):
        await ann.do("start")
        await bo.until(lambda: bo.phase("countdown") and "board" in bo.latest)
        start = bo.board
        assert (start["n"], start["slide"], start["score"]) == (0, None, 0)
        direction, refusals = bo.useful() or "up", 0
        while (answer := await bo.slide(direction))["type"] == "refused":
            assert answer["code"] == "NOT_STARTED_YET"
            refusals += 1
            assert bo.board["cells"] == start["cells"]
            await asyncio.sleep(0.03)
        assert refusals
        assert answer["n"] == 1
        await bo.do("resign", race=1)
        await verdicts([ann, bo])
        replay = await replayed(ann)
        assert slides_of(replay, 2) == [direction]
        assert replay["seats"][1]["slides"][0][0] >= 0


async def test_offers_before_the_start_are_refused(base: str) -> None:
    async with gathered(base, 2) as (ann, bo):
        await ann.do("start")
        await bo.until(lambda: bo.phase("countdown") and "board" in bo.latest)
        assert await bo.refused("offer", race=1) == "NOT_STARTED_YET"
        assert bo.race["offer"] is None


async def test_slides_after_the_deadline_are_refused_with_the_board_as_it_was(base: str) -> None:
    async with racing(base, 2, clock_s=2) as (ann, bo):
        made = await bo.slides_until(lambda: bo.board["n"] == 5)
        last = bo.board
        await until_ms_left(ann, 0)
        refused = await bo.ask("slide", race=1, n=6, direction=bo.useful() or "up")
        assert (refused["code"], refused["n"]) == ("RACE_OVER", 6)
        await bo.until(lambda: bo.received.index(refused) + 1 < len(bo.received))
        snapshot = next(
            frame for frame in bo.received[bo.received.index(refused) :] if frame["type"] == "board"
        )
        assert (snapshot["n"], snapshot["cells"], snapshot["slide"]) == (5, last["cells"], None)
        await ended_by_the_clock([ann, bo])
        assert slides_of(await replayed(ann), 2) == made
        again = await bo.ask("slide", race=1, n=5, direction=made[-1])
        assert (again["type"], again["n"]) == ("board", 5)


async def test_slides_hurled_across_the_deadline_count_up_to_it(base: str) -> None:
    async with racing(base, 2, clock_s=2) as (ann, bo):
        await until_ms_left(ann, 400)
        async with asyncio.TaskGroup() as tasks:
            running = {
                friend.seat: tasks.create_task(friend.slides_until(lambda: False)) for friend in (ann, bo)
            }
        await ended_by_the_clock([ann, bo])
        replay = await replayed(ann)
        for seat, slid in running.items():
            assert slides_of(replay, seat) == slid.result()
