"""News of a race to all streams that follow it, folded: at most one every 50 ms, what matters at once.

The racer's own answer does not come this way, and is never held back for it (docs/architecture.md, "The hot path").
"""

import asyncio
import math

from engine import Race
from game_service import messages
from game_service.outbox import Outbox
from game_service.running import Running
from tilerace.game.v1 import game_pb2

FOLD_S = 0.05
TICK_S = 0.01
"""What is told later is told at common ticks, so that many races' news are one message."""


class Standings:
    """Tells followers how races stand."""

    def __init__(self) -> None:
        """Begin with nobody told of anything."""
        self._loop = asyncio.get_running_loop()
        self._told_at: dict[Running, float] = {}
        self._due: dict[Running, int] = {}
        self._ticks: dict[int, dict[Running, None]] = {}

    def changed(self, running: Running, before: Race | None) -> None:
        """Tell of a change from `before`: now where it matters or nothing was told lately, else folded with others."""
        if not running.followers or running.known is None:
            return
        if before is None or _matters(before, running.known.record.race):
            self.tell(running)
        elif running not in self._due:
            due = self._told_at.get(running, 0.0) + FOLD_S
            if due <= self._loop.time():
                self.tell(running)
            else:
                self._fold(running, math.ceil(due / TICK_S))

    def tell(self, running: Running, *, may_wait: bool = False) -> None:
        """Tell all who follow a race how it stands now, or with what they are told next."""
        self._unfold(running)
        event = current(running)
        if event is None:
            return
        self._told_at[running] = self._loop.time()
        if running.fresh:
            running.newcomers = ()
        # Who has just come waits for what is read anew.
        for outbox in running.followers:
            if outbox not in running.newcomers:
                outbox.tell(event, may_wait=may_wait)

    def welcome(self, running: Running) -> None:
        """Tell those who have just begun to follow, and reveal to them what is revealed."""
        if not running.newcomers:
            return
        event = current(running)
        if event is None:
            return
        newcomers, running.newcomers = running.newcomers, ()
        for outbox in newcomers:
            outbox.tell(event)
            reveal_to(running, outbox)

    def forget(self, running: Running) -> None:
        """Let go of a race that leaves memory."""
        self._unfold(running)
        self._told_at.pop(running, None)

    def _fold(self, running: Running, tick: int) -> None:
        self._due[running] = tick
        if tick not in self._ticks:
            self._ticks[tick] = {}
            self._loop.call_at(tick * TICK_S, self._ring, tick)
        self._ticks[tick][running] = None

    def _unfold(self, running: Running) -> None:
        tick = self._due.pop(running, None)
        if tick is not None:
            del self._ticks[tick][running]

    def _ring(self, tick: int) -> None:
        races = self._ticks.pop(tick)
        for running in races:
            del self._due[running]
        for running in races:
            self.tell(running, may_wait=True)


def current(running: Running) -> game_pb2.LinkEvent | None:
    """Write how a race stands, or None where it is not loaded."""
    known = running.known
    return None if known is None else messages.news_event(running.race, known.version, known.record.race)


def reveal_to(running: Running, outbox: Outbox) -> None:
    """Tell one stream what was secret, where the race is over and that is known to be durable."""
    if running.revealed and running.over and running.known is not None:
        outbox.tell(messages.reveal_event(running.race, running.known.record.race))


def _matters(before: Race, after: Race) -> bool:
    """Tell whether a change is more than standings that go up: an offer, someone out, the end."""
    if after.verdict is not None or after.offer != before.offer or after.last_offer != before.last_offer:
        return True
    for then, now in zip(before.racers, after.racers, strict=True):
        if now is not then and now.out is not then.out:
            return True
    return False
