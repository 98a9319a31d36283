"""What axe finds on every page, in light and in dark: nothing."""

from collections.abc import Callable

import pytest
from playwright.sync_api import WebSocketRoute, expect
from tests.browser.axe import CALM, faults
from tests.browser.conftest import Visits
from tests.browser.meeting import Rules, gathered, resign, start, verdict
from tests.browser.saved import game_of, put
from tests.browser.told import HUGE, LONG, SHORT, STUCK, TABLE, Scene, tell

from engine import Direction


def test_axe_finds_nothing_alone_nor_on_the_pages_of_text(visit: Visits) -> None:
    alone = visit(**CALM)
    for address in ("/", "/rules", "/how-to-win"):
        alone.page.goto(address)
        assert faults(alone) == [], address
    put(alone, game_of([1024, 1024, 2, 2, 8, 16, 32, 64, 128, 256, 512, 4096, 8192, 16384, 32768, 65536]))
    assert faults(alone) == []
    alone.press(Direction.LEFT)
    expect(alone.button("Play on")).to_be_visible()
    assert faults(alone) == []


def test_axe_finds_nothing_at_a_table_in_any_phase(visit: Visits) -> None:
    ann, bo = gathered(visit, Rules(clock="3 minutes"), **CALM)
    expect(ann.page.get_by_text("Everyone is ready.")).to_be_visible()
    assert faults(ann) + faults(bo) == []
    start(ann, bo)
    ann.button("Offer a draw").click()
    expect(bo.button("Decline")).to_be_visible()
    assert faults(ann) + faults(bo) == []
    ann.button("Resign").click()
    assert faults(ann) == []
    ann.page.get_by_role("dialog").get_by_role("button", name="Race on").click()
    resign(bo, sure=True)
    for racer in (ann, bo):
        expect(verdict(racer)).to_be_visible()
        assert faults(racer) == []


GATHERING = {
    "the host alone": Scene(SHORT[:1]),
    "a host whom friends cannot reach": Scene(SHORT[:1], reach="loopback"),
    "a host who waits": Scene(LONG, unready=[2], away={3: 40_000}, watchers=2),
    "a friend who is not ready": Scene(SHORT[:3], you=2, unready=[2]),
    "one who may sit": Scene(SHORT[:3], you=None, watchers=1),
    "one who finds all seats taken": Scene(you=None, watchers=3),
    "one whose seat was freed": Scene(SHORT[:2], you=None, watchers=1, freed="host"),
}
RACING = {
    "the countdown": Scene(gone_ms=-2600),
    "a race of two": Scene(SHORT[:2]),
    "a race of four, one leading, one away, one stuck": Scene(you=2, away={3: 40_000}, states={4: "stuck"}),
    "long names and numbers": Scene(LONG, scores=HUGE, states={4: "out"}),
    "the last seconds": Scene(gone_ms=175_000),
    "an offer": Scene(SHORT[:3], offer_by=2),
    "one's own offer": Scene(LONG, offer_by=1),
    "a friend who stays away": Scene(SHORT[:3], away={2: -1000}),
    "stuck": Scene(SHORT[:3], you=2, cells=STUCK, states={2: "stuck"}),
    "out": Scene(SHORT[:3], states={1: "out"}),
    "watching": Scene(you=None, watchers=2, away={3: 40_000}, states={4: "stuck"}),
}


def keep_silent(socket: WebSocketRoute) -> None:
    """Connect, and say nothing."""


def closing(code: int) -> Callable[[WebSocketRoute], None]:
    """Close with a code whatever connects."""
    return lambda socket: socket.close(code=code)


@pytest.mark.parametrize("seen", GATHERING)
def test_axe_finds_nothing_while_gathering(visit: Visits, seen: str) -> None:
    visitor = visit(**CALM)
    tell(visitor, GATHERING[seen].gathering())
    expect(visitor.page.get_by_role("heading", name="The table")).to_be_visible()
    assert faults(visitor) == []


def test_axe_finds_nothing_while_the_host_is_asked_whether_to_remove_a_friend(visit: Visits) -> None:
    visitor = visit(**CALM)
    tell(visitor, Scene().gathering())
    visitor.button("Remove Bo from the table").click()
    expect(visitor.button("Keep Bo")).to_be_visible()
    assert faults(visitor) == []


@pytest.mark.parametrize("seen", RACING)
def test_axe_finds_nothing_while_racing(visit: Visits, seen: str) -> None:
    visitor = visit(**CALM)
    tell(visitor, RACING[seen].racing())
    expect(visitor.page.get_by_test_id("clock")).to_be_visible()
    assert faults(visitor) == []


def test_axe_finds_nothing_at_the_end_whatever_it_was(visit: Visits) -> None:
    visitor = visit(**CALM)
    for you, best in ((1, [1]), (2, [1]), (1, [1, 2]), (None, [2])):
        tell(visitor, Scene(you=you, states={4: "out"}).finished("TIME_UP", *best))
        expect(verdict(visitor)).to_be_visible()
        assert faults(visitor) == [], (you, best)


def test_axe_finds_nothing_where_the_table_is_not(visit: Visits) -> None:
    visitor = visit(**CALM)
    visitor.page.route_web_socket("**/socket", keep_silent)
    visitor.page.goto(f"/t/{TABLE}")
    expect(visitor.page.get_by_text("Coming to the table…")).to_be_visible()
    assert faults(visitor) == []
    for code, title in (
        (4404, "This table is gone"),
        (4001, "Another tab took over"),
        (1008, "The server closed"),
    ):
        visitor.page.route_web_socket("**/socket", closing(code))
        visitor.page.goto(f"/t/{TABLE}")
        expect(visitor.page.get_by_role("heading", name=title)).to_be_visible()
        assert faults(visitor) == [], title


def test_one_who_is_sent_away_is_told_why_and_not_of_an_outage(visit: Visits) -> None:
    visitor = visit(**CALM)
    visitor.page.route_web_socket("**/socket", closing(1013))
    visitor.page.goto(f"/t/{TABLE}")
    expect(visitor.page.get_by_text("Too much was asked of the server from here")).to_be_visible()
    expect(visitor.page.get_by_text("Next try in")).to_be_visible()
    expect(visitor.page.get_by_text("The server is not answering")).to_have_count(0)
    expect(visitor.page.get_by_text("The server is slow")).to_have_count(0)
    assert faults(visitor) == []


def test_a_browser_without_cookies_is_told_that_it_loses_its_seat(visit: Visits) -> None:
    visitor = visit(**CALM)
    visitor.page.add_init_script("Object.defineProperty(navigator, 'cookieEnabled', { value: false })")
    tell(visitor, Scene().gathering())
    told = visitor.page.get_by_text("Your browser keeps no cookies, so it loses your seat when it reloads.")
    expect(told).to_be_visible()
    assert faults(visitor) == []
    visitor.button("Go on").click()
    expect(told).to_be_hidden()


def test_axe_finds_nothing_without_a_connection_nor_beside_a_newer_version(visit: Visits) -> None:
    visitor = visit(**CALM)
    tell(visitor, Scene().gathering(), build="a newer one")
    expect(visitor.button("Load it")).to_be_visible()
    assert faults(visitor) == []
    visitor.page.route_web_socket("**/socket", lambda socket: socket.close())
    visitor.page.route("**/healthz", lambda route: route.fulfill(body="somebody else"))
    visitor.page.goto(f"/t/{TABLE}")
    expect(visitor.page.get_by_text("The server cannot be reached.")).to_be_visible()
    assert faults(visitor) == []
    visitor.page.unroute("**/healthz")
    expect(visitor.page.get_by_text("no WebSocket gets through")).to_be_visible()
    assert faults(visitor) == []
