"""How the page comes: of one release even while two are served, from nowhere else, and without a worker where none may be."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect
from tests.browser.conftest import FLAGS, Visits, chromium_path
from tests.browser.site import Site, builds_in, release, site_of, visitor_of
from tests.browser.visitor import Visitor

from web_gateway.page import Page, load

OURS = load()
# A name that leads to this machine, and to a browser is as good as any other of the local network.
NEIGHBOUR = "tilerace.test"
WHOLE = """() => performance.getEntriesByType("navigation")[0].loadEventEnd > 0
    && performance.getEntriesByType("resource").every(({responseStatus}) => responseStatus === 200)"""


@pytest.fixture
def site() -> Iterator[Site]:
    with site_of(OURS) as site:
        yield site


@pytest.fixture
def visitor(site: Site, chromium: Browser) -> Iterator[Visitor]:
    with visitor_of(chromium, site.base) as visitor:
        yield visitor


@pytest.fixture
def new(tmp_path: Path) -> Page:
    return release(tmp_path / "newer")


@pytest.mark.parametrize("ending", ["", ".css", "solo.js", "slide.js", "toast-list.js"])
def test_a_page_whose_files_are_not_there_yet_comes_by_itself_a_little_later(
    site: Site, visitor: Visitor, new: Page, ending: str
) -> None:
    # The page is of the new release, and files are asked of a gateway that is still the old one.
    def choose(path: str) -> Page:
        return OURS if path != "/" and path.endswith(ending) and site.asked.count("/") < 3 else new

    site.choose = choose
    visitor.page.goto("/")
    expect(visitor.page.locator("[data-mark=newer]")).to_be_visible()
    visitor.page.wait_for_function(WHOLE)
    visitor.slide()
    assert (site.asked.count("/"), builds_in(visitor)) == (3, [new.build])


def test_a_page_that_does_not_come_gives_up_in_words(site: Site, visitor: Visitor, new: Page) -> None:
    site.choose = lambda path: new if path == "/" else OURS
    visitor.page.add_init_script("sessionStorage.setItem('tilerace.tries', '99')")
    visitor.page.goto("/")
    expect(visitor.page.get_by_role("alert")).to_contain_text("This page did not come whole.")
    assert site.asked.count("/") == 1
    site.serve(new)
    visitor.button("Load it again").click()
    expect(visitor.page.locator("[data-mark=newer]")).to_be_visible()


def test_a_page_that_cannot_count_does_not_reload_itself(site: Site, visitor: Visitor, new: Page) -> None:
    site.choose = lambda path: new if path == "/" else OURS
    visitor.page.add_init_script(
        "Object.defineProperty(window, 'sessionStorage', { get() { throw new Error('no') } })"
    )
    visitor.page.goto("/")
    expect(visitor.page.get_by_role("alert")).to_contain_text("This page did not come whole.")
    assert site.asked.count("/") == 1


def test_a_page_that_waits_says_so(site: Site, visitor: Visitor, new: Page) -> None:
    site.choose = lambda path: new if path == "/" else OURS
    visitor.page.goto("/")
    expect(visitor.page.get_by_role("alert")).to_contain_text("A new version is being put in place.")


@pytest.mark.parametrize("address", ["/", "/rules", "/how-to-win", "/nothing", "/t/K7QM2XWP"])
def test_nothing_is_asked_of_anybody_else(visit: Visits, address: str) -> None:
    visitor = visit()
    asked: list[str] = []
    visitor.page.context.on("request", lambda request: asked.append(request.url))
    visitor.page.goto(address)
    visitor.page.wait_for_load_state("networkidle")
    home = re.match(r"https?://[^/]+/", visitor.page.url)
    assert home is not None
    assert asked
    assert [
        url for url in asked if not url.startswith((home[0], home[0].replace("http", "ws"), "data:"))
    ] == []
    visitor.troubles[:] = [trouble for trouble in visitor.troubles if "404" not in trouble]


def test_the_page_names_the_release_that_the_gateway_is_of(visitor: Visitor) -> None:
    visitor.page.goto("/")
    module = f"/at/{OURS.build}/js/build.js"
    assert visitor.page.evaluate("async (module) => (await import(module)).build", module) == OURS.release


BAR = """() => [...document.querySelectorAll("meta[name=theme-color]")]
    .find(({media}) => matchMedia(media).matches).content"""
DAY, NIGHT = "#faf7f0", "#15131a"


def test_the_browsers_bar_has_the_colour_of_the_page(visitor: Visitor) -> None:
    visitor.page.emulate_media(color_scheme="light")
    visitor.page.goto("/rules")
    assert visitor.page.evaluate(BAR) == DAY
    visitor.page.get_by_role("button", name="Settings").click()
    visitor.page.get_by_role("radio", name="Dark").check()
    assert visitor.page.evaluate(BAR) == NIGHT
    visitor.page.reload()
    assert visitor.page.evaluate(BAR) == NIGHT
    visitor.page.get_by_role("button", name="Settings").click()
    visitor.page.get_by_role("radio", name="System").check()
    assert visitor.page.evaluate(BAR) == DAY
    visitor.page.emulate_media(color_scheme="dark")
    assert visitor.page.evaluate(BAR) == NIGHT


@pytest.fixture
def neighbours_browser(chromium: Browser) -> Iterator[Browser]:
    flags = [*FLAGS, f"--host-resolver-rules=MAP {NEIGHBOUR} 127.0.0.1"]
    browser = chromium.browser_type.launch(executable_path=chromium_path(), args=flags)
    try:
        yield browser
    finally:
        browser.close()


def test_on_a_plain_address_of_the_local_network_nothing_is_kept_and_all_is_played(
    site: Site, neighbours_browser: Browser
) -> None:
    with visitor_of(neighbours_browser, f"http://{NEIGHBOUR}:{site.port}") as visitor:
        visitor.page.goto("/")
        assert visitor.page.evaluate("[isSecureContext, 'serviceWorker' in navigator]") == [False, False]
        visitor.slides(3)
        visitor.page.reload()
        assert visitor.figure("moves") == 3
        visitor.page.wait_for_load_state("networkidle")
        assert "/sw.js" not in site.asked
        # Chromium says of such an address that it heeds this header only where nobody can listen in.
        assert [trouble for trouble in visitor.troubles if "Cross-Origin-Opener-Policy" not in trouble] == []
