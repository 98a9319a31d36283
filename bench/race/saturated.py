"""Saturated: everybody slides as soon as they are answered, on tilerace and on its peers in turn."""

import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.race import peer, servers
from bench.race.drive import Loop
from bench.race.player import Player, seat_racers
from bench.race.rounds import Measured
from bench.race.servers import Server

RACERS = 256
WARM_S = 2.0


@dataclass(frozen=True, slots=True)
class Contestant:
    """One that is measured: how to run it, and how to have players at it."""

    name: str
    run: Callable[[], AbstractContextManager[Server]]
    players: Callable[[int, int], Sequence[Player]]


@contextmanager
def _ours() -> Iterator[Server]:
    with tempfile.TemporaryDirectory() as folder, servers.tilerace(Path(folder) / "data") as server:
        yield server


OURS = Contestant("tilerace", _ours, seat_racers)
PEERS = (
    Contestant("Colyseus, schema", lambda: servers.peer("colyseus.js", "schema"), peer.colyseus),
    Contestant("Colyseus, broadcast", lambda: servers.peer("colyseus.js"), peer.colyseus),
    Contestant("boardgame.io", lambda: servers.peer("boardgame.js"), peer.boardgame),
    Contestant("socket.io", lambda: servers.peer("socketio.js"), peer.socketio),
    Contestant("ws", lambda: servers.peer("ws.js"), peer.ws),
)


def measure(contestant: Contestant, seconds: float) -> Measured:
    """Measure one for some seconds, after a warm start."""
    with contestant.run() as server:
        loop = Loop(contestant.players(server.port, RACERS))
        try:
            loop.closed(WARM_S)
            before = server.cpu_by_name()
            load = loop.closed(seconds)
            used = {name: cpu_s - before[name] for name, cpu_s in server.cpu_by_name().items()}
            return Measured.of(
                load, cpu_s=sum(used.values()), memory_kib=server.memory_kib(), cpu_by_process=used
            )
        finally:
            loop.close()


def rounds(
    contestants: Sequence[Contestant], count: int, seconds: float, *, say: Callable[[str], None]
) -> dict[str, list[Measured]]:
    """Measure all in turn, `count` times."""
    found: dict[str, list[Measured]] = {each.name: [] for each in contestants}
    for number in range(1, count + 1):
        for each in contestants:
            measured = measure(each, seconds)
            found[each.name].append(measured)
            say(
                f"round {number}, {each.name}: {measured.slides_a_second:,.0f} slides/s, "
                f"{measured.cpu_us:.1f} µs of the servers and {measured.own_us:.1f} µs of the generator a slide"
            )
            time.sleep(0.5)
    return found
