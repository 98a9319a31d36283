"""While the connection is away, or the server slow: what the page says, what it keeps, and what it does not do."""

import re

from playwright.sync_api import Locator, expect
from tests.browser.conftest import Visits
from tests.browser.line import Line, through, unchanged
from tests.browser.meeting import Rules, away, opened, raced, resign
from tests.browser.visitor import useful

from engine import Direction

CONNECTED = re.compile(r"^\d+ ms$")
PRESS = (
    "name => [...document.querySelectorAll('button')].find(({textContent}) => textContent === name).click()"
)
# A tap on where the banner was, as soon as it has gone; `tapped` tells whether anything took it.
TAP_AS_IT_GOES = """() => {
    const banner = document.querySelector("screen-banner");
    const {left, top} = banner.querySelector("button").getBoundingClientRect();
    document.querySelector("table-screen").addEventListener("click", () => { window.took = true; });
    new MutationObserver(() => {
        if (!banner.hidden) return;
        window.took = false;
        const tap = {clientX: left + 5, clientY: top + 5, detail: 1, bubbles: true, cancelable: true};
        document.elementFromPoint(left + 5, top + 5).dispatchEvent(new MouseEvent("click", tap));
        window.tapped = window.took;
    }).observe(banner, {attributeFilter: ["hidden"]});
}"""


def overlap(one: Locator, other: Locator) -> bool:
    """Tell whether two elements share a place."""
    a, b = one.bounding_box(), other.bounding_box()
    assert a is not None
    assert b is not None
    across = a["x"] < b["x"] + b["width"] and b["x"] < a["x"] + a["width"]
    return across and a["y"] < b["y"] + b["height"] and b["y"] < a["y"] + a["height"]


def test_a_server_that_is_slow_is_said_with_what_becomes_of_the_moves_until_it_answers(visit: Visits) -> None:
    ann, bo = raced(visit, Rules())
    line = through(ann)
    badge = ann.page.get_by_test_id("line")
    expect(badge).to_have_text(CONNECTED)
    line.to_page = lambda frame: None if frame["type"] in {"board", "race"} else frame
    ann.press(useful(ann.board)[0])
    expect(badge).to_have_text("The server is slow. 1 move kept.")
    ann.page.wait_for_timeout(2000)
    expect(badge).to_have_text("The server is slow. 1 move kept.")
    line.to_page = unchanged
    expect(badge).to_have_text(CONNECTED)
    expect(bo.page.get_by_test_id("standing-1")).to_contain_text("1 move")


def test_one_who_comes_to_a_table_of_a_server_that_hangs_is_told_and_gets_there_by_itself(
    visit: Visits,
) -> None:
    ann = opened(visit)
    friend = visit()
    line = Line(friend.page)
    line.to_page = lambda frame: None if frame["type"] == "table" else frame
    friend.page.goto(ann.page.url)
    expect(friend.page.get_by_text("The server is not answering just now")).to_be_visible()
    expect(friend.page.get_by_test_id("line")).to_have_text("The server is slow.")
    expect(friend.page.get_by_role("link", name="Play alone meanwhile")).to_be_visible()
    line.to_page = unchanged
    line.cut()
    expect(friend.page.get_by_label("Take a seat")).to_be_visible()
    expect(friend.page.get_by_test_id("line")).to_have_text(CONNECTED)


def test_a_gateway_that_stands_still_is_slow_first_and_lost_then(visit: Visits) -> None:
    ann, _ = raced(visit, Rules())
    line = through(ann)
    expect(ann.page.get_by_test_id("line")).to_have_text(CONNECTED)
    line.is_deaf, line.is_open = True, False
    line.to_page = lambda _frame: None
    expect(ann.page.get_by_test_id("line")).to_contain_text("The server is slow.", timeout=6_000)
    expect(ann.page.get_by_text("The connection is lost.")).to_be_visible(timeout=8_000)
    line.is_deaf, line.to_page = False, unchanged
    line.open_by(ann.button("Try now"))
    expect(ann.page.get_by_test_id("line")).to_have_text(CONNECTED)


def test_what_is_pressed_while_away_is_said_to_be_sent_later_and_is(visit: Visits) -> None:
    ann, bo = raced(visit, Rules())
    line = through(ann)
    line.is_open = False
    line.cut()
    expect(ann.page.get_by_text("The connection is lost.")).to_be_visible()
    ann.page.evaluate(PRESS, "Offer a draw")
    expect(ann.page.get_by_text("This will be sent once you are back.")).to_be_visible()
    line.open_by(ann.button("Try now"))
    expect(bo.button("Agree to a draw")).to_be_visible()
    expect(ann.page.get_by_text("This will be sent once you are back.")).to_be_hidden()


def test_moves_that_wait_for_the_connection_are_counted(visit: Visits) -> None:
    ann, bo = raced(visit, Rules())
    line = through(ann)
    line.is_open = False
    line.cut()
    banner = ann.page.locator("screen-banner")
    expect(banner).to_contain_text("Your moves are kept.")
    for direction in [Direction.LEFT, Direction.DOWN] * 4:
        ann.press(direction)
    expect(banner).to_contain_text("moves kept.")
    line.open_by(ann.button("Try now"))
    expect(banner).to_be_hidden()
    expect(bo.page.get_by_test_id("standing-1")).to_contain_text(re.compile("[1-8] moves?"))


def test_on_a_phone_trying_now_lies_over_no_action_and_a_tap_that_comes_late_does_nothing(
    visit: Visits,
) -> None:
    ann, bo = raced(visit, Rules(), viewport={"width": 390, "height": 844})
    line = through(ann)
    line.is_open = False
    line.cut()
    banner = ann.page.locator("screen-banner")
    expect(banner).to_be_visible()
    for action in ("Offer a draw", "Resign", "Leave"):
        assert not overlap(banner, ann.button(action))
    resign(bo, sure=True)
    ann.page.evaluate(TAP_AS_IT_GOES)
    line.open_by(ann.button("Try now"))
    ann.page.wait_for_function("() => window.tapped !== undefined")
    assert not ann.page.evaluate("window.tapped")


def test_the_seconds_of_a_friend_who_is_away_stand_still_while_one_is_away_oneself(visit: Visits) -> None:
    ann, bo = raced(visit, Rules())
    line = through(ann)
    away(bo)
    friend = ann.page.get_by_test_id("standing-2")
    expect(friend).to_contain_text("away 0:0")
    line.is_open = False
    line.cut()
    expect(ann.page.get_by_text("The connection is lost.")).to_be_visible()
    shown = friend.text_content()
    ann.page.wait_for_timeout(4000)  # longer than the grace of these tests
    assert friend.text_content() == shown
    expect(ann.button("Race on without Bo")).to_have_count(0)
    line.open_by(ann.button("Try now"))
    expect(ann.button("Race on without Bo")).to_be_visible()


def test_where_something_in_between_passes_no_websockets_it_is_said_and_who_can_mend_it(
    visit: Visits,
) -> None:
    ann = opened(visit)
    friend = visit()
    line = Line(friend.page, is_open=False)
    friend.page.goto(ann.page.url)
    screen = friend.page.locator("table-screen")
    expect(screen).to_contain_text("The server answers, but no WebSocket gets through to it.")
    expect(screen).to_contain_text("have the proxy in front pass WebSockets on")
    expect(screen).not_to_contain_text("The server is not answering")
    line.open_by(friend.button("Try now"))
    expect(friend.page.get_by_label("Take a seat")).to_be_visible()
    expect(friend.page.locator("screen-banner")).to_be_hidden()


def test_where_http_is_not_answered_either_the_server_is_away(visit: Visits) -> None:
    ann = opened(visit)
    friend = visit()
    line = Line(friend.page, is_open=False)
    friend.page.route("**/healthz", lambda route: route.fulfill(status=502, body="nobody is here"))
    with friend.page.expect_response("**/healthz"):
        friend.page.goto(ann.page.url)
    expect(friend.page.locator("table-screen")).to_contain_text("The server cannot be reached.")
    expect(friend.page.locator("table-screen")).not_to_contain_text("WebSocket")
    friend.troubles.clear()  # the answers of nobody
    line.open_by(friend.button("Try now"))
    expect(friend.page.get_by_label("Take a seat")).to_be_visible()
