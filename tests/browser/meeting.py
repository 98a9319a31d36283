"""Visitors who meet at a table by the page's own controls, and race there."""

import re
from dataclasses import dataclass

from playwright.sync_api import Locator, expect
from tests.browser.conftest import Visits
from tests.browser.visitor import READ_CELLS, READ_MOVES, Visitor, roomiest

RACE = "race-screen"


@dataclass(frozen=True)
class Rules:
    """What the host chooses, by the words of the form."""

    target: str = "None"
    clock: str = "None"


def opened(visit: Visits, **look: object) -> Visitor:
    """Come to the solo page and open a table from there."""
    host = visit(**look)
    host.page.goto("/")
    host.button("Race a friend").click()
    host.page.wait_for_url("**/t/*")
    host.where = RACE
    return host


def joined(visit: Visits, host: Visitor, name: str, **look: object) -> Visitor:
    """Open the link that the host's page gives, and sit down."""
    return sat(visit(**look), host, name)


def sat(friend: Visitor, host: Visitor, name: str) -> Visitor:
    """Have one who is there already open the link and sit down."""
    friend.page.goto(host.page.get_by_label("Link to this table").input_value())
    friend.page.get_by_label("Take a seat").fill(name)
    friend.button("Sit down").click()
    friend.where = RACE
    return friend


def gathered(visit: Visits, rules: Rules, **look: object) -> tuple[Visitor, Visitor]:
    """Bring Ann, the host, and Bo, who is ready, to a table with these rules."""
    ann = opened(visit, **look)
    ann.page.get_by_label("Your name").fill("Ann")
    ann.button("Rename").click()
    choose(ann, rules)
    bo = joined(visit, ann, "Bo", **look)
    bo.button("Ready").click()
    return ann, bo


def choose(host: Visitor, rules: Rules) -> None:
    """Pick target and clock, waiting for each to be everyone's."""
    host.page.get_by_label("Target").select_option(label=rules.target)
    host.page.get_by_label("Clock").select_option(label=rules.clock)


def start(host: Visitor, *friends: Visitor) -> None:
    """Press Start and wait until every board is alive."""
    host.button("Start").click()
    until_racing(host, *friends)


def until_racing(*racers: Visitor) -> None:
    """Wait until the boards are alive, and there: after a reload the race is told first."""
    for racer in racers:
        expect(racer.button("Offer a draw")).to_be_visible()
        expect(racer.page.locator(f"{RACE} td", has_text=re.compile("[0-9]")).first).to_be_attached()


def raced(visit: Visits, rules: Rules, **look: object) -> tuple[Visitor, Visitor]:
    """Bring Ann and Bo into a race with these rules."""
    ann, bo = gathered(visit, rules, **look)
    start(ann, bo)
    return ann, bo


def verdict(visitor: Visitor) -> Locator:
    return visitor.page.get_by_test_id("verdict")


def finals(visitor: Visitor) -> list[list[int]]:
    """Read all final boards, the winner's first."""
    boards = visitor.page.locator(".finals tile-board")
    return [boards.nth(number).locator("td").evaluate_all(READ_CELLS) for number in range(boards.count())]


def resign(racer: Visitor, *, sure: bool) -> None:
    """Press Resign, and answer what is asked."""
    racer.button("Resign").click()
    racer.page.get_by_role("dialog").get_by_role("button", name="Resign" if sure else "Race on").click()


def race_until_over(racer: Visitor) -> None:
    """Slide until the race is over."""
    while racer.page.evaluate(READ_MOVES, RACE) is not None:
        racer.slide(roomiest)


def away(racer: Visitor) -> None:
    """Close the page, as one does who has lost interest; the cookie stays."""
    racer.page.goto("about:blank")
