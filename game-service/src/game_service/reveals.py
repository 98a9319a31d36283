"""What happens once a race is over: its seed is revealed when the verdict is durable, and a verdict is never lost.

A store that fell back behind a verdict that this replica holds is given it again (docs/architecture.md, rule 6).
"""

import asyncio

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


class Reveals:
    """Waits for verdicts to be durable, and reveals."""

    def __init__(self, store: Store) -> None:
        """Begin with none wanted."""
        self._store = store
        self._wanted: dict[Running, int] = {}
        self._some = asyncio.Event()

    def want(self, running: Running) -> None:
        """Reveal a race to its followers as soon as may be, where it is over and has not been."""
        if running.over and not running.revealed and running not in self._wanted:
            self._wanted[running] = 0
            self._some.set()

    async def run(self) -> None:
        """Reveal what is wanted until cancelled."""
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
        known = {running: running.known for running in group}
        durable = await self._store.durable(group[0].bucket)
        for running in group:
            self._wanted[running] += 1
            if not durable and self._wanted[running] < TRIES:
                continue
            try:
                log = await commits.read_log(self._store, running.race)
            except StoreError:
                continue
            del self._wanted[running]
            if running.known is not known[running] or not running.over:
                continue
            if not durable:
                _LOG.warning("revealed without word that it is durable", race=running.race)
            running.revealed, running.log = True, log
            for outbox in running.followers - running.newcomers:
                reveal_to(running, outbox)

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
        return True
