"""Names of players: text that is shown to others, so it is made plain first (docs/rules.md §4)."""

import re
import unicodedata
from collections.abc import Collection

from wire.refusal import Refusal, Refused

LONGEST = 20
DEFAULT = "Player"
# Controls, direction and zero-width marks, surrogates, private and unassigned characters, line and paragraph ends.
_FORBIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
_INVISIBLE = {"Zs", "Mn", "Me", "Mc"}
# Zero-width, but part of what is seen in between: of joined emoji, and of words in scripts whose letters join.
_JOINERS = "\u200c\u200d"
# What fonts show as nothing, as far as a name may hold it: Unicode's Default_Ignorable_Code_Point, with the Hangul
# fillers, which are letters by category, and the Braille blank.
_UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200c\u200d\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
_BEFORE_JOINER, _AFTER_JOINER = {"So", "Sk", "Lo", "Mn", "Mc"}, {"So", "Lo"}


def plain(name: str) -> str:
    """Normalise a name (NFC), trim it and make its inner spaces, of whatever width, single.

    Raises:
        Refused: BAD_NAME, when 1 to 20 characters are not left, one is a control or direction character, or none
            can be seen.

    >>> plain("  Ann   Lee ")
    'Ann Lee'
    >>> plain("\N{WOMAN}\N{ZERO WIDTH JOINER}\N{ROCKET}") == "\N{WOMAN}\N{ZERO WIDTH JOINER}\N{ROCKET}"
    True
    """
    if len(name) > LONGEST * 8:
        raise Refused(Refusal.BAD_NAME)
    normal = unicodedata.normalize("NFC", name)
    spaced = "".join(" " if unicodedata.category(letter) == "Zs" else letter for letter in normal.strip())
    kept = " ".join(part for part in spaced.split(" ") if part)
    categories = _categories(_without_joiners(kept))
    seen = _categories(_UNSEEN.sub("", kept)) - _INVISIBLE
    if categories & _FORBIDDEN or not seen or len(kept) > LONGEST:
        raise Refused(Refusal.BAD_NAME)
    return kept


def distinct(name: str, taken: Collection[str]) -> str:
    """Give a name that nobody at the table has: itself, or with the lowest number from 2 that is free.

    >>> distinct("Ann", ["ann", "Ann 2"])
    'Ann 3'
    """
    folded = {_folded(other) for other in taken}
    number, chosen = 1, name
    while _folded(chosen) in folded:
        number += 1
        ending = f" {number}"
        chosen = name[: LONGEST - len(ending)].rstrip(f" {_JOINERS}") + ending
    return chosen


def _folded(name: str) -> str:
    """Give what two names that look alike have in common."""
    return unicodedata.normalize(
        "NFKC", unicodedata.normalize("NFKC", _UNSEEN.sub("", name).strip()).casefold()
    )


def _categories(name: str) -> set[str]:
    return {unicodedata.category(letter) for letter in name}


def _without_joiners(name: str) -> str:
    """Leave out the joiners that join something; any other one is hidden, and stays to be found."""
    return "".join(
        letter
        for at, letter in enumerate(name)
        if letter not in _JOINERS
        or at == 0
        or unicodedata.category(name[at - 1]) not in _BEFORE_JOINER
        or unicodedata.category(name[at + 1 :][:1] or " ") not in _AFTER_JOINER
    )
