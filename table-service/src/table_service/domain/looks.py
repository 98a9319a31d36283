"""What names look like, whatever they are made of (UTS #39, https://www.unicode.org/reports/tr39/#Confusable_Detection)."""

import unicodedata
from collections.abc import Mapping
from importlib.resources import files


def looks(name: str) -> frozenset[str]:
    """Give what a name looks like as it is written, and in small letters; names that share one of these look alike.

    >>> bool(looks("Ann") & looks("ANN")), bool(looks("modern") & looks("rnodem")), bool(looks("Ann") & looks("Anna"))
    (True, True, False)
    """
    return frozenset((_skeleton(name).casefold(), _skeleton(name.casefold())))


def _skeleton(text: str) -> str:
    """Give the text that stands for all that look like this one; it is for comparing only."""
    plain = unicodedata.normalize("NFKD", text).translate(_LOOK_ALIKES)
    return unicodedata.normalize("NFKD", plain)


def _read() -> Mapping[int, str]:
    table: dict[int, str] = {}
    for line in files(__package__).joinpath("look_alikes.txt").read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            text, _, characters = line.partition(": ")
            shown = "".join(chr(int(point, 16)) for point in text.split("+"))
            table |= dict.fromkeys((int(point, 16) for point in characters.split()), shown)
    return table


_LOOK_ALIKES = _read()
