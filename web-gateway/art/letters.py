"""The letters of the wordmark, drawn as strokes, so that a picture does not depend on the fonts of a machine."""

from dataclasses import dataclass

WEIGHT = 2.5
"""Of strokes, where small letters are ten high."""
SPACE = 5.5


@dataclass(frozen=True, slots=True)
class Glyph:
    """A letter on the baseline 0: its strokes, how wide they reach, and the room on its left and right."""

    strokes: str
    width: float
    left: float = 1.6
    right: float = 1.6


_BOWL = "M10-5a5 5 0 1 1-10 0a5 5 0 1 1 10 0"
_STEM = 2.2
_OPEN = 1.1
GLYPHS = {
    "a": Glyph(f"{_BOWL}M10-10V0", 10, right=_STEM),
    "c": Glyph("M8.6-8.5A5 5 0 1 0 8.6-1.5", 8.6, right=_OPEN),
    "d": Glyph(f"{_BOWL}M10-15V0", 10, right=_STEM),
    "e": Glyph("M.4-5H10A5 5 0 1 0 8.4-1.3", 10),
    "f": Glyph("M6.6-15H6A3.2 3.2 0 0 0 2.8-11.8V0M0-10H6.2", 6.4, left=_OPEN, right=0.9),
    "g": Glyph(f"{_BOWL}M10-10V0A4.6 4.6 0 0 1 1.6 2.6", 10, right=_STEM),
    "i": Glyph("M0-10V0M0-14.6V-14.5", 0, left=_STEM, right=_STEM),
    "l": Glyph("M0-15V0", 0, left=_STEM, right=_STEM),
    "n": Glyph("M0-10V0M0-5.4A4.5 4.5 0 0 1 9-5.4V0", 9, left=_STEM, right=_STEM),
    "o": Glyph(_BOWL, 10),
    "r": Glyph("M0-10V0M0-5.4A4.5 4.5 0 0 1 5.4-9.8", 5.4, left=_STEM, right=0.8),
    "s": Glyph("M7-8.3C6.2-9.4 5.1-10 3.8-10C1.8-10 .5-8.9 .5-7.5C.5-4 7.6-6.2 7.6-2.6C7.6-1.1 6.1 0 4.1 0C2.4 0 1-.7 .2-1.9", 7.6),
    "t": Glyph("M2.8-14V-3.2A3.2 3.2 0 0 0 6 0H6.4M0-10H6.4", 6.4, left=_OPEN, right=_OPEN),
    ",": Glyph("M.9-.2L0 2.6", 0.9),
    "0": Glyph("M9-9.2V-4.8A4.5 4.8 0 0 1 0-4.8V-9.2A4.5 4.8 0 0 1 9-9.2Z", 9),
    "1": Glyph("M0-11.4L3.6-14V0", 3.6, right=_STEM),
    "2": Glyph("M.3-10.6C.6-12.7 2.2-14 4.3-14C6.7-14 8.4-12.4 8.4-10.2C8.4-6.2 2.6-4.2 .2 0H8.8", 8.8),
    "3": Glyph("M.6-14H8L4-8.8C6.8-8.8 8.7-7 8.7-4.5C8.7.4 2.2 1.4 .2-2.4", 8.7),
    "4": Glyph("M6.8 0V-14L0-4.2H9.4", 9.4, right=_OPEN),
    "5": Glyph("M7.8-14H1.5L.9-7.6C3.4-10 8.9-9.2 8.9-4.7C8.9.6 2 1.4 .2-2.3", 8.9),
    "6": Glyph("M6.8-14L1.2-7.2M9-4.5a4.5 4.5 0 1 1-9 0a4.5 4.5 0 1 1 9 0", 9),
    "8": Glyph("M4.5-7.6a3.2 3.2 0 1 1 0-6.4a3.2 3.2 0 1 1 0 6.4a3.8 3.8 0 1 0 0 7.6a3.8 3.8 0 1 0 0-7.6", 8.6),
}  # fmt: skip


def line(words: str, left: float, base: float, *, scale: float, colour: str, weight: float = WEIGHT) -> str:
    """Write one line; its weight is that of the strokes at scale 1."""
    drawn, at = "", 0.0
    for letter in words:
        if letter == " ":
            at += SPACE
            continue
        glyph = GLYPHS[letter]
        drawn += f'<path transform="translate({at + glyph.left:g} 0)" d="{glyph.strokes}"/>'
        at += glyph.left + glyph.width + glyph.right
    pen = f'fill="none" stroke="{colour}" stroke-width="{weight}" stroke-linecap="round" stroke-linejoin="round"'
    return f'<g transform="translate({left:g} {base:g}) scale({scale:g})" {pen}>{drawn}</g>'


def width(words: str) -> float:
    """Measure a line, at scale 1."""
    return sum(
        SPACE if letter == " " else GLYPHS[letter].left + GLYPHS[letter].width + GLYPHS[letter].right
        for letter in words
    )
