"""The sweep: this replica's round over all clocks and leases (docs/architecture.md, rules 3 and 10)."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from itertools import groupby

from table_service.scripts import SWEEP
from wire import clocks, keys, log
from wire.refusal import Refused
from wire.store import Reply, Store, StoreError

OUTAGE_MS = 3_000
"""A span without any sweep that counts as an outage of ours, in milliseconds: sweeps come once a second."""
AGAIN_MS = 2_000
MOST = 64
LONGEST_S = 1.0
SHORTEST_S = 0.01

_LOG = log.events("table_service.sweep")


class Sweep:
    """Sweeps again and again: at the next due entry, at the latest after a second, at once when woken."""

    def __init__(self, store: Store, handle: Callable[[clocks.Entry], Awaitable[None]]) -> None:
        """Sweep this store, and have what is due handled."""
        self._store = store
        self._handle = handle
        self._wake = asyncio.Event()

    def wake(self) -> None:
        """Sweep now: something fell due that was not there before."""
        self._wake.set()

    async def run(self) -> None:
        """Sweep until cancelled; a store that is away is tried again."""
        while True:
            self._wake.clear()
            try:
                wait_s = await self.once()
            except StoreError as error:
                _LOG.warning("sweep failed", error=type(error).__name__)
                wait_s = LONGEST_S / 4
            try:
                async with asyncio.timeout(wait_s):
                    await self._wake.wait()
            except TimeoutError:
                continue

    async def once(self) -> float:
        """Sweep all buckets once and handle what is due; give the seconds until the next may be.

        Raises:
            StoreError: the store did not answer.
        """
        waits = [LONGEST_S]
        for _, group in groupby(range(keys.BUCKETS), self._store.group):
            waits.append(await self._sweep(list(group)))
        return max(SHORTEST_S, min(waits))

    async def _sweep(self, buckets: Sequence[int]) -> float:
        swept = [
            key(bucket)
            for bucket in buckets
            for key in (keys.sweep_key, keys.clocks_key, keys.leases_key, keys.gateways_key)
        ]
        reply = await self._store.run(SWEEP, swept, [OUTAGE_MS, AGAIN_MS, MOST])
        now, found = _read(reply)
        self._store.clock.heard(now)
        due: list[str] = []
        next_due: list[int] = []
        for moved_ms, next_ms, texts in found:
            if moved_ms:
                _LOG.warning("moved leases past an outage", moved_ms=moved_ms)
            if next_ms >= 0:
                next_due.append(next_ms)
            due += texts
        await self._handle_all(due)
        return (min(next_due) - now) / 1000 if next_due else LONGEST_S

    async def _handle_all(self, texts: Sequence[str]) -> None:
        async with asyncio.TaskGroup() as tasks:
            for text in texts:
                tasks.create_task(self._handle_one(text))

    async def _handle_one(self, text: str) -> None:
        """Handle one entry; whatever is wrong with it is told, and holds up no other."""
        try:
            await self._handle(clocks.from_text(text))
        except (Refused, StoreError) as error:
            _LOG.warning("entry is to be tried again", entry=text, error=type(error).__name__)
        except Exception as error:  # noqa: BLE001 - one bad entry must not stop the sweep
            _LOG.exception("entry cannot be handled", error, entry=text)


def _read(reply: Reply) -> tuple[int, list[tuple[int, int, list[str]]]]:
    if not isinstance(reply, list) or not isinstance(reply[0], int):
        raise StoreError("a sweep answered in another shape")
    return reply[0], list(_buckets(reply[1:]))


def _buckets(replies: Sequence[Reply]) -> Iterator[tuple[int, int, list[str]]]:
    for bucket in replies:
        match bucket:
            case [int(moved), int(next_due), *entries]:
                yield moved, next_due, [entry.decode() for entry in entries if isinstance(entry, bytes)]
            case _:
                raise StoreError("a sweep answered in another shape")
