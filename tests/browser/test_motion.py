"""How a slide is seen: by the compositor alone from its first frame on, going on from where the tiles are."""

import json
from typing import Any, cast

import pytest
from playwright.sync_api import Browser, Page
from tests.browser.conftest import Visits
from tests.browser.hands import session_of
from tests.browser.saved import game_of, put
from tests.browser.visitor import Visitor

from engine import Direction

# Right moves four tiles, one of which merges.
FOUR = [64, 0, 0, 0, 128, 0, 0, 0, 256, 0, 2, 2, *[0] * 4]
AT_REST = "() => document.querySelector('.tile b[class], .is-ghost') === null"
# Right and left move the 64 and the pair, which merges.
APART = [64, *[0] * 7, 8, 8, *[0] * 6]
# However slow the machine is, the slide is still under way when something is asked or pressed.
STOP_TIME = (
    "() => { const now = performance.now(); performance.now = () => now; window.setTimeout = () => 0; }"
)
SLID = "board => Promise.all(board.getAnimations({subtree: true}).map(({finished}) => finished))"
STOP_AT = """ms => document.getAnimations().forEach(each => {
    each.pause();
    each.currentTime = ms;
})"""
PLACES = """() => Object.fromEntries([...document.querySelectorAll(".tile:not(.is-ghost)")].map(tile =>
    [tile.lastElementChild.textContent, tile.getBoundingClientRect().x]))"""
SEEN = "kind => Number(getComputedStyle(document.querySelector(`.tile .${kind}`)).opacity)"
EIGHTS = """() => [...document.querySelectorAll(".tile b:last-child")].filter(({textContent}) => textContent === "8")
    .map(tile => tile.getBoundingClientRect().x).sort((one, other) => one - other)"""
SHOWN = """() => [...document.querySelectorAll(".tile b:last-child")].map(({textContent}) => Number(textContent))
    .sort((one, other) => one - other)"""
CATEGORIES = ["devtools.timeline", "blink.animations", "blink.user_timing"]

Event = dict[str, Any]


def shown(visitor: Visitor, values: list[int]) -> None:
    """Have a game with this board, all at rest."""
    put(visitor, game_of(values))
    visitor.page.wait_for_function(AT_REST)
    visitor.page.evaluate(STOP_TIME)


def stop(visitor: Visitor) -> None:
    """Let animations begin, and go no further."""
    session = session_of(visitor.page)
    session.send("Animation.enable")
    session.send("Animation.setPlaybackRate", {"playbackRate": 0})


def traced(browser: Browser, page: Page, direction: Direction) -> list[Event]:
    """Slide, and give what Chromium noted from the key on until the slide is over."""
    browser.start_tracing(page=page, categories=CATEGORIES)
    page.evaluate("performance.mark('press')")
    Visitor(page).press(direction)
    page.locator("#board").evaluate(SLID)
    page.evaluate("performance.mark('end')")
    found = cast("list[Event]", json.loads(browser.stop_tracing())["traceEvents"])
    ordered = sorted(found, key=lambda event: event.get("ts", 0))
    names = [event["name"] for event in ordered]
    return ordered[names.index("press") : names.index("end")]


def test_from_its_first_frame_on_a_slide_costs_no_layout_and_all_of_it_is_composited(
    visit: Visits, chromium: Browser
) -> None:
    alone = visit()
    shown(alone, FOUR)
    events = traced(chromium, alone.page, Direction.RIGHT)
    names = [event["name"] for event in events]
    first_frame = names.index("Layerize", names.index("Layout"))
    assert "Layout" not in names[first_frame:]
    animations = [event for event in events if event["name"] == "Animation"]
    begun = [event["args"]["data"]["displayName"] for event in animations if event["ph"] == "b"]
    assert set(begun) == {"transform", "tile-comes", "tile-swells", "gain-rises"}
    assert begun.count("transform") == 4
    assert not [event for event in animations if event["args"].get("data", {}).get("compositeFailed")]


def test_a_tile_under_way_goes_on_from_where_it_is_when_the_next_key_comes(visit: Visits) -> None:
    alone = visit()
    shown(alone, APART)
    stop(alone)
    alone.press(Direction.RIGHT)
    alone.page.evaluate(STOP_AT, 50)
    before = alone.page.evaluate(PLACES)
    alone.press(Direction.LEFT)
    alone.page.evaluate(STOP_AT, 0)
    after = alone.page.evaluate(PLACES)
    for value in ("64", "16"):
        assert abs(after[value] - before[value]) < 2, value


@pytest.mark.parametrize("kind", ["comes", "swells"])
def test_what_a_slide_makes_is_seen_when_it_ends_or_when_the_next_one_begins(
    visit: Visits, kind: str
) -> None:
    alone = visit()
    shown(alone, APART)
    stop(alone)
    alone.press(Direction.RIGHT)
    alone.page.evaluate(STOP_AT, 90)
    assert alone.page.evaluate(SEEN, kind) == 0
    alone.page.evaluate(STOP_AT, 150)
    assert alone.page.evaluate(SEEN, kind) > 0
    alone.page.evaluate(STOP_AT, 30)
    alone.press(Direction.LEFT)
    assert alone.page.evaluate(SEEN, kind) > 0


def test_a_slide_taken_back_is_seen_going_back_and_a_merge_coming_apart(visit: Visits) -> None:
    alone = visit()
    put(alone, game_of([8, 0, 0, 8, *[0] * 12]))
    box = alone.page.locator("#board").bounding_box()
    alone.press(Direction.LEFT)
    alone.page.wait_for_function(AT_REST)
    stop(alone)
    alone.page.keyboard.press("u")
    alone.page.evaluate(STOP_AT, 50)
    assert alone.page.evaluate(SHOWN)[-2:] == [8, 8]
    assert box is not None
    left, right = (each - box["x"] for each in alone.page.evaluate(EIGHTS))
    assert left < box["width"] / 8
    assert box["width"] / 4 < right < box["width"] * 0.7


def test_however_fast_the_keys_come_the_tiles_in_the_end_are_those_of_the_board(visit: Visits) -> None:
    alone = visit()
    put(alone, game_of(FOUR))
    for direction in [Direction.RIGHT, Direction.DOWN, Direction.LEFT, Direction.UP] * 10:
        alone.press(direction)
    alone.page.wait_for_function(AT_REST)
    assert alone.page.evaluate(SHOWN) == sorted(value for value in alone.values if value)


def test_with_reduced_motion_nothing_moves_and_the_board_is_there_at_once(visit: Visits) -> None:
    alone = visit(reduced_motion="reduce")
    shown(alone, FOUR)
    alone.press(Direction.RIGHT)
    assert alone.page.evaluate("document.getAnimations().length") == 0
    assert alone.values[11] == 4
