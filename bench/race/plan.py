"""How much is measured: what every section of a run is told."""

import sys
from dataclasses import dataclass

RACERS = 256


@dataclass(frozen=True, slots=True)
class Plan:
    """How many rounds of how many seconds there are, and how many racers; a quick one is for a first look."""

    rounds: int
    seconds: float
    warm_s: float = 2.0
    racers: int = RACERS
    quick: bool = False

    def say(self, line: str) -> None:
        """Tell how far it is, apart from the results."""
        sys.stderr.write(line + "\n")
        sys.stderr.flush()


FULL = Plan(rounds=5, seconds=5.0)
QUICK = Plan(rounds=2, seconds=3.0, warm_s=1.0, quick=True)
