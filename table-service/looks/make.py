"""Makes look_alikes.txt, by which two names are told to look alike: `python table-service/looks/make.py`.

The data are Unicode's (UTS #39, confusables.txt), as confusable_homoglyphs brings them: for each character those that it
may be taken for, in both directions, and from right to left with a mark that is none of theirs. What NFKD makes the same
already is left out. table-service reads the file alone; the package is needed to make it, and to see that it is made.
"""

import json
import unicodedata
from collections.abc import Iterator, Mapping
from importlib.resources import files
from pathlib import Path

FILE = Path(__file__).parents[1] / "src" / "table_service" / "domain" / "look_alikes.txt"
HEAD = """\
# What looks like what, in code points: behind each text the characters that are taken for it. Made by
# table-service/looks/make.py, changed in form only, of confusables.txt for Unicode 15.1 (UTS #39).
# Copyright © 1991-2023 Unicode, Inc.; used and given on under the Unicode License in LICENSE-unicode.txt beside this file.
"""
_MARK = "\N{LEFT-TO-RIGHT MARK}"
_ALSO = {"w": "vv"}
"""What Unicode leaves out."""


def made() -> str:
    """Write the file."""
    alike: dict[str, list[str]] = {}
    for character, text in sorted(_settled(dict(_pairs()) | _ALSO).items()):
        alike.setdefault(text, []).append(character)
    lines = [f"{_points(text)}: {' '.join(map(_points, found))}\n" for text, found in sorted(alike.items())]
    return HEAD + "".join(lines)


def _pairs() -> Iterator[tuple[str, str]]:
    """Give each character with what it is taken for, which is itself taken for nothing else."""
    source = files("confusable_homoglyphs").joinpath("confusables.json").read_text(encoding="utf-8")
    known = {
        text.replace(_MARK, ""): [other["c"].replace(_MARK, "") for other in others]
        for text, others in json.loads(source).items()
    }
    for text, others in known.items():
        if len(text) == len(others) == 1:
            (other,) = others
            if len(other) > 1 or len(known[other]) > 1 or other < text:
                yield text, other


def _settled(pairs: Mapping[str, str]) -> dict[str, str]:
    """Have each character stand for what nothing else stands for, in NFKD."""
    table = {
        character: text
        for character, text in pairs.items()
        if unicodedata.normalize("NFKD", character) == character
    }

    def settle(text: str) -> str:
        while (
            further := unicodedata.normalize("NFKD", "".join(table.get(each, each) for each in text))
        ) != text:
            text = further
        return text

    return {character: settle(character) for character in table}


def _points(text: str) -> str:
    return "+".join(f"{ord(each):X}" for each in text)


if __name__ == "__main__":
    FILE.write_text(made(), encoding="utf-8")
