# ruff: noqa: INP001 - run by its path
"""How evenly races are spread over replicas, and how many move when replicas come or go: wire.routing, simulated.

    .venv/bin/python bench/routing.py [RACES]

Nothing here is timed but the choice itself; the rest is the same on every machine.
"""

import random
import statistics
import sys
import time
from collections import Counter
from collections.abc import Sequence

from wire.routing import choose

SEED = 5
REPLICAS = (2, 3, 5, 10, 30, 100)


def races(count: int) -> list[str]:
    """Name races as services do, by their tables' ids."""
    rng = random.Random(SEED)  # noqa: S311  a simulation
    letters = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
    return ["".join(rng.choices(letters, k=8)) + ".1" for _ in range(count)]


def addresses(count: int) -> list[str]:
    """Name replicas as a headless Service would."""
    return [f"10.0.{number // 250}.{number % 250 + 1}:9001" for number in range(count)]


def placed(names: Sequence[str], replicas: Sequence[str]) -> list[str]:
    """Give each race's replica."""
    return [choose(name, replicas)[0] for name in names]


def moved(before: Sequence[str], after: Sequence[str]) -> float:
    """Give the share of races whose replica is another."""
    return sum(then != now for then, now in zip(before, after, strict=True)) / len(before)


def choice_us(names: Sequence[str], replicas: Sequence[str]) -> float:
    """Time one choice, in microseconds of the processor."""
    began = time.process_time()
    for name in names[:1_000]:
        choose(name, replicas)
    return 1e3 * (time.process_time() - began)


def main(count: int) -> None:
    """Simulate, and print a table."""
    names = races(count)
    lines = [
        f"{count:,} races",
        "",
        "| replicas | the fullest has, times the mean | spread (standard deviation) | moved when one comes (needed) | moved when one goes (needed) | a choice |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for number in REPLICAS:
        replicas = addresses(number + 1)
        one_more, now, one_less = replicas, replicas[:-1], replicas[1:-1]
        here = placed(names, now)
        loads = [Counter(here)[address] for address in now]
        mean = count / number
        came = moved(here, placed(names, one_more))
        went = moved(here, placed(names, one_less)) if one_less else 1.0
        lines.append(
            f"| {number} | {max(loads) / mean:.3f} | {100 * statistics.pstdev(loads) / mean:.1f} % | "
            f"{100 * came:.2f} % ({100 / (number + 1):.2f}) | {100 * went:.2f} % ({100 * Counter(here)[now[0]] / count:.2f}) | "
            f"{choice_us(names, now):.0f} µs |"
        )
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 50_000)
