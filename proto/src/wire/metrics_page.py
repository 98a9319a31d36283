"""Writes docs/metrics.md from what the services count: `python -m wire.metrics_page` in the repository.

A process counts what it imports, so each service is asked in one of its own: `python -m wire.metrics_page web_gateway`
gives the rows of web-gateway's. A test holds the page to what this writes.
"""

import subprocess
import sys
from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path

from prometheus_client import REGISTRY
from prometheus_client.core import Metric

from wire import metrics

SERVICES = ("web_gateway", "game_service", "table_service")
MOST_SHOWN = 12
"""Up to how many values of a label are named."""
_PAGE = Path("docs/metrics.md")
_HEAD = """\
# Metrics

With `TILERACE_METRICS_LISTEN` set, such as to `:9100`, a service serves what it counts at `/metrics`, in Prometheus' text
format, beside the `process_…` and `python_…` figures of its client library. All are there from the start, most at 0. Times
are in seconds. Histograms of latencies have the same buckets, from 0.5 ms to 10 s; that of how late clocks are goes up to a
minute. Gauges are set once a second.

Labels have few values. None is an id, a name, a board, a seed or a secret: which table, race or request something was
about stands in the logs (`table`, `race`, `request`).

This page is written from the services by `python -m wire.metrics_page`.
"""
_TABLE = "| name | kind | labels | what |\n| --- | --- | --- | --- |\n"


def rows() -> Iterator[str]:
    """Give a row for each metric of this process, by name."""
    metrics.BUILD.labels("", "")
    families = [family for family in REGISTRY.collect() if family.name.startswith("tilerace_")]
    for family in sorted(families, key=lambda each: each.name):
        suffix = "_total" if family.type == "counter" else ""
        yield f"| `{family.name}{suffix}` | {family.type} | {_labels(family)} | {family.documentation} |\n"


def page() -> str:
    """Write docs/metrics.md."""
    found = {service: _rows_of(service) for service in SERVICES}
    gateway, game, table = (found[service] for service in SERVICES)
    every = [row for row in gateway if row in game and row in table]
    elsewhere = {_name(row) for row in gateway}
    store = [row for row in game if row in table and _name(row) not in elsewhere]
    parts = [
        _HEAD,
        _section("Every service", every),
        _section("game-service and table-service: the store", store),
    ]
    for service, own in found.items():
        parts.append(_section(service.replace("_", "-"), _without(own, [*every, *store])))
    return "".join(parts)


def _section(title: str, lines: Iterable[str]) -> str:
    return f"\n## {title}\n\n{_TABLE}{''.join(lines)}"


def _name(row: str) -> str:
    return row.split("|")[1].strip()


def _without(lines: Iterable[str], others: Iterable[str]) -> list[str]:
    left_out = set(others)
    return [line for line in lines if line not in left_out]


def _rows_of(service: str) -> list[str]:
    asked = [sys.executable, "-m", "wire.metrics_page", service]
    told = subprocess.run(asked, capture_output=True, text=True, check=True)  # noqa: S603  it is this very program
    return told.stdout.splitlines(keepends=True)


def _labels(family: Metric) -> str:
    """Name the labels, and their values where they are few; of one that begins with a single value there are more."""
    values: dict[str, dict[str, None]] = {}
    for sample in family.samples:
        for label, value in sample.labels.items():
            if label != "le":
                values.setdefault(label, {})[value] = None
    return "; ".join(_label(name, list(found)) for name, found in values.items())


def _label(name: str, values: list[str]) -> str:
    shown = f": {', '.join(values)}" if 1 < len(values) <= MOST_SHOWN else ""
    return f"`{name}`{shown}"


def main(arguments: list[str]) -> None:
    """Write the page, or the rows of the service that is named."""
    if not arguments:
        _PAGE.write_text(page(), encoding="utf-8")
        return
    import_module(f"{arguments[0]}.__main__")
    sys.stdout.write("".join(rows()))


if __name__ == "__main__":
    main(sys.argv[1:])
