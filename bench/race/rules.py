"""Rules: the engine alone, as `bench/slides.py` measures it in a process of its own."""

import subprocess
import sys

from bench.race.plan import Plan
from bench.race.report import Section, table
from bench.race.servers import ROOT


def section(plan: Plan) -> Section:
    """Run it, and take its lines."""
    plan.say("rules")
    told = subprocess.run(
        [sys.executable, "bench/slides.py"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    rows = [
        (what, figure) for what, _, figure in (line.rpartition(": ") for line in told.splitlines() if line)
    ]
    return Section("Rules: the engine alone", table(("", "best of its rounds"), rows))
