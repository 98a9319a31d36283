"""A race that is over, slide by slide: played, dragged and stepped through, verified, and opened by anybody with the link."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Route, expect
from tests.browser.axe import CALM, faults
from tests.browser.conftest import Visits
from tests.browser.meeting import Rules, finals, race_until_over, raced, resign, verdict
from tests.browser.test_sizes import SIZES, assert_fits, resize
from tests.browser.visitor import READ_CELLS, Visitor

ANSWERS = "**/api/tables/*/races/*/replay"
# Races that the engine ran: tests/page/replay_races.py.
CASES = json.loads((Path(__file__).parents[1] / "page" / "replay_races.json").read_text())["cases"]
Answer = dict[str, Any]


def case(part: str) -> Answer:
    """Give a race by a part of its name."""
    (found,) = [each["replay"] for each in CASES if part in each["name"]]
    answer: Answer = found
    return answer


def give(visitor: Visitor, answer: Answer) -> None:
    """Have the server's place taken by one who gives this race."""
    visitor.page.route(ANSWERS, lambda route: route.fulfill(json=answer))


def tamper(visitor: Visitor, change: Callable[[Answer], None]) -> None:
    """Have somebody change what the server answers; who is there last does."""

    def changed(route: Route) -> None:
        response = route.fetch()
        answer = response.json()
        change(answer)
        route.fulfill(response=response, json=answer)

    visitor.page.route(ANSWERS, changed)


def to_replay(visitor: Visitor, table: str, number: int = 1, moment: str = "") -> None:
    visitor.page.goto(f"{table}/replay/{number}{moment}")
    expect(boards(visitor).first).to_be_visible()


def look_at(visitor: Visitor, answer: Answer, moment: str = "") -> None:
    give(visitor, answer)
    to_replay(visitor, "/t/K7QM2XWP", answer["race"], moment)


def boards(visitor: Visitor) -> Locator:
    return visitor.page.locator("replay-screen tile-board")


def values(visitor: Visitor) -> list[list[int]]:
    """Read all boards, in the order of seats."""
    return [
        boards(visitor).nth(number).locator("td").evaluate_all(READ_CELLS)
        for number in range(boards(visitor).count())
    ]


def racer(visitor: Visitor, seat: int) -> Locator:
    return visitor.page.get_by_test_id(f"replay-{seat}")


def moves(visitor: Visitor) -> list[int]:
    texts = visitor.page.locator("replay-racer .how").all_inner_texts()
    return [int(re.findall(r"([\d,]+) moves?", text)[0].replace(",", "")) for text in texts]


def clock(visitor: Visitor) -> Locator:
    return visitor.page.locator("replay-screen .clock .time")


def words(visitor: Visitor) -> Locator:
    return visitor.page.locator("replay-screen .words")


def scrubber(visitor: Visitor) -> Locator:
    return visitor.page.get_by_role("slider", name="Moment of the race")


def verified(visitor: Visitor) -> Locator:
    """Press Verify, and give what is said once all is checked."""
    visitor.button("Verify").click()
    said = visitor.page.locator(".verifying .result")
    expect(said).not_to_have_text("Checking…")
    return said


def failing(visitor: Visitor) -> list[str]:
    return visitor.page.locator(".checks [data-holds=fails] .found").all_inner_texts()


@pytest.fixture
def over(visit: Visits) -> tuple[Visitor, Visitor, str]:
    """Give Ann and Bo, who have raced until Bo resigned, and their table's address."""
    ann, bo = raced(visit, Rules())
    ann.slides(4)
    bo.slides(3)
    resign(bo, sure=True)
    for each in (ann, bo):
        expect(verdict(each)).to_contain_text("Last one in the race.")
        expect(each.page.locator(".finals td", has_text=re.compile(r"^\d+$")).first).to_be_attached()
    return ann, bo, ann.page.url


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


def test_those_who_raced_find_that_all_holds_down_to_what_they_were_shown(
    over: tuple[Visitor, Visitor, str],
) -> None:
    for each in over[:2]:
        to_replay(each, over[2])
        expect(verified(each)).to_contain_text("All holds. The tiles were fixed before the race")
        assert each.page.locator(".checks li").count() == 9
        assert each.page.locator(".checks [data-holds=holds]").count() == 9
        expect(each.page.locator(".hashes code")).to_have_text([re.compile("^[0-9a-f]{64}$")] * 2)
        each.button("Close").click()
        expect(each.button("Verify")).to_be_focused()


def test_one_who_was_not_there_can_open_the_link_and_verify_all_but_what_was_shown_then(
    over: tuple[Visitor, Visitor, str], visit: Visits
) -> None:
    stranger = visit()
    to_replay(stranger, over[2])
    expect(verified(stranger)).to_have_text("All holds that can be checked from here.")
    assert stranger.page.locator(".checks [data-holds=open]").count() == 2
    assert failing(stranger) == []


def test_a_watcher_who_saw_the_race_can_compare_all(visit: Visits) -> None:
    ann, bo = raced(visit, Rules())
    watcher = visit()
    watcher.page.goto(ann.page.url)
    expect(watcher.page.get_by_test_id("standing-1")).to_be_visible()
    ann.slides(3)
    resign(bo, sure=True)
    expect(verdict(watcher)).to_contain_text("Ann won")
    expect(watcher.page.locator(".finals td", has_text=re.compile(r"^\d+$")).first).to_be_attached()
    to_replay(watcher, ann.page.url)
    expect(verified(watcher)).to_contain_text("All holds. The tiles were fixed before the race")


def change_the_seed(answer: Answer) -> None:
    answer["seed"] = "00" * 32


def change_the_verdict(answer: Answer) -> None:
    winner = answer["verdict"]["winner"]
    answer["verdict"]["winner"] = 3 - winner


def change_the_commitment_with_the_seed(answer: Answer) -> None:
    other = case("four race until")
    answer["seed"], answer["commitment"] = other["seed"], other["commitment"]


def test_an_answer_that_was_tampered_with_does_not_hold_and_what_differs_is_said(
    over: tuple[Visitor, Visitor, str],
) -> None:
    ann, _, table = over
    tampered: dict[Callable[[Answer], None], str] = {
        change_the_seed: r"The SHA-256 of the seed is 66687aad…0d5f2925, and not \w{8}…\w{8}\.",
        change_the_verdict: r"By the log: Ann won: last one in the race\. The server says: Bo won",
        change_the_commitment_with_the_seed: r"This browser was shown \w{8}…\w{8} when the race was dealt",
    }
    for change, found in tampered.items():
        tamper(ann, change)
        ann.page.goto("about:blank")
        to_replay(ann, table)
        expect(verified(ann)).to_contain_text("This race does not hold")
        assert any(re.match(found, each) for each in failing(ann)), failing(ann)


def test_an_answer_whose_parts_do_not_fit_together_is_not_shown(visit: Visits) -> None:
    answer = case("race to 64")
    reader = visit()
    give(reader, answer | {"order": answer["order"][:-1]})
    reader.page.goto("/t/K7QM2XWP/replay/1")
    expect(reader.page.get_by_role("alert")).to_contain_text(
        "Ann has 56 slides, but the order of all slides has 55 of them"
    )
    expect(boards(reader).first).to_be_hidden()


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
    copied = reader.page.evaluate("navigator.clipboard.readText()")
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
    copied = reader.page.evaluate("navigator.clipboard.readText()")
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
