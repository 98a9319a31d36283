# ruff: noqa: INP001 - run by its path
"""What many racers need, worked out from what is measured: `docs/scaling.md` has the table that this prints.

    .venv/bin/python bench/scaling.py

Processor time in seconds, memory and traffic in bytes.
"""

import math
import sys
from dataclasses import dataclass

from wire.batching import MOST_WAIT_S, pace_s

USED = 0.6
"""How much of a core is planned for; the rest is for bursts, and for those of a replica that went."""
SLIDES_A_SECOND = 2.0
"""How often a racer slides, on average over a race."""
RACERS, RACE_S = 4, 180.0
BUSY = 0.4
"""Racers on average over a day, of those at its busiest."""
CELL = 50_000
"""How many racers one deployment is planned for."""
KEPT_S = 86_400.0
"""How long a table is kept that nobody comes to any more, and its races with it."""


@dataclass(frozen=True, slots=True)
class Measured:
    """What one slide, message, socket and race take; see docs/scaling.md for where each comes from."""

    gateway_s: float = 35e-6
    game_s: float = 40e-6
    store_s: float = 14e-6
    table_s: float = 10e-3
    """Table-service, a race from its start to its tally."""
    message_s: float = 0.07e-3
    """A message of the Link and what it is answered with, at each of its two ends."""
    call_s: float = 0.15e-3
    """What a call of the commit script, and the sync after it, take of the store beside its slides."""
    process: float = 36 * 2**20
    socket: float = 4.6 * 2**10
    live_race: float = 4.3 * 2**10
    kept_race: float = 914
    kept_slide: float = 4.2
    up: float = 140
    """A slide's frame, with what TCP and IP add."""
    down: float = 380
    """A board's or a standings' frame, likewise."""


@dataclass(frozen=True, slots=True)
class Need:
    """What so many racers at once need."""

    gateways: int
    games: int
    tables: int
    primaries: int
    cores: float
    gathered: float
    """Slides in a message of the Link."""
    gateway_bytes: float
    game_bytes: float
    kept_bytes: float
    down_a_second: float
    up_a_second: float


def need(racers: int, measured: Measured) -> Need:
    """Work out what one deployment needs for so many, at least two of each service for one to go.

    Each gateway has a stream to each game-service, so that more of them have more messages to write, each with fewer
    slides, down to one.
    """
    slides = racers * SLIDES_A_SECOND
    gateways = games = 2
    while True:
        wait_s = min(games * pace_s(slides / gateways), MOST_WAIT_S)
        messages = min(gateways * games / max(wait_s, 1e-3), slides)
        gateway_s = slides * measured.gateway_s + messages * measured.message_s
        game_s = slides * measured.game_s + messages * measured.message_s
        if gateway_s <= USED * gateways and game_s <= USED * games:
            return _needed(racers, measured, gateways, games, messages, gateway_s + game_s)
        gateways += gateway_s > USED * gateways
        games += game_s > USED * games


def _needed(
    racers: int, measured: Measured, gateways: int, games: int, messages: float, busy_s: float
) -> Need:
    slides, races = racers * SLIDES_A_SECOND, racers / RACERS
    table_s = races / RACE_S * measured.table_s
    store_s = slides * measured.store_s + messages * measured.call_s
    kept = races / RACE_S * KEPT_S * BUSY
    return Need(
        gateways=gateways,
        games=games,
        tables=max(2, math.ceil(table_s / USED)),
        primaries=max(1, math.ceil(store_s / USED)),
        cores=busy_s + table_s + store_s,
        gathered=slides / messages,
        gateway_bytes=measured.process + racers / gateways * measured.socket,
        game_bytes=measured.process + races / games * measured.live_race,
        kept_bytes=kept * (measured.kept_race + measured.kept_slide * slides / races * RACE_S),
        # A racer is sent its own board, and the standings after each slide of the others.
        down_a_second=racers * SLIDES_A_SECOND * RACERS * measured.down,
        up_a_second=slides * measured.up,
    )


def main() -> None:
    """Print the table."""
    measured = Measured()
    sizes = (1_000, 10_000, 100_000, 1_000_000)
    cells = [math.ceil(size / CELL) for size in sizes]
    needs = [
        found for size, cell in zip(sizes, cells, strict=True) if (found := need(size // cell, measured))
    ]
    rows = {
        "slides a second": [f"{size * SLIDES_A_SECOND:,.0f}" for size in sizes],
        "deployments": [f"{cell}" for cell in cells],
        "in each: web-gateways": [f"{each.gateways}" for each in needs],
        "game-services": [f"{each.games}" for each in needs],
        "table-services": [f"{each.tables}" for each in needs],
        "primaries of the store": [f"{each.primaries}" for each in needs],
        "cores at work": [f"{each.cores:,.1f}" for each in needs],
        "slides in a message of the Link": [f"{each.gathered:,.0f}" for each in needs],
        "memory of a gateway, MiB": [f"{each.gateway_bytes / 2**20:,.0f}" for each in needs],
        "memory of a game-service, MiB": [f"{each.game_bytes / 2**20:,.0f}" for each in needs],
        "in the store after a day, GiB": [f"{each.kept_bytes / 2**30:,.1f}" for each in needs],
        "to browsers, Mbit/s": [f"{each.down_a_second * 8e-6:,.0f}" for each in needs],
        "from browsers, Mbit/s": [f"{each.up_a_second * 8e-6:,.0f}" for each in needs],
        "in all: cores at work": [
            f"{cell * each.cores:,.1f}" for cell, each in zip(cells, needs, strict=True)
        ],
    }
    lines = [f"| racers at once | {' | '.join(f'{size:,}' for size in sizes)} |", "| --- " * 5 + "|"]
    lines += [f"| {name} | {' | '.join(shown)} |" for name, shown in rows.items()]
    whole = [f"{size:,}: {need(size, measured).cores:,.0f}" for size in sizes]
    lines += ["", f"Cores at work where one deployment has them all: {', '.join(whole)}."]
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
