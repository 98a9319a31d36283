"""A game on one's own, with real keys: the start, a win and what comes after it, coming back, and the best score."""

import re
from collections.abc import Callable
from typing import cast

import pytest
from playwright.sync_api import expect
from tests.browser.conftest import Visits
from tests.browser.hands import Fingers, session_of
from tests.browser.saved import game_of, kept, kept_values, put
from tests.browser.test_sizes import NEARLY_STUCK, box_of, meet
from tests.browser.visitor import KEYS, Visitor, first_useful

from engine import Board, Direction, slide

# Row-major; sliding left makes the 2048.
NEARLY_WON = [1024, 1024, 4, 2, *[0] * 12]
# Sliding right makes the 2048 and leaves one empty cell, which neither a 2 nor a 4 can free.
WON_AND_STUCK = [1024, 1024, 16, 64, 8, 32, 128, 512, 16, 64, 8, 32, 128, 512, 16, 64]
MESSAGE = "#over"
PLACES = """() => [...document.querySelectorAll("#board, .figure, #race")].map(each => each.getBoundingClientRect().toJSON())"""


@pytest.fixture
def alone(visit: Visits) -> Visitor:
    return visit()


def test_the_first_board_has_two_tiles_and_nothing_is_counted(alone: Visitor) -> None:
    alone.page.goto("/")
    assert sum(value > 0 for value in alone.values) == 2
    assert alone.figure("score") == alone.figure("moves") == alone.figure("best") == 0


def is_one_new_tile(before: Board, after: Board) -> bool:
    """Whether a board differs from another by a 2 or a 4 in one empty cell."""
    pairs = [pair for pair in zip(before.cells, after.cells, strict=True) if pair[0] != pair[1]]
    return len(pairs) == 1 and pairs[0][0] == 0 and pairs[0][1] in {1, 2}


def test_fifty_slides_by_keys_follow_the_rules_and_are_all_kept(alone: Visitor) -> None:
    alone.page.goto("/")
    score = 0
    for count in range(1, 51):
        before = alone.board
        direction = first_useful(before)
        assert direction is not None
        expected = slide(before, direction)
        assert expected is not None
        alone.press(direction)
        score += expected.points
        assert is_one_new_tile(expected.board, alone.board)
        assert kept_values(alone) == alone.values
        assert [alone.figure("score"), alone.figure("moves")] == [score, count]
    assert alone.figure("best") == score


def test_keys_pressed_faster_than_the_board_moves_are_all_slides(alone: Visitor) -> None:
    # Ten new tiles cannot fill four rows, so every one of these keys changes the board.
    put(alone, game_of([64, 0, 0, 0, 128, 0, 0, 0, 256, 0, 0, 0, 512, 0, 0, 0]))
    for direction in [Direction.RIGHT, Direction.LEFT] * 5:
        alone.press(direction)
    assert alone.figure("moves") == 110


def test_a_win_is_said_once_and_the_next_slide_goes_on(alone: Visitor) -> None:
    put(alone, game_of(NEARLY_WON))
    alone.press(Direction.LEFT)
    expect(alone.page.locator(MESSAGE)).to_contain_text("You made 2048!")
    assert alone.values[0] == 2048
    alone.press(Direction.DOWN)
    expect(alone.page.locator(MESSAGE)).to_be_hidden()
    assert alone.figure("moves") == 102
    assert kept(alone)["won"]


def test_a_second_2048_and_a_4096_are_not_announced_again(alone: Visitor) -> None:
    put(alone, game_of([2048, 1024, 1024, 2, *[0] * 12], won=True))
    alone.press(Direction.LEFT)
    expect(alone.page.locator("#board td").nth(1)).to_have_text("2048")
    alone.press(Direction.LEFT)
    expect(alone.page.locator("#board td").first).to_have_text("4096")
    expect(alone.page.locator(MESSAGE)).to_be_hidden()
    assert alone.figure("biggest") == 4096


def test_escape_and_the_button_put_the_win_away_without_a_slide(alone: Visitor) -> None:
    ways: tuple[Callable[[], None], ...] = (
        lambda: alone.page.keyboard.press("Escape"),
        lambda: alone.button("Play on").click(),
    )
    for put_away in ways:
        put(alone, game_of(NEARLY_WON))
        alone.press(Direction.LEFT)
        expect(alone.page.locator(MESSAGE)).to_be_visible()
        put_away()
        expect(alone.page.locator(MESSAGE)).to_be_hidden()
        assert alone.figure("moves") == 101


def test_a_reload_comes_back_to_board_message_and_figures(alone: Visitor) -> None:
    put(alone, game_of(NEARLY_WON, score=18_000))
    alone.press(Direction.LEFT)
    expect(alone.page.locator(MESSAGE)).to_be_visible()
    before = (alone.values, kept(alone))
    alone.page.reload()
    expect(alone.page.locator(MESSAGE)).to_contain_text("You made 2048!")
    assert (alone.values, kept(alone)) == before
    assert [alone.figure("score"), alone.figure("best"), alone.figure("moves")] == [20_048, 20_048, 101]


def test_undo_takes_a_win_back_once_and_the_same_slide_meets_the_same_tile(alone: Visitor) -> None:
    put(alone, game_of(NEARLY_WON))
    alone.press(Direction.LEFT)
    expect(alone.page.locator(MESSAGE)).to_be_visible()
    won = alone.values
    alone.page.keyboard.press("u")
    expect(alone.page.locator(MESSAGE)).to_be_hidden()
    assert alone.values == NEARLY_WON
    expect(alone.page.locator("#undo")).to_be_disabled()
    assert [alone.figure("score"), alone.figure("best")] == [0, 2048]
    alone.press(Direction.LEFT)
    expect(alone.page.locator(MESSAGE)).to_be_visible()
    assert alone.values == won


def test_the_best_score_outlives_the_game_and_a_new_one_asks_first(alone: Visitor) -> None:
    put(alone, game_of(NEARLY_WON))
    alone.press(Direction.LEFT)
    alone.button("Play on").click()
    alone.page.locator("#new").click()
    alone.page.get_by_role("dialog").get_by_role("button", name="New game").click()
    expect(alone.page.locator("#new")).to_be_hidden()
    assert [alone.figure("score"), alone.figure("moves"), alone.figure("best")] == [0, 0, 2048]


def test_a_stuck_board_says_so_stays_after_a_reload_and_undo_takes_it_back(alone: Visitor) -> None:
    put(alone, game_of(NEARLY_STUCK))
    alone.press(Direction.LEFT)
    expect(alone.page.locator(MESSAGE)).to_contain_text("No slide is left")
    alone.page.reload()
    expect(alone.page.locator(MESSAGE)).to_contain_text("No slide is left")
    alone.page.locator("#undo").click()
    expect(alone.page.locator(MESSAGE)).to_be_hidden()
    assert alone.values == NEARLY_STUCK


def test_the_words_on_the_end_stay_whatever_is_pressed(visit: Visits) -> None:
    alone = visit(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    put(alone, game_of(NEARLY_STUCK))
    alone.press(Direction.LEFT)
    expect(alone.page.locator(MESSAGE)).to_contain_text("Game over")
    for across, down in ((0.5, 0.2), (0.5, 0.9)):
        tap(alone, across, down)
    for key in ("Escape", *KEYS.values()):
        alone.page.keyboard.press(key)
    expect(alone.page.locator(MESSAGE)).to_be_visible()
    alone.page.keyboard.press("u")
    expect(alone.page.locator(MESSAGE)).to_be_hidden()


@pytest.mark.parametrize(
    "size", [(240, 320), (320, 568), (360, 740), (390, 844), (844, 390), (720, 450), (1440, 900)]
)
@pytest.mark.parametrize(
    ("before", "last"), [(NEARLY_STUCK, Direction.LEFT), (WON_AND_STUCK, Direction.RIGHT)]
)
def test_the_words_on_the_end_leave_the_whole_last_board_to_be_seen_and_cover_nothing(
    visit: Visits, size: tuple[int, int], before: list[int], last: Direction
) -> None:
    alone = visit(viewport={"width": size[0], "height": size[1]}, reduced_motion="reduce")
    put(alone, game_of(before, score=123_456))
    alone.press(last)
    expect(alone.page.locator(MESSAGE)).to_be_visible()
    for words in (MESSAGE, f"{MESSAGE} h2"):
        for part in ("#board", ".top", "#figures", ".controls"):
            assert not meet(box_of(alone.page.locator(words)), box_of(alone.page.locator(part))), part


def tap(visitor: Visitor, across: float, down: float) -> None:
    """Tap the board, at shares of its width and height."""
    place = visitor.page.locator("#board").bounding_box()
    assert place is not None
    touched = (place["x"] + across * place["width"], place["y"] + down * place["height"])
    Fingers(session_of(visitor.page)).swipe(touched, touched)


def test_an_endless_game_announces_no_2048(alone: Visitor) -> None:
    put(alone, game_of(NEARLY_WON, mode="endless"))
    alone.press(Direction.LEFT)
    expect(alone.page.locator("#board td").first).to_have_text("2048")
    expect(alone.page.locator(MESSAGE)).to_be_hidden()


def test_a_tap_anywhere_on_the_board_puts_the_win_away_without_a_slide(visit: Visits) -> None:
    alone = visit(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    for at in ((0.1, 0.9), (0.5, 0.5)):
        put(alone, game_of(NEARLY_WON))
        alone.press(Direction.LEFT)
        expect(alone.page.locator(MESSAGE)).to_be_visible()
        tap(alone, *at)
        expect(alone.page.locator(MESSAGE)).to_be_hidden()
        assert alone.figure("moves") == 101


def test_a_win_with_the_very_last_slide_is_a_win_and_the_game_is_over(alone: Visitor) -> None:
    put(alone, game_of(WON_AND_STUCK))
    alone.press(Direction.RIGHT)
    expect(alone.page.locator(MESSAGE)).to_contain_text("You made 2048!")
    expect(alone.page.locator(MESSAGE)).to_contain_text("your very last slide")
    expect(alone.button("Play on")).to_be_hidden()
    for direction in Direction:
        alone.press(direction)
    alone.page.keyboard.press("Escape")
    expect(alone.page.locator(MESSAGE)).to_be_visible()
    assert alone.figure("moves") == 101
    alone.button("Undo").click()
    expect(alone.page.locator(MESSAGE)).to_be_hidden()
    assert alone.values == WON_AND_STUCK


def test_a_game_without_a_slide_and_one_that_is_over_are_not_asked_about(alone: Visitor) -> None:
    put(alone, game_of(NEARLY_STUCK, score=4000))
    alone.press(Direction.LEFT)
    alone.button("New game").click()
    expect(alone.page.locator(MESSAGE)).to_be_hidden()
    assert [alone.figure("score"), alone.figure("moves")] == [0, 0]
    assert sum(value > 0 for value in alone.values) == 2
    expect(alone.button("New game")).to_be_hidden()


def test_a_started_game_is_kept_when_one_plays_on_after_all(alone: Visitor) -> None:
    put(alone, game_of(NEARLY_WON))
    ways: tuple[Callable[[], None], ...] = (
        lambda: alone.page.get_by_role("dialog").get_by_role("button", name="Play on").click(),
        lambda: alone.page.keyboard.press("Escape"),
        lambda: alone.page.mouse.click(5, 5),
    )
    for stay in ways:
        alone.button("New game").click()
        expect(alone.page.get_by_role("dialog")).to_be_visible()
        stay()
        expect(alone.page.get_by_role("dialog")).to_be_hidden()
        assert alone.values == NEARLY_WON


def test_the_message_and_score_of_a_game_that_is_over_do_not_outlive_a_reload_and_a_new_game(
    alone: Visitor,
) -> None:
    put(alone, game_of(NEARLY_STUCK, score=4000))
    alone.press(Direction.LEFT)
    alone.page.reload()
    alone.button("New game").click()
    alone.page.reload()
    expect(alone.page.locator(MESSAGE)).to_be_hidden()
    assert [alone.figure("score"), alone.figure("moves")] == [0, 0]
    assert alone.figure("best") > 4000


def test_kind_and_undo_are_chosen_before_the_first_slide_and_kept_for_the_next_game(alone: Visitor) -> None:
    alone.page.goto("/")
    for name in ("Classic", "With undo"):
        expect(alone.button(name)).to_have_attribute("aria-pressed", "true")
    for name in ("Endless", "No undo"):
        alone.button(name).click()
    alone.slides(2)
    expect(alone.button("Endless")).to_be_hidden()
    expect(alone.button("Undo")).to_be_hidden()
    before = alone.values
    alone.page.keyboard.press("u")
    assert alone.values == before
    alone.button("New game").click()
    alone.page.get_by_role("dialog").get_by_role("button", name="New game").click()
    alone.page.reload()
    for name in ("Endless", "No undo"):
        expect(alone.button(name)).to_have_attribute("aria-pressed", "true")


def test_undo_works_once_by_button_and_again_after_a_new_slide(alone: Visitor) -> None:
    alone.page.goto("/")
    alone.slides(3)
    alone.button("Undo").click()
    alone.button("Undo").click(force=True)
    assert alone.figure("moves") == 2
    alone.slides(1)
    alone.button("Undo").click()
    assert alone.figure("moves") == 2


def test_undo_is_still_there_after_a_reload_and_meets_the_same_tile(alone: Visitor) -> None:
    put(alone, game_of([2, 2, 4, *[0] * 13]))
    alone.press(Direction.LEFT)
    after = alone.values
    alone.page.reload()
    alone.page.keyboard.press("u")
    alone.page.reload()
    assert alone.values == [2, 2, 4, *[0] * 13]
    alone.press(Direction.LEFT)
    assert alone.values == after


def test_tiles_go_up_to_131072_and_two_of_those_do_not_merge(alone: Visitor) -> None:
    put(alone, game_of([65536, 65536, 131072, *[0] * 13], won=True))
    alone.press(Direction.LEFT)
    assert alone.values[:2] == [131072, 131072]
    assert [alone.figure("score"), alone.figure("biggest")] == [131_072, 131_072]
    alone.press(Direction.LEFT)
    assert alone.values[:2] == [131072, 131072]
    alone.page.reload()
    assert alone.values[:2] == [131072, 131072]


def test_what_to_do_is_said_on_the_first_visit_as_the_device_has_it(visit: Visits) -> None:
    for look, how in (({"has_touch": True, "is_mobile": True}, "Swipe"), ({}, "Arrow keys or W A S D")):
        first = visit(**look)
        first.page.goto("/")
        expect(first.page.locator("#hint")).to_contain_text(f"{how} to slide" if how == "Swipe" else how)
        first.slides(1)
        expect(first.page.locator("#hint")).to_contain_text("Make a 2048!")
        expect(first.page.locator("#hint")).not_to_contain_text(how)


def test_the_focus_stays_where_it_is_or_goes_to_the_board(alone: Visitor) -> None:
    board = alone.page.get_by_role("application", name="Your board")
    alone.page.goto("/")
    alone.button("Endless").focus()
    alone.page.keyboard.press("Enter")
    expect(alone.button("Endless")).to_be_focused()
    alone.slides(2)
    expect(board).to_be_focused()
    alone.button("Undo").focus()
    alone.page.keyboard.press("Enter")
    expect(alone.button("Undo")).to_be_focused()
    alone.button("New game").focus()
    alone.page.keyboard.press("Enter")
    alone.page.get_by_role("dialog").get_by_role("button", name="New game").press("Enter")
    expect(board).to_be_focused()
    alone.slides(1)
    assert alone.figure("moves") == 1


def test_the_board_is_read_cell_by_cell_with_its_rows_and_columns(alone: Visitor) -> None:
    put(alone, game_of([2, 0, 16, *[0] * 13]))
    table = alone.page.get_by_role("table", name="Your board")
    expect(table.get_by_role("columnheader")).to_have_text(["Rows", *[f"Column {at}" for at in range(1, 5)]])
    expect(table.get_by_role("rowheader")).to_have_text([f"Row {at}" for at in range(1, 5)])
    expect(table.get_by_role("row").nth(1).get_by_role("cell")).to_have_text(["2", "empty", "16", "empty"])


def test_a_screen_reader_is_told_of_merges_score_undo_a_new_game_and_the_end(alone: Visitor) -> None:
    said = alone.page.locator("#live")
    put(alone, game_of([8, 8, 4, 4, *[0] * 12], score=1000))
    alone.press(Direction.LEFT)
    expect(said).to_have_text(
        re.compile(r"^8 and 16 made, your biggest, score 1,024\. New: [24] in row \d, column \d\.$")
    )
    alone.page.keyboard.press("u")
    expect(said).to_have_text("Taken back. Score 1,000.")
    put(alone, game_of(NEARLY_STUCK))
    alone.press(Direction.LEFT)
    expect(said).to_contain_text("Game over. No slide is left. ")
    alone.button("New game").click()
    expect(said).to_contain_text("New game.")


def places(visitor: Visitor) -> list[dict[str, float]]:
    """Measure the board, the figures' boxes and the last button."""
    return cast("list[dict[str, float]]", visitor.page.evaluate(PLACES))


@pytest.mark.parametrize("size", [(390, 844), (320, 568), (844, 390), (1440, 900), (240, 320)])
def test_board_and_figures_stay_where_they_are_from_the_first_visit_to_the_longest_game(
    visit: Visits, size: tuple[int, int]
) -> None:
    alone = visit(viewport={"width": size[0], "height": size[1]}, reduced_motion="reduce")
    alone.page.goto("/")
    first = places(alone)
    alone.slides(1)
    assert places(alone) == first
    put(alone, game_of(NEARLY_WON))
    alone.press(Direction.LEFT)
    expect(alone.page.locator(MESSAGE)).to_be_visible()
    assert places(alone) == first
    put(alone, game_of([131072, 65536, *[0] * 14], score=3_932_100, slides=131_000, won=True))
    assert places(alone) == first
    put(alone, game_of(NEARLY_STUCK))
    alone.press(Direction.LEFT)
    expect(alone.page.locator(MESSAGE)).to_be_visible()
    assert places(alone) == first
