"""Lines between processes: proxies in a thread of their own, so that any process can be started with their ports."""

import asyncio
import threading
from collections.abc import Coroutine, Iterable
from types import TracebackType
from typing import Any, Self, TypeVar

from tests.proxy import CLEAR, Loss, Proxy, Weather

Result = TypeVar("Result")
ANSWER_S = 10.0


class Lines:
    """All lines of a fleet; use it as a context manager."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="lines", daemon=True)
        self._lines: list[Between] = []

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        for line in self._lines:
            self.call(line.proxy.close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(ANSWER_S)
        self._loop.close()

    def to(self, target: int) -> "Between":
        """Put a line before a port of this machine."""
        line = Between(self, Proxy.before(target))
        self._lines.append(line)
        self.call(line.proxy.open())
        return line

    def call(self, work: Coroutine[Any, Any, Result]) -> Result:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(ANSWER_S)


class Between:
    """One line, as a test sees it."""

    def __init__(self, lines: Lines, proxy: Proxy) -> None:
        self._lines, self.proxy = lines, proxy

    @property
    def port(self) -> int:
        return self.proxy.port

    @property
    def at(self) -> str:
        return f"127.0.0.1:{self.port}"

    def weather(self, *, up: Weather = CLEAR, down: Weather = CLEAR) -> None:
        """Have bytes to the server carried as `up` says, those to the client as `down` says; neither: as ever."""
        self.proxy.up.weather, self.proxy.down.weather = up, down

    def calm(self) -> None:
        """Carry bytes as ever, and lose no answer that was still to be lost."""
        self.weather()
        self.proxy.loss = None

    def cut(self) -> None:
        """Break all connections, with what is under way."""
        self._lines.call(self.proxy.cut())

    def refuse(self) -> None:
        """Break all connections and take none, until `open`."""
        self._lines.call(self.proxy.refuse())
        self.cut()

    def open(self) -> None:
        self._lines.call(self.proxy.open())

    def retarget(self, target: int) -> None:
        """Lead to another port from now on; connections to the old one break."""
        self.proxy.target = target
        self.cut()


def lose_one_answer(lines: Iterable[Between], request: bytes, *, silently: bool = False) -> Loss:
    """Lose one answer to a request that contains these bytes, over whichever of the lines it goes first."""
    loss = Loss(request, silently)
    for line in lines:
        line.proxy.loss = loss
    return loss
