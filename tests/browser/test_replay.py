"""A race that is over, slide by slide: played, dragged and stepped through, and opened by anybody with the link."""

import re

import pytest
from playwright.sync_api import Locator, expect
from tests.browser.axe import CALM, faults
from tests.browser.conftest import Visits
from tests.browser.meeting import Rules, finals, race_until_over, raced, resign, verdict
from tests.browser.replayed import (
    ANSWERS,
    Answer,
    boards,
    case,
    clock,
    give,
    look_at,
    moves,
    racer,
    scrubber,
    values,
    verified,
    words,
)
from tests.browser.test_sizes import SIZES, assert_fits, resize
from tests.browser.visitor import Visitor


def test_a_race_is_opened_from_its_finished_screen_and_played_to_the_boards_it_ended_with(
    visit: Visits,
) -> None:
    ann, bo = raced(visit, Rules(target="64"))
    bo.slides(5)
    race_until_over(ann)
    expect(verdict(ann)).to_contain_text("Made the 64 first.")
    ended = finals_by_name(ann)
    ann.page.get_by_role("link", name="Replay").click()
    expect(clock(ann)).to_have_text("0:00")
    start = values(ann)
    assert start[0] == start[1]
    assert moves(ann) == [0, 0]
    expect(words(ann)).to_have_text("The first to make a 64 wins.")
    ann.button("8 times as fast").click()
    ann.button("Play").click()
    expect(words(ann)).to_have_text(re.compile(r"^(Ann|Bo) won: made the 64 first\.$"))
    expect(ann.button("Play")).to_be_visible()
    assert dict(zip(("Ann", "Bo"), values(ann), strict=True)) == ended
    expect(ann.page.locator("replay-racer.is-best .badge")).to_have_text("won")
    expect(verified(ann)).to_contain_text("All holds. The tiles were fixed before the race")
    ann.button("Close").click()
    ann.page.get_by_role("link", name="Back to the table").click()
    expect(verdict(ann)).to_be_visible()


def finals_by_name(visitor: Visitor) -> dict[str, list[int]]:
    labels = visitor.page.locator(".finals tile-board caption").all_text_contents()
    return dict(zip([label.removesuffix("'s board") for label in labels], finals(visitor), strict=True))


def test_steps_go_slide_by_slide_on_and_back_by_buttons_and_by_keys(visit: Visits) -> None:
    reader = visit()
    look_at(reader, case("race to 64"))
    start = values(reader)
    reader.button("One slide on").click()
    assert moves(reader) == [1, 0]
    reader.page.keyboard.press("ArrowRight")
    assert moves(reader) == [1, 1]
    reader.page.keyboard.press("ArrowLeft")
    assert moves(reader) == [1, 0]
    reader.button("One slide back").click()
    assert moves(reader) == [0, 0]
    assert values(reader) == start
    reader.page.keyboard.press("End")
    assert moves(reader) == [56, 55]
    expect(words(reader)).to_have_text("Ann won: made the 64 first.")
    reader.page.keyboard.press("ArrowLeft")
    assert moves(reader) == [55, 55]
    reader.page.keyboard.press("Home")
    assert (moves(reader), values(reader)) == ([0, 0], start)


def test_keys_play_and_leap_and_change_the_speed_and_leave_the_rest_to_the_browser(visit: Visits) -> None:
    reader = visit()
    look_at(reader, case("clock ends a race of four"))
    reader.page.keyboard.press("Shift+ArrowRight")
    expect(clock(reader)).to_have_text("0:05")
    reader.page.keyboard.press("Shift+ArrowLeft")
    expect(clock(reader)).to_have_text("0:00")
    for key, name in (
        ("+", "2 times as fast"),
        ("+", "4 times as fast"),
        ("-", "2 times as fast"),
        ("-", "Normal speed"),
    ):
        reader.page.keyboard.press(key)
        expect(reader.button(name)).to_have_attribute("aria-pressed", "true")
    reader.page.keyboard.press("Control+ArrowRight")
    reader.page.keyboard.press("Alt+Home")
    assert moves(reader) == [0, 0, 0, 0]
    reader.page.keyboard.press("Space")
    expect(reader.button("Pause")).to_be_visible()
    reader.page.keyboard.press("Space")
    expect(reader.button("Play")).to_be_visible()
    reader.button("Half speed").click()
    reader.page.keyboard.press("Space")
    expect(reader.button("Pause")).to_be_visible()
    reader.button("Settings").click()
    reader.page.keyboard.press("End")
    reader.page.keyboard.press("Escape")
    expect(words(reader)).not_to_contain_text("won")


def test_dragging_the_line_shows_each_moment_and_says_it_in_minutes(visit: Visits) -> None:
    reader = visit()
    look_at(reader, case("clock ends a race of four"))
    expect(scrubber(reader)).to_have_attribute("aria-valuetext", "0 seconds, of 1 minute 0 seconds")
    box = scrubber(reader).bounding_box()
    assert box is not None
    middle = box["y"] + box["height"] / 2
    reader.page.mouse.move(box["x"] + 12, middle)
    reader.page.mouse.down()
    reader.page.mouse.move(box["x"] + box["width"] / 2, middle, steps=8)
    expect(clock(reader)).to_have_text(re.compile("^0:(29|30)$"))
    assert moves(reader) == [20, 20, 20, 20]
    expect(scrubber(reader)).to_have_attribute(
        "aria-valuetext", re.compile("^(29|30) seconds, of 1 minute 0 seconds$")
    )
    reader.page.mouse.move(box["x"] + box["width"], middle, steps=8)
    expect(words(reader)).to_have_text("Cy won: time is up; highest score.")
    reader.page.mouse.up()
    reader.page.keyboard.press("ArrowLeft")
    assert sum(moves(reader)) == 79


def test_pauses_are_skipped_by_the_switch(visit: Visits) -> None:
    reader = visit()
    look_at(reader, case("clock ends a race of four"), "#t=20")
    reader.page.get_by_role("switch", name="Skip pauses").check()
    reader.button("Play").click()
    expect(words(reader)).to_have_text("Cy won: time is up; highest score.")


def test_what_happened_is_said_and_marked_with_the_racer_as_it_happens(visit: Visits) -> None:
    reader = visit()
    look_at(reader, case("left behind"))
    expect(racer(reader, 2).locator(".mark")).to_be_hidden()
    while moves(reader)[0] < 7:
        reader.page.keyboard.press("ArrowRight")
    expect(words(reader)).to_have_text(re.compile("^0:0[01] · Bo was raced on without$"))
    expect(racer(reader, 2).locator(".mark")).to_have_text("left behind")
    expect(racer(reader, 1).locator(".mark")).to_be_hidden()
    reader.button("To the end").click()
    expect(racer(reader, 1).locator(".mark")).to_have_text("resigned")
    expect(racer(reader, 3).locator(".badge")).to_have_text("won")
    expect(words(reader)).to_have_text("Cy won: last one in the race.")


def test_an_address_with_a_moment_opens_there_and_the_moment_shown_is_in_the_address(visit: Visits) -> None:
    reader = visit(permissions=["clipboard-read", "clipboard-write"])
    look_at(reader, case("race to 64"), "#t=2.5")
    expect(clock(reader)).to_have_text("0:02")
    before = (moves(reader), values(reader))
    assert before[0] != [0, 0]
    reader.page.keyboard.press("ArrowRight")
    reader.button("Copy a link to this moment").click()
    expect(reader.page.get_by_text("A link to this moment is copied.")).to_be_visible()
    copied = reader.copied
    assert re.search(r"/replay/1#t=2\.5\d+$", copied)
    expect(reader.page).to_have_url(copied)
    after = (moves(reader), values(reader))
    reader.page.reload()
    expect(boards(reader).first).to_be_visible()
    assert (moves(reader), values(reader)) == after
    reader.page.evaluate("location.hash = '#t=2.5'")
    expect(clock(reader)).to_have_text("0:02")
    assert (moves(reader), values(reader)) == before


def test_the_link_that_is_copied_is_the_address_that_friends_reach(visit: Visits) -> None:
    reader = visit(permissions=["clipboard-read", "clipboard-write"])
    look_at(reader, case("race to 64") | {"link": "http://192.0.2.7:8080/t/K7QM2XWP/replay/1"}, "#t=2.5")
    reader.button("Copy a link to this moment").click()
    expect(reader.page.get_by_text("A link to this moment is copied.")).to_be_visible()
    copied = reader.copied
    assert copied == "http://192.0.2.7:8080/t/K7QM2XWP/replay/1#t=2.5"


def test_a_race_that_is_not_there_or_not_over_is_told_apart_and_what_to_do(visit: Visits) -> None:
    ann, bo = raced(visit, Rules())
    reader = visit()
    said = reader.page.get_by_role("alert")
    reader.page.goto(f"{ann.page.url}/replay/7")
    expect(said).to_contain_text("There is no such race")
    reader.page.goto("/t/00000000/replay/1")
    expect(said).to_contain_text("This table is gone")
    expect(reader.page.get_by_role("link", name="Play alone")).to_be_visible()
    reader.page.goto(f"{ann.page.url}/replay/1")
    expect(said).to_contain_text("This race is not over yet")
    assert faults(reader) == []
    reader.troubles.clear()  # the answers that said so
    resign(bo, sure=True)
    expect(verdict(ann)).to_be_visible()
    reader.button("Try again").click()
    expect(boards(reader).first).to_be_visible()
    expect(said).to_be_hidden()


def test_without_a_network_it_says_so_and_comes_by_itself_once_there_is_one(visit: Visits) -> None:
    reader = visit()
    reader.page.route(ANSWERS, lambda route: route.abort("internetdisconnected"))
    reader.page.goto("/t/K7QM2XWP/replay/1")
    expect(reader.page.get_by_role("alert")).to_contain_text("The server cannot be reached")
    reader.page.unroute(ANSWERS)
    give(reader, case("race to 64"))
    reader.page.context.set_offline(True)
    reader.page.context.set_offline(False)
    expect(boards(reader).first).to_be_visible()
    reader.troubles.clear()  # the answer that did not come


@pytest.mark.parametrize("part", ["race to 64", "left behind", "four race until"])
def test_all_boards_are_whole_in_view_and_nothing_overflows_at_every_size(visit: Visits, part: str) -> None:
    reader = visit(reduced_motion="reduce")
    look_at(reader, case(part), "#t=9999")
    for size in (*SIZES, (320, 568), (1440, 900), (3840, 2160)):
        resize(reader, *size)
        for number in range(boards(reader).count()):
            assert_in_view(reader, boards(reader).nth(number))
        controls = [*reader.page.locator("replay-controls button").all(), scrubber(reader)]
        for control in controls:
            assert not control.is_visible() or is_in_view(reader, control), (size, control)
        assert_fits(reader)


def named(answer: Answer, name: str) -> Answer:
    """Give the race as one of racers who all have this name."""
    return answer | {"seats": [seat | {"name": name} for seat in answer["seats"]]}


@pytest.mark.parametrize("name", ["W" * 20, "Dana Dana Dana Dana"])
def test_the_widest_names_stay_within_the_screen_and_within_what_verify_shows(
    visit: Visits, name: str
) -> None:
    reader = visit(reduced_motion="reduce")
    answer = named(case("offers are declined"), name)
    look_at(reader, answer | {"verdict": {"winner": 1, "tied": [], "reason": "TARGET"}}, "#t=9999")
    expect(verified(reader)).to_contain_text("This race does not hold")
    for size in (*SIZES, (320, 568)):
        resize(reader, *size)
        assert_fits(reader)
        wide = "all => all.filter(each => each.scrollWidth > each.clientWidth).map(each => each.textContent)"
        assert reader.page.locator(".checks p, .verifying .rest, .verifying header").evaluate_all(wide) == []


def is_in_view(visitor: Visitor, what: Locator) -> bool:
    box, size = what.bounding_box(), visitor.page.viewport_size
    assert box is not None
    assert size is not None
    across = box["x"] >= 0 and box["x"] + box["width"] <= size["width"]
    return across and box["y"] >= 0 and box["y"] + box["height"] <= size["height"]


def assert_in_view(visitor: Visitor, board: Locator) -> None:
    box = board.bounding_box()
    assert box is not None
    assert box["width"] == pytest.approx(box["height"], abs=1)
    assert is_in_view(visitor, board), (box, visitor.page.viewport_size)


def test_axe_finds_nothing_in_a_replay_nor_in_what_verify_shows(visit: Visits) -> None:
    reader = visit(**CALM)
    look_at(reader, case("left behind"))
    assert faults(reader) == []
    reader.button("To the end").click()
    assert faults(reader) == []
    verified(reader)
    reader.page.get_by_text("What does this prove?").click()
    assert faults(reader) == []
    reader.button("Close").click()
    give(reader, case("left behind") | {"verdict": {"winner": None, "tied": [1, 2], "reason": "AGREED"}})
    reader.page.reload()
    expect(verified(reader)).to_contain_text("This race does not hold")
    assert faults(reader) == []
