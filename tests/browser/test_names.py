"""Names are text wherever they stand, and what tells them apart is in view (docs/rules.md §4)."""

import re

import pytest
from playwright.sync_api import Page, expect
from tests.browser.conftest import Visits
from tests.browser.meeting import joined, opened, resign, start, verdict
from tests.browser.replayed import boards, case, look_at
from tests.browser.test_sizes import resize
from tests.browser.told import Scene, tell
from tests.browser.visitor import Visitor

ALIKE = ("W" * 20, *(f"{'W' * 18} {number}" for number in (2, 3, 4)))
NARROW = [(240, 320), (320, 568), (568, 320)]
BOLD, BROKEN_OUT = '<b id="bad">A</b>', "\"'><img id=bad>"
# Each number that is cut off by anything around it, or has no room at all.
CUT = """() => {
    const clips = (element) => getComputedStyle(element).overflowX !== "visible";
    const around = (element) => element.parentElement === null ? [] : [element.parentElement, ...around(element.parentElement)];
    return [...document.querySelectorAll(".told-by")].filter((number) => number.checkVisibility()).filter((number) => {
        const { left, right, width } = number.getBoundingClientRect();
        return width < 4 || around(number).filter(clips).some((box) => {
            const edges = box.getBoundingClientRect();
            return left < edges.left - 1 || right > edges.right + 1;
        });
    }).map((number) => number.parentElement.textContent);
}"""
SCENES = {
    "gathering": Scene(ALIKE).gathering(),
    "racing": Scene(ALIKE).racing(),
    "racing without those who are away": Scene(ALIKE[:3], away={2: -1000, 3: -1000}).racing(),
    "watching": Scene(ALIKE, you=None, host=2).racing(),
    "finished": Scene(ALIKE).finished("TARGET", 1),
}


def assert_numbers_in_view(visitor: Visitor) -> None:
    expect(visitor.page.locator(".told-by:visible").first).to_be_visible()
    for size in NARROW:
        resize(visitor, *size)
        assert visitor.page.evaluate(CUT) == [], size


@pytest.mark.parametrize("seen", SCENES)
def test_the_number_that_tells_equal_names_apart_is_in_view(visit: Visits, seen: str) -> None:
    visitor = visit(reduced_motion="reduce")
    tell(visitor, SCENES[seen])
    assert_numbers_in_view(visitor)


def test_the_number_that_tells_equal_names_apart_is_in_view_in_a_replay(visit: Visits) -> None:
    reader = visit(reduced_motion="reduce")
    race = case("race to 64")
    seats = [{**seat, "name": ALIKE[at]} for at, seat in enumerate(race["seats"])]
    look_at(reader, race | {"seats": seats}, "#t=2.5")
    expect(boards(reader).first).to_be_visible()
    assert_numbers_in_view(reader)


def assert_text(page: Page, *names: str) -> None:
    """See that names stand on the page, and that none of them is a part of it."""
    assert page.locator("#bad").count() == 0
    for name in names:
        expect(page.get_by_text(name).first).to_be_attached()


def test_a_name_that_is_markup_is_text_from_the_first_screen_to_the_last(visit: Visits) -> None:
    ann = opened(visit)
    ann.page.get_by_label("Your name").fill(BOLD)
    ann.button("Rename").click()
    expect(ann.page.get_by_test_id("seat-1")).to_contain_text(BOLD)
    bo = joined(visit, ann, BROKEN_OUT)
    expect(ann.page.locator(".toast", has_text=BROKEN_OUT).first).to_be_attached()
    bo.button("Ready").click()
    expect(ann.page).to_have_title(re.compile(re.escape(BROKEN_OUT)))
    assert_text(ann.page, BOLD, BROKEN_OUT)
    start(ann, bo)
    assert_text(ann.page, BROKEN_OUT)
    ann.button("Offer a draw").click()
    expect(bo.page.get_by_text(f"{BOLD} offers a draw")).to_be_visible()
    assert_text(bo.page, BOLD)
    resign(bo, sure=True)
    expect(verdict(bo)).to_be_visible()
    expect(bo.page.get_by_text(f"{BOLD} won").first).to_be_attached()
    assert_text(bo.page, BOLD, BROKEN_OUT)
    expect(bo.page.get_by_role("table", name=f"{BOLD}'s board")).to_be_attached()
    bo.page.get_by_role("link", name="Replay").click()
    expect(boards(bo).first).to_be_visible()
    assert_text(bo.page, BOLD, BROKEN_OUT)
