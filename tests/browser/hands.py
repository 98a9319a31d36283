"""Fingers, a pen, the mouse and a keyboard of any layout, as Chromium is told of real ones."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from playwright.sync_api import CDPSession, Page

Point = tuple[float, float]
STEPS = 4


@dataclass
class Fingers:
    """Those that are on the screen, each by its number."""

    session: CDPSession
    down: dict[int, Point] = field(default_factory=dict)

    def press(self, number: int, at: Point) -> None:
        self.down[number] = at
        self._tell("touchStart")

    def move(self, number: int, to: Point) -> None:
        """Move one finger, in some steps as real ones do."""
        for at in way(self.down[number], to):
            self.down[number] = at
            self._tell("touchMove")

    def lift(self, number: int) -> None:
        del self.down[number]
        self._tell("touchEnd")

    def swipe(self, start: Point, end: Point) -> None:
        self.press(1, start)
        self.move(1, end)
        self.lift(1)

    def _tell(self, kind: str) -> None:
        points = [{"x": x, "y": y, "id": number} for number, (x, y) in self.down.items()]
        self.session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})


def way(start: Point, end: Point) -> Iterator[Point]:
    """Give the points on the way from one to another, the last included."""
    for step in range(1, STEPS + 1):
        yield tuple(one + (other - one) * step / STEPS for one, other in zip(start, end, strict=True))  # type: ignore[misc]


@dataclass
class Pointer:
    """The mouse, or a pen."""

    session: CDPSession
    kind: Literal["mouse", "pen"]

    def drag(self, start: Point, end: Point, button: str = "left") -> None:
        self._tell("mousePressed", start, button)
        for at in way(start, end):
            self._tell("mouseMoved", at, button)
        self._tell("mouseReleased", end, button)

    def _tell(self, what: str, at: Point, button: str) -> None:
        held = {"left": 1, "right": 2, "middle": 4}[button] if what != "mouseReleased" else 0
        told = {"type": what, "x": at[0], "y": at[1], "button": button, "buttons": held, "clickCount": 1}
        self.session.send("Input.dispatchMouseEvent", {**told, "pointerType": self.kind})


def press_key(session: CDPSession, code: str, key: str, *, repeated: bool = False) -> None:
    """Press a key by its place on the keyboard and the sign that its layout writes there."""
    pressed = {"type": "keyDown", "code": code, "key": key, "autoRepeat": repeated}
    session.send("Input.dispatchKeyEvent", {**pressed, **({"text": key} if len(key) == 1 else {})})
    if not repeated:
        session.send("Input.dispatchKeyEvent", {"type": "keyUp", "code": code, "key": key})


def session_of(page: Page) -> CDPSession:
    return page.context.new_cdp_session(page)
