"""A loop and a transport that stand still, for millions of inputs: what they are told is written down, and nothing waits."""

import asyncio
import contextlib
from collections.abc import Callable, Iterator
from typing import Any, cast


class Timer:
    """A call that never comes due by itself."""

    def __init__(self, timers: set["Timer"]) -> None:
        self._timers = timers
        timers.add(self)

    def cancel(self) -> None:
        self._timers.discard(self)


class StillLoop:
    """As much of a loop as protocols use; `turn` makes the calls that are to come soon."""

    def __init__(self) -> None:
        self.timers: set[Timer] = set()
        self.soon: list[tuple[Callable[..., object], tuple[object, ...]]] = []
        self.failed: list[dict[str, Any]] = []

    def time(self) -> float:
        return 1.0

    def is_running(self) -> bool:
        return True

    def get_debug(self) -> bool:
        return False

    def call_later(self, _seconds: float, _call: Callable[..., object], *_args: object) -> Timer:
        return Timer(self.timers)

    def call_soon(self, call: Callable[..., object], *args: object, context: object = None) -> None:  # noqa: ARG002
        self.soon.append((call, args))

    def create_future(self) -> "asyncio.Future[Any]":
        return asyncio.Future(loop=cast("asyncio.AbstractEventLoop", self))

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        self.failed.append(context)

    def turn(self) -> None:
        while self.soon:
            soon, self.soon = self.soon, []
            for call, args in soon:
                call(*args)


@contextlib.contextmanager
def still() -> Iterator[StillLoop]:
    """Have a still loop be the one that runs."""
    loop = StillLoop()
    asyncio._set_running_loop(cast("asyncio.AbstractEventLoop", loop))
    try:
        yield loop
    finally:
        asyncio._set_running_loop(None)


class Transport:
    """As much of a transport as protocols use."""

    def __init__(self) -> None:
        self.written = bytearray()
        self.ended = self.paused = False
        self.protocol: object = None

    def write(self, data: bytes) -> None:
        assert not self.ended, "written after the end"
        self.written += data

    def write_eof(self) -> None:
        pass

    def can_write_eof(self) -> bool:
        return True

    def is_closing(self) -> bool:
        return self.ended

    def close(self) -> None:
        self.ended = True

    def abort(self) -> None:
        self.ended = True

    def pause_reading(self) -> None:
        self.paused = True

    def resume_reading(self) -> None:
        self.paused = False

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        pass

    def get_write_buffer_size(self) -> int:
        return 0

    def get_extra_info(self, _name: str, default: object = None) -> object:
        return default

    def set_protocol(self, protocol: object) -> None:
        self.protocol = protocol

    def get_protocol(self) -> object:
        return self.protocol
