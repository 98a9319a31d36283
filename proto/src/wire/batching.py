"""Natural batching: a stream's messages carry whatever has queued up since the last one was written.

One gRPC message costs the same however little is in it (docs/architecture.md, "The hot path"). So nobody waits for a
batch to fill: the writer takes all there is, writes it, and by the time that is done more has come. Where things come
one by one, and many, a pace bounds how many messages they are: what comes first goes at once, the rest a moment later.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

Item = TypeVar("Item")

AT_ONCE = 4_096
"""The most items of one message, so that it stays under what a message may hold (wire.limits)."""


class Overflow(Exception):
    """The queue is full: whoever reads the stream is too slow, and should be dropped."""


class Outbox(Generic[Item]):
    """A bounded queue in front of a stream; `run` writes it out.

    Args:
        bound: how many items may wait.
        pace_s: the least time from one message to the next, in seconds.
    """

    def __init__(self, bound: int, *, pace_s: float = 0.0) -> None:
        """Begin empty."""
        self._bound = bound
        self._pace_s = pace_s
        self._items: list[Item] = []
        self._some = asyncio.Event()
        self._closed = False

    def __len__(self) -> int:
        return len(self._items)

    def put(self, item: Item) -> None:
        """Queue an item; it is written with all that is queued by then. After `close` it is dropped.

        Raises:
            Overflow: the bound is reached.
        """
        if self._closed:
            return
        if len(self._items) >= self._bound:
            raise Overflow(f"{self._bound} messages wait for a reader that is too slow")
        self._items.append(item)
        if len(self._items) == 1:
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
                next_at = loop.time() + self._pace_s
                await write(items)
            if self._closed and not self._items:
                return
