"""The card that other sites show beside a link: who we are, and a board worth having."""

from letters import line, width
from mark import four
from tiles import Place, digits, fills, mixed, rect, tile

WIDTH, HEIGHT = 1200, 630
PAGE_COLOUR, BOARD, CELL, WORDS, QUIET = "#15131a", "#26222e", "#322d3c", "#f3eff8", "#a49dae"
MINE = ((0, 0, 1, 0), (3, 2, 1, 0), (4, 5, 6, 7), (11, 10, 9, 8))
THEIRS = ((0, 1, 0, 2), (1, 3, 0, 1), (5, 4, 3, 2), (10, 8, 6, 1))
HEIGHTS = {1: 0.105, 2: 0.105, 3: 0.086, 4: 0.07}
"""Of digits, by how many there are, as shares of the board."""


def card() -> str:
    """Draw the card as SVG."""
    parts = (
        rect(0, 0, WIDTH, HEIGHT, fill=PAGE_COLOUR, corner=0),
        f'<g opacity="0.42">{_board(THEIRS, Place(1124, 138, 354))}</g>',
        _board(MINE, Place(580, 60, 510)),
        four(68, 126, 104, gap=9, raised=True),
        line("tilerace", 60, 352, scale=5.6, colour=WORDS),
        line("2048, alone", 64, 436, scale=2.7, colour=QUIET),
        line("or racing friends", 64, 496, scale=2.7, colour=QUIET),
    )
    size = f'width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}>{"".join(parts)}</svg>\n'


def _board(rows: tuple[tuple[int, ...], ...], place: Place) -> str:
    side = place.side
    cells = [
        (
            exponent,
            Place(
                place.left + side * (0.024 + 0.244 * column),
                place.top + side * (0.024 + 0.244 * row),
                side * 0.22,
            ),
        )
        for row, exponents in enumerate(rows)
        for column, exponent in enumerate(exponents)
    ]
    plate = rect(place.left, place.top, side, side, fill=BOARD, corner=side * 0.04)
    return plate + "".join(_cell(at, exponent) for exponent, at in cells)


def _cell(at: Place, exponent: int) -> str:
    if exponent == 0:
        return rect(at.left, at.top, at.side, at.side, fill=CELL, corner=at.side * 0.11)
    glow = _glow(at) if exponent == 11 else ""
    return glow + tile(at, exponent, raised=True, corner=0.11) + _value(at, exponent)


def _glow(at: Place) -> str:
    """Rings of a colour each: a blur has more colours than a small file has room for."""
    rings = [rect(at.left - grow, at.top - grow, at.side + 2 * grow, at.side + 2 * grow,
                  fill=mixed(fills()[11], 0, 0.15), corner=at.side * 0.11 + grow) for grow in range(14, 0, -1)]  # fmt: skip
    return "".join(f'<g opacity="0.075">{ring}</g>' for ring in rings)


def _value(at: Place, exponent: int) -> str:
    value = str(2**exponent)
    scale = at.side / 0.22 * HEIGHTS[len(value)] / 14 * 0.78
    left = at.left + (at.side - width(value) * scale) / 2
    return line(
        value, left, at.top + at.side / 2 + 7 * scale, scale=scale, colour=digits(exponent), weight=2.9
    )
