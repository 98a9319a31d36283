"""What this gateway knows of tables, each told to all its sockets here."""

import asyncio
from typing import Protocol

from tilerace.table.v1 import table_pb2
from web_gateway.frames import server
from web_gateway.frames.server import FreedWhy
from web_gateway.seam.codec import frame
from web_gateway.table_frames import FREED_WHY, holding_of, seen_from, starts_at, table_frame
from wire.clock import StoreClock
from wire.ids import BrowserHash, TableId, same_browser

LAGS_S = 3.0
"""How long replicas may lag behind each other before older news counts as a store that fell back."""
COUNT_S = 0.5
"""How long how many watch may change before all are told: whoever comes and goes would have each told each time."""
FEW = 32
"""How many sockets are told of each change at once; of more, those without a seat are told after `COUNT_S`, of all since."""


class TableSocket(Protocol):
    """A socket at a table; `number` is the gateway's own, `connection` table-service's, 0 until it is given.

    While `renumbering` it is to be given a new one, as if it had opened just now. `seated` is whether it was told so last.
    """

    number: int
    table: TableId
    browser: BrowserHash
    connection: int
    renumbering: bool
    greeted: bool
    seated: bool

    def connected(self, connection: int) -> None:
        """Hear the number that table-service gave."""

    def tabled(self, feed: "TableFeed") -> None:
        """Hear that the table changed, or how it is at first."""

    def freed(self, why: FreedWhy, version: int) -> None:
        """Hear, perhaps again, that the browser lost its seat with the change that made `version`; 0 for unknown."""

    def gone(self) -> None:
        """Hear that there is no such table."""

    def restart(self) -> None:
        """Start from a fresh snapshot: the store fell back."""


class TableFeed:
    """One table at this gateway."""

    def __init__(self, clock: StoreClock) -> None:
        """Begin with nothing known."""
        self.sockets: set[TableSocket] = set()
        self.news: table_pb2.TableNews | None = None
        self.heard_of = 0
        """The version that was pushed last: who lost a seat before was told over the Watch. 0 for none."""
        self._clock = clock
        self._start: asyncio.TimerHandle | None = None
        self._count: asyncio.TimerHandle | None = None
        self._built: dict[int | None, bytes] = {}
        self._watched: server.Table | None = None
        self._older_since: float | None = None
        self._built_of: table_pb2.TableNews | None = None

    @property
    def now(self) -> int:
        """The store's clock, in milliseconds."""
        return self._clock.now()

    def heard(self, news: table_pb2.TableNews, *, pushed: bool) -> None:
        """Take news; what is older than what is known only greets those who wait for it.

        What has no version, such as how many watch, counts only where it was `pushed`: the answer to a command may
        have been overtaken.
        """
        known = self.news
        if self._fell_back(news):
            self.forget()
            for socket in tuple(self.sockets):
                socket.restart()
            return
        if pushed or not self.heard_of:
            self.heard_of = max(self.heard_of, news.table.version)
        newer = known is None or news.table.version > known.table.version
        fresh = newer or (pushed and known is not None and _corrects(news, known))
        if fresh:
            self.news = news
            self._arm()
        is_count = fresh and known is not None and _differs_in_watchers_only(news, known)
        to_all = fresh and not is_count and len(self.sockets) <= FEW
        if fresh and not to_all and self._count is None:
            self._count = asyncio.get_running_loop().call_later(COUNT_S, self._tell_count)
        to_seated = fresh and not is_count
        self._tell(
            [each for each in self.sockets if to_all or not each.greeted or (to_seated and self._sits(each))]
        )

    def _sits(self, socket: TableSocket) -> bool:
        """Tell whether a socket has a seat, or had one when it was told last."""
        return socket.seated or (self.news is not None and holding_of(self.news, socket.browser) is not None)

    def forget(self) -> None:
        """Know nothing: the store fell back."""
        self.news, self._older_since, self.heard_of = None, None, 0

    def _fell_back(self, news: table_pb2.TableNews) -> bool:
        """Tell whether the store lost versions: for seconds there has been news, and only older than is known.

        A replica that merely lags behind another catches up within a second.
        """
        if self.news is None or news.table.version >= self.news.table.version:
            self._older_since = None
            return False
        here = asyncio.get_running_loop().time()
        if self._older_since is None:
            self._older_since = here
        return here - self._older_since > LAGS_S

    def frame(self, news: table_pb2.TableNews, seat: int | None) -> bytes:
        """Write the table for a browser in `seat`, or one that watches, as a whole frame; built once for all."""
        now = self.now
        watched = self._watched
        if watched is None or now != watched.now or news is not self._built_of:
            watched = self._watched = table_frame(news.table, now=now)
            self._built, self._built_of = {}, news
        if seat not in self._built:
            self._built[seat] = frame(server.write(seen_from(seat, watched)))
        return self._built[seat]

    def close(self) -> None:
        """Let go of the timers."""
        self._disarm()
        if self._count is not None:
            self._count.cancel()
            self._count = None

    def _arm(self) -> None:
        """Tell everyone again once the boards come alive: there is no commit then (docs/architecture.md, rule 7)."""
        self._disarm()
        start = None if self.news is None else starts_at(self.news.table)
        if start is not None and start > self.now:
            self._wait(start)

    def _disarm(self) -> None:
        if self._start is not None:
            self._start.cancel()
            self._start = None

    def _wait(self, start: int) -> None:
        # Rounded up: a timer that fires a moment early would find the countdown still running.
        wait_s = max(0, start - self.now) / 1000 + 0.001
        self._start = asyncio.get_running_loop().call_later(wait_s, self._started, start)

    def _started(self, start: int) -> None:
        if self.now < start:
            self._wait(start)
            return
        self._start = None
        self._tell([socket for socket in self.sockets if socket.greeted])

    def _tell_count(self) -> None:
        self._count = None
        self._tell([socket for socket in self.sockets if socket.greeted])

    def _tell(self, sockets: list[TableSocket]) -> None:
        """Tell sockets how the table is; the frames that are built for them are not kept."""
        for socket in sockets:
            socket.tabled(self)
        self._built, self._watched, self._built_of = {}, None, None


class Tables:
    """The tables that have sockets here."""

    def __init__(self, clock: StoreClock) -> None:
        """Begin with none."""
        self._clock = clock
        self._feeds: dict[TableId, TableFeed] = {}

    def join(self, socket: TableSocket) -> None:
        """Tell a socket of its table."""
        self._feeds.setdefault(socket.table, TableFeed(self._clock)).sockets.add(socket)

    def part(self, socket: TableSocket) -> None:
        """Tell a socket no more."""
        feed = self._feeds.get(socket.table)
        if feed is None:
            return
        feed.sockets.discard(socket)
        if not feed.sockets:
            feed.close()
            del self._feeds[socket.table]

    def heard(self, news: table_pb2.TableNews, *, pushed: bool) -> None:
        """Take news of a table, `pushed` over the Watch or not; one that has no sockets here is passed over."""
        feed = self._feeds.get(TableId(news.table.table))
        if feed is not None:
            feed.heard(news, pushed=pushed)

    def freed(self, freed: table_pb2.Freed) -> None:
        """Tell a browser's sockets that it lost its seat."""
        why = FREED_WHY[freed.why]
        for socket in self.at(freed.table):
            if same_browser(socket.browser, BrowserHash(freed.browser)):
                socket.freed(why, freed.version)

    def news_of(self, table: TableId) -> table_pb2.TableNews | None:
        """Give what is known of a table here."""
        feed = self._feeds.get(table)
        return None if feed is None else feed.news

    def heard_of(self, table: TableId) -> int:
        """Give the version of a table that was pushed last, 0 for none."""
        feed = self._feeds.get(table)
        return 0 if feed is None else feed.heard_of

    def gone(self, table: str) -> None:
        """Tell a table's sockets that it is gone."""
        for socket in self.at(table):
            socket.gone()

    def rewound(self, table: str) -> None:
        """Have a table's sockets start afresh."""
        feed = self._feeds.get(TableId(table))
        if feed is not None:
            feed.forget()
        for socket in self.at(table):
            socket.restart()

    def at(self, table: str) -> tuple[TableSocket, ...]:
        """Give the sockets at a table."""
        feed = self._feeds.get(TableId(table))
        return () if feed is None else tuple(feed.sockets)


def _differs_in_watchers_only(news: table_pb2.TableNews, known: table_pb2.TableNews) -> bool:
    if news.table.watchers == known.table.watchers:
        return False
    alike = table_pb2.TableNews()
    alike.CopyFrom(news)
    alike.table.watchers = known.table.watchers
    return alike == known


def _corrects(news: table_pb2.TableNews, known: table_pb2.TableNews) -> bool:
    return news.table.version == known.table.version and news != known
