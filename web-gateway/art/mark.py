"""The mark: four tiles on a dark plate, in the colours that the page gives the tiles."""

import re
from dataclasses import dataclass
from pathlib import Path

PAGE = Path(__file__).parent.parent / "src" / "web_gateway" / "page"
EXPONENTS = (3, 4, 7, 11)
"""8 and 16 above, 128 and 2048 below: paper, fire, violet night, gold."""
PLATE = "#26222e"


@dataclass(frozen=True, slots=True)
class Shape:
    """How the mark is cut on its square of 64: the plate's corners, the room around the tiles and between them."""

    corner: float
    margin: float
    gap: float


SMALL = Shape(corner=14, margin=8, gap=8)
"""Tiles of 20 with 8 around each: whole pixels from 16 pixels on."""
LARGE = Shape(corner=14, margin=9, gap=4)
"""As the page's header has it."""
BLEED = Shape(corner=0, margin=11, gap=4)
"""To the edge, for those who cut its corners themselves."""
MASKABLE = Shape(corner=0, margin=15, gap=3.4)
"""Whole within the circle of 4/5 that every mask leaves."""


def fills() -> dict[int, str]:
    """Give the colour of each exponent, as the page's style sheet has it."""
    sheet = (PAGE / "css" / "board.css").read_text()
    found = re.findall(r'^ *\[data-exponent="(\d+)"\] *\{ *--fill: *(#[0-9a-f]{6})', sheet, re.MULTILINE)
    return {int(exponent): fill for exponent, fill in found}


def mark(shape: Shape, *, raised: bool) -> str:
    """Draw the mark as SVG; raised tiles have the light edge and the dark foot of those on the board."""
    side = (64 - 2 * shape.margin - shape.gap) / 2
    step = side + shape.gap
    tiles = "".join(
        _tile(shape.margin + column * step, shape.margin + row * step, side, fill=fill, raised=raised)
        for (row, column), fill in zip(((0, 0), (0, 1), (1, 0), (1, 1)), _four(), strict=True)
    )
    plate = f'<rect width="64" height="64" rx="{shape.corner:g}" fill="{PLATE}"/>'
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64">{plate}{tiles}</svg>\n'


def _four() -> list[str]:
    all_fills = fills()
    return [all_fills[exponent] for exponent in EXPONENTS]


def _tile(left: float, top: float, side: float, *, fill: str, raised: bool) -> str:
    if not raised:
        return _rect(left, top, side, side, fill)
    edge, foot = side * 0.03, side * 0.07
    return (
        _rect(left, top, side, side, _mixed(fill, 0, 0.2))
        + _rect(left, top, side, side - foot, _mixed(fill, 255, 0.35))
        + _rect(left, top + edge, side, side - foot - edge, fill)
    )


def _rect(left: float, top: float, width: float, height: float, fill: str) -> str:
    corner = width * 0.25
    return f'<rect x="{left:g}" y="{top:g}" width="{width:g}" height="{height:g}" rx="{corner:g}" fill="{fill}"/>'


def _mixed(fill: str, other: int, share: float) -> str:
    parts = (int(fill[at : at + 2], 16) for at in (1, 3, 5))
    return "#" + "".join(f"{round(part * (1 - share) + other * share):02x}" for part in parts)
