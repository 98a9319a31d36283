"""PNG files with a palette, as small as they get without a library for it."""

import struct
import zlib
from collections import Counter
from collections.abc import Callable
from functools import cache

Colour = tuple[int, ...]


def png(pixels: bytes, width: int, height: int) -> bytes:
    """Encode rows of red, green, blue and alpha; where there are more than 256 colours the rarest are replaced."""
    colours = [
        tuple(pixels[at : at + 4]) if pixels[at + 3] else (0, 0, 0, 0) for at in range(0, len(pixels), 4)
    ]
    palette = _palette(colours)
    index = _nearest_in(palette)
    indexed = bytes(map(index, colours))
    rows = b"".join(b"\0" + indexed[row * width : (row + 1) * width] for row in range(height))
    return b"".join(
        (
            b"\x89PNG\r\n\x1a\n",
            _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)),
            _chunk(b"PLTE", bytes(part for colour in palette for part in colour[:3])),
            _transparency(palette),
            _chunk(b"IDAT", zlib.compress(rows, 9)),
            _chunk(b"IEND", b""),
        )
    )


def ico(pngs: dict[int, bytes]) -> bytes:
    """Put square PNG files, by their width, into one file of icons."""
    at = 6 + 16 * len(pngs)
    entries = b""
    for width, body in pngs.items():
        entries += struct.pack("<BBBBHHII", width, width, 0, 0, 1, 32, len(body), at)
        at += len(body)
    return struct.pack("<HHH", 0, 1, len(pngs)) + entries + b"".join(pngs.values())


def _palette(colours: list[Colour]) -> list[Colour]:
    common = [colour for colour, _ in Counter(colours).most_common(256)]
    # See-through ones first: what is said of transparency ends with the last of them.
    return sorted(common, key=lambda colour: (colour[3] == 255, colour))


def _nearest_in(palette: list[Colour]) -> Callable[[Colour], int]:
    places = {colour: place for place, colour in enumerate(palette)}

    @cache
    def index(colour: Colour) -> int:
        if colour in places:
            return places[colour]
        return min(range(len(palette)), key=lambda place: _distance(palette[place], colour))

    return index


def _distance(one: Colour, other: Colour) -> int:
    return sum((left - right) ** 2 for left, right in zip(one, other, strict=True))


def _transparency(palette: list[Colour]) -> bytes:
    alphas = bytes(colour[3] for colour in palette if colour[3] < 255)
    return _chunk(b"tRNS", alphas) if alphas else b""


def _chunk(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
