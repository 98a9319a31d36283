"""How colours look: their contrast, how far apart they are, and what eyes see that lack one kind of cone."""

from typing import NamedTuple

Matrix = tuple[tuple[float, float, float], ...]

USUAL = "usual"
EYES: dict[str, Matrix] = {
    USUAL: ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protan": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deutan": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritan": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}  # fmt: skip
"""Machado, Oliveira and Fernandes, A Physiologically-based Model for Simulation of Color Vision Deficiency (2009),
at full severity; they hold for linear light."""
TO_CONES: Matrix = (
    (0.4122214708, 0.5363325363, 0.0514459929),
    (0.2119034982, 0.6806995451, 0.1073969566),
    (0.0883024619, 0.2817188376, 0.6299787005),
)
TO_LAB: Matrix = (
    (0.2104542553, 0.7936177850, -0.0040720468),
    (1.9779984951, -2.4285922050, 0.4505937099),
    (0.0259040371, 0.7827717662, -0.8086757660),
)


class Colour(NamedTuple):
    """Red, green and blue, 0 to 255."""

    red: int
    green: int
    blue: int


def contrast(one: Colour, other: Colour) -> float:
    """Give the contrast ratio of WCAG 2.2: 1 for equal colours, 21 for black on white."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def luminance(colour: Colour) -> float:
    red, green, blue = linear(colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def distance(one: Colour, other: Colour, eyes: str = USUAL) -> float:
    """Give how far apart two colours look, in hundredths of Oklab; eyes just see a difference of about 2."""
    pairs = zip(lab(one, eyes), lab(other, eyes), strict=True)
    distance: float = 100 * sum((left - right) ** 2 for left, right in pairs) ** 0.5
    return distance


def lab(colour: Colour, eyes: str) -> list[float]:
    light = [min(1.0, max(0.0, part)) for part in times(EYES[eyes], linear(colour))]
    return times(TO_LAB, [cone ** (1 / 3) for cone in times(TO_CONES, light)])


def linear(colour: Colour) -> list[float]:
    shares = [part / 255 for part in colour]
    return [share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares]


def times(matrix: Matrix, vector: list[float]) -> list[float]:
    return [sum(left * right for left, right in zip(row, vector, strict=True)) for row in matrix]
