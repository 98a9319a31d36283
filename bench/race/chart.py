"""A chart as SVG: groups of horizontal bars to their medians, with whiskers from the least to the most."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

from bench.race.rounds import Spread

_WIDTH, _LABELS, _RIGHT = 900, 260, 90
_ROW, _BAR, _HEAD, _FOOT = 26, 14, 46, 44
_INK, _SOFT, _GRID, _OURS, _OTHERS = "#222", "#555", "#ddd", "#c2571a", "#7a9cc0"
_FONT = "system-ui, 'DejaVu Sans', sans-serif"


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar; ours are shown in a colour of their own."""

    label: str
    spread: Spread
    ours: bool = False


@dataclass(frozen=True, slots=True)
class Bars:
    """A group of bars along one axis."""

    title: str
    unit: str
    bars: Sequence[Bar]

    @property
    def height(self) -> int:
        """How high it is drawn."""
        return _HEAD + _ROW * len(self.bars) + _FOOT


def draw(groups: Sequence[Bars]) -> str:
    """Draw groups, one below the other."""
    height = sum(group.height for group in groups)
    size = f'width="{_WIDTH}" height="{height}"'
    box = f'viewBox="0 0 {_WIDTH} {height}" style="max-width: 100%; height: auto"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} {box} font-family="{_FONT}" font-size="13" fill="{_INK}">',
        f'<rect {size} fill="#fff"/>',
    ]
    top = 0
    for group in groups:
        parts += _group(group, top)
        top += group.height
    return "\n".join([*parts, "</svg>"]) + "\n"


def step_of(most: float) -> float:
    """Give a round distance between the marks of an axis, of which there are four to eight.

    >>> step_of(250), step_of(0.9)
    (50.0, 0.2)
    """
    rough = most / 8
    scale = 10.0 ** math.floor(math.log10(rough))
    return next(each * scale for each in (1, 2, 5, 10) if each * scale >= rough)


def _group(group: Bars, top: int) -> Iterator[str]:
    most = max((bar.spread.most for bar in group.bars), default=0.0) or 1.0
    step = step_of(most)
    marks = [step * number for number in range(math.ceil(most / step) + 1)]
    wide = (_WIDTH - _LABELS - _RIGHT) / marks[-1]
    bottom = top + _HEAD + _ROW * len(group.bars)
    yield f'<text x="16" y="{top + 28}" font-size="15" font-weight="600">{escape(group.title)}</text>'
    for mark in marks:
        x = _LABELS + mark * wide
        yield f'<line x1="{x:.1f}" y1="{top + _HEAD - 4}" x2="{x:.1f}" y2="{bottom}" stroke="{_GRID}"/>'
        yield f'<text x="{x:.1f}" y="{bottom + 16}" text-anchor="middle" fill="{_SOFT}">{mark:g}</text>'
    yield f'<text x="{_LABELS}" y="{bottom + 34}" fill="{_SOFT}">{escape(group.unit)}</text>'
    for number, bar in enumerate(group.bars):
        yield from _bar(bar, top + _HEAD + _ROW * number, wide)


def _bar(bar: Bar, top: int, wide: float) -> Iterator[str]:
    middle, spread = top + _ROW / 2 - 2, bar.spread
    least, median, most = (_LABELS + value * wide for value in (spread.least, spread.median, spread.most))
    yield f'<text x="{_LABELS - 8}" y="{middle + 5}" text-anchor="end">{escape(bar.label)}</text>'
    yield (
        f'<rect x="{_LABELS}" y="{middle - _BAR / 2}" width="{median - _LABELS:.1f}" height="{_BAR}" '
        f'fill="{_OURS if bar.ours else _OTHERS}"/>'
    )
    yield f'<line x1="{least:.1f}" y1="{middle}" x2="{most:.1f}" y2="{middle}" stroke="{_INK}"/>'
    for end in (least, most):
        yield f'<line x1="{end:.1f}" y1="{middle - 4}" x2="{end:.1f}" y2="{middle + 4}" stroke="{_INK}"/>'
    yield f'<text x="{most + 8:.1f}" y="{middle + 5}" fill="{_SOFT}">{spread.median:,.3g}</text>'
