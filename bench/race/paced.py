"""Paced: slides fall due at an even rate, as people make them, and their latency counts from when they were due."""

import tempfile
from collections.abc import Callable
from pathlib import Path

from bench.race import servers
from bench.race.drive import Loop
from bench.race.player import seat_racers
from bench.race.rounds import Measured
from bench.race.saturated import RACERS

WARM_S = 2.0


def measure(slides_a_second: float, seconds: float, *, fsync: str) -> Measured:
    """Measure tilerace for some seconds at a pace, its store synced as said."""
    with (
        tempfile.TemporaryDirectory() as folder,
        servers.tilerace(Path(folder) / "data", fsync=fsync) as server,
    ):
        loop = Loop(seat_racers(server.port, RACERS))
        try:
            loop.open(WARM_S, slides_a_second=slides_a_second)
            before = server.cpu_s()
            load = loop.open(seconds, slides_a_second=slides_a_second)
            return Measured.of(load, cpu_s=server.cpu_s() - before, memory_kib=server.memory_kib())
        finally:
            loop.close()


def rounds(
    paces: tuple[tuple[float, str], ...], count: int, seconds: float, *, say: Callable[[str], None]
) -> dict[tuple[float, str], list[Measured]]:
    """Measure all paces in turn, `count` times."""
    found: dict[tuple[float, str], list[Measured]] = {pace: [] for pace in paces}
    for number in range(1, count + 1):
        for pace in paces:
            measured = measure(pace[0], seconds, fsync=pace[1])
            found[pace].append(measured)
            say(
                f"round {number}, {pace[0]:,.0f} slides/s, synced {pace[1]}: {measured.slides_a_second:,.0f} answered a "
                f"second, p50 {1e3 * measured.p50_s:.1f} ms, p99 {1e3 * measured.p99_s:.1f} ms, {measured.cpu_us:.0f} µs"
            )
    return found
