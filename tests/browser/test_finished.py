"""The end of a race: places and why, what can be shared, and the ways on, for those who raced and those who left."""

import re

from playwright.sync_api import expect
from tests.browser.conftest import Visits
from tests.browser.meeting import Rules, gathered, joined, raced, resign, start, verdict
from tests.browser.told import Scene, tell
from tests.browser.visitor import Visitor

NO_CLIPBOARD = "Object.defineProperty(navigator, 'clipboard', {value: undefined})"
NO_COPYING = "document.execCommand = () => false"
SHEET = "navigator.share = async (what) => { window.shared = what; }"
CLOSED_SHEET = "navigator.share = async () => { throw new DOMException('', 'AbortError'); }"


def ended(visitor: Visitor, *scripts: str) -> Visitor:
    """Show a race of four that Ann won, to Cleo."""
    for script in scripts:
        visitor.page.add_init_script(script)
    tell(visitor, Scene(you=3, states={4: "out"}).finished("TIME_UP", 1))
    expect(verdict(visitor)).to_be_visible()
    return visitor


def result_of(visitor: Visitor) -> re.Pattern[str]:
    link = re.escape(f"/t/{visitor.page.url.rpartition('/')[2]}/replay/1")
    return re.compile(rf"^Ann won .*Ann 9,120, Bo 7,284, Cleo 3,904, Dagobert 3,412\. http\S+{link}$")


def test_places_scores_and_tally_are_in_the_order_of_the_end(visit: Visits) -> None:
    cleo = ended(visit())
    cards = cleo.page.locator(".finals li")
    for number, words in enumerate(("Ann", "Bo", "Cleo(you)", "Dagobert")):
        expect(cards.nth(number)).to_contain_text(f"{number + 1}{words}")
    expect(cards.nth(0)).to_contain_text("½ won")
    expect(cards.nth(3)).to_contain_text("resigned")
    expect(cleo.page.locator(".is-best")).to_have_count(1)


def test_the_result_goes_to_the_systems_sheet_with_the_link(visit: Visits) -> None:
    cleo = ended(visit(), SHEET)
    cleo.button("Share result").click()
    assert result_of(cleo).match(cleo.page.evaluate("window.shared.text"))
    expect(cleo.page.locator(".toast")).to_have_count(0)


def test_a_sheet_that_was_closed_is_an_answer(visit: Visits) -> None:
    cleo = ended(visit(), CLOSED_SHEET)
    cleo.button("Share result").click()
    expect(cleo.page.get_by_label("The result, to copy")).to_be_hidden()
    expect(cleo.page.locator(".toast")).to_have_count(0)


def test_without_a_sheet_the_result_is_copied(visit: Visits) -> None:
    cleo = visit()
    cleo.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    ended(cleo).button("Share result").click()
    expect(cleo.page.get_by_text("The result is copied.")).to_be_visible()
    assert result_of(cleo).match(cleo.copied)


def test_where_nothing_can_be_copied_the_result_is_there_marked(visit: Visits) -> None:
    cleo = ended(visit(), NO_CLIPBOARD, NO_COPYING)
    cleo.button("Share result").click()
    result = cleo.page.get_by_label("The result, to copy")
    expect(result).to_have_value(result_of(cleo))
    expect(result).to_be_focused()


def test_a_replay_and_a_game_alone_are_one_tap_away(visit: Visits) -> None:
    cleo = ended(visit())
    replay = cleo.page.get_by_role("link", name="Replay")
    expect(replay).to_have_attribute("href", re.compile("^/t/[0-9A-Z]{8}/replay/1$"))
    expect(cleo.page.get_by_role("link", name="Play alone")).to_have_attribute("href", "/")


def test_the_focus_goes_on_to_the_verdict(visit: Visits) -> None:
    ann, bo = raced(visit, Rules())
    resign(bo, sure=True)
    for racer in (ann, bo):
        expect(verdict(racer).get_by_role("heading")).to_be_focused()


def test_leaving_during_a_race_asks_once_for_it_is_to_resign(visit: Visits) -> None:
    ann, bo = gathered(visit, Rules())
    cleo = joined(visit, ann, "Cleo")
    cleo.button("Ready").click()
    start(ann, bo, cleo)
    cleo.button("Leave").click()
    asked = cleo.page.get_by_role("dialog")
    expect(asked).to_contain_text("You are in the race, so that is to resign.")
    asked.get_by_role("button", name="Race on").click()
    cleo.slides(1)
    cleo.button("Leave").click()
    asked.get_by_role("button", name="Resign and leave").click()
    expect(ann.page.get_by_text("Cleo has resigned.")).to_be_visible()
    expect(cleo.page.get_by_text("You have resigned. Your seat is free after the race.")).to_be_visible()
    resign(bo, sure=True)
    expect(cleo.page.get_by_text("You have left the table.")).to_be_visible()
    expect(ann.page.get_by_test_id("final-3")).to_contain_text("has left")


def test_play_again_says_for_whom_it_waits(visit: Visits) -> None:
    ann, bo = raced(visit, Rules())
    resign(ann, sure=True)
    address = bo.page.url
    bo.page.goto("about:blank")
    expect(ann.page.get_by_text("Waiting for Bo to come back.")).to_be_visible()
    expect(ann.button("Play again")).to_be_disabled()
    bo.page.goto(address)
    expect(ann.button("Play again")).to_be_enabled()
    bo.button("Leave the table").click()
    expect(ann.page.get_by_text("The others have left.")).to_be_visible()
    ann.button("Change settings").click()
    expect(ann.page.get_by_test_id("seat-1")).to_contain_text("Ann")
