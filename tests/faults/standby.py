"""A second store that follows the first, over a line of its own, and takes its place when that dies."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path

from redis import Redis
from tests.faults.fleet import Fleet
from tests.faults.lines import Between
from tests.proxy import STALLED
from tests.stack import Valkey

FOLLOWS_S = 20.0


@dataclass
class Standby:
    """A replica of a fleet's store; `line` is that on which it hears of what is written."""

    fleet: Fleet
    store: Valkey
    line: Between

    def lag(self) -> None:
        """Have nothing that is written from now on arrive, with the line up all the same."""
        self.line.weather(down=STALLED)

    async def until_level(self) -> None:
        """Wait until it holds all that was written up to now."""
        with self.fleet.client() as primary:
            wanted = int(primary.info("replication")["master_repl_offset"])
        await self._until(lambda: self._offset() >= wanted)

    async def take_over(self) -> None:
        """Have the store die, and this one be the store, as a supervisor of both does."""
        self.fleet.store.kill()
        with Redis(port=self.store.port) as client:
            client.replicaof("NO", "ONE")
        self.fleet.store, self.store = self.store, self.fleet.store
        self.fleet.store.options = ()
        for line in self.fleet.store_lines.values():
            line.retarget(self.fleet.store.port)

    async def _until(self, holds: Callable[[], bool]) -> None:
        end = time.monotonic() + FOLLOWS_S
        while not holds():
            assert time.monotonic() < end, "the replica never followed"
            await asyncio.sleep(0.02)

    def _offset(self) -> int:
        with Redis(port=self.store.port) as client:
            told = client.info("replication")
        return int(told["slave_repl_offset"]) if told.get("master_link_status") == "up" else -1


@contextlib.asynccontextmanager
async def following(fleet: Fleet, folder: Path) -> AsyncIterator[Standby]:
    """Run a replica of the fleet's store, level with it; in the end one of the two is the store, the other has ended."""
    line = fleet.lines.to(fleet.store.port)
    standby = Standby(fleet, Valkey(folder, options=("--replicaof", f"127.0.0.1 {line.port}")), line)
    with fleet.client() as primary:
        primary.config_set("repl-diskless-sync-delay", 0)
    try:
        await asyncio.to_thread(standby.store.start)
        await standby.until_level()
        yield standby
    finally:
        standby.store.stop()
