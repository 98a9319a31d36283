"""Shows where each service's time goes while racers slide as fast as they can: `python -m bench.race.profile`.

Writes a file for speedscope a service to `bench/results/profile/`, and prints each one's functions that take most.
"""

import argparse
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.race import processes, samples, servers
from bench.race.__main__ import RESULTS, prepare
from bench.race.drive import Load, Loop
from bench.race.plan import RACERS
from bench.race.report import table
from bench.race.rounds import Measured, measured
from bench.race.servers import Server
from bench.race.tables import seat_racers

FOLDER = RESULTS / "profile"
SAMPLES_A_SECOND = 400
WARM_S, START_S = 2.0, 1.0
MOST_OWN, MOST_CUMULATED = 15, 30


def main() -> int:
    """Measure for some seconds, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--racers", type=int, default=RACERS, help="how many slide, a multiple of four")
    given = parser.parse_args()
    seconds: int = given.seconds
    prepare()
    FOLDER.mkdir(parents=True, exist_ok=True)
    with servers.tilerace() as server:
        loop = Loop(seat_racers(server.ports, given.racers))
        try:
            loop.closed(WARM_S)
            found = measured(server, lambda: _sampled(server, loop, seconds))
        finally:
            loop.close()
    sys.stdout.write("\n".join(_written(found)) + "\n")
    return 0


def _sampled(server: Server, loop: Loop, seconds: int) -> Load:
    """Run the load with a sampler on each service."""
    samplers = [_sample(pid, seconds) for pid in server.pids if processes.name(pid) in processes.SERVICES]
    load = loop.closed(START_S + seconds)
    for sampler in samplers:
        if sampler.wait(30):
            raise RuntimeError(f"py-spy: {sampler.communicate()[1].decode().strip()}")
    return load


def _sample(pid: int, seconds: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen(  # noqa: S603  the one that is locked
        [
            str(Path(sys.executable).with_name("py-spy")), "record", "--nonblocking", "--format", "speedscope",
            "--rate", str(SAMPLES_A_SECOND), "--duration", str(seconds), "--pid", str(pid),
            "--output", str(_path(processes.name(pid))),
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )  # fmt: skip


def _path(name: str) -> Path:
    return FOLDER / f"{name}.speedscope.json"


def _written(found: Measured) -> Iterator[str]:
    yield f"{found.slides_a_second:,.0f} slides a second, {found.cpu_us:.1f} µs of the processors a slide"
    for name, cpu_s in found.cpu_by_name.items():
        us = 1e6 * cpu_s / found.slides
        yield ""
        yield f"## {name}: {us:.1f} µs a slide"
        if name in processes.SERVICES:
            shares = samples.read(_path(name))
            yield ""
            yield f"{shares.samples:,} samples; open `{_path(name).relative_to(RESULTS.parents[1])}` in speedscope."
            yield ""
            yield from _functions("itself", shares.own[:MOST_OWN], us)
            yield ""
            yield from _functions("with what it calls", shares.cumulated[:MOST_CUMULATED], us)


def _functions(what: str, shares: Sequence[tuple[str, float]], us: float) -> list[str]:
    rows = ((name, f"{100 * share:.1f}", f"{share * us:.2f}") for name, share in shares)
    return table((f"function, {what}", "% of the process", "µs a slide"), rows)


if __name__ == "__main__":
    sys.exit(main())
