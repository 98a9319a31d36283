"""The generator: one loop over all sockets, closed (each slides as soon as it was answered) or open (by a schedule).

In the open loop a slide's latency counts from when it was scheduled, so that a server that stalls is charged for all
that would have come meanwhile.
"""

import gc
import heapq
import random
import select
import time
from collections import deque
from collections.abc import Callable, Iterable
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
    """Drives players; make one for all spans of a round. Those that only hold a socket are heard too."""

    def __init__(self, players: Iterable[Player]) -> None:
        """Take their sockets."""
        # In no order of their tables: those of one race would slide together, and share what a commit costs.
        self._players = list(players)
        random.Random(1).shuffle(self._players)  # noqa: S311  guards nothing
        self._epoll = select.epoll()
        self._by_fd: dict[int, Player] = {}
        self._since: dict[Player, float] = {}
        self._sent: dict[Player, float] = {}
        self._resting: list[tuple[float, int]] = []
        self._rests: set[int] = set()
        self._due: dict[Player, deque[float]] = {player: deque() for player in self._players}
        self._turn = 0
        for each in self._players:
            self.hold(each)

    def hold(self, player: Player) -> None:
        """Take in one more that holds a socket."""
        player.sock.setblocking(False)
        self._epoll.register(player.sock, select.EPOLLIN)
        self._by_fd[player.sock.fileno()] = player

    def close(self) -> None:
        """Let the sockets go."""
        self._epoll.close()
        for player in self._by_fd.values():
            player.sock.close()
        gc.unfreeze()

    def idle(self, seconds: float) -> None:
        """Take what comes for some time, and have nobody slide; with 0, what is there already."""
        end = time.perf_counter() + seconds
        while True:
            self._answered(Load(), end - time.perf_counter(), then=_nothing)
            if time.perf_counter() >= end:
                return

    def closed(self, seconds: float) -> Load:
        """Have everybody slide as soon as they can."""
        load, begun, own = _begun()
        end = begun + seconds
        for player in self._players:
            self._go_on(player)
        while (now := time.perf_counter()) < end:
            while self._resting and self._resting[0][0] <= now:
                fd = heapq.heappop(self._resting)[1]
                self._rests.discard(fd)
                self._go_on(self._by_fd[fd])
            wake = min(end, self._resting[0][0]) if self._resting else end
            self._answered(load, wake - now, then=self._go_on)
        self._resting.clear()
        self._rests.clear()
        return self._finish(load, begun, own)

    def open(self, seconds: float, *, slides_a_second: float) -> Load:
        """Have slides fall due at an even pace, each by the next in turn of those that have a board to slide on."""
        load, begun, own = _begun()
        end, due, gap = begun + seconds, begun, 1 / slides_a_second
        while (now := time.perf_counter()) < end:
            while due <= now:
                self._fall_due(due)
                due += gap
            self._answered(load, due - now, then=self._take_due)
        for waiting in self._due.values():
            waiting.clear()
        return self._finish(load, begun, own)

    def _go_on(self, player: Player) -> None:
        if player.direction is None or player.awaiting:
            return
        now, fd = time.perf_counter(), player.sock.fileno()
        if now >= (able := self._sent.get(player, 0.0) + player.gap_s):
            self._slide(player, since=now)
        elif fd not in self._rests:
            self._rests.add(fd)
            heapq.heappush(self._resting, (able, fd))

    def _fall_due(self, due: float) -> None:
        count = len(self._players)
        for _ in range(count):
            self._turn += 1
            player = self._players[self._turn % count]
            if player.direction is not None:
                break
        self._due[player].append(due)
        self._take_due(player)

    def _take_due(self, player: Player) -> None:
        waiting = self._due.get(player)
        if not waiting or player.awaiting:
            return
        if player.direction is not None:
            self._slide(player, since=waiting.popleft())
        elif any(other.direction is not None for other in self._players):
            left, self._due[player] = waiting, deque()  # its race is over, others' are not
            for due in left:
                self._fall_due(due)

    def _slide(self, player: Player, *, since: float) -> None:
        self._since[player] = since
        if player.gap_s:
            self._sent[player] = time.perf_counter()
        player.sock.send(player.slide())

    def _answered(self, load: Load, wait_s: float, *, then: Callable[[Player], None]) -> None:
        """Read what has come within a time; each whose slide was answered, or who may slide again, goes on."""
        by_fd, since = self._by_fd, self._since
        for fd, _ in self._epoll.poll(max(0.0, wait_s)):
            player = by_fd[fd]
            data = player.sock.recv(_READ)
            if not data:
                raise ConnectionError("the server closed a socket")
            if player.take(data):
                load.slides += 1
                load.latency.add(time.perf_counter() - since.pop(player))
            if not player.awaiting:
                since.pop(player, None)  # refused, or another race: it is as good as never asked
                then(player)

    def _finish(self, load: Load, begun: float, own: float) -> Load:
        """Stop the clock, then wait for what is under way, which counts for nothing."""
        load.seconds = time.perf_counter() - begun
        load.own_cpu_s = time.process_time() - own
        end = time.perf_counter() + _GIVE_UP_S
        while self._since and time.perf_counter() < end:
            self._answered(Load(), 0.05, then=_nothing)
        self._since.clear()
        return load


def _begun() -> tuple[Load, float, float]:
    gc.collect()
    gc.freeze()  # ten thousand players need not be looked at again and again while they are measured
    return Load(), time.perf_counter(), time.process_time()


def _nothing(_player: Player) -> None:
    """Do nothing."""
