"""A table at every size: the own board whole and the largest thing, all words in their boxes, nothing that jumps."""

from collections.abc import Mapping

import pytest
from playwright.sync_api import expect
from tests.browser.conftest import Visits
from tests.browser.meeting import verdict
from tests.browser.test_sizes import assert_fits, assert_in_view, box_of, meet, resize
from tests.browser.told import BIGGEST, HUGE, LONG, SHORT, STUCK, Scene, tell
from tests.browser.visitor import Visitor

# The last but two is a laptop's window at 200 %.
SIZES = [
    (240, 320), (320, 568), (390, 844), (844, 390), (568, 320), (768, 1024), (1440, 900), (720, 450),
    (2560, 1440), (3840, 2160),
]  # fmt: skip
PHONES = [(320, 568), (390, 844)]
ROOMY = [(390, 844), (768, 1024), (1024, 768), (1280, 720), (1280, 800), (1440, 900), (1920, 1080)]
BOARD = "race-screen tile-board"
RACING: Mapping[str, Scene] = {
    "a race of two": Scene(SHORT[:2]),
    "long names and numbers": Scene(LONG, scores=HUGE, cells=BIGGEST, away={2: 40_000}, states={3: "stuck"}),
    "an offer": Scene(LONG[:3], scores=HUGE, offer_by=2),
    "stuck": Scene(LONG, you=2, scores=HUGE, cells=STUCK, states={2: "stuck"}),
    "friends who stay away": Scene(LONG[:3], away={2: -1000, 3: -1000}),
    "the last seconds": Scene(gone_ms=175_000),
}


@pytest.mark.parametrize("seen", RACING)
def test_while_racing_the_board_is_whole_in_view_and_words_fit(visit: Visits, seen: str) -> None:
    racer = visit(reduced_motion="reduce")
    tell(racer, RACING[seen].racing())
    for size in SIZES:
        resize(racer, *size)
        expect(racer.page.locator(BOARD)).to_be_visible()
        assert_in_view(racer, BOARD)
        assert_fits(racer)
        assert_apart(racer)


def assert_apart(racer: Visitor) -> None:
    """Check that no part of the screen lies on another."""
    parts = racer.page.locator("race-screen > :not(.unseen, count-down):visible").all()
    boxes = [box_of(part) for part in parts]
    pairs = [(one, other) for number, one in enumerate(boxes) for other in boxes[:number]]
    assert [pair for pair in pairs if meet(*pair)] == [], racer.page.viewport_size


def test_the_own_board_is_the_largest_thing_on_every_screen(visit: Visits) -> None:
    racer = visit(reduced_motion="reduce")
    tell(racer, Scene(LONG, scores=HUGE).racing())
    for size in SIZES:
        resize(racer, *size)
        board = box_of(racer.page.locator(BOARD))
        for other in ("standings-list", "race-clock", "race-screen score-panel", "race-screen > .actions"):
            box = box_of(racer.page.locator(other))
            assert box["width"] * box["height"] < board["width"] * board["height"], (size, other)


def test_nothing_moves_as_numbers_grow(visit: Visits) -> None:
    racer = visit(reduced_motion="reduce")
    for size in SIZES:
        resize(racer, *size)
        boxes = []
        for scores in ([(0, 2, 0)] * 4, HUGE):
            tell(racer, Scene(scores=scores).racing())
            expect(racer.page.get_by_test_id("clock")).to_be_visible()
            boxes.append([box_of(part) for part in racer.page.locator(f"{BOARD}, .figure, race-clock").all()])
        assert boxes[0] == boxes[1], size


@pytest.mark.parametrize("size", PHONES)
def test_on_phones_news_cover_neither_clock_nor_score_nor_board(visit: Visits, size: tuple[int, int]) -> None:
    racer = visit(reduced_motion="reduce", viewport={"width": size[0], "height": size[1]})
    scene = Scene(SHORT[:3])
    stuck = Scene(SHORT[:3], states={2: "stuck", 3: "out"})
    tell(racer, [*scene.racing(), stuck.racing()[2]])
    toasts = racer.page.locator(".toast")
    expect(toasts).to_have_count(2)
    for part in ("race-clock", "race-screen score-panel", "standings-list", BOARD, ".top nav", "line-badge"):
        box = box_of(racer.page.locator(part))
        assert not any(meet(box_of(toast), box) for toast in toasts.all()), part
    expect(toasts.first).to_be_hidden()
    toasts.last.click()
    expect(toasts).to_be_visible()


@pytest.mark.parametrize("size", [*PHONES, (844, 390), (568, 320)])
def test_while_gathering_news_leave_the_links_above_to_be_pressed(
    visit: Visits, size: tuple[int, int]
) -> None:
    visitor = visit(reduced_motion="reduce", viewport={"width": size[0], "height": size[1]})
    tell(visitor, Scene(SHORT[:3], unready=[2]).gathering())
    visitor.button("Start").press("Enter")
    toast = visitor.page.locator(".toast")
    expect(toast).to_be_visible()
    assert not meet(box_of(toast), box_of(visitor.page.locator(".top nav")))


@pytest.mark.parametrize("names", [SHORT[:2], LONG])
def test_at_the_end_all_boards_fit_the_width(visit: Visits, names: tuple[str, ...]) -> None:
    racer = visit(reduced_motion="reduce")
    tell(racer, Scene(names, scores=HUGE, cells=BIGGEST).finished("TIME_UP", 1))
    expect(verdict(racer)).to_be_visible()
    for size in SIZES:
        resize(racer, *size)
        assert_fits(racer)
        assert_on_screen(racer, "Play again")


@pytest.mark.parametrize("names", [SHORT[:2], LONG[:3], LONG])
def test_at_the_end_all_ways_on_are_in_view_where_there_is_room(
    visit: Visits, names: tuple[str, ...]
) -> None:
    racer = visit(reduced_motion="reduce")
    tell(racer, Scene(names, scores=HUGE, cells=BIGGEST).finished("TIME_UP", 1))
    expect(verdict(racer)).to_be_visible()
    for size in ROOMY:
        resize(racer, *size)
        assert_on_screen(racer, "Share result")


@pytest.mark.parametrize("scene", [Scene(LONG, unready=[2], watchers=2), Scene(LONG, you=3, unready=[3])])
def test_while_gathering_the_way_on_is_in_view_and_words_fit(visit: Visits, scene: Scene) -> None:
    visitor = visit(reduced_motion="reduce")
    tell(visitor, scene.gathering())
    for size in SIZES:
        resize(visitor, *size)
        assert_fits(visitor)
        assert_on_screen(visitor, "Start" if scene.you == scene.host else "Ready")


def assert_on_screen(visitor: Visitor, button: str) -> None:
    box, size = box_of(visitor.button(button)), visitor.page.viewport_size
    assert size is not None
    assert box["y"] + box["height"] <= size["height"], size
