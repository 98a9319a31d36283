"""A page's sockets led by way of the test, which may cut them, lose frames, or tell another release."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import Locator, Page, WebSocketRoute
from tests.browser.meeting import until_racing
from tests.browser.visitor import Visitor

Frame = dict[str, Any]
Change = Callable[[Frame], Frame | None]
POLL_MS, WAIT_MS = 50, 40_000
OPEN_AS_PRESSED = (
    """button => button.addEventListener("click", () => { openLine(); }, {capture: true, once: true})"""
)


def unchanged(frame: Frame) -> Frame:
    return frame


@dataclass
class Socket:
    """One socket of a page, and what went over it."""

    route: WebSocketRoute
    sent: list[Frame] = field(default_factory=list)
    received: list[Frame] = field(default_factory=list)

    @property
    def is_settled(self) -> bool:
        """Tell whether the last slide is answered, and with it all before, and no key followed in three pings' time."""
        types = [frame["type"] for frame in self.received]
        last = max((at for at, kind in enumerate(types) if kind in {"board", "refused"}), default=len(types))
        asked = [frame["id"] for frame in self.sent if frame["type"] == "slide"]
        answered = {frame.get("re") for frame in self.received}
        return answered.issuperset(asked[-1:]) and types[last:].count("pong") >= 3


@dataclass
class Line:
    """All sockets that the page opens from now on; `to_page` gives what arrives of a frame, None for nothing."""

    page: Page
    to_page: Change = unchanged
    is_open: bool = True
    """Whether a new socket reaches the server."""
    is_deaf: bool = False
    """Whether what the page sends is lost on its way."""
    socket: Socket | None = None
    received: list[Frame] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    """The types of what was lost."""

    def __post_init__(self) -> None:
        self.page.route_web_socket("**/socket", self._connected)

    def cut(self) -> None:
        """Close the socket without a word of why, as a network that breaks does."""
        assert self.socket is not None
        lost, self.socket = self.socket, None
        self.is_deaf = False
        self.lost.clear()
        lost.route.close()

    def open_by(self, button: Locator) -> None:
        """Press a button; sockets reach the server from the press on, so that no try of the page's own comes before it."""
        self.page.expose_function("openLine", self._open)
        button.evaluate(OPEN_AS_PRESSED)
        button.click()

    def _open(self) -> None:
        self.is_open = True

    def until_sent(self, kind: str) -> None:
        """Wait until the page has sent a frame of this type that was lost."""
        self._until(lambda: kind in self.lost)

    def settle(self) -> None:
        """Wait until every key that was pressed has had its answer."""
        self._until(lambda: self.socket is not None and self.socket.is_settled)

    def _until(self, condition: Callable[[], bool]) -> None:
        # Nothing on the page tells of it.
        for _ in range(WAIT_MS // POLL_MS):
            if condition():
                return
            self.page.wait_for_timeout(POLL_MS)
        raise TimeoutError(f"not within {WAIT_MS} ms; this was sent and came last: {self.socket}")

    def got(self, kind: str) -> list[Frame]:
        return [frame for frame in self.received if frame["type"] == kind]

    def _connected(self, route: WebSocketRoute) -> None:
        if not self.is_open:
            route.close()
            return
        server = route.connect_to_server()
        self.socket = socket = Socket(route)

        def up(text: str | bytes) -> None:
            socket.sent.append(json.loads(text))
            if self.is_deaf:
                self.lost.append(socket.sent[-1]["type"])
            else:
                server.send(text)

        def down(text: str | bytes) -> None:
            frame = self.to_page(json.loads(text))
            if frame is not None:
                socket.received.append(frame)
                self.received.append(frame)
                route.send(json.dumps(frame))

        route.on_message(up)
        server.on_message(down)


def through(racer: Visitor) -> Line:
    """Lead the sockets of a racer's page by way of the test, from its next load on, which is now."""
    line = Line(racer.page)
    racer.page.reload()
    until_racing(racer)
    return line
