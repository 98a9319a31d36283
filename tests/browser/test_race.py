"""Races of two browsers by the page's own controls: to a verdict, again, and to a resignation; and a reload midway."""

from playwright.sync_api import expect
from tests.browser.conftest import Visits
from tests.browser.meeting import (
    RACE,
    Rules,
    finals,
    gathered,
    joined,
    opened,
    race_until_over,
    raced,
    resign,
    until_racing,
    verdict,
)  # fmt: skip
from tests.browser.played import played
from tests.browser.visitor import Visitor
from tests.browser.wire import Wire

from engine import Direction, Seed


def test_a_friend_sits_by_the_link_and_start_waits_for_ready(visit: Visits) -> None:
    ann = opened(visit)
    expect(ann.button("Start")).to_be_disabled()
    bo = joined(visit, ann, "Bo")
    expect(ann.page.get_by_text("Waiting for Bo to press Ready.")).to_be_visible()
    bo.button("Ready").click()
    expect(ann.page.get_by_text("Everyone is ready.")).to_be_visible()
    bo.button("Not ready after all").click()
    expect(ann.button("Start")).to_be_disabled()


def test_changing_the_rules_shows_everywhere_and_takes_ready_back(visit: Visits) -> None:
    ann, bo = gathered(visit, Rules())
    ann.button("Against the clock").click()
    expect(bo.page.get_by_text("The highest score after 3 minutes wins", exact=True)).to_be_visible()
    expect(bo.page.get_by_text("Press Ready again if you are.")).to_be_visible()
    expect(bo.button("Ready")).to_be_visible()
    expect(ann.button("Start")).to_be_disabled()


def test_two_friends_race_to_a_target_and_both_see_who_won_why_and_all_boards(visit: Visits) -> None:
    ann, bo = raced(visit, Rules(target="64"))
    assert ann.values == bo.values
    bo.slides(5)
    race_until_over(ann)
    titles = {verdict(racer).get_by_role("heading").inner_text() for racer in (ann, bo)}
    assert titles in ({"You won!", "Ann won"}, {"You won!", "Bo won"})
    for racer in (ann, bo):
        expect(verdict(racer)).to_contain_text("Made the 64 first.")
        expect(racer.page.locator(".finals .is-best")).to_contain_text("1 won")
    assert finals(ann) == finals(bo)
    assert sum(64 in board for board in finals(ann)) == 1


def test_play_again_deals_both_a_fresh_race_and_resigning_asks_first_and_ends_it(visit: Visits) -> None:
    ann, bo = raced(visit, Rules(target="64"))
    resign(ann, sure=True)
    expect(verdict(bo)).to_contain_text("You won!")
    ann.button("Play again").click()
    until_racing(ann, bo)
    assert ann.values == bo.values
    assert ann.figure("moves") == bo.figure("moves") == 0
    ann.slides(3)
    resign(bo, sure=False)
    bo.slides(1)
    resign(bo, sure=True)
    for racer, title in ((ann, "You won!"), (bo, "Ann won")):
        expect(verdict(racer)).to_contain_text(title)
        expect(verdict(racer)).to_contain_text("Last one in the race.")
        # Seats go round from race to race.
        expect(racer.page.get_by_test_id("final-1")).to_contain_text("resigned")


def test_change_settings_goes_back_to_gathering_with_everyone_seated(visit: Visits) -> None:
    ann, bo = raced(visit, Rules())
    resign(bo, sure=True)
    ann.button("Change settings").click()
    for racer in (ann, bo):
        expect(racer.page.get_by_test_id("seat-1")).to_contain_text("Ann")
        expect(racer.page.get_by_test_id("seat-2")).to_contain_text("Bo")


def test_a_reload_in_the_middle_of_a_race_comes_back_to_the_same_board_and_goes_on(visit: Visits) -> None:
    ann, bo = raced(visit, Rules(target="2048"))
    ann.slides(8)
    before = (ann.values, ann.figure("score"), ann.figure("moves"))
    ann.page.reload()
    until_racing(ann)
    assert (ann.values, ann.figure("score"), ann.figure("moves")) == before
    ann.slides(2)
    expect(bo.page.get_by_test_id("standing-1")).to_contain_text("10 moves")


def test_keys_pressed_faster_than_the_server_answers_are_slides_in_their_order(visit: Visits) -> None:
    ann, bo = raced(visit, Rules())
    wire = Wire(ann.page)
    ann.page.reload()
    until_racing(ann)
    pressed = [Direction.LEFT, Direction.DOWN, Direction.RIGHT, Direction.DOWN] * 8
    for direction in pressed:
        ann.press(direction)
    wire.settle()
    moves = ann.figure("moves")
    resign(bo, sure=True)
    expect(verdict(ann)).to_be_visible()
    reveal = wire.first("reveal")
    slid, board = played(Seed(bytes.fromhex(reveal["seed"])), pressed)
    assert moves == len(slid)
    assert board.to_values() == [reveal["boards"][0]["cells"][row : row + 4] for row in (0, 4, 8, 12)]
    assert finals(ann) == finals(bo)


def test_the_highest_score_wins_when_the_clock_runs_out_by_itself(visit: Visits) -> None:
    ann, bo = raced(visit, Rules(clock="6 seconds"))
    while bo.figure("score") == 0:
        bo.slide()
    for racer, title in ((ann, "Bo won"), (bo, "You won!")):
        expect(verdict(racer)).to_contain_text(title)
        expect(verdict(racer)).to_contain_text("Time is up; highest score.")


def test_who_comes_after_the_start_watches_the_standings_and_then_sees_the_boards(visit: Visits) -> None:
    ann, bo = raced(visit, Rules())
    watcher = visit()
    watcher.page.goto(ann.page.url)
    expect(watcher.page.get_by_text("You are watching.")).to_be_visible()
    ann.slides(2)
    expect(watcher.page.get_by_test_id("standing-1")).to_contain_text("2 moves")
    expect(watcher.page.locator("race-screen tile-board")).to_be_hidden()
    resign(bo, sure=True)
    expect(verdict(watcher)).to_contain_text("Ann won")
    assert finals(watcher) == finals(ann)


def test_a_second_tab_takes_the_seat_over_and_gives_it_back_when_asked(visit: Visits) -> None:
    ann, _ = raced(visit, Rules())
    ann.slides(2)
    newer = Visitor(ann.page.context.new_page(), where=RACE)
    newer.page.goto(ann.page.url)
    until_racing(newer)
    newer.slides(1)
    ann.button("Play here").click()
    expect(ann.page.locator(f"{RACE} [data-testid=moves]")).to_have_text("3")
    assert ann.values == newer.values
    expect(newer.button("Play here")).to_be_visible()
    assert newer.troubles == []
