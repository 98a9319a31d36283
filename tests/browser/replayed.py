"""The page of a race that is over: races to give it, and what it shows."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Locator, Route, expect
from tests.browser.visitor import READ_CELLS, Visitor

ANSWERS = "**/api/tables/*/races/*/replay"
# Races that the engine ran: tests/page/replay_races.py.
CASES = json.loads((Path(__file__).parents[1] / "page" / "replay_races.json").read_text())["cases"]
Answer = dict[str, Any]


def case(part: str) -> Answer:
    """Give a race by a part of its name."""
    (found,) = [each["replay"] for each in CASES if part in each["name"]]
    answer: Answer = found
    return answer


def give(visitor: Visitor, answer: Answer) -> None:
    """Have the server's place taken by one who gives this race."""
    visitor.page.route(ANSWERS, lambda route: route.fulfill(json=answer))


def tamper(visitor: Visitor, change: Callable[[Answer], None]) -> None:
    """Have somebody change what the server answers; who is there last does."""

    def changed(route: Route) -> None:
        response = route.fetch()
        answer = response.json()
        change(answer)
        route.fulfill(response=response, json=answer)

    visitor.page.route(ANSWERS, changed)


def to_replay(visitor: Visitor, table: str, number: int = 1, moment: str = "") -> None:
    visitor.page.goto(f"{table}/replay/{number}{moment}")
    expect(boards(visitor).first).to_be_visible()


def look_at(visitor: Visitor, answer: Answer, moment: str = "") -> None:
    give(visitor, answer)
    to_replay(visitor, "/t/K7QM2XWP", answer["race"], moment)


def boards(visitor: Visitor) -> Locator:
    return visitor.page.locator("replay-screen tile-board")


def values(visitor: Visitor) -> list[list[int]]:
    """Read all boards, in the order of seats."""
    return [
        boards(visitor).nth(number).locator("td").evaluate_all(READ_CELLS)
        for number in range(boards(visitor).count())
    ]


def racer(visitor: Visitor, seat: int) -> Locator:
    return visitor.page.get_by_test_id(f"replay-{seat}")


def moves(visitor: Visitor) -> list[int]:
    texts = visitor.page.locator("replay-racer .how").all_inner_texts()
    return [int(re.findall(r"([\d,]+) moves?", text)[0].replace(",", "")) for text in texts]


def clock(visitor: Visitor) -> Locator:
    return visitor.page.locator("replay-screen .clock .time")


def words(visitor: Visitor) -> Locator:
    return visitor.page.locator("replay-screen .words")


def scrubber(visitor: Visitor) -> Locator:
    return visitor.page.get_by_role("slider", name="Moment of the race")


def verified(visitor: Visitor) -> Locator:
    """Press Verify, and give what is said once all is checked."""
    visitor.button("Verify").click()
    said = visitor.page.locator(".verifying .result")
    expect(said).not_to_have_text("Checking…")
    return said


def failing(visitor: Visitor) -> list[str]:
    return visitor.page.locator(".checks [data-holds=fails] .found").all_inner_texts()
