"""What happens once a race is over: its seed is revealed when the verdict is durable, and a verdict is never lost.

A store that fell back behind a verdict that this replica holds is given it again (docs/architecture.md, rule 6).
"""

import asyncio
import contextlib
from collections.abc import Callable

from game_service import commits
from game_service.commits import Stored
from game_service.meta import pack_deal
from game_service.running import Running
from game_service.standings import reveal_to
from wire import keys
from wire.log import events
from wire.store import Store, StoreError
from wire.store_metrics import REWINDS

_LOG = events("game_service")
TRIES = 5
AGAIN_S = 0.5
HELD_S = 60.0
"""How long a verdict stays in memory though nobody follows it: a store may go back behind what it called durable."""


async def durable(store: Store, bucket: int) -> None:
    """Wait for word that all that was committed is durable, for as long as a reveal does.

    Some stores never say so; then what they hold counts.
    """
    for _ in range(TRIES):
        if await store.durable(bucket):
            return
        await asyncio.sleep(AGAIN_S)


class _Group:
    """Races of one group of the store that are over and are to be revealed, by how often that was tried."""

    def __init__(self) -> None:
        self.wanted: dict[Running, int] = {}
        self.ended = asyncio.Event()
        self.some = asyncio.Event()


class Reveals:
    """Holds on to verdicts, waits for them to be durable, and reveals."""

    def __init__(self, store: Store, wake: Callable[[Running], None]) -> None:
        """Begin with none wanted; `wake` is called with a race that was held on to until now."""
        self._store = store
        self._wake = wake
        self._groups = {store.group(bucket): _Group() for bucket in range(keys.BUCKETS)}

    def want(self, running: Running) -> None:
        """Reveal a race to its followers as soon as may be, where it is over and has not been."""
        group = self._groups[self._store.group(running.bucket)]
        if running.over and not running.revealed and running not in group.wanted:
            group.wanted[running] = 0
            group.ended.set()
            group.some.set()

    async def run(self) -> None:
        """Reveal what is wanted until cancelled; each group by itself, as each may wait for a node of its own."""
        async with asyncio.TaskGroup() as tasks:
            for group in self._groups.values():
                tasks.create_task(self._hold_for_ever(group))
                tasks.create_task(self._reveal_for_ever(group))

    async def _hold_for_ever(self, group: _Group) -> None:
        """Have the logs of races that ended in memory at once: a verdict can be told again with its log only."""
        while True:
            await group.ended.wait()
            group.ended.clear()
            with contextlib.suppress(StoreError):  # revealing reads it again
                for running in [each for each in group.wanted if each.log is None]:
                    await self._hold(running)

    async def _reveal_for_ever(self, group: _Group) -> None:
        while True:
            await group.some.wait()
            group.some.clear()
            if group.wanted:
                await self._reveal(group)
            if group.wanted:
                await asyncio.sleep(AGAIN_S)
                group.some.set()

    async def _reveal(self, group: _Group) -> None:
        """Reveal races of one group of the store, if it says that they are durable or will never say so."""
        over = list(group.wanted)
        durable = await self._store.durable(over[0].bucket)
        for running in over:
            group.wanted[running] += 1
            if not durable and group.wanted[running] < TRIES:
                continue
            try:
                stands = await self._hold(running)
            except StoreError:
                continue
            if stands:
                self._tell(running, durable=durable)
            elif running.over:
                group.wanted[running] = 0  # it is read again within a second, and then restored or taken back
                continue
            del group.wanted[running]
            self._wake(running)

    def _tell(self, running: Running, *, durable: bool) -> None:
        if not durable:
            _LOG.warning("revealed without word that it is durable", race=running.race)
        running.revealed = True
        if running.known is not None and self._store.clock.now() - running.known.last < HELD_S * 1000:
            running.held = True
            asyncio.get_running_loop().call_later(HELD_S, self._let_go, running)
        for outbox in running.followers:
            if outbox not in running.newcomers:
                reveal_to(running, outbox)

    def _let_go(self, running: Running) -> None:
        running.held = False
        self._wake(running)

    async def _hold(self, running: Running) -> bool:
        """Take the log of a race that is over into memory; whether the store holds what is known.

        Raises:
            StoreError: it could not be read.
        """
        known = running.known
        if known is None or not running.over:
            return False
        log = await commits.read_log_at(self._store, running.race, known)
        if log is None or running.known is not known:
            return False
        running.log = log
        return True

    async def restored(self, running: Running, found: Stored) -> bool:
        """Give the store a verdict again that it has lost; whether what is known stands there now.

        Raises:
            StoreError: it is not known whether it does.
        """
        held, log = running.known, running.log
        if held is None or log is None or running.deal is None or not running.over:
            return False
        lost = found.ended_at == 0 and found.version < held.version and found.meta == pack_deal(running.deal)
        if not lost or not await commits.restore(
            self._store, running.places, held=held, found=found, log=log
        ):
            return False
        REWINDS.inc()
        _LOG.warning("a verdict was committed again", race=running.race, version=held.version)
        running.fresh = True
        self.want(running)
        return True
