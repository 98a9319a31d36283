"""The generator: one loop over all sockets, closed (each slides as soon as it was answered) or open (by a schedule).

In the open loop a slide's latency counts from when it was scheduled, so that a server that stalls is charged for all
that would have come meanwhile.
"""

import selectors
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from bench.race.histogram import Histogram
from bench.race.player import Player

_READ = 65536
_GIVE_UP_S = 10.0


@dataclass(slots=True)
class Load:
    """What a span of load came to."""

    slides: int = 0
    seconds: float = 0.0
    own_cpu_s: float = 0.0
    latency: Histogram = field(default_factory=Histogram)


class Loop:
    """Drives players; make one for all spans of a round."""

    def __init__(self, players: Sequence[Player]) -> None:
        """Take the players' sockets."""
        self._players = players
        self._selector = selectors.EpollSelector()
        self._since: dict[Player, float] = {}
        for player in players:
            player.sock.setblocking(False)
            self._selector.register(player.sock, selectors.EVENT_READ, player)

    def close(self) -> None:
        """Let the sockets go."""
        self._selector.close()
        for player in self._players:
            player.sock.close()

    def closed(self, seconds: float) -> Load:
        """Have everybody slide as soon as they can."""
        load, begun, own = Load(), time.perf_counter(), time.process_time()
        end = begun + seconds
        for player in self._players:
            self._slide(player, begun)
        while (now := time.perf_counter()) < end:
            for player in self._answered(load, end - now):
                self._slide(player, time.perf_counter())
        return self._finish(load, begun, own)

    def open(self, seconds: float, *, slides_a_second: float) -> Load:
        """Have slides fall due at an even pace, each by the next player in turn."""
        load, begun, own = Load(), time.perf_counter(), time.process_time()
        end, due, gap = begun + seconds, begun, 1 / slides_a_second
        turn, waiting = 0, {player: deque[float]() for player in self._players}
        while (now := time.perf_counter()) < end:
            while due <= now:
                player = self._players[turn % len(self._players)]
                waiting[player].append(due)
                turn, due = turn + 1, due + gap
                self._next(player, waiting[player])
            for player in self._answered(load, due - now):
                self._next(player, waiting[player])
        return self._finish(load, begun, own)

    def _next(self, player: Player, waiting: deque[float]) -> None:
        if waiting and player not in self._since and player.ready:
            self._slide(player, waiting.popleft())

    def _slide(self, player: Player, since: float) -> None:
        if player.ready and player not in self._since:
            self._since[player] = since
            player.sock.send(player.slide())

    def _answered(self, load: Load, wait_s: float) -> list[Player]:
        """Read what has come within a time; give those who may slide again."""
        able = []
        for key, _ in self._selector.select(max(0.0, wait_s)):
            player: Player = key.data
            try:
                data = player.sock.recv(_READ)
            except BlockingIOError:
                continue
            if not data:
                raise ConnectionError("the server closed a socket")
            if player.take(data):
                load.slides += 1
                load.latency.add(time.perf_counter() - self._since.pop(player))
            if player.ready:
                self._since.pop(player, None)  # refused, or another race: it is as good as never asked
                able.append(player)
        return able

    def _finish(self, load: Load, begun: float, own: float) -> Load:
        """Stop the clock, then wait for what is under way, which counts for nothing."""
        load.seconds = time.perf_counter() - begun
        load.own_cpu_s = time.process_time() - own
        unheeded, end = Load(), time.perf_counter() + _GIVE_UP_S
        while self._since and time.perf_counter() < end:
            self._answered(unheeded, 0.05)
            stuck = [player for player in self._since if player.ready]
            for player in stuck:
                del self._since[player]
        self._since.clear()
        return load
