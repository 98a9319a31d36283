"""Chromium and the running services, and visitors who must meet no trouble."""

import contextlib
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, ViewportSize, expect, sync_playwright
from tests.browser.visitor import Visitor
from tests.stack import Stack, standing

SETTINGS = {"grace_ms": "3000", "ping_ms": "500", "countdown_ms": "800", "clocks_s": "6,180"}
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update",
    "--disable-sync",
]  # fmt: skip
WAIT_MS = 15_000
LAPTOP: ViewportSize = {"width": 1280, "height": 800}

Visits = Callable[..., Visitor]


@pytest.fixture(scope="package")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    with standing(tmp_path_factory.mktemp("stack"), **SETTINGS) as stack:
        yield stack


def chromium_path() -> Path:
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    assert path is not None, "Chromium is not on the search path"
    return Path(path)


@pytest.fixture(scope="package")
def chromium() -> Iterator[Browser]:
    # Only while this folder's tests run: the loop under the synchronous interface would be in the way of others'.
    expect.set_options(timeout=WAIT_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=FLAGS)
        try:
            yield browser
        finally:
            browser.close()


@pytest.fixture
def visit(stack: Stack, chromium: Browser) -> Iterator[Visits]:
    """Give what brings another visitor with a browser (cookies, storage) of their own; none may meet trouble."""
    visitors: list[Visitor] = []
    with contextlib.ExitStack() as contexts:

        def come(**look: object) -> Visitor:
            context = chromium.new_context(base_url=stack.base, **({"viewport": LAPTOP} | look))  # type: ignore[arg-type]
            contexts.callback(context.close)
            context.set_default_timeout(WAIT_MS)
            visitors.append(Visitor(context.new_page()))
            return visitors[-1]

        yield come
        troubles = [visitor.troubles for visitor in visitors]
    assert not any(troubles), troubles
