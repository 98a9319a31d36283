"""Without a network: the page opens whole and of one release, a game goes on, and a new release is there in time."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect
from tests.browser.axe import faults
from tests.browser.saved import kept_values
from tests.browser.site import (
    PAGE,
    Site,
    builds_in,
    is_of,
    release,
    site_of,
    visitor_of,
    wait_until,
    wait_until_kept,
)
from tests.browser.visitor import Visitor

from web_gateway.page import load

OURS = load()


@pytest.fixture
def site() -> Iterator[Site]:
    with site_of(OURS) as site:
        yield site


@pytest.fixture
def visitor(site: Site, chromium: Browser) -> Iterator[Visitor]:
    with visitor_of(chromium, site.base) as visitor:
        visitor.page.goto("/")
        yield visitor


@pytest.fixture
def keeping(visitor: Visitor) -> Visitor:
    """One whose browser has kept the page, and who has begun a game."""
    wait_until_kept(visitor, OURS)
    visitor.slides(3)
    return visitor


def test_a_game_goes_on_where_it_was_when_the_service_is_gone(site: Site, keeping: Visitor) -> None:
    before, score = keeping.values, keeping.figure("score")
    site.stop()
    keeping.page.reload()
    assert (keeping.values, keeping.figure("score"), keeping.figure("moves")) == (before, score, 3)
    keeping.slides(3)
    keeping.page.reload()
    assert (keeping.values, keeping.figure("moves")) == (kept_values(keeping), 6)
    assert keeping.troubles == []


def test_a_game_goes_on_when_the_browser_has_no_network(keeping: Visitor) -> None:
    keeping.page.context.set_offline(True)
    keeping.page.goto("/")
    assert keeping.figure("moves") == 3
    keeping.slide()
    another = Visitor(keeping.page.context.new_page())
    another.page.goto("/")
    assert (another.values, another.figure("moves")) == (keeping.values, 4)
    assert builds_in(another) == [OURS.build]
    assert keeping.troubles + another.troubles == []


def test_the_pages_of_text_open_without_a_network(site: Site, keeping: Visitor) -> None:
    site.stop()
    pages = keeping.page.get_by_role("navigation", name="Pages")
    pages.get_by_role("link", name="Rules").click()
    expect(keeping.page.get_by_role("heading", level=1)).to_have_text("Rules")
    pages.get_by_role("link", name="How to win").click()
    expect(keeping.page.get_by_role("heading", level=1)).to_have_text("How to win")
    keeping.page.get_by_role("button", name="Settings").click()
    expect(keeping.page.get_by_role("dialog")).to_be_visible()
    assert keeping.troubles == []


def test_what_is_not_kept_says_that_there_is_no_connection_and_what_can_be_done(
    site: Site, keeping: Visitor
) -> None:
    site.stop()
    keeping.page.goto("/nothing")
    expect(keeping.page.get_by_role("heading", name="No connection")).to_be_visible()
    assert faults(keeping) == []
    keeping.page.get_by_role("link", name="Play 2048").click()
    assert keeping.figure("moves") == 3
    keeping.page.go_back()
    site.start()
    keeping.page.get_by_role("link", name="Try again").click()
    expect(keeping.page.get_by_role("heading", name="There is nothing here")).to_be_visible()
    assert faults(keeping) == []


def test_a_table_says_that_there_is_no_connection(keeping: Visitor) -> None:
    keeping.page.context.set_offline(True)
    keeping.page.goto("/t/K7QM2XWP")
    expect(keeping.page.locator("table-screen")).to_contain_text("You are offline.")
    expect(keeping.page.locator("table-screen")).not_to_contain_text("This table is gone")
    expect(keeping.page.locator("table-screen")).not_to_contain_text("The server is not answering")
    expect(keeping.page.get_by_test_id("line")).to_have_text("offline")


def test_racing_without_a_network_says_why_it_cannot_be(keeping: Visitor) -> None:
    keeping.page.context.set_offline(True)
    keeping.page.reload()
    keeping.button("Race a friend").click()
    expect(keeping.page.locator("toast-list")).to_contain_text("You are offline.")


@pytest.mark.parametrize("status", [502, 503, 504])
def test_a_proxy_with_nobody_behind_it_is_no_network(site: Site, keeping: Visitor, status: int) -> None:
    site.down = status
    keeping.page.reload()
    assert keeping.figure("moves") == 3


def test_a_network_that_does_not_answer_is_not_waited_for_for_ever(site: Site, keeping: Visitor) -> None:
    site.silent = lambda _: True
    keeping.page.reload()
    assert keeping.figure("moves") == 3


def test_the_worker_keeps_its_hands_off_the_interface(site: Site, keeping: Visitor) -> None:
    asked = (
        "async () => [(await fetch('/api/nothing')).status, await caches.match('/api/nothing') === undefined]"
    )
    assert keeping.page.evaluate(asked) == [404, True]
    site.stop()
    with pytest.raises(Exception, match="Failed to fetch"):
        keeping.page.evaluate(asked)


def test_a_new_release_is_there_on_the_next_visit_and_the_game_goes_on(
    site: Site, keeping: Visitor, tmp_path: Path
) -> None:
    before = keeping.values
    new = release(tmp_path / "newer")
    site.serve(new)
    keeping.page.reload()
    assert is_of(keeping)
    assert (keeping.values, keeping.figure("moves")) == (before, 3)
    assert builds_in(keeping) == [new.build]
    wait_until_kept(keeping, new)
    site.stop()
    keeping.page.reload()
    assert is_of(keeping)
    assert (keeping.values, builds_in(keeping)) == (before, [new.build])
    assert keeping.troubles == []


def kept_builds(visitor: Visitor) -> list[str]:
    names: list[str] = visitor.page.evaluate("caches.keys()")
    return [name.removeprefix("tilerace-") for name in names]


def test_a_page_left_open_over_a_release_has_all_of_its_own_files(
    site: Site, keeping: Visitor, tmp_path: Path
) -> None:
    new = release(tmp_path / "newer")
    site.serve(new)
    another = Visitor(keeping.page.context.new_page())
    another.page.goto("/")
    wait_until_kept(another, new)
    status = "async (address) => (await fetch(address)).status"
    assert keeping.page.evaluate(status, f"/at/{OURS.build}/js/replay/track.js") == 200
    keeping.slide()
    assert builds_in(keeping) == [OURS.build]


def test_the_last_two_releases_are_kept_and_none_before(site: Site, keeping: Visitor, tmp_path: Path) -> None:
    releases = [release(tmp_path / mark, mark) for mark in ("first", "second")]
    for each in releases:
        site.serve(each)
        keeping.page.reload()
        wait_until_kept(keeping, each)
    wait_until(keeping, "async () => (await caches.keys()).length === 2")
    assert kept_builds(keeping) == [each.build for each in releases]


def test_a_release_that_is_withdrawn_is_gone_on_the_next_visit(
    site: Site, keeping: Visitor, tmp_path: Path
) -> None:
    new = release(tmp_path / "newer")
    for each in (new, OURS):
        site.serve(each)
        keeping.page.reload()
        wait_until_kept(keeping, each)
    site.stop()
    keeping.page.reload()
    assert not is_of(keeping)
    assert (keeping.figure("moves"), builds_in(keeping)) == (3, [OURS.build])


def wait_until_refused(visitor: Visitor) -> None:
    """Wait until the worker of the newer release has tried, and has given up."""
    visitor.page.evaluate(
        "async () => (await navigator.serviceWorker.getRegistration()).update().catch(() => {})"
    )
    wait_until(
        visitor,
        """async () => {
            const worker = await navigator.serviceWorker.getRegistration();
            return worker.installing === null && worker.waiting === null;
        }""",
    )


@pytest.mark.parametrize("broken", ["how-to-win.html", "boot.js"])
def test_an_install_that_meets_two_releases_leaves_the_old_one_whole(
    site: Site, keeping: Visitor, tmp_path: Path, broken: str
) -> None:
    new = release(tmp_path / "newer")
    site.choose = lambda path: OURS if path.endswith(broken) else new
    keeping.page.reload()
    assert is_of(keeping)
    wait_until_refused(keeping)
    site.stop()
    keeping.page.reload()
    assert not is_of(keeping)
    assert (keeping.figure("moves"), builds_in(keeping)) == (3, [OURS.build])
    keeping.slide()


def test_an_install_that_breaks_off_leaves_the_old_one_whole_and_is_made_up_for(
    site: Site, keeping: Visitor, tmp_path: Path
) -> None:
    new = release(tmp_path / "newer")
    site.serve(new)
    site.silent = lambda path: path.endswith("how-to-win.html")
    keeping.page.reload()
    wait_until(keeping, "async () => (await navigator.serviceWorker.getRegistration()).installing !== null")
    site.stop()
    keeping.page.reload()
    assert (is_of(keeping), builds_in(keeping)) == (False, [OURS.build])
    site.silent = lambda _: False
    site.start()
    keeping.page.reload()
    wait_until_kept(keeping, new)
    site.stop()
    keeping.page.reload()
    assert (is_of(keeping), builds_in(keeping)) == (True, [new.build])


def test_the_page_can_be_installed(keeping: Visitor) -> None:
    session = keeping.page.context.new_cdp_session(keeping.page)
    manifest = session.send("Page.getAppManifest")
    assert (manifest["url"], manifest["errors"]) == (f"{keeping.page.url}manifest.webmanifest", [])
    # Each visitor of a test is one that leaves no traces, whom Chromium lets install nothing; else nothing is amiss.
    errors = session.send("Page.getInstallabilityErrors")["installabilityErrors"]
    assert [error["errorId"] for error in errors] in ([], ["in-incognito"])


def test_every_file_of_the_page_is_kept(keeping: Visitor) -> None:
    paths: list[str] = keeping.page.evaluate("""async () => {
        const cache = await caches.open((await caches.keys())[0]);
        return (await cache.keys()).map(({url}) => new URL(url).pathname);
    }""")
    kept = {path.removeprefix(f"/at/{OURS.build}/") for path in paths}
    modules = {str(path.relative_to(PAGE)) for path in (PAGE / "js").rglob("*.js")}
    pages = {path.name for path in PAGE.glob("[!_]*.html")}
    assert modules | pages <= kept
    assert "/boot.js" in kept
