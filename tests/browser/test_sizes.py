"""The board is whole in view, and words and numbers stay within their boxes, from a small phone to a laptop."""

import pytest
from playwright.sync_api import FloatRect, Locator, ViewportSize, expect
from tests.browser.conftest import Visits
from tests.browser.meeting import Rules, raced, resign, verdict
from tests.browser.saved import game_of, put
from tests.browser.visitor import Visitor

from engine import Direction

SIZES = [(240, 320), (320, 480), (390, 844), (844, 390), (1280, 800)]
# Sliding left leaves one empty cell, which neither a 2 nor a 4 can free.
NEARLY_STUCK = [64, 64, 32, 8, 8, 16, 64, 32, 16, 32, 8, 64, 32, 64, 16, 128]
BIGGEST = [131072, 65536, 32768, 16384, 8192, 4096, 2048, 1024, 512, 256, 128, 64, 32, 16, 4, 4]
# Words cut off with an ellipsis on purpose are the one exception; what is for the ear only has no size.
OVERFLOWING = """() => [...document.querySelectorAll("body *")].filter((element) => {
    const style = getComputedStyle(element);
    const own = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim() !== "");
    if (!own || !element.checkVisibility() || element.closest(".unseen, script, option, .home")) return false;
    if (style.textOverflow === "ellipsis" || style.display === "inline") return false;
    return element.scrollWidth > element.clientWidth + 1;
}).map((element) => `${element.tagName} ${element.className} ${element.textContent}`)"""
ROOM = """() => [...document.querySelectorAll(".controls .segments button")].map(button => {
    const range = document.createRange();
    range.selectNodeContents(button);
    return (button.getBoundingClientRect().width - range.getBoundingClientRect().width) / 2;
})"""
SIDEWAYS = "() => document.documentElement.scrollWidth > innerWidth"


def assert_in_view(visitor: Visitor, board: str) -> None:
    box, size = visitor.page.locator(board).bounding_box(), visitor.page.viewport_size
    assert box is not None
    assert size is not None
    assert box["width"] == pytest.approx(box["height"], abs=1)
    assert box["x"] >= 0
    assert box["y"] >= 0
    assert box["x"] + box["width"] <= size["width"]
    assert box["y"] + box["height"] <= size["height"]
    assert box["width"] >= 0.35 * min(size["width"], size["height"])


def assert_fits(visitor: Visitor) -> None:
    assert visitor.page.evaluate(OVERFLOWING) == []
    assert not visitor.page.evaluate(SIDEWAYS)


def box_of(part: Locator) -> FloatRect:
    box = part.bounding_box()
    assert box is not None
    return box


def meet(one: FloatRect, other: FloatRect) -> bool:
    """Tell whether two boxes share a place; a fraction of a pixel is none."""
    across = min(one["x"] + one["width"], other["x"] + other["width"]) - max(one["x"], other["x"])
    down = min(one["y"] + one["height"], other["y"] + other["height"]) - max(one["y"], other["y"])
    return across >= 1 and down >= 1


def resize(visitor: Visitor, width: int, height: int) -> None:
    visitor.page.set_viewport_size(ViewportSize(width=width, height=height))


def test_alone_the_board_is_in_view_and_the_biggest_numbers_fit_at_every_size(visit: Visits) -> None:
    alone = visit(reduced_motion="reduce")
    put(alone, game_of(BIGGEST, score=3_932_100, slides=131_000, won=True))
    for size in SIZES:
        resize(alone, *size)
        assert_in_view(alone, "#board")
        assert_fits(alone)
    alone.press(Direction.LEFT)
    expect(alone.page.locator("#over")).to_be_visible()
    for size in SIZES:
        resize(alone, *size)
        assert_in_view(alone, "#board")
        assert_fits(alone)


def test_in_every_phase_of_a_race_the_board_is_in_view_and_words_fit_at_every_size(visit: Visits) -> None:
    ann, bo = raced(visit, Rules(target="8192", clock="3 minutes"), reduced_motion="reduce")
    bo.button("Offer a draw").click()
    expect(ann.button("Decline")).to_be_visible()
    for size in SIZES:
        resize(ann, *size)
        assert_in_view(ann, "race-screen tile-board")
        assert_fits(ann)
    resign(bo, sure=True)
    expect(verdict(ann)).to_be_visible()
    for size in SIZES:
        resize(ann, *size)
        assert_fits(ann)


@pytest.mark.parametrize("address", ["/rules", "/how-to-win"])
def test_the_pages_of_text_fit_every_width(visit: Visits, address: str) -> None:
    reader = visit()
    reader.page.goto(address)
    for size in SIZES:
        resize(reader, *size)
        assert_fits(reader)


def digits(visitor: Visitor) -> list[float]:
    """Give the size of each figure's digits."""
    sizes = "all => all.map(each => parseFloat(getComputedStyle(each).fontSize))"
    found: list[float] = visitor.page.locator(".figure dd span").evaluate_all(sizes)
    return found


@pytest.mark.parametrize("score", [8, 7284, 3_932_100])
def test_alone_all_figures_have_digits_of_one_size_at_every_size_and_score(visit: Visits, score: int) -> None:
    alone = visit()
    put(alone, game_of([512, 64, *[0] * 14], score=score, slides=100))
    for size in (*SIZES, (720, 450), (390, 620), (640, 480)):
        resize(alone, *size)
        first, *others = digits(alone)
        assert others == pytest.approx([first] * 3, abs=0.1), size


def test_the_words_of_each_choice_have_room_on_both_sides_at_every_size(visit: Visits) -> None:
    alone = visit()
    alone.page.goto("/")
    for size in (*SIZES, (360, 740), (720, 450), (390, 620)):
        resize(alone, *size)
        room = alone.page.evaluate(ROOM)
        assert min(room) >= 8, (size, room)


def test_what_is_said_without_a_network_leaves_board_and_buttons_to_be_pressed(visit: Visits) -> None:
    alone = visit(reduced_motion="reduce")
    alone.page.goto("/")
    alone.page.route("**/api/tables", lambda route: route.abort("internetdisconnected"))
    alone.button("Race a friend").click()
    said = alone.page.locator(".toast")
    for size in ((720, 450), (844, 390), (390, 844), (320, 568), (568, 320), (240, 320), (768, 1024)):
        resize(alone, *size)
        toast = box_of(said)
        pressable = alone.page.locator("#board, button:visible:not(.toast), .top a:visible").all()
        covered = [part.text_content() for part in pressable if meet(toast, box_of(part))]
        assert covered == [], size
    alone.troubles.clear()  # the answer that did not come


@pytest.mark.parametrize("size", [(320, 568), (360, 740), (390, 844), (844, 390), (720, 450), (1440, 900)])
def test_the_board_stays_where_it_is_when_a_game_ends(visit: Visits, size: tuple[int, int]) -> None:
    alone = visit(viewport={"width": size[0], "height": size[1]}, reduced_motion="reduce")
    put(alone, game_of(NEARLY_STUCK, score=123_456))
    board = alone.page.locator("#board")
    before = box_of(board)
    alone.press(Direction.LEFT)
    expect(alone.page.locator("#over")).to_be_visible()
    assert box_of(board) == before
