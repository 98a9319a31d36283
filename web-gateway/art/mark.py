"""The mark: four tiles on a dark plate."""

from dataclasses import dataclass

from tiles import Place, rect, tile

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


def mark(shape: Shape, *, raised: bool) -> str:
    """Draw the mark as SVG."""
    plate = rect(0, 0, 64, 64, fill=PLATE, corner=shape.corner)
    tiles = four(shape.margin, shape.margin, 64 - 2 * shape.margin, gap=shape.gap, raised=raised)
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64">{plate}{tiles}</svg>\n'


def four(left: float, top: float, width: float, *, gap: float, raised: bool) -> str:
    """Draw the four tiles of the mark."""
    side = (width - gap) / 2
    step = side + gap
    places = (Place(left + column * step, top + row * step, side) for row in (0, 1) for column in (0, 1))
    return "".join(
        tile(place, exponent, raised=raised) for place, exponent in zip(places, EXPONENTS, strict=True)
    )
