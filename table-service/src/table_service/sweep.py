"""The sweep: this replica's round over all clocks and leases (docs/architecture.md, rules 3 and 10)."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from table_service import metrics
from table_service.reading import Unreadable
from table_service.scripts import SETTLE, SWEEP
from table_service.settings import GATEWAY_LIVES_MS
from wire import clocks, keys, log
from wire.ids import parse_race_id
from wire.refusal import Refused
from wire.seldom import Seldom
from wire.store import Reply, Store, StoreError

OUTAGE_MS = 3_000
"""A span without any sweep that counts as an outage of ours, in milliseconds: sweeps come once a second."""
AGAIN_MS = 2_000
FAULTY_AGAIN_MS = 60_000
"""How long an entry that cannot be handled is left alone."""
FORGOTTEN_MS = 3_600_000
MOST = 64
IN_HAND = 256
"""How many entries of one group of the store a replica handles at once; past it, it takes no more."""
LONGEST_S = 1.0
SHORTEST_S = 0.01

_LOG = log.events("table_service.sweep")

Handle = Callable[[clocks.Entry], Awaitable[int | None]]
"""Does what is due; gives when it is due again (ms), or None where it is done."""


class Due(NamedTuple):
    """An entry that was handed out, until it is due again at `claimed` (ms)."""

    member: bytes
    bucket: int
    claimed: int

    @property
    def text(self) -> str:
        """The entry to be read and told of, whatever it is made of."""
        return self.member.decode(errors="replace")


class Swept(NamedTuple):
    """What a bucket's sweep gave: by how much leases were moved, when next to sweep (-1: no more), entries with their ms."""

    moved_ms: int
    next_due: int
    entries: list[tuple[bytes, int]]


class Sweep:
    """Sweeps again and again: at the next due entry, at the latest after a second, at once when woken."""

    def __init__(self, store: Store) -> None:
        """Sweep this store."""
        self._store = store
        self._seldom = Seldom()
        self._swept: dict[int, int] = {}
        self._moving: dict[int, int] = {}
        self._groups = {group: list(buckets) for group, buckets in groupby(range(keys.BUCKETS), store.group)}
        self._in_hand: dict[int, set[bytes]] = {group: set() for group in self._groups}
        self._mending = {group: asyncio.Lock() for group in self._groups}
        self._wakes = {group: asyncio.Event() for group in self._groups}

    def wake(self, bucket: int) -> None:
        """Sweep a bucket now: something fell due there that was not before."""
        self._wakes[self._store.group(bucket)].set()

    async def mend(self, buckets: Collection[int]) -> None:
        """See that leases were moved past an outage of ours before they are read.

        Raises:
            StoreError: the store did not answer.
        """
        for group in self._behind(buckets):
            async with self._mending[group]:
                if self._is_behind(group):
                    await self._sweep(group, most=0)

    async def run(self, handle: Handle) -> None:
        """Sweep until cancelled, and have what is due handled beside it; a store that is away is tried again.

        Each group of the store is swept by itself: a node of a Cluster that is away delays no other's clocks.
        """
        async with asyncio.TaskGroup() as tasks:
            for group in self._groups:
                tasks.create_task(self._sweep_for_ever(tasks, group, handle))

    async def once(self, handle: Handle) -> None:
        """Sweep all buckets once, until all that was due is handled.

        Raises:
            StoreError: the store did not answer.
        """
        async with asyncio.TaskGroup() as tasks:
            for group in self._groups:
                entries, _ = await self._sweep(group, most=MOST)
                self._handle_all(tasks, entries, handle)

    def _behind(self, buckets: Collection[int]) -> list[int]:
        """Give the groups of these buckets that this replica has not swept of late."""
        return [
            group for group in {self._store.group(bucket) for bucket in buckets} if self._is_behind(group)
        ]

    def _is_behind(self, group: int) -> bool:
        return self._swept.get(group, 0) < self._store.clock.now() - OUTAGE_MS

    async def _sweep_for_ever(self, tasks: asyncio.TaskGroup, group: int, handle: Handle) -> None:
        wake = self._wakes[group]
        while True:
            wake.clear()
            wait_s = await self._round(tasks, group, handle)
            try:
                async with asyncio.timeout(wait_s):
                    await wake.wait()
            except TimeoutError:
                continue

    async def _round(self, tasks: asyncio.TaskGroup, group: int, handle: Handle) -> float:
        """Sweep a group, have what is due handled, and give the seconds until the next sweep."""
        is_full = len(self._in_hand[group]) >= IN_HAND
        try:
            entries, wait_s = await self._sweep(group, most=0 if is_full else MOST)
        except StoreError:
            if self._seldom.now(f"group {group}"):
                _LOG.warning("the store does not answer a sweep; it is tried again", group=group)
            metrics.FAILED_SWEEPS.inc()
            return LONGEST_S / 4
        self._handle_all(tasks, entries, handle)
        return LONGEST_S if is_full else max(SHORTEST_S, min(LONGEST_S, wait_s))

    async def _sweep(self, group: int, *, most: int) -> tuple[list[Due], float]:
        """Sweep the buckets of one group; give what is due, and the seconds until the next may be."""
        buckets = self._groups[group]
        now, found = _read(await self._ask(buckets, most))
        self._store.clock.heard(now)
        self._swept[group] = now
        due: list[Due] = []
        ended: list[int] = []
        wait_s = LONGEST_S
        for bucket, swept in zip(buckets, found, strict=True):
            if isinstance(swept, str):
                self._tell_faulty(bucket, swept)
                continue
            ended += self._note_moved(bucket, swept.moved_ms)
            if swept.next_due >= 0:
                wait_s = min(wait_s, (swept.next_due - now) / 1000)
            for member, due_ms in swept.entries:
                metrics.LAG.observe(max(0, now - due_ms) / 1000)
                due.append(Due(member, bucket, now + AGAIN_MS))
        if ended:
            _LOG.info("leases were moved past an outage", moved_ms=max(ended), buckets=len(ended))
        metrics.SWEEPS.inc()
        return due, wait_s

    def _tell_faulty(self, bucket: int, words: str) -> None:
        metrics.FAILED_SWEEPS.inc()
        if self._seldom.now(f"bucket {bucket}"):
            _LOG.error("a bucket cannot be swept", bucket=bucket, store_says=words)

    def _note_moved(self, bucket: int, moved_ms: int) -> list[int]:
        """Add up what an outage moves a bucket's leases by, however many sweeps it takes; give it once it is over."""
        if moved_ms:
            if bucket not in self._moving:
                metrics.OUTAGES.inc()
            self._moving[bucket] = self._moving.get(bucket, 0) + moved_ms
        elif bucket in self._moving:
            return [self._moving.pop(bucket)]
        return []

    async def _ask(self, buckets: Sequence[int], most: int) -> Reply:
        swept = [
            key(bucket)
            for bucket in buckets
            for key in (
                keys.sweep_key,
                keys.clocks_key,
                keys.leases_key,
                keys.gateways_key,
                keys.streams_key,
            )
        ]
        return await self._store.run(
            SWEEP, swept, [OUTAGE_MS, AGAIN_MS, most, GATEWAY_LIVES_MS, FORGOTTEN_MS]
        )

    def _handle_all(self, tasks: asyncio.TaskGroup, entries: Sequence[Due], handle: Handle) -> None:
        for due in entries:
            in_hand = self._in_hand[self._store.group(due.bucket)]
            if due.member not in in_hand:
                in_hand.add(due.member)
                tasks.create_task(self._handle_one(due, handle))

    async def _handle_one(self, due: Due, handle: Handle) -> None:
        """Handle one entry; whatever is wrong with it is told, and holds up no other."""
        with log.about(**_meant(due.text)):
            await self._handle_named(due, handle)

    async def _handle_named(self, due: Due, handle: Handle) -> None:
        try:
            await self._settle(due, await handle(clocks.from_text(due.text)))
            metrics.ENTRIES.labels("handled").inc()
        except Unreadable:
            self._tell_again(due, "Unreadable")
            metrics.ENTRIES.labels("faulty").inc()
            await self._leave_alone(due)
        except (Refused, StoreError) as error:
            self._tell_again(due, type(error).__name__)
            metrics.ENTRIES.labels("again").inc()
        except Exception as error:  # noqa: BLE001 - one bad entry must not stop the sweep
            _LOG.exception("entry cannot be handled", error, entry=due.text)
            metrics.ENTRIES.labels("faulty").inc()
            await self._leave_alone(due)
        finally:
            self._in_hand[self._store.group(due.bucket)].discard(due.member)

    def _tell_again(self, due: Due, error: str) -> None:
        if self._seldom.now(due.text):
            _LOG.warning("entry is to be tried again", entry=due.text, error=error)

    async def _leave_alone(self, due: Due) -> None:
        try:
            await self._settle(due, self._store.clock.now() + FAULTY_AGAIN_MS)
        except StoreError as error:
            self._tell_again(due, type(error).__name__)

    async def _settle(self, due: Due, again: int | None) -> None:
        next_due = "" if again is None else again
        await self._store.run(SETTLE, [keys.clocks_key(due.bucket)], [due.member, due.claimed, next_due])


def _meant(text: str) -> dict[str, log.Field]:
    """Say which table or race an entry is about, for the log."""
    try:
        entry = clocks.from_text(text)
    except ValueError:
        return {}
    if isinstance(entry, clocks.PresenceDue | clocks.ExpireDue):
        return {"table": entry.table}
    return {"table": parse_race_id(entry.race)[0], "race": entry.race}


def _read(reply: Reply) -> tuple[int, list[Swept | str]]:
    match reply:
        case [int(now), *buckets]:
            return now, list(_buckets(buckets))
        case _:
            raise StoreError("a sweep answered in another shape")


def _buckets(replies: Sequence[Reply]) -> Iterator[Swept | str]:
    for bucket in replies:
        match bucket:
            case [int(moved), int(next_due), *entries] if len(entries) % 2 == 0:
                pairs = zip(entries[::2], entries[1::2], strict=True)
                yield Swept(moved, next_due, [_entry(member, due) for member, due in pairs])
            case bytes():
                yield bucket.decode(errors="replace")
            case _:
                raise StoreError("a sweep answered in another shape")


def _entry(member: Reply, due: Reply) -> tuple[bytes, int]:
    if not isinstance(member, bytes) or not isinstance(due, int):
        raise StoreError("a sweep answered in another shape")
    return member, due
