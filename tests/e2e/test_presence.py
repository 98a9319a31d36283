"""Coming, going and coming back: reloads, tabs, late arrivals, absent hosts (docs/rules.md §4)."""

import asyncio

from tests.e2e.meeting import gathered, racing, started, verdicts
from tests.friend import Friend, open_table

from web_gateway.socket import CLAIM_S


async def test_who_comes_late_watches_and_sees_no_board(base: str) -> None:
    async with racing(base, 2) as (ann, bo), Friend.at(base, ann.table_id) as cy:
        assert cy.table["you"] == {"seat": None, "host": False}
        assert await cy.refused("sit", name="Cy") == "NOT_GATHERING"
        assert await cy.refused("slide", race=1, n=1, direction="left") == "NOT_A_RACER"
        await ann.slide(ann.useful() or "up")
        await cy.until(lambda: "race" in cy.latest and cy.race["standings"][0]["slides"] == 1)
        assert "board" not in cy.latest
        await ann.until(lambda: ann.table["watchers"] == 1)
        await bo.do("resign", race=1)
        assert (await cy.until_over())["winner"] == 1


async def test_a_fifth_friend_finds_the_table_full_and_watches(base: str) -> None:
    async with gathered(base, 4) as friends, Friend.at(base, friends[0].table_id) as fifth:
        assert await fifth.refused("sit", name="Ed") == "TABLE_FULL"


async def test_a_reload_comes_back_to_the_same_board(base: str) -> None:
    async with racing(base, 2) as (ann, _bo):
        for _ in range(5):
            await ann.slide(ann.useful() or "up")
        before = ann.board
        await ann.close()
        async with Friend.at(base, ann.table_id, ann.cookie) as again:
            await again.until_racing()
            assert (again.board["n"], again.board["cells"], again.board["slide"]) == (
                5,
                before["cells"],
                None,
            )
            assert again.seat == 1
            assert again.kinds[:4] == ["hello", "table", "race", "board"]
            assert (await again.slide(again.useful() or "up"))["n"] == 6


async def test_a_newer_tab_takes_the_seat_over_and_the_older_is_told(base: str) -> None:
    async with racing(base, 2) as (ann, _bo), Friend.at(base, ann.table_id, ann.cookie) as newer:
        await ann.until(lambda: ann.closed is not None)
        assert ann.closed == 4001
        assert ann.received[-1]["type"] == "moved"
        await newer.until_racing()
        assert (await newer.slide(newer.useful() or "up"))["n"] == 1
        assert newer.table["seats"][0]["connected"]


async def test_closing_the_older_tab_is_not_leaving(base: str) -> None:
    async with gathered(base, 2) as (ann, bo), Friend.at(base, bo.table_id, bo.cookie) as newer:
        await bo.close()
        await asyncio.sleep(0.3)
        assert ann.table["seats"][1]["connected"]
        await newer.do("rename", name="Bob")
        await ann.until(lambda: ann.table["seats"][1]["name"] == "Bob")


async def test_many_tabs_without_a_seat_may_watch(base: str) -> None:
    table, cookie = await open_table(base)
    async with (
        Friend.at(base, table, cookie) as ann,
        Friend.at(base, table) as one,
        Friend.at(base, table, one.cookie) as two,
    ):
        await ann.until(lambda: ann.table["watchers"] == 2)
        assert (one.closed, two.closed) == (None, None)


async def test_of_two_tabs_that_watch_the_one_that_sits_keeps_the_seat_and_the_other_is_told(
    base: str,
) -> None:
    table, cookie = await open_table(base)
    async with (
        Friend.at(base, table, cookie) as ann,
        Friend.at(base, table) as older,
        Friend.at(base, table, older.cookie) as newer,
    ):
        await older.sits("Bo")
        await newer.until(lambda: newer.closed is not None)
        assert (newer.closed, newer.received[-1]["type"]) == (4001, "moved")
        await asyncio.sleep(CLAIM_S + 0.3)
        await older.do("rename", name="Bob")
        await ann.until(lambda: ann.table["seats"][1]["name"] == "Bob")
        assert (older.closed, ann.table["seats"][1]["connected"]) == (None, True)


async def test_a_friend_away_past_grace_while_gathering_loses_the_seat(base: str) -> None:
    async with gathered(base, 2) as (ann, bo):
        await bo.close()
        await ann.until(
            lambda: ann.table["seats"][1]["name"] is not None and not ann.table["seats"][1]["connected"]
        )
        assert ann.table["seats"][1]["away_until"] > ann.table["now"]
        await ann.until(lambda: ann.table["seats"][1]["name"] is None)


async def test_an_absent_host_hands_over_to_the_friend_seated_longest(base: str) -> None:
    async with gathered(base, 3) as (ann, bo, cy):
        await ann.close()
        await bo.until(lambda: bo.table["host"] == 2)
        assert bo.table["you"]["host"]
        await bo.until(lambda: bo.table["seats"][0]["name"] is None)
        await bo.do("start")
        await cy.until_racing()


async def test_an_absent_host_hands_over_while_racing_and_keeps_the_seat(base: str) -> None:
    async with racing(base, 2) as (ann, bo):
        await ann.close()
        await bo.until(lambda: bo.table["host"] == 2)
        assert bo.table["seats"][0]["name"] == "Ann"
        async with Friend.at(base, ann.table_id, ann.cookie) as again:
            await again.until_racing()
            assert not again.table["you"]["host"]
            assert (await again.slide(again.useful() or "up"))["n"] == 1


async def test_a_host_who_leaves_hands_on_at_once_and_an_empty_table_gives_it_to_the_next(base: str) -> None:
    async with gathered(base, 2) as (ann, bo):
        await ann.do("leave")
        await bo.until(lambda: bo.table["host"] == 2)
        await bo.do("leave")
        await ann.until(lambda: ann.table["host"] is None)
        await ann.sits("Ann")
        assert ann.table["host"] == ann.seat


async def test_a_freed_friend_is_told_and_may_sit_again(base: str) -> None:
    async with gathered(base, 2) as (ann, bo):
        await ann.do("free_seat", seat=2)
        await bo.until(lambda: "freed" in bo.latest)
        assert bo.latest["freed"]["why"] == "host"
        await bo.sits("Bo")


async def test_an_away_racer_comes_back_within_grace_and_after_it(base: str) -> None:
    async with racing(base, 2) as (ann, bo):
        await bo.close()
        await ann.until(lambda: not ann.table["seats"][1]["connected"])
        await asyncio.sleep(1.5)
        async with Friend.at(base, bo.table_id, bo.cookie) as again:
            await again.until_racing()
            await ann.until(lambda: bool(ann.table["seats"][1]["connected"]))
            assert await ann.refused("race_on_without", race=1, seat=2) == "STILL_CONNECTED"
            assert (await again.slide(again.useful() or "up"))["n"] == 1


async def test_two_play_again_presses_make_one_race(base: str) -> None:
    async with racing(base, 2) as (ann, bo):
        await bo.do("resign", race=1)
        await verdicts([ann, bo])
        answers = await asyncio.gather(ann.ask("play_again", race=1), bo.ask("play_again", race=1))
        assert [answer["type"] for answer in answers] == ["done", "done"]
        for friend in (ann, bo):
            await friend.until(lambda friend=friend: friend.number == 2 and friend.phase("racing"))  # type: ignore[misc]
        assert (ann.seat, bo.seat) == (2, 1)


async def test_play_again_leaves_out_who_is_away_and_their_tally_comes_back(base: str) -> None:
    async with racing(base, 3) as (ann, bo, cy):
        await ann.do("resign", race=1)
        await bo.do("resign", race=1)
        await verdicts([ann, bo, cy])
        await cy.close()
        await ann.until(lambda: not ann.table["seats"][2]["connected"])
        await ann.do("play_again", race=1)
        await bo.until(lambda: bo.number == 2)
        assert len(bo.table["race"]["racers"]) == 2
        await ann.do("resign", race=2)
        await verdicts([ann, bo])
        await ann.do("change_settings", race=2)
        async with Friend.at(base, cy.table_id, cy.cookie) as again:
            await again.sits("Cy")
            assert again.table["seats"][again.seat - 1]["tally"] == 1


async def test_play_again_alone_is_refused(base: str) -> None:
    async with racing(base, 2) as (ann, bo):
        await bo.do("resign", race=1)
        await verdicts([ann, bo])
        await bo.close()
        await ann.until(lambda: not ann.table["seats"][1]["connected"])
        assert await ann.refused("play_again", race=1) == "ALONE"


async def test_change_settings_keeps_seats_and_tally_and_opens_the_table(base: str) -> None:
    async with racing(base, 2) as (ann, bo):
        await bo.do("resign", race=1)
        await verdicts([ann, bo])
        assert await bo.refused("change_settings", race=1) == "NOT_HOST"
        await ann.do("change_settings", race=1)
        await bo.until(lambda: bo.phase("gathering"))
        assert bo.table["race"] is None
        assert [seat["name"] for seat in bo.table["seats"]] == ["Ann", "Bo", None, None]
        assert bo.table["seats"][0]["tally"] == 1
        assert not bo.table["seats"][1]["ready"]
        await ann.do("rules", target=64, clock_s=180)
        async with Friend.at(base, ann.table_id) as cy:
            await cy.sits("Bo")
            assert cy.table["seats"][2]["name"] == "Bo 2"
            await bo.do("ready", ready=True)
            await cy.do("ready", ready=True)
            await started([ann, bo, cy])
            assert ann.table["race"]["number"] == 2


async def test_a_racer_who_leaves_has_resigned_and_the_seat_is_freed_at_the_end(base: str) -> None:
    async with racing(base, 3) as (ann, bo, cy):
        await cy.do("leave")
        await ann.until(lambda: ann.race["standings"][2]["state"] == "out")
        assert ann.race["standings"][2]["out"] == "resigned"
        await bo.do("resign", race=1)
        await ann.until_over()
        await ann.until(lambda: ann.table["seats"][2]["name"] is None)
        assert ann.table["seats"][1]["name"] == "Bo"
