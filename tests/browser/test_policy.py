"""What a page of ours may not do, in a real browser, whatever were to get into it (docs/rules.md §5)."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page
from tests.browser.conftest import Visits
from tests.stack import Stack

NEVER = (
    "camera",
    "microphone",
    "geolocation",
    "usb",
    "serial",
    "payment",
    "display-capture",
    "clipboard-read",
)
USED = ("screen-wake-lock", "clipboard-write")
SINKS = (
    "document.body.innerHTML = '<b>x</b>'",
    "document.body.insertAdjacentHTML('beforeend', '<b>x</b>')",
    "document.createElement('script').text = 'x'",
    "document.createElement('script').src = '/x.js'",
    "new DOMParser().parseFromString('<b>x</b>', 'text/html')",
    "trustedTypes.createPolicy('another', { createHTML: (text) => text })",
    "trustedTypes.createPolicy('worker', { createHTML: (text) => text })",
)


def test_a_page_may_use_what_it_does_and_nothing_else_of_a_device(visit: Visits) -> None:
    visitor = visit()
    visitor.page.goto("/")
    allowed = visitor.page.evaluate("document.featurePolicy.allowedFeatures()")
    assert set(allowed) & {*NEVER, *USED} == set(USED)


@pytest.fixture
def page(stack: Stack, chromium: Browser) -> Iterator[Page]:
    """Open the page once its worker is there, for one who is up to no good."""
    with chromium.new_context(base_url=stack.base) as context:
        page = context.new_page()
        page.goto("/")
        assert page.evaluate("navigator.serviceWorker.ready.then((worker) => worker.active !== null)")
        yield page


@pytest.mark.parametrize("sink", SINKS)
def test_no_text_becomes_markup_or_a_program(page: Page, sink: str) -> None:
    thrown = page.evaluate(f"(() => {{ try {{ {sink} }} catch (error) {{ return error.name; }} }})()")
    assert thrown == "TypeError"
