"""A game on one's own, with real keys: the start, a win and what comes after it, coming back, and the best score."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect
from tests.browser.conftest import Visits
from tests.browser.saved import game_of, kept, kept_values, put
from tests.browser.visitor import Visitor, first_useful

from engine import Board, Direction, slide

# Row-major; sliding left makes the 2048.
NEARLY_WON = [1024, 1024, 4, 2, *[0] * 12]
# Sliding left leaves one empty cell, which neither a 2 nor a 4 can free.
NEARLY_STUCK = [64, 64, 32, 8, 8, 16, 64, 32, 16, 32, 8, 64, 32, 64, 16, 128]


MESSAGE = "#over"


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


def test_an_endless_game_announces_no_2048(alone: Visitor) -> None:
    put(alone, game_of(NEARLY_WON, mode="endless"))
    alone.press(Direction.LEFT)
    expect(alone.page.locator("#board td").first).to_have_text("2048")
    expect(alone.page.locator(MESSAGE)).to_be_hidden()


def test_two_tabs_show_the_game_of_the_one_that_slid_last(alone: Visitor) -> None:
    alone.page.goto("/")
    other = Visitor(alone.page.context.new_page())
    other.page.goto("/")
    other.slides(3)
    expect(alone.page.get_by_test_id("moves")).to_have_text("3")
    assert alone.values == other.values
    assert other.troubles == []
