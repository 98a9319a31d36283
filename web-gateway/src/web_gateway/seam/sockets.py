"""All sockets of this process: how many there may be, and the one timer that pings them."""

import asyncio
from collections.abc import Iterator

from web_gateway.seam.frames import MESSAGE_S, Frames
from web_gateway.seam.turn import Turn
from wire.seldom import Seldom

UNHEARD = 4408
"""Close code of a socket whose peer has not been heard for two intervals, or is too slow to make out."""

_TICKS = 5
_TURN = 256


class Sockets:
    """Those open or in their handshake; `len` counts them, iterating gives the open ones; `turn` gathers for them.

    By `seldom` the log tells of those that are refused, which may come as fast as anybody likes.
    """

    def __init__(self, *, limit: int) -> None:
        self._limit = limit
        self.turn = Turn()
        self.seldom = Seldom()
        self._all: set[asyncio.Protocol] = set()
        self._none = asyncio.Event()
        self.leaving = False

    @property
    def full(self) -> bool:
        """Whether another one would be too many."""
        return len(self._all) >= self._limit

    def add(self, connection: asyncio.Protocol) -> None:
        """Count one."""
        self._all.add(connection)

    def discard(self, connection: asyncio.Protocol) -> None:
        """Count it no longer; one never counted is none to miss."""
        self._all.discard(connection)
        if not self._all:
            self._none.set()

    async def leave(self) -> None:
        """Take no more, have those open say goodbye and close, and wait until all are gone."""
        self.leaving = True
        for frames in self:
            frames.shutdown()
        while self._all:
            self._none.clear()
            await self._none.wait()

    def __len__(self) -> int:
        return len(self._all)

    def __iter__(self) -> Iterator[Frames]:
        return (connection for connection in tuple(self._all) if isinstance(connection, Frames))


class Heartbeat:
    """Pings every socket once an interval and closes (4408) those unheard for two (docs/architecture.md, rule 10).

    It closes those, too, whose peer has been at one message for too long: a byte now and then is a sign of life.
    """

    def __init__(self, sockets: Sockets, interval_s: float) -> None:
        self._sockets, self._interval_s = sockets, interval_s

    async def run(self) -> None:
        """Go on until cancelled; a task of the gateway's group."""
        loop = asyncio.get_running_loop()
        tick_s = self._interval_s / _TICKS
        while True:
            slept = loop.time()
            await asyncio.sleep(tick_s)
            # After a stall of our own the peers' answers wait in the kernel: nobody is judged before they are read.
            await self._round(stalled=loop.time() - slept > 2 * tick_s)

    async def _round(self, *, stalled: bool) -> None:
        now = asyncio.get_running_loop().time()
        for number, frames in enumerate(self._sockets, 1):
            self._beat(frames, now, stalled=stalled)
            if number % _TURN == 0:
                await asyncio.sleep(0)

    def _beat(self, frames: Frames, now: float, *, stalled: bool) -> None:
        silent = now - frames.last_heard >= 2 * self._interval_s
        if (silent or _is_slow(frames, now)) and not stalled:
            frames.close(UNHEARD)
        elif now - frames.last_ping >= self._interval_s:
            frames.ping()


def _is_slow(frames: Frames, now: float) -> bool:
    return frames.began is not None and now - frames.began > MESSAGE_S
