"""Timers of the races in memory: a deadline and an offer's end are met at the instant (docs/architecture.md, rule 3).

They only wake the race. Whether the time has come is judged by the script.
"""

import asyncio
from collections.abc import Callable

from game_service.running import Running
from wire.clock import StoreClock


class Alarms:
    """One timer a race, at what is next due."""

    def __init__(self, clock: StoreClock, wake: Callable[[Running], None]) -> None:
        """Begin with none; `wake` is called with a race that is due."""
        self._clock = clock
        self._wake = wake
        self._set: dict[Running, tuple[int, asyncio.TimerHandle]] = {}

    def arm(self, running: Running) -> None:
        """Set a race's timer to what is next due, or to nothing."""
        due = running.due_at
        held = self._set.get(running)
        if held is not None:
            if held[0] == due:
                return
            self.disarm(running)
        if due is not None:
            wait = max(1, due - self._clock.now()) / 1000
            handle = asyncio.get_running_loop().call_later(wait, self._ring, running)
            self._set[running] = (due, handle)

    def disarm(self, running: Running) -> None:
        """Let go of a race's timer."""
        held = self._set.pop(running, None)
        if held is not None:
            held[1].cancel()

    def _ring(self, running: Running) -> None:
        self._set.pop(running, None)
        self._wake(running)
