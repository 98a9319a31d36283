"""What axe finds on every page, in light and in dark: nothing."""

from typing import Literal, get_args

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect
from tests.browser.conftest import Visits
from tests.browser.meeting import Rules, gathered, resign, start, verdict
from tests.browser.saved import game_of, put
from tests.browser.visitor import Visitor

from engine import Direction

Scheme = Literal["light", "dark"]
# What fades in has its colours at its end only.
CALM = {"reduced_motion": "reduce"}


def faults(visitor: Visitor) -> list[str]:
    """Give what axe finds in either scheme: its rule, and where."""
    return [fault for scheme in get_args(Scheme) for fault in faults_in(scheme, visitor)]


def faults_in(scheme: Scheme, visitor: Visitor) -> list[str]:
    visitor.page.emulate_media(color_scheme=scheme)
    found = Axe().run(visitor.page).response["violations"]
    return [
        f"{scheme} {fault['id']}: {node['target']} {node['html'][:120]}"
        for fault in found
        for node in fault["nodes"]
    ]


def test_axe_finds_nothing_alone_nor_on_the_pages_of_text(visit: Visits) -> None:
    alone = visit(**CALM)
    for address in ("/", "/rules", "/how-to-win"):
        alone.page.goto(address)
        assert faults(alone) == [], address
    put(alone, game_of([1024, 1024, 4, 2, 8, 16, 32, 64, 128, 256, 512, 4096, 8192, 16384, 32768, 65536]))
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
