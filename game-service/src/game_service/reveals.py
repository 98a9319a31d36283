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
from wire.log import events
from wire.store import Store, StoreError

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


class Reveals:
    """Holds on to verdicts, waits for them to be durable, and reveals."""

    def __init__(self, store: Store, wake: Callable[[Running], None]) -> None:
        """Begin with none wanted; `wake` is called with a race that was held on to until now."""
        self._store = store
        self._wake = wake
        self._wanted: dict[Running, int] = {}
        self._ended = asyncio.Event()
        self._some = asyncio.Event()

    def want(self, running: Running) -> None:
        """Reveal a race to its followers as soon as may be, where it is over and has not been."""
        if running.over and not running.revealed and running not in self._wanted:
            self._wanted[running] = 0
            self._ended.set()
            self._some.set()

    async def run(self) -> None:
        """Reveal what is wanted until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._hold_for_ever())
            tasks.create_task(self._reveal_for_ever())

    async def _hold_for_ever(self) -> None:
        """Have the logs of races that ended in memory at once: a verdict can be told again with its log only."""
        while True:
            await self._ended.wait()
            self._ended.clear()
            with contextlib.suppress(StoreError):  # revealing reads it again
                for running in [each for each in self._wanted if each.log is None]:
                    await self._hold(running)

    async def _reveal_for_ever(self) -> None:
        while True:
            await self._some.wait()
            self._some.clear()
            groups: dict[int, list[Running]] = {}
            for running in self._wanted:
                groups.setdefault(self._store.group(running.bucket), []).append(running)
            for group in groups.values():
                await self._reveal(group)
            if self._wanted:
                await asyncio.sleep(AGAIN_S)
                self._some.set()

    async def _reveal(self, group: list[Running]) -> None:
        """Reveal races of one group of the store, if it says that they are durable or will never say so."""
        durable = await self._store.durable(group[0].bucket)
        for running in group:
            self._wanted[running] += 1
            if not durable and self._wanted[running] < TRIES:
                continue
            try:
                stands = await self._hold(running)
            except StoreError:
                continue
            if stands:
                self._tell(running, durable=durable)
            elif running.over:
                self._wanted[running] = 0  # it is read again within a second, and then restored or taken back
                continue
            del self._wanted[running]
            self._wake(running)

    def _tell(self, running: Running, *, durable: bool) -> None:
        if not durable:
            _LOG.warning("revealed without word that it is durable", race=running.race)
        running.revealed = True
        if running.known is not None and self._store.clock.now() - running.known.last < HELD_S * 1000:
            running.held = True
            asyncio.get_running_loop().call_later(HELD_S, self._let_go, running)
        for outbox in running.followers - running.newcomers:
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
        _LOG.warning("a verdict was committed again", race=running.race, version=held.version)
        running.fresh = True
        self.want(running)
        return True
