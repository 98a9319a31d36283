"""What the browser keeps of a game on one's own: whatever happens to it, one can play on."""

import json

import pytest
from playwright.sync_api import Page, Route, expect
from tests.browser.conftest import Visits
from tests.browser.saved import BEST, GAME, game_of, kept, put
from tests.browser.visitor import Visitor
from tests.stack import Stack

from engine import Direction

KEEP_NOTHING = """Object.defineProperty(window, "localStorage", { get() { throw new DOMException("denied", "SecurityError"); } })"""
FULL = """Storage.prototype.setItem = () => { throw new DOMException("full", "QuotaExceededError"); }"""
NOTE_ORDER = """(() => {
    window.order = [];
    const keep = Storage.prototype.setItem;
    Storage.prototype.setItem = function (key, text) { order.push(key); return keep.call(this, key, text); };
})()"""
# A tab that sleeps hears of nothing.
DEAF = """for (const type of ["storage", "focus", "pageshow", "visibilitychange"])
    addEventListener(type, event => event.stopImmediatePropagation(), true)"""
KEEP = "([key, text]) => localStorage.setItem(key, text)"
UNSAVED = "Nothing can be saved in this browser: closing this tab loses the game."
ELSEWHERE = "This game went on in another tab."
UNREADABLE = "Your last game could not be read, so here is a new one."
LAN = "http://tilerace.example"

A_GAME = game_of([64, 64, *[0] * 14])
SPOILT = {
    "half a JSON": json.dumps(A_GAME)[:80],
    "nothing at all": "",
    "a 3 on the board": json.dumps({**A_GAME, "board": [1.585, *[0] * 14, 1]}),
    "fifteen cells": json.dumps({**A_GAME, "board": A_GAME["board"][1:]}),
    "a negative score": json.dumps({**A_GAME, "score": -4}),
    "another version's": json.dumps({**A_GAME, "format": 2}),
    "another thing": "[1, 2, 3]",
    "a message that is not true": json.dumps({**A_GAME, "word": "stuck"}),
}


def toast(visitor: Visitor, text: str) -> None:
    expect(visitor.page.locator(".toast").filter(has_text=text)).to_have_count(1)


@pytest.mark.parametrize("trouble", [KEEP_NOTHING, FULL], ids=["denied", "full"])
def test_storage_that_refuses_leaves_the_game_playable_and_is_said_once(visit: Visits, trouble: str) -> None:
    alone = visit()
    alone.page.add_init_script(trouble)
    alone.page.goto("/")
    alone.slides(1)
    toast(alone, UNSAVED)
    alone.slides(4)
    toast(alone, UNSAVED)
    alone.page.keyboard.press("u")
    assert alone.figure("moves") == 4
    alone.page.locator(".toast").click()
    alone.slides(1)
    expect(alone.page.locator(".toast")).to_have_count(0)


def test_full_storage_still_gives_the_game_that_it_has(visit: Visits) -> None:
    alone = visit()
    put(alone, game_of([64, 64, *[0] * 14], score=900))
    alone.page.add_init_script(FULL)
    alone.page.reload()
    assert alone.values[:2] == [64, 64]
    assert alone.figure("score") == 900


@pytest.mark.parametrize("text", SPOILT.values(), ids=SPOILT.keys())
def test_a_game_that_cannot_be_read_gives_a_new_one_and_the_best_score_stays(
    visit: Visits, text: str
) -> None:
    alone = visit()
    alone.page.goto("/rules")
    alone.page.evaluate(KEEP, [GAME, text])
    alone.page.evaluate(KEEP, [BEST, '{"classic": 5120, "endless": 64}'])
    alone.page.goto("/")
    toast(alone, UNREADABLE)
    assert sum(value > 0 for value in alone.values) == 2
    assert [alone.figure("score"), alone.figure("moves"), alone.figure("best")] == [0, 0, 5120]
    alone.slides(2)
    alone.page.reload()
    assert alone.figure("moves") == 2


def test_the_best_score_is_kept_before_the_game(visit: Visits) -> None:
    alone = visit()
    alone.page.add_init_script(NOTE_ORDER)
    put(alone, A_GAME)
    alone.press(Direction.LEFT)
    assert alone.page.evaluate("order") == [BEST, GAME]


def test_before_the_first_slide_a_reload_has_the_same_board(visit: Visits) -> None:
    alone = visit()
    alone.page.goto("/")
    before = alone.values
    alone.page.reload()
    assert alone.values == before


def second_tab(visitor: Visitor) -> Visitor:
    tab = Visitor(visitor.page.context.new_page())
    tab.page.goto("/")
    return tab


def test_the_tab_that_did_not_slide_shows_the_other_ones_game_and_says_why(visit: Visits) -> None:
    alone = visit()
    alone.page.goto("/")
    other = second_tab(alone)
    other.slides(3)
    expect(alone.page.get_by_test_id("moves")).to_have_text("3")
    toast(alone, ELSEWHERE)
    assert alone.values == other.values
    alone.slides(1)
    expect(other.page.get_by_test_id("moves")).to_have_text("4")
    toast(other, ELSEWHERE)
    assert other.troubles == []


def test_a_tab_that_slept_takes_over_what_went_on_instead_of_writing_over_it(visit: Visits) -> None:
    alone = visit()
    alone.page.add_init_script(DEAF)
    alone.page.goto("/")
    other = second_tab(alone)
    other.slides(3)
    assert alone.figure("moves") == 0
    alone.press(Direction.LEFT)
    assert alone.figure("moves") == 3
    assert alone.values == other.values
    assert kept(other)["slides"] == 3
    toast(alone, ELSEWHERE)


def test_a_new_game_in_one_tab_puts_the_message_away_in_the_other(visit: Visits) -> None:
    alone = visit()
    put(alone, game_of([64, 64, 32, 8, 8, 16, 64, 32, 16, 32, 8, 64, 32, 64, 16, 128]))
    alone.press(Direction.LEFT)
    expect(alone.page.locator("#over")).to_be_visible()
    other = second_tab(alone)
    expect(other.page.locator("#over")).to_be_visible()
    other.page.locator("#new").click()
    expect(alone.page.locator("#over")).to_be_hidden()
    assert alone.figure("score") == 0


@pytest.fixture
def on_the_network(visit: Visits, stack: Stack) -> Visitor:
    """Bring someone who comes by a plain-HTTP address of the local network."""
    alone = visit()
    alone.page.route(f"{LAN}/**", lambda route: fetched(route, alone.page, stack))
    return alone


def fetched(route: Route, page: Page, stack: Stack) -> None:
    answer = page.request.get(route.request.url.replace(LAN, stack.base))
    route.fulfill(response=answer)


def test_on_a_plain_http_address_of_the_network_one_plays_and_comes_back(on_the_network: Visitor) -> None:
    alone = on_the_network
    alone.page.goto(f"{LAN}/")
    missing = "[isSecureContext, 'serviceWorker' in navigator, crypto.subtle === undefined, 'clipboard' in navigator]"
    assert alone.page.evaluate(missing) == [False, False, True, False]
    alone.slides(5)
    before = alone.values
    alone.page.reload()
    assert alone.values == before
    assert alone.figure("moves") == 5
