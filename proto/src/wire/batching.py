"""Natural batching: a stream's messages carry whatever has queued up since the last one was written.

One gRPC message costs the same however little is in it (docs/architecture.md, "The hot path"). So nobody waits for a
batch to fill: the writer takes all there is, writes it, and by the time that is done more has come.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

Item = TypeVar("Item")

GATHER_ABOVE = 500.0
"""Items a second above which a writer waits a moment for more."""
GATHER_S = 0.003
AT_ONCE = 4_096
"""The most items of one message, so that it stays under what a message may hold (wire.limits)."""
_FORGET_S = 0.25


class Overflow(Exception):
    """The queue is full: whoever reads the stream is too slow, and should be dropped."""


class Outbox(Generic[Item]):
    """A bounded queue in front of a stream; `run` writes it out.

    Args:
        bound: how many items may wait.
        gather: whether to wait some milliseconds for more while many come.
    """

    def __init__(self, bound: int, *, gather: bool = False) -> None:
        """Begin empty."""
        self._bound = bound
        self._gather = gather
        self._items: list[Item] = []
        self._some = asyncio.Event()
        self._closed = False
        self._rate = _Rate()

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
        while True:
            await self._some.wait()
            if self._gather and not self._closed and self._rate.items_a_second > GATHER_ABOVE:
                await asyncio.sleep(GATHER_S)
            items, self._items = self._items[:AT_ONCE], self._items[AT_ONCE:]
            if not self._items and not self._closed:
                self._some.clear()
            if items:
                self._rate.add(len(items))
                await write(items)
            if self._closed and not self._items:
                return


class _Rate:
    """How many items came of late, a second."""

    def __init__(self) -> None:
        self._since = 0.0
        self._count = 0
        self.items_a_second = 0.0

    def add(self, count: int) -> None:
        now = asyncio.get_running_loop().time()
        passed = now - self._since
        self._count += count
        if passed >= _FORGET_S:
            self.items_a_second = self._count / passed
            self._since, self._count = now, 0
