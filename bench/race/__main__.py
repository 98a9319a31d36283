"""Measures what a slide costs: `python -m bench.race [--quick] [--racers N] [SECTION ...]`, by `make bench`."""

import argparse
import resource
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import FrameType

from bench.race import cluster, held, idle, machine, paced, races, replicas, rules, saturated
from bench.race.chart import draw
from bench.race.plan import FULL, QUICK, RACERS, Plan
from bench.race.report import Section, markdown

RESULTS = Path(__file__).parents[1] / "results"
SECTIONS: Mapping[str, Callable[[Plan], Section]] = {
    "saturated": saturated.section,
    "paced": paced.section,
    "idle": idle.section,
    "held": held.section,
    "replicas": replicas.section,
    "races": races.section,
    "rules": rules.section,
    "cluster": cluster.section,
}
"""What can be measured, in the order of a run."""
QUICKLY = ("saturated", "paced", "idle")


def main() -> int:
    """Measure, write the tables and the chart to `bench/results`, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="two rounds of few seconds, for a first look")
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=f"one of {', '.join(SECTIONS)}")
    parser.add_argument("--racers", type=int, default=RACERS, help="how many slide, a multiple of four")
    given = parser.parse_args()
    if unknown := set(given.sections) - SECTIONS.keys():
        parser.error(f"no section is named {', '.join(sorted(unknown))}; they are {', '.join(SECTIONS)}")
    prepare()
    wanted = list(given.sections or (QUICKLY if given.quick else SECTIONS))
    plan = replace(QUICK if given.quick else FULL, racers=given.racers)
    name = "race" if plan == FULL and wanted == list(SECTIONS) else "part"
    sys.stdout.write(_run(plan, wanted, name=name))
    return 0


def _run(plan: Plan, wanted: list[str], *, name: str) -> str:
    """Measure sections, and write after each what there is, so that nothing is lost where a later one fails."""
    RESULTS.mkdir(exist_ok=True)
    loads, sections, text = list[str](), list[Section](), ""
    for each in wanted:
        loads.append(f"{each} {machine.load()}")
        sections.append(SECTIONS[each](plan))
        text = _write(plan, loads, sections, name=name)
    return text


def _write(plan: Plan, loads: Sequence[str], sections: Sequence[Section], *, name: str) -> str:
    charts = [section.chart for section in sections if section.chart is not None]
    (RESULTS / f"{name}.svg").unlink(missing_ok=True)
    if charts:
        (RESULTS / f"{name}.svg").write_text(draw(charts))
    head = [
        *machine.facts(),
        f"- {plan.rounds} rounds of {plan.seconds:g} s each, everything newly started for each",
        f"- load average of one and five minutes before each section: {'; '.join(loads)}",
    ]
    text = markdown(head, sections, chart=f"{name}.svg" if charts else "")
    (RESULTS / f"{name}.md").write_text(text)
    return text


def prepare() -> None:
    """Have us, and what we start, open as many sockets as the system allows, and end in order when told to."""
    signal.signal(signal.SIGTERM, _stop)
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def _stop(number: int, _frame: FrameType | None) -> None:
    sys.exit(128 + number)  # by an exception, so that what was started is stopped


if __name__ == "__main__":
    sys.exit(main())
