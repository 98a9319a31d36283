"""Clocks that are wrong, networks that break, tabs that sleep or are two: the race goes on, and the page says how it is."""

import re
from itertools import chain

from playwright.sync_api import expect
from tests.browser.conftest import Visits
from tests.browser.line import Change, Frame, Line, through
from tests.browser.meeting import (
    RACE,
    Rules,
    choose,
    finals,
    gathered,
    joined,
    opened,
    race_until_over,
    raced,
    resign,
    sat,
    start,
    until_racing,
    verdict,
)  # fmt: skip
from tests.browser.played import played
from tests.browser.visitor import Visitor

from engine import Direction, Seed

CONNECTED = re.compile(r"^\d+ ms$")
# A machine whose calendar is a day ahead, and whose page began to count an hour before it did.
SKEWED = """(() => {
    const [date, monotonic] = [Date.now.bind(Date), performance.now.bind(performance)];
    Date.now = () => date() + 86_400_000;
    performance.now = () => monotonic() + 3_600_000;
})()"""
# Local time stands still while a machine sleeps; `slept` is for how many milliseconds it has.
SLEEPY = """(() => {
    window.slept = 0;
    const monotonic = performance.now.bind(performance);
    performance.now = () => monotonic() - window.slept;
})()"""
FROZEN = "ms => { const end = performance.now() + ms; while (performance.now() < end); }"
SECONDS = """clock => {
    const [minutes, seconds] = clock.textContent.split(':');
    return 60 * Number(minutes) + Number(seconds);
}"""


PRESS = (
    "name => [...document.querySelectorAll('button')].find(({textContent}) => textContent === name).click()"
)
WAKE_LOCK = """Object.defineProperty(navigator, "wakeLock", {value: {request: async () => {
    window.awake = true;
    return {released: false, release: async () => { window.awake = false; }};
}}})"""
KEYS = [Direction.LEFT, Direction.DOWN, Direction.RIGHT, Direction.DOWN] * 4


def seconds(visitor: Visitor) -> int:
    """Read the clock."""
    shown: int = visitor.page.get_by_test_id("clock").evaluate(SECONDS)
    return shown


def losing(count: int) -> Change:
    """Lose the first answers to slides."""
    left = [count]

    def change(frame: Frame) -> Frame | None:
        if left[0] == 0 or frame["type"] != "board" or frame["re"] is None:
            return frame
        left[0] -= 1
        return None

    return change


def assert_played(ann: Visitor, bo: Visitor, line: Line) -> None:
    """Check, with the seed that is shown at the end, that Ann's board is what all keys make of it in their order."""
    line.settle()
    moves = ann.figure("moves")
    resign(bo, sure=True)
    expect(
        ann.page.get_by_test_id("final-1").locator("td", has_text=re.compile("[0-9]")).first
    ).to_be_attached()
    (reveal,) = line.got("reveal")
    slid, board = played(Seed(bytes.fromhex(reveal["seed"])), KEYS)
    assert moves == len(slid)
    assert [*chain(*board.to_values())] == reveal["boards"][0]["cells"]


def test_a_machine_whose_clocks_are_wrong_races_by_the_servers(visit: Visits) -> None:
    ann = opened(visit)
    choose(ann, Rules(clock="3 minutes"))
    bo = visit()
    bo.page.add_init_script(SKEWED)
    sat(bo, ann, "Bo").button("Ready").click()
    start(ann, bo)
    bo.slides(1)
    assert abs(seconds(ann) - seconds(bo)) <= 1
    bo.page.reload()
    until_racing(bo)
    assert abs(seconds(ann) - seconds(bo)) <= 1


def test_a_machine_that_slept_shows_the_time_that_is_left(visit: Visits) -> None:
    ann, bo = gathered(visit, Rules(clock="3 minutes"))
    bo.page.add_init_script(SLEEPY)
    bo.page.reload()
    start(ann, bo)
    bo.page.evaluate("window.slept = 60_000")  # its clock shows a minute more, until a pong comes
    clock = bo.page.get_by_test_id("clock").element_handle()
    bo.page.wait_for_function(f"([clock, at]) => ({SECONDS})(clock) <= at", arg=[clock, seconds(ann)])
    assert abs(seconds(ann) - seconds(bo)) <= 1


def test_a_tab_that_was_frozen_goes_on_with_what_has_happened_meanwhile(visit: Visits) -> None:
    ann, bo = raced(visit, Rules())
    bo.page.evaluate(f"() => {{ setTimeout({FROZEN}, 0, 3000); }}")
    ann.slides(4)
    expect(bo.page.get_by_test_id("standing-1")).to_contain_text("4 moves")
    bo.slides(2)
    expect(ann.page.get_by_test_id("standing-2")).to_contain_text("2 moves")


def test_answers_that_are_lost_cost_no_key_and_double_none(visit: Visits) -> None:
    ann, bo = raced(visit, Rules())
    line = through(ann)
    line.to_page = losing(3)
    for key in KEYS:
        ann.press(key)
    assert_played(ann, bo, line)


def test_cuts_in_the_middle_of_a_burst_cost_no_key_and_double_none(visit: Visits) -> None:
    ann, bo = raced(visit, Rules())
    line = through(ann)
    for pressed, key in enumerate(KEYS):
        line.is_deaf = pressed in {3, 4, 5, 10, 11}
        ann.press(key)
        if pressed in {5, 11}:
            line.until_sent("slide")
            line.cut()
            expect(ann.page.get_by_test_id("line")).to_have_text(CONNECTED)
    assert_played(ann, bo, line)


def test_a_connection_that_is_lost_is_said_with_the_next_try_and_comes_back_when_it_is_asked_to(
    visit: Visits,
) -> None:
    ann, bo = raced(visit, Rules())
    line = through(ann)
    line.is_open = False
    line.cut()
    expect(ann.page.get_by_text("The connection is lost.")).to_be_visible()
    expect(ann.page.get_by_text("Next try in")).to_be_visible()
    expect(bo.page.get_by_test_id("standing-1")).to_contain_text("away 0:0")
    line.open_by(ann.button("Try now"))
    expect(ann.page.get_by_text("The connection is lost.")).to_be_hidden()
    ann.slides(1)
    expect(bo.page.get_by_test_id("standing-1")).to_contain_text("1 move")


def test_without_a_network_the_page_says_so_and_comes_back_with_it(visit: Visits) -> None:
    ann, bo = raced(visit, Rules())
    ann.page.context.set_offline(True)
    expect(ann.page.get_by_test_id("line")).to_have_text("offline")
    expect(ann.page.get_by_text("You are offline.")).to_be_visible()
    ann.page.context.set_offline(False)
    expect(ann.page.get_by_text("You are offline.")).to_be_hidden()
    ann.slides(1)
    expect(bo.page.get_by_test_id("standing-1")).to_contain_text("1 move")
    ann.troubles.clear()  # the browser's own complaints while there was no network


def test_the_round_trip_is_in_sight_while_racing(visit: Visits) -> None:
    ann, _ = raced(visit, Rules(), viewport={"width": 320, "height": 568})
    expect(ann.page.get_by_test_id("line")).to_have_text(CONNECTED)


def test_the_older_tab_takes_its_seat_back_after_the_newer_was_closed(visit: Visits) -> None:
    ann, bo = raced(visit, Rules())
    newer = Visitor(ann.page.context.new_page(), where=RACE)
    newer.page.goto(ann.page.url)
    until_racing(newer)
    newer.slides(2)
    newer.page.close()
    expect(ann.page.get_by_role("heading", name="Another tab took over")).to_be_visible()
    ann.button("Play here").click()
    until_racing(ann)
    ann.slides(1)
    expect(bo.page.get_by_test_id("standing-1")).to_contain_text("3 moves")


def test_closing_the_newer_tab_is_not_leaving_and_one_browser_is_one_racer(visit: Visits) -> None:
    ann, bo = gathered(visit, Rules())
    newer = Visitor(bo.page.context.new_page(), where=RACE)
    newer.page.goto(bo.page.url)
    expect(newer.button("Not ready after all")).to_be_visible()
    expect(ann.page.get_by_test_id("seat-3")).to_contain_text("Open seat")
    newer.page.close()
    bo.button("Play here").click()
    expect(bo.button("Not ready after all")).to_be_visible()


def test_who_drops_at_the_finish_finds_the_verdict_and_all_boards(visit: Visits) -> None:
    ann, bo = raced(visit, Rules(target="64"))
    address = bo.page.url
    bo.page.goto("about:blank")
    race_until_over(ann)
    bo.page.goto(address)
    expect(verdict(bo)).to_contain_text("Ann won")
    expect(bo.page.get_by_test_id("final-2")).to_contain_text("(you)")
    assert finals(bo) == finals(ann)


def test_play_again_pressed_by_both_at_once_starts_one_race(visit: Visits) -> None:
    ann, bo = raced(visit, Rules())
    resign(ann, sure=True)
    for racer in (ann, bo):
        expect(racer.button("Play again")).to_be_visible()
    for racer in (ann, bo):
        racer.page.evaluate(PRESS, "Play again")
    until_racing(ann, bo)
    assert ann.values == bo.values
    for racer in (ann, bo):
        expect(racer.page.locator(".toast")).to_have_count(0)


def test_a_racer_who_was_away_at_play_again_is_told_why_they_watch(visit: Visits) -> None:
    ann = opened(visit)
    bo, cleo = joined(visit, ann, "Bo"), joined(visit, ann, "Cleo")
    for friend in (bo, cleo):
        friend.button("Ready").click()
    start(ann, bo, cleo)
    resign(bo, sure=True)
    resign(ann, sure=True)
    expect(verdict(cleo)).to_contain_text("You won!")
    address = cleo.page.url
    cleo.page.goto("about:blank")
    ann.button("Play again").click()
    until_racing(ann, bo)
    cleo.page.goto(address)
    expect(
        cleo.page.get_by_text("The next race began while you were away, so your seat was freed.")
    ).to_be_visible()


def test_a_newer_version_is_said_between_races_once_and_never_during_one(visit: Visits) -> None:
    ann, bo = gathered(visit, Rules())
    line = Line(bo.page)
    line.to_page = lambda frame: frame | {"build": "a newer one"} if frame["type"] == "hello" else frame
    bo.page.reload()
    expect(bo.page.get_by_text("There is a newer version of this page.")).to_be_visible()
    expect(ann.page.get_by_text("There is a newer version of this page.")).to_be_hidden()
    start(ann, bo)
    expect(bo.page.get_by_text("There is a newer version of this page.")).to_be_hidden()
    resign(ann, sure=True)
    expect(verdict(bo)).to_be_visible()
    bo.button("Later").click()
    expect(bo.page.get_by_text("There is a newer version of this page.")).to_be_hidden()
    line.cut()
    expect(bo.page.get_by_test_id("line")).to_have_text(CONNECTED)
    expect(bo.page.get_by_text("There is a newer version of this page.")).to_be_hidden()


def test_the_screen_is_kept_awake_from_the_countdown_to_the_verdict(visit: Visits) -> None:
    ann, bo = gathered(visit, Rules())
    bo.page.add_init_script(WAKE_LOCK)
    bo.page.reload()
    start(ann, bo)
    bo.page.wait_for_function("() => window.awake === true")
    resign(ann, sure=True)
    expect(verdict(bo)).to_be_visible()
    bo.page.wait_for_function("() => window.awake === false")
