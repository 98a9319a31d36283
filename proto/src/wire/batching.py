"""Natural batching: a stream's messages carry whatever has queued up since the last one was written.

One gRPC message costs the same however little is in it (docs/architecture.md, "The hot path"). So nobody waits for a
batch to fill: the writer takes all there is, writes it, and by the time that is done more has come. Where things come
one by one, and many, a pace bounds how many messages they are: what comes first goes at once, the rest a moment later.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

Item = TypeVar("Item")

ITEM_S = 0.000_25
"""What each item of a message adds to the wait after it: above 4,000 a second, messages are soon few and large."""
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
        pace_s: the least time from one message to the next, in seconds, while little comes, and the most while much does.

    Attributes:
        beside: how many such streams are written by the same process, this one included; each waits so many times as
            long, so that what messages cost does not grow with the number of streams.
    """

    def __init__(self, bound: int, *, pace_s: tuple[float, float] = (0.0, 0.0)) -> None:
        """Begin empty."""
        self._bound = bound
        self.beside = 1
        self._pace_s = pace_s
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
        next_at = 0.0
        while True:
            await self._some.wait()
            wait = next_at - loop.time()
            if wait > 0 and not self._closed:
                await asyncio.sleep(wait)
            items, self._items = self._items[:AT_ONCE], self._items[AT_ONCE:]
            if not self._items and not self._closed:
                self._some.clear()
            if items:
                next_at = loop.time() + self.beside * pause_s(len(items), *self._pace_s)
                await write(items)
            if self._closed and not self._items:
                return


def pause_s(count: int, least: float, most: float) -> float:
    """Say how long to wait after a message of so many: where more come than ITEM_S allows for, longer each time.

    >>> [pause_s(count, 0.002, 0.01) for count in (1, 24, 1000)]
    [0.002, 0.006, 0.01]
    """
    return min(max(least, round(ITEM_S * count, 6)), most)
