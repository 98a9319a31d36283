"""Races of two, three and four through every ending of the rules, over sockets (docs/rules.md §4)."""

import asyncio

import pytest
from tests.e2e.meeting import gathered, racing, started, verdicts
from tests.friend import Friend


async def play_to_the_end(friends: list[Friend]) -> None:
    async with asyncio.TaskGroup() as tasks:
        for friend in friends:
            tasks.create_task(friend.slides_until(lambda friend=friend: friend.verdict is not None))  # type: ignore[misc]


async def get_stuck(friend: Friend) -> list[str]:
    return await friend.slides_until(lambda: friend.board["stuck"], friend.filling)


@pytest.mark.parametrize("size", [2, 3, 4])
async def test_the_first_to_the_target_wins_for_everyone(base: str, size: int) -> None:
    async with racing(base, size, target=64) as friends:
        await play_to_the_end(friends)
        verdict = await verdicts(friends)
        assert verdict["reason"] == "TARGET"
        winner = next(friend for friend in friends if friend.seat == verdict["winner"])
        boards = {board["seat"]: board["cells"] for board in winner.latest["reveal"]["boards"]}
        assert max(boards[winner.seat]) == 64
        assert all(max(cells) < 64 for seat, cells in boards.items() if seat != winner.seat)
        assert [seat["tally"] for seat in winner.table["seats"] if seat["name"]] == [
            1 if seat == winner.seat else 0 for seat in range(1, size + 1)
        ]


@pytest.mark.parametrize("size", [2, 3, 4])
async def test_the_last_in_the_race_wins_when_the_others_resign(base: str, size: int) -> None:
    async with racing(base, size) as friends:
        for friend in friends[1:]:
            await friend.do("resign", race=1)
        verdict = await verdicts(friends)
        assert (verdict["reason"], verdict["winner"]) == ("LAST_IN_RACE", 1)


async def test_a_stuck_racer_is_outscored_at_once_by_the_one_ahead(base: str) -> None:
    async with racing(base, 2) as (ann, bo):
        await ann.slides_until(lambda: ann.board["score"] > 700)
        await get_stuck(bo)
        await ann.slides_until(lambda: ann.verdict is not None)
        verdict = await verdicts([ann, bo])
        assert (verdict["reason"], verdict["winner"]) == ("OUTSCORED", 1)


async def test_when_all_are_stuck_the_highest_score_wins(base: str) -> None:
    async with racing(base, 2) as (ann, bo):
        await ann.slides_until(lambda: ann.board["stuck"], ann.useful)
        await get_stuck(bo)
        verdict = await verdicts([ann, bo])
        assert verdict["winner"] == (1 if ann.board["score"] > bo.board["score"] else 2)
        assert verdict["reason"] in {"ALL_STUCK", "OUTSCORED"}
        assert bo.board["stuck"] == (verdict["reason"] == "ALL_STUCK")


async def test_when_all_are_stuck_with_one_score_they_tie(base: str) -> None:
    async with racing(base, 3) as (ann, bo, cy):
        made = await get_stuck(ann)
        for friend in (bo, cy):
            await friend.slides_until(lambda: False, _follow(made))
        verdict = await verdicts([ann, bo, cy])
        assert (verdict["reason"], verdict["winner"], verdict["tied"]) == ("ALL_STUCK", None, [1, 2, 3])
        assert [seat["tally"] for seat in ann.table["seats"] if seat["name"]] == [0.5, 0.5, 0.5]


def _follow(made: list[str]):  # type: ignore[no-untyped-def]  # noqa: ANN202
    steps = iter(made)
    return lambda: next(steps, None)


@pytest.mark.parametrize("size", [2, 4])
async def test_at_the_deadline_the_highest_score_wins(base: str, size: int) -> None:
    async with racing(base, size, clock_s=2) as friends:
        await friends[1].slides_until(lambda: friends[1].board["score"] >= 20)
        verdict = await verdicts(friends)
        assert (verdict["reason"], verdict["winner"]) == ("TIME_UP", 2)
        race = friends[0].table["race"]
        assert race["ended_at"] == race["deadline"] == race["starts_at"] + 2000


async def test_at_the_deadline_equal_scores_tie(base: str) -> None:
    async with racing(base, 2, clock_s=2, target=2048) as friends:
        verdict = await verdicts(friends)
        assert (verdict["reason"], verdict["winner"], verdict["tied"]) == ("TIME_UP", None, [1, 2])


@pytest.mark.parametrize("size", [2, 3, 4])
async def test_when_all_agree_it_is_a_tie(base: str, size: int) -> None:
    async with racing(base, size) as friends:
        await friends[1].do("offer", race=1)
        for friend in friends:
            if friend is not friends[1]:
                await friend.until(lambda friend=friend: friend.race["offer"] is not None)  # type: ignore[misc]
                await friend.do("answer", race=1, agree=True)
        verdict = await verdicts(friends)
        assert (verdict["reason"], verdict["tied"]) == ("AGREED", list(range(1, size + 1)))


async def test_when_those_who_had_not_agreed_go_out_the_rest_tie(base: str) -> None:
    async with racing(base, 3) as (ann, bo, cy):
        await ann.do("offer", race=1)
        await bo.do("answer", race=1, agree=True)
        await cy.do("resign", race=1)
        verdict = await verdicts([ann, bo, cy])
        assert (verdict["reason"], verdict["tied"]) == ("AGREED", [1, 2])


async def test_a_racer_left_behind_after_grace_has_lost(base: str) -> None:
    async with racing(base, 2) as (ann, bo):
        await bo.close()
        await ann.until(lambda: not ann.table["seats"][1]["connected"])
        assert await ann.refused("race_on_without", race=1, seat=2) == "GRACE_NOT_OVER"
        await asyncio.sleep(1.4)
        await ann.do("race_on_without", race=1, seat=2)
        verdict = await ann.until_over()
        assert (verdict["reason"], verdict["winner"]) == ("LAST_IN_RACE", 1)
        assert ann.race["standings"][1]["out"] == "left_behind"


async def test_a_resignation_in_the_countdown_ends_a_race_of_two_before_it_starts(base: str) -> None:
    async with gathered(base, 2) as (ann, bo):
        await ann.do("start")
        await bo.until(lambda: bo.phase("countdown") and "race" in bo.latest)
        await bo.do("resign", race=1)
        verdict = await verdicts([ann, bo])
        assert (verdict["reason"], verdict["winner"]) == ("LAST_IN_RACE", 1)
        assert ann.table["race"]["ended_at"] < ann.table["race"]["starts_at"]


async def test_a_stuck_leader_may_leave_and_the_score_stands(base: str) -> None:
    async with racing(base, 2, clock_s=4) as (ann, bo):
        made = await get_stuck(ann)
        await ann.do("leave")
        await bo.slides_until(lambda: False, _follow(made[:10]))
        await bo.until_over()
        assert (bo.verdict or {})["reason"] == "TIME_UP"
        assert (bo.verdict or {})["winner"] == 1
        await bo.until(lambda: bo.table["seats"][0]["name"] is None)


async def test_twenty_rematches_keep_seats_and_tally_right(base: str) -> None:
    async with gathered(base, 3) as friends:
        await started(friends)
        wins = {id(friend): 0 for friend in friends}
        for number in range(1, 21):
            loser = [friends[number % 3], friends[(number + 1) % 3]]
            for friend in loser:
                await friend.do("resign", race=number)
            verdict = await verdicts(friends)
            winner = next(friend for friend in friends if friend.seat == verdict["winner"])
            wins[id(winner)] += 1
            seats = {id(friend): friend.seat for friend in friends}
            for friend in friends:
                assert friend.table["seats"][friend.seat - 1]["tally"] == wins[id(friend)]
            if number < 20:
                await friends[number % 3].do("play_again", race=number)
                for friend in friends:
                    await friend.until(
                        lambda friend=friend: friend.number == number + 1 and friend.phase("countdown")  # type: ignore[misc]  # noqa: B023
                    )
                    assert friend.seat == seats[id(friend)] % 3 + 1
                    await friend.until(lambda friend=friend: friend.race["race"] == number + 1)  # type: ignore[misc]  # noqa: B023
        assert sum(wins.values()) == 20
