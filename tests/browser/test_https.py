"""Behind https a real browser keeps who it is, and no cookie that another host plants makes it somebody else."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright._impl._api_structures import SetCookieParam
from playwright.sync_api import Browser, BrowserContext, Page, expect
from tests.browser.conftest import SETTINGS, WAIT_MS
from tests.stack import free_port, standing
from tests.tls import Papers, tunnel

# Browsers look for names that end so on their own machine.
SITE, HOST = "site.localhost", "race.site.localhost"
PLANTED = "A" * 22


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Run the services behind TLS; give the public address."""
    folder, port = tmp_path_factory.mktemp("https"), free_port()
    address = f"https://{HOST}:{port}"
    papers = Papers.made(Path(folder))
    with (
        standing(folder, public_url=address, **SETTINGS) as stack,
        tunnel(papers.server(name=HOST), stack.port, port=port),
    ):
        yield address


@pytest.fixture
def context(chromium: Browser, site: str) -> Iterator[BrowserContext]:
    with chromium.new_context(base_url=site, ignore_https_errors=True) as context:
        context.set_default_timeout(WAIT_MS)
        yield context


def planted(path: str = "/") -> SetCookieParam:
    """Make the cookie that whoever holds another host of the domain can plant."""
    return {"name": "tilerace", "value": PLANTED, "domain": f".{SITE}", "path": path, "secure": True}


def kept(context: BrowserContext) -> dict[str, str]:
    return {
        str(cookie.get("name")): str(cookie.get("value"))
        for cookie in context.cookies()
        if cookie.get("domain") == HOST
    }


def hosting(context: BrowserContext) -> Page:
    """Open a table; give its page."""
    page = context.new_page()
    page.goto("/")
    page.get_by_role("button", name="Race a friend").click()
    page.wait_for_url("**/t/*")
    expect(page.get_by_test_id("seat-1").get_by_text("(you)")).to_be_visible()
    return page


def test_the_cookie_is_of_this_very_host_and_no_script_reads_it(context: BrowserContext) -> None:
    page = hosting(context)
    guarded = [cookie for cookie in context.cookies() if cookie.get("name") == "__Host-tilerace"]
    assert [
        (cookie.get("domain"), cookie.get("httpOnly"), cookie.get("secure"), cookie.get("sameSite"))
        for cookie in guarded
    ] == [(HOST, True, True, "Lax")]
    assert page.evaluate("document.cookie") == ""


def test_a_racer_stays_who_they_are_when_a_sibling_host_plants_a_cookie(context: BrowserContext) -> None:
    page = hosting(context)
    before = kept(context)
    context.add_cookies([planted(), planted("/t"), planted("/api")])
    page.reload()
    expect(page.get_by_test_id("seat-1").get_by_text("(you)")).to_be_visible()
    assert kept(context) == before
    assert PLANTED not in before.values()


def test_a_racer_of_the_release_before_keeps_the_seat_and_gets_the_guarded_cookie(
    context: BrowserContext,
) -> None:
    page = hosting(context)
    secret = kept(context)["tilerace"]
    context.clear_cookies(name="__Host-tilerace")
    page.reload()
    expect(page.get_by_test_id("seat-1").get_by_text("(you)")).to_be_visible()
    assert kept(context) == {"tilerace": secret, "__Host-tilerace": secret}
