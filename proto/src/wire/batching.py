"""Natural batching: a stream's messages carry whatever has queued up since the last one was written.

One gRPC message costs the same however little is in it (docs/architecture.md, "The hot path"). So nobody waits for a
batch to fill: the writer takes all there is, writes it, and by the time that is done more has come. Where things come
one by one, and many, a pace bounds how many messages they are: what comes first goes at once, the rest a moment later.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

Item = TypeVar("Item")

FULL = 6_500.0
"""Items a second from which on messages are as seldom as they get."""
MOST_PACE_S = 0.012
MOST_WAIT_S = 0.03
"""How long a message waits at most, in seconds, however many streams are written beside it."""
WINDOW_S = 0.1
_TICK_S = 0.001
"""What a loop can tell of time; a shorter wait would be none or as long as this."""
ASIDE_S = 0.01
"""How long an item that may wait does so at most, in seconds."""
AT_ONCE = 4_096
"""The most items of one message, so that it stays under what a message may hold (wire.limits)."""


class Overflow(Exception):
    """The queue is full: whoever reads the stream is too slow, and should be dropped."""


class Outbox(Generic[Item]):
    """A bounded queue in front of a stream; `run` writes it out.

    Args:
        bound: how many items may wait.
        paced: whether items come one by one, so that a message waits a moment for more while many do.

    Attributes:
        beside: how many such streams the same process writes, this one included: what messages cost shall not grow
            with their number, so each waits so many times as long.
    """

    def __init__(self, bound: int, *, paced: bool = False) -> None:
        """Begin empty."""
        self._bound = bound
        self.beside = 1
        self._paced = paced
        self._items: list[Item] = []
        self._some = asyncio.Event()
        self._closed = False
        self._alarm: asyncio.TimerHandle | None = None

    def __len__(self) -> int:
        return len(self._items)

    def put(self, item: Item, *, may_wait: bool = False) -> None:
        """Queue an item; it is written with all that is queued by then. After `close` it is dropped.

        One that `may_wait` goes with whatever goes next, after ASIDE_S at the latest.

        Raises:
            Overflow: the bound is reached.
        """
        if self._closed:
            return
        if len(self._items) >= self._bound:
            raise Overflow(f"{self._bound} messages wait for a reader that is too slow")
        self._items.append(item)
        if not may_wait:
            self._some.set()
        elif self._alarm is None:
            self._alarm = asyncio.get_running_loop().call_later(ASIDE_S, self._go)

    def _go(self) -> None:
        self._alarm = None
        self._some.set()

    def close(self) -> None:
        """Take no more; `run` writes what is queued and returns."""
        self._closed = True
        self._some.set()

    async def run(self, write: Callable[[list[Item]], Awaitable[None]]) -> None:
        """Write all that is queued, again and again, until closed; an error of `write` ends it."""
        loop = asyncio.get_running_loop()
        rate, written_at = _Rate(loop.time()), 0.0
        while True:
            await self._some.wait()
            if self._paced and not self._closed:
                pause = min(self.beside * pace_s(self.beside * rate.a_second), MOST_WAIT_S)
                if (wait := written_at + pause - loop.time()) >= _TICK_S:
                    await asyncio.sleep(wait)
            items, self._items = self._items[:AT_ONCE], self._items[AT_ONCE:]
            if not self._items and not self._closed:
                self._some.clear()
            if items:
                written_at = loop.time()
                rate.add(len(items), written_at)
                await write(items)
            if self._closed and not self._items:
                return


class _Rate:
    """How many items came of late, a second; `now` is the loop's time."""

    def __init__(self, now: float) -> None:
        self.a_second = 0.0
        self._since, self._count = now, 0

    def add(self, count: int, now: float) -> None:
        self._count += count
        passed = now - self._since
        if passed >= WINDOW_S:
            self.a_second = self._count / passed
            self._since, self._count = now, 0


def pace_s(a_second: float) -> float:
    """Say how long after a message the next one goes, in seconds, where so many items come a second.

    With its cube: few wait for nothing, and many cost as few messages as may be.

    >>> [round(1e3 * pace_s(rate), 2) for rate in (500.0, 3_000.0, 5_000.0, 50_000.0)]
    [0.01, 1.18, 5.46, 12.0]
    """
    return MOST_PACE_S * min(1.0, a_second / FULL) ** 3
