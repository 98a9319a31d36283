"""The controls: keys, fingers, pen and mouse; what is left to the browser; and fast keys, none of them lost."""

import random
from collections.abc import Iterable

import pytest
from playwright.sync_api import expect
from tests.browser.conftest import Visits
from tests.browser.hands import Fingers, Point, Pointer, press_key, session_of
from tests.browser.saved import game_of, put
from tests.browser.visitor import KEYS, Visitor

from engine import Board, Direction, Draw, place, slide

# Every slide takes the 64 to another corner.
START = [0] * 5 + [64] + [0] * 9 + [2]
AT = {Direction.LEFT: 4, Direction.RIGHT: 7, Direction.UP: 1, Direction.DOWN: 13}
WAYS: dict[Direction, Point] = {
    Direction.LEFT: (-90, 20),
    Direction.RIGHT: (90, -20),
    Direction.UP: (20, -90),
    Direction.DOWN: (-20, 90),
}
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
WATCH_KEYS = """() => {
    window.taken = [];
    addEventListener("keydown", event => { if (event.defaultPrevented) taken.push(event.key); });
}"""
ASK_FOR_MENU = """(board, pointerType) => !board.dispatchEvent(
    new PointerEvent("contextmenu", { pointerType, bubbles: true, cancelable: true }))"""
VIEW = "() => [scrollX, scrollY, visualViewport.scale, visualViewport.offsetTop, visualViewport.offsetLeft]"
UNMOVED = [0, 0, 1, 0, 0]
KEEP_DRAWS = """(() => {
    window.drawn = [];
    const fill = crypto.getRandomValues.bind(crypto);
    crypto.getRandomValues = bytes => {
        fill(bytes);
        drawn.push([...bytes].map(byte => byte.toString(16).padStart(2, "0")).join(""));
        return bytes;
    };
})()"""


def with_game(visitor: Visitor, values: list[int] = START) -> Visitor:
    put(visitor, game_of(values))
    return visitor


def middle(visitor: Visitor) -> Point:
    box = visitor.page.locator("#board").bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def beyond(at: Point, way: Point) -> Point:
    return at[0] + way[0], at[1] + way[1]


def moves(visitor: Visitor) -> int:
    """Count the slides since the game was put there."""
    return visitor.figure("moves") - 100


@pytest.mark.parametrize("direction", Direction)
def test_a_finger_a_pen_and_the_mouse_slide_the_way_they_lean_most(
    visit: Visits, direction: Direction
) -> None:
    alone = visit(**PHONE)
    session = session_of(alone.page)
    for hand in (Fingers(session).swipe, Pointer(session, "pen").drag, Pointer(session, "mouse").drag):
        with_game(alone)
        at = middle(alone)
        hand(at, beyond(at, WAYS[direction]))
        assert moves(alone) == 1
        assert alone.values[AT[direction]] == 64


def test_a_short_flick_slides_and_a_tap_does_not(visit: Visits) -> None:
    alone = with_game(visit(**PHONE))
    fingers = Fingers(session_of(alone.page))
    at = middle(alone)
    fingers.swipe(at, beyond(at, (4, -3)))
    assert moves(alone) == 0
    fingers.swipe(at, beyond(at, (18, 3)))
    assert moves(alone) == 1
    assert alone.values[AT[Direction.RIGHT]] == 64


def test_one_swipe_is_one_slide_however_far_and_it_may_end_beside_the_board(visit: Visits) -> None:
    alone = with_game(visit(**PHONE))
    fingers = Fingers(session_of(alone.page))
    fingers.swipe(middle(alone), (3, 5))
    assert moves(alone) == 1
    fingers.swipe(middle(alone), (388, middle(alone)[1]))
    assert moves(alone) == 2


def test_two_fingers_never_slide_in_whatever_order_they_come_move_and_lift(visit: Visits) -> None:
    alone = with_game(visit(**PHONE))
    fingers = Fingers(session_of(alone.page))
    at = middle(alone)
    for first, last in ((1, 2), (2, 1)):
        fingers.press(1, at)
        fingers.press(2, beyond(at, (60, 0)))
        fingers.move(1, beyond(at, (-100, 0)))
        fingers.move(2, beyond(at, (150, 0)))
        fingers.lift(first)
        fingers.move(last, beyond(at, (0, 120)))
        fingers.lift(last)
    assert moves(alone) == 0
    fingers.swipe(at, beyond(at, (-90, 0)))
    assert moves(alone) == 1


def test_a_finger_that_rests_beside_the_board_makes_a_swipe_none(visit: Visits) -> None:
    alone = with_game(visit(**PHONE))
    fingers = Fingers(session_of(alone.page))
    at = middle(alone)
    fingers.press(1, (200, 20))
    fingers.press(2, at)
    fingers.move(2, beyond(at, (-90, 0)))
    fingers.lift(2)
    fingers.lift(1)
    assert moves(alone) == 0


def test_swipes_and_pinches_on_the_board_neither_scroll_nor_zoom_the_page(visit: Visits) -> None:
    alone = with_game(visit(**PHONE))
    fingers = Fingers(session_of(alone.page))
    at = middle(alone)
    for way in WAYS.values():
        fingers.swipe(at, beyond(at, (way[0] * 2, way[1] * 2)))
    fingers.press(1, at)
    fingers.press(2, beyond(at, (20, 20)))
    fingers.move(2, beyond(at, (150, 170)))
    fingers.lift(1)
    fingers.lift(2)
    for _ in range(2):
        fingers.press(1, at)
        fingers.lift(1)
    assert alone.page.evaluate(VIEW) == UNMOVED
    assert alone.page.evaluate("getSelection().toString()") == ""


def test_the_mouse_slides_with_its_main_button_only_and_not_when_it_hovers(visit: Visits) -> None:
    alone = with_game(visit())
    mouse = Pointer(session_of(alone.page), "mouse")
    at = middle(alone)
    for button in ("right", "middle"):
        mouse.drag(at, beyond(at, (-90, 0)), button=button)
    alone.page.mouse.move(*at)
    alone.page.mouse.move(*beyond(at, (200, 0)))
    assert moves(alone) == 0


def test_a_long_press_opens_no_menu_and_a_right_click_does(visit: Visits) -> None:
    alone = with_game(visit())
    for kind, is_left_out in (("touch", True), ("pen", True), ("mouse", False)):
        assert alone.page.locator("#board").evaluate(ASK_FOR_MENU, kind) is is_left_out


@pytest.mark.parametrize(
    ("key", "direction"),
    [("z", Direction.UP), ("q", Direction.LEFT), ("s", Direction.DOWN), ("d", Direction.RIGHT)],
)
def test_on_a_french_keyboard_w_a_s_d_are_where_they_are(
    visit: Visits, key: str, direction: Direction
) -> None:
    alone = with_game(visit())
    code = {"z": "KeyW", "q": "KeyA", "s": "KeyS", "d": "KeyD"}[key]
    press_key(session_of(alone.page), code, key)
    assert moves(alone) == 1
    assert alone.values[AT[direction]] == 64


def test_what_is_not_for_the_board_is_left_to_the_browser(visit: Visits) -> None:
    alone = with_game(visit())
    alone.page.evaluate(WATCH_KEYS)
    held = [f"{modifier}+{key}" for modifier in ("Control", "Alt", "Meta") for key in ("ArrowLeft", "d")]
    for key in [*held, "F5", "Space", "Enter", "r", "z", "q", "PageDown", "Home", "Tab"]:
        alone.page.keyboard.press(key)
    assert moves(alone) == 0
    assert alone.page.evaluate("taken") == []
    alone.page.keyboard.press("ArrowLeft")
    assert alone.page.evaluate("taken") == ["ArrowLeft"]


def test_space_and_enter_press_the_button_that_has_the_focus(visit: Visits) -> None:
    alone = with_game(visit())
    for key in ("Enter", "Space"):
        alone.page.locator("#new").focus()
        alone.page.keyboard.press(key)
        expect(alone.page.get_by_role("dialog")).to_be_visible()
        for letter in ("w", "a", "s", "d", "u"):
            alone.page.keyboard.press(letter)
        alone.page.keyboard.press("Escape")
        expect(alone.page.locator("#new")).to_be_focused()
    assert moves(alone) == 0


def test_keys_typed_into_a_field_stay_there(visit: Visits) -> None:
    alone = with_game(visit())
    alone.page.evaluate("document.querySelector('main').append(document.createElement('input'))")
    field = alone.page.locator("main input")
    field.press_sequentially("wasdu")
    field.press("ArrowLeft")
    expect(field).to_have_value("wasdu")
    assert moves(alone) == 0


def test_a_key_held_down_is_one_slide(visit: Visits) -> None:
    alone = with_game(visit())
    session = session_of(alone.page)
    press_key(session, "ArrowLeft", "ArrowLeft")
    for _ in range(5):
        press_key(session, "ArrowRight", "ArrowRight", repeated=True)
    assert moves(alone) == 1


def draws_of(hexes: Iterable[str]) -> Iterable[Draw]:
    """Read draws as docs/rules.md §2 has it."""
    for text in hexes:
        tile, fraction = int(text[:16], 16), int(text[16:], 16)
        yield Draw(2 if tile < 2**64 // 10 else 1, fraction)


def test_of_keys_as_fast_as_they_can_be_pressed_none_is_lost_and_none_comes_before_another(
    visit: Visits,
) -> None:
    alone = visit()
    alone.page.add_init_script(KEEP_DRAWS)
    alone.page.goto("/")
    choice = random.Random(2048)
    pressed = [choice.choice(tuple(Direction)) for _ in range(360)]  # six seconds of sixty a second
    for direction in pressed:
        alone.page.keyboard.press(KEYS[direction])
    draws = iter(draws_of(alone.page.evaluate("drawn")))
    board, score, slides = place(place(Board(bytes(16)), next(draws)), next(draws)), 0, 0
    for direction in pressed:
        slid = slide(board, direction)
        if slid is not None:
            board, score, slides = place(slid.board, next(draws)), score + slid.points, slides + 1
    assert alone.board == board
    assert [alone.figure("score"), alone.figure("moves")] == [score, slides]
    assert next(draws, None) is None
