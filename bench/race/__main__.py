"""Measures what a slide costs: `python -m bench.race [--quick]`, by `make bench`."""

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from bench.race import paced, saturated
from bench.race.rounds import Measured, Spread, paired

RESULTS = Path(__file__).parents[1] / "results"
PACES = ((3_000.0, "always"), (500.0, "always"), (3_000.0, "everysec"), (500.0, "everysec"))


def main() -> int:
    """Measure, and write the tables to `bench/results/race.md`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--quick", action="store_true", help="two rounds of few seconds each, for a first look"
    )
    quick = parser.parse_args().quick
    count, seconds = (2, 3.0) if quick else (5, 10.0)
    contestants = (saturated.OURS, *(saturated.PEERS[:1] if quick else saturated.PEERS))
    paces = PACES[:2] if quick else PACES
    lines = [
        *_saturated(saturated.rounds(contestants, count, seconds, say=_say)),
        *_paced(paced.rounds(paces, count, seconds, say=_say)),
    ]
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "race.md").write_text("\n".join(lines) + "\n")
    sys.stdout.write("\n".join(lines) + "\n")
    return 0


def _saturated(found: Mapping[str, Sequence[Measured]]) -> Iterator[str]:
    ours = found[saturated.OURS.name]
    yield "## Saturated: 256 racers, races of four (least / median / most)"
    yield ""
    yield "| | slides a second | µs of the servers' processors a slide | times as many slides a processor second as it |"
    yield "| --- | --- | --- | --- |"
    for name, rounds in found.items():
        rate = Spread.of([each.slides_a_second for each in rounds]).shown(0)
        cost = Spread.of([each.cpu_us for each in rounds]).shown()
        ratio = "1" if rounds is ours else paired(ours, rounds).shown(2)
        yield f"| {name} | {rate} | {cost} | {ratio} |"
    yield ""
    yield "Where the time of tilerace goes, µs a slide: " + ", ".join(
        f"{name.partition(' ')[0]} {1e6 * cpu_s / ours[-1].slides:.1f}"
        for name, cpu_s in ours[-1].cpu_by_process.items()
    )
    yield f"The generator takes {Spread.of([each.own_us for each in ours]).shown()} µs a slide."
    yield ""


def _paced(found: Mapping[tuple[float, str], Sequence[Measured]]) -> Iterator[str]:
    yield "## Paced: the same racers, slides due at an even rate (least / median / most)"
    yield ""
    yield "| slides a second | the store syncs | p50, ms | p99, ms | µs a slide |"
    yield "| --- | --- | --- | --- | --- |"
    for (rate, fsync), rounds in found.items():
        p50 = Spread.of([each.p50_s for each in rounds]).shown(1, 1e3)
        p99 = Spread.of([each.p99_s for each in rounds]).shown(1, 1e3)
        cost = Spread.of([each.cpu_us for each in rounds]).shown(0)
        yield f"| {rate:,.0f} | {fsync} | {p50} | {p99} | {cost} |"


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
