"""What is written of a run: sections of Markdown, each with what a chart shows of it."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from bench.race.chart import Bars


@dataclass(frozen=True, slots=True)
class Section:
    """One section: its title, its lines of Markdown, and its part of the chart, if any."""

    title: str
    lines: Sequence[str]
    chart: Bars | None = None


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Write a table.

    >>> table(("", "µs"), [("tilerace", "42")])
    ['| | µs |', '| --- | --- |', '| tilerace | 42 |']
    """
    return [_row(head), _row(["---"] * len(head)), *map(_row, rows)]


def markdown(head: Iterable[str], sections: Iterable[Section], *, chart: str) -> str:
    """Write a whole report; `chart` is the name of the file beside it."""
    return "\n".join(_lines(head, sections, chart)) + "\n"


def _lines(head: Iterable[str], sections: Iterable[Section], chart: str) -> Iterator[str]:
    yield "# What a slide costs"
    yield ""
    yield from head
    yield ""
    if chart:
        yield f"![What a slide costs, and how long it takes]({chart})"
        yield ""
    yield "Three values are the least, the median and the most of the rounds."
    for section in sections:
        yield ""
        yield f"## {section.title}"
        yield ""
        yield from section.lines


def _row(cells: Sequence[str]) -> str:
    return "|" + "|".join(f" {cell} " if cell else " " for cell in cells) + "|"
