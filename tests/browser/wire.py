"""What goes over a page's sockets, as the browser's own tools see it."""

import json
from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import Page, WebSocket

Frame = dict[str, Any]


@dataclass
class Wire:
    """All frames of the sockets that a page opens from now on."""

    page: Page
    sent: list[Frame] = field(default_factory=list)
    received: list[Frame] = field(default_factory=list)
    socket: WebSocket | None = None

    def __post_init__(self) -> None:
        self.page.on("websocket", self._opened)

    def _opened(self, socket: WebSocket) -> None:
        self.socket = socket
        socket.on("framesent", lambda text: self.sent.append(json.loads(text)))
        socket.on("framereceived", lambda text: self.received.append(json.loads(text)))

    def got(self, kind: str) -> list[Frame]:
        return [frame for frame in self.received if frame["type"] == kind]

    def first(self, kind: str) -> Frame:
        """Give the first frame of a type, and wait for it where none has come yet."""
        assert self.socket is not None
        if not self.got(kind):
            self.socket.wait_for_event("framereceived", lambda _: self.got(kind) != [])
        return self.got(kind)[0]

    def settle(self) -> None:
        """Wait until all slides are answered, and none followed the answers: a pong has come after the last of them."""
        assert self.socket is not None
        if not self._settled:
            self.socket.wait_for_event("framereceived", lambda _: self._settled)

    @property
    def _settled(self) -> bool:
        asked = {frame["id"] for frame in self.sent if frame["type"] == "slide"}
        answered = {frame.get("re") for frame in self.received if frame["type"] in {"board", "refused"}}
        return asked <= answered and self.received[-1]["type"] == "pong"
