"""The gateway's own app on a port of its own, whose release a test may replace, break or take away."""

import asyncio
import contextlib
import shutil
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import uvicorn
from playwright.sync_api import Browser
from starlette.types import ASGIApp, Receive, Scope, Send
from tests.browser.conftest import LAPTOP, WAIT_MS
from tests.browser.visitor import Visitor
from tests.stack import free_port

import web_gateway
from web_gateway.app import make_app
from web_gateway.gateway import Gateway
from web_gateway.page import Page, load
from web_gateway.settings import Settings
from wire.settings import Environment

PAGE = Path(web_gateway.__file__).parent / "page"
KEPT = """async (build) => {
    const worker = await navigator.serviceWorker.getRegistration();
    const idle = worker?.active?.state === "activated" && worker.installing === null && worker.waiting === null;
    return idle && (await caches.keys()).at(-1) === `tilerace-${build}`;
}"""
# What a browser keeps can only be asked for with a promise, which the browser's driver does not wait for by itself.
UNTIL = """async ([holds, given]) => {
    const until = performance.now() + 15_000;
    while (!(await holds(given))) {
        if (performance.now() > until) throw new Error(`it never was so that ${holds}`);
        await new Promise((resolve) => setTimeout(resolve, 20));
    }
}"""
BUILDS = """() => [...new Set(performance.getEntriesByType("resource").map(({name}) => /[/]at[/](\\w+)[/]/.exec(name)?.[1]))]
    .filter((build) => build !== undefined)"""

Chooses = Callable[[str], Page]


def release(folder: Path, mark: str = "newer") -> Page:
    """Make a release that differs from ours: page and module of the game on one's own leave a mark, each its own."""
    shutil.copytree(PAGE, folder)
    page, module = folder / "index.html", folder / "js/pages/solo.js"
    page.write_text(page.read_text().replace("</body>", f'<i id="{mark}-page"></i></body>'))
    module.write_text(f"{module.read_text()}document.body.dataset.mark = '{mark}';\n")
    return load(folder)


def is_of(visitor: Visitor, mark: str = "newer") -> bool:
    """Whether page and module are both of the release with that mark."""
    marks = visitor.page.locator(f"#{mark}-page").count(), visitor.page.locator(f"[data-mark={mark}]").count()
    assert marks in {(0, 0), (1, 1)}, "the page is of two releases"
    return marks == (1, 1)


@dataclass
class Site:
    """A port; `choose` says which release answers a path, `silent` which paths are never answered."""

    choose: Chooses
    host: str = "127.0.0.1"
    port: int = field(default_factory=free_port)
    silent: Callable[[str], bool] = lambda _: False
    down: int | None = None
    asked: list[str] = field(default_factory=list)
    _server: uvicorn.Server | None = None
    _thread: threading.Thread | None = None
    _apps: dict[str, ASGIApp] = field(default_factory=dict)

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def serve(self, page: Page) -> None:
        """Have one release answer everything."""
        self.choose = lambda _: page

    def start(self) -> None:
        config = uvicorn.Config(
            self, host=self.host, port=self.port, ws="none", http="h11", lifespan="off", log_config=None,
            timeout_graceful_shutdown=1,
        )  # fmt: skip
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(
            target=lambda server: asyncio.run(server.serve()), args=[self._server]
        )
        self._thread.start()
        listening = threading.Event()
        while not self._server.started:
            listening.wait(0.01)

    def stop(self) -> None:
        """Be gone: the port refuses."""
        if self._server is not None and self._thread is not None:
            self._server.should_exit = True
            self._thread.join()
            self._server = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope["path"]
        self.asked.append(path)
        if self.silent(path):
            await asyncio.sleep(3600)
        if self.down is not None:
            await send({"type": "http.response.start", "status": self.down, "headers": []})
            await send({"type": "http.response.body", "body": b"nobody is here"})
            return
        await self._app_of(self.choose(path))(scope, receive, send)

    def _app_of(self, page: Page) -> ASGIApp:
        if page.build not in self._apps:
            self._apps[page.build] = make_app(Gateway(Settings.from_env(Environment({}))), page)
        return self._apps[page.build]


@contextlib.contextmanager
def site_of(page: Page, **traits: str) -> Iterator[Site]:
    """Serve a release until the test is over."""
    site = Site(lambda _: page, **traits)  # type: ignore[arg-type]
    site.start()
    try:
        yield site
    finally:
        site.stop()


@contextlib.contextmanager
def visitor_of(chromium: Browser, base: str) -> Iterator[Visitor]:
    """Bring a visitor with a browser of their own; what trouble they meet is for the test to judge."""
    context = chromium.new_context(base_url=base, viewport=LAPTOP)
    context.set_default_timeout(WAIT_MS)
    try:
        yield Visitor(context.new_page())
    finally:
        context.close()


def wait_until_kept(visitor: Visitor, page: Page) -> None:
    """Wait until the service worker has all of a release."""
    wait_until(visitor, KEPT, page.build)


def wait_until(visitor: Visitor, holds: str, given: object = None) -> None:
    """Wait until an asynchronous function of the page gives true."""
    visitor.page.evaluate(f"given => ({UNTIL})([{holds}, given])", given)


def builds_in(visitor: Visitor) -> list[str]:
    """Name the builds whose files the page has loaded."""
    found: list[str] = visitor.page.evaluate(BUILDS)
    return found
