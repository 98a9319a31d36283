"""Tiles as SVG, in the colours that the page's style sheet gives them."""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

PAGE = Path(__file__).parent.parent / "src" / "web_gateway" / "page"
INK = "#1d1b22"


@dataclass(frozen=True, slots=True)
class Place:
    """A square, by its left upper corner and its side."""

    left: float
    top: float
    side: float


def tile(place: Place, exponent: int, *, raised: bool, corner: float = 0.25) -> str:
    """Draw a tile without its digits; a raised one has the light edge and the dark foot of those on the board."""
    fill, at = fills()[exponent], place
    if not raised:
        return rect(at.left, at.top, at.side, at.side, fill=fill, corner=corner * at.side)
    edge, foot = at.side * 0.03, at.side * 0.06
    layers = (
        (at.top, at.side, mixed(fill, 0, 0.2)),
        (at.top, at.side - foot, mixed(fill, 255, 0.35)),
        (at.top + edge, at.side - foot - edge, fill),
    )
    return "".join(
        rect(at.left, top, at.side, height, fill=colour, corner=corner * at.side)
        for top, height, colour in layers
    )


@cache
def fills() -> dict[int, str]:
    """Give the colour of each exponent."""
    return dict(_rules(r"--fill: *(#[0-9a-f]{6})"))


def digits(exponent: int) -> str:
    """Give the colour of what is written on a tile."""
    return dict(_rules(r"[^}]*--digits: *(#[0-9a-f]{3,6})")).get(exponent, INK)


def rect(left: float, top: float, width: float, height: float, *, fill: str, corner: float) -> str:
    """Draw a rectangle with round corners."""
    size = f'width="{width:g}" height="{height:g}"'
    return f'<rect x="{left:g}" y="{top:g}" {size} rx="{corner:g}" fill="{fill}"/>'


def mixed(fill: str, other: int, share: float) -> str:
    """Mix a share of black (0) or white (255) into a colour."""
    parts = (int(fill[at : at + 2], 16) for at in (1, 3, 5))
    return "#" + "".join(f"{round(part * (1 - share) + other * share):02x}" for part in parts)


def _rules(declares: str) -> list[tuple[int, str]]:
    sheet = (PAGE / "css" / "board.css").read_text()
    found = re.findall(rf'^ *\[data-exponent="(\d+)"\] *\{{ *{declares}', sheet, re.MULTILINE)
    return [(int(exponent), value) for exponent, value in found]
