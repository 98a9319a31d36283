"""What all sockets and requests share: the streams, the calls, the clock, and what may be asked how often."""

import asyncio
import contextlib
from typing import Protocol

from web_gateway import metrics
from web_gateway.askers import Asker, Askers
from web_gateway.calls import Calls
from web_gateway.frames import server
from web_gateway.limits import What
from web_gateway.links import Links
from web_gateway.origin import Origins
from web_gateway.reach import Addresses
from web_gateway.returning import Returning
from web_gateway.room import MOST_SOCKETS
from web_gateway.seam.sockets import Sockets
from web_gateway.settings import Settings
from web_gateway.sharing import Sharing
from web_gateway.table_frames import holding_of
from web_gateway.tables import Tables
from web_gateway.watch import Watch
from wire.channels import Channels
from wire.clock import StoreClock
from wire.ids import BrowserHash, TableId
from wire.metrics import keep_looking
from wire.refusal import Refused
from wire.routing import Replicas

CATCH_UP_S = 0.05


class Behind(Protocol):
    """A socket that was not read when there was news."""

    def catch_up(self) -> bool:
        """Send what was kept, if it may be sent now; whether that is done."""


class Gateway:
    """The gateway's parts; have `run` run beside the server."""

    def __init__(self, settings: Settings, *, most_sockets: int = MOST_SOCKETS) -> None:
        """Put the parts together; nothing is connected yet.

        From nine tenths of `most_sockets` on no new tables are opened.
        """
        self.settings = settings
        self._most_sockets = most_sockets
        self.clock = StoreClock()
        self.addresses = Addresses(settings.listen, settings.public_url)
        self.origins = Origins(settings.public_url)
        self.leaving = self._started = False
        self.sockets = Sockets(limit=most_sockets)
        self._channels = Channels()
        self._game = Replicas([str(address) for address in settings.game])
        self._table = Replicas([str(address) for address in settings.table])
        self.calls = Calls(self._game, self._table, channels=self._channels, clock=self.clock)
        self.returning = Returning()
        self.askers = Askers(settings.proxies, times=settings.limits)
        self._sharing = Sharing(self.askers, self.calls)
        self.links = Links(self._game, self.clock, turn=self.sockets.turn)
        self.tables = Tables(self.clock)
        ping_s = settings.timings.ping_ms / 1000
        self.watch = Watch(self._table, self._channels, self.tables, clock=self.clock, ping_s=ping_s)
        self._behind: set[Behind] = set()
        self._some_behind = asyncio.Event()
        self._moved = asyncio.Event()
        self._numbers = 0
        self.tasks: asyncio.TaskGroup

    @property
    def ready(self) -> bool:
        """Whether both services have answered since the start, and this gateway does not go away.

        One that has lost them, or whose store is away, still serves pages, and says so in words on every table.
        """
        self._started = self._started or (self.links.ready and self.watch.ready)
        return self._started and not self.leaving

    @property
    def crowded(self) -> bool:
        """Whether new tables are to be refused, so that those there are go on undisturbed."""
        return len(self.sockets) >= self._most_sockets * 9 // 10

    @property
    def packed(self) -> bool:
        """Whether new sockets are to be refused, but for those of browsers with a seat: what is left is for races."""
        return len(self.sockets) >= self._most_sockets * 19 // 20

    async def seats(self, browser: BrowserHash, table: TableId, *, asker: Asker) -> bool:
        """Tell whether a browser has a seat at a table, as far as that can be told now."""
        news = self.tables.news_of(table)
        is_known = news is not None and holding_of(news, browser) is not None
        if is_known or self.returning.may_return(browser, table):
            return True
        # Also where there is news here: how long it takes must not tell whoever has no seat that there is a table.
        if asker.allows(What.REQUESTS):
            with contextlib.suppress(Refused):
                return holding_of(await self.calls.get_table(table), browser) is not None
        return False

    def next_number(self) -> int:
        """Give a number that no other socket of this gateway has had."""
        self._numbers += 1
        return self._numbers

    def hello(self, table: TableId, host: str | None) -> server.Hello:
        """Write what a socket hears first; `host` is its request's Host header."""
        timings = self.settings.timings
        link, reach = self.addresses.link(f"/t/{table}", host)
        return server.Hello(
            build=self.settings.build,
            link=link,
            reach=reach,
            clocks_s=timings.clocks_s,
            countdown_ms=timings.countdown_ms,
            ping_ms=timings.ping_ms,
            grace_ms=timings.grace_ms,
            now=self.clock.now(),
        )

    def look(self) -> None:
        """Set the gauges of this gateway to how it is."""
        metrics.SOCKETS.set(len(self.sockets))
        self.links.look()
        self.watch.look()

    def fell_behind(self, socket: Behind) -> None:
        """Have a socket sent what was kept, in a moment, or once it is read again."""
        self._behind.add(socket)
        self._some_behind.set()

    async def run(self) -> None:
        """Hold the streams until cancelled."""
        try:
            async with asyncio.TaskGroup() as self.tasks:
                self.tasks.create_task(self._game.keep_resolving(self._game_changed))
                self.tasks.create_task(self._table.keep_resolving(self._moved.set))
                self.tasks.create_task(self.links.run())
                self.tasks.create_task(self.watch.run())
                self.tasks.create_task(self._sharing.run())
                self.tasks.create_task(self._catch_up_for_ever())
                self.tasks.create_task(self._close_what_is_gone())
                self.tasks.create_task(keep_looking(self.look))
        finally:
            await self._channels.aclose()

    async def part(self) -> None:
        """Say that we are not ready, and send every socket elsewhere; pages and health are served meanwhile."""
        self.leaving = True
        await self.sockets.leave()

    async def drain(self) -> None:
        """Tell table-service what is still to be told."""
        await self.watch.drain()

    async def _catch_up_for_ever(self) -> None:
        while True:
            await self._some_behind.wait()
            await asyncio.sleep(CATCH_UP_S)
            self._behind = {socket for socket in self._behind if not socket.catch_up()}
            if not self._behind:
                self._some_behind.clear()

    async def _close_what_is_gone(self) -> None:
        """Close the channels to replicas that are no more; the Watch goes on where it is, as any serves any table."""
        while True:
            await self._moved.wait()
            self._moved.clear()
            await self._channels.keep({*self._game.addresses, *self._table.addresses})

    def _game_changed(self) -> None:
        self._moved.set()
        self.links.addresses_changed()
