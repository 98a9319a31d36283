"""Names of players: text that is shown to others, so it is made plain first (docs/rules.md §4)."""

import re
import unicodedata
from collections.abc import Collection

from table_service.domain.looks import looks
from wire.refusal import NameFault, Refusal, Refused

LONGEST = 20
DEFAULT = "Player"
# Controls, direction and zero-width marks, surrogates, private and unassigned characters, line and paragraph ends.
_FORBIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
_INVISIBLE = {"Zs", "Mn", "Me", "Mc"}
# Marks that stand over, under or around a letter: of them, whatever the script, four at most (UTS #39, section 5.4).
_MARKS, _MOST_MARKS = {"Mn", "Me"}, 4
# Zero-width, but part of what is seen in between: of joined emoji, and of words in scripts whose letters join.
_JOINERS = "\u200c\u200d"
# What fonts show as nothing, as far as a name may hold it: Unicode's Default_Ignorable_Code_Point, with the Hangul
# fillers, which are letters by category, and the Braille blank.
_UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200c\u200d\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
_BEFORE_JOINER, _AFTER_JOINER = {"So", "Sk", "Lo", "Mn", "Mc"}, {"So", "Sm", "Lo"}
# Where emoji come to be (Extended_Pictographic): telephones have them years before Python's tables do.
_EMOJI_TO_COME = re.compile("[\U0001f6d8-\U0001f6ff\U0001fa70-\U0001faff]")


def plain(name: str) -> str:
    """Normalise a name (NFC), trim it and make its inner spaces, of whatever width, single.

    Raises:
        Refused: BAD_NAME, when 1 to 20 characters are not left, one is a control or direction character, none can be
            seen, or marks are heaped on one.

    >>> plain("  Ann   Lee ")
    'Ann Lee'
    >>> plain("\N{WOMAN}\N{ZERO WIDTH JOINER}\N{ROCKET}") == "\N{WOMAN}\N{ZERO WIDTH JOINER}\N{ROCKET}"
    True
    """
    if len(name) > LONGEST * 8:
        raise Refused(Refusal.BAD_NAME, NameFault.LONG)
    normal = unicodedata.normalize("NFC", name)
    spaced = "".join(" " if unicodedata.category(letter) == "Zs" else letter for letter in normal.strip())
    kept = " ".join(part for part in spaced.split(" ") if part)
    fault = _fault(kept)
    if fault is not None:
        raise Refused(Refusal.BAD_NAME, fault)
    return kept


def distinct(name: str, taken: Collection[str]) -> str:
    """Give a name that nobody at the table has: itself, or with the lowest number from 2 that is free.

    A name that looks like one of them is not another.

    >>> distinct("Ann", ["ann", "Ann 2"])
    'Ann 3'
    >>> distinct("Bill", ["Bi11"])
    'Bill 2'
    """
    seen = frozenset[str]().union(*map(_seen, taken))
    number, chosen = 1, name
    while _seen(chosen) & seen:
        number += 1
        ending = f" {number}"
        chosen = name[: LONGEST - len(ending)].rstrip(f" {_JOINERS}") + ending
    return chosen


def _fault(name: str) -> NameFault | None:
    """Tell what is wrong with a name."""
    if _categories(_without_joiners(name)) & _FORBIDDEN:
        return NameFault.HIDDEN
    if not _categories(_UNSEEN.sub("", name)) - _INVISIBLE:
        return NameFault.UNSEEN
    if len(name) > LONGEST:
        return NameFault.LONG
    return NameFault.HEAPED if _is_heaped(name) else None


def _seen(name: str) -> frozenset[str]:
    """Give what two names that look alike share one of."""
    return looks(_UNSEEN.sub("", name).strip())


def _is_heaped(name: str) -> bool:
    """Tell whether marks are heaped on a letter: one of them twice in a row, or more of them than any script needs."""
    marks = ""
    for letter in name:
        is_mark = _category(letter) in _MARKS
        if is_mark and (marks.endswith(letter) or len(marks) == _MOST_MARKS):
            return True
        marks = marks + letter if is_mark else ""
    return False


def _categories(name: str) -> set[str]:
    return {_category(letter) for letter in name}


def _category(letter: str) -> str:
    return "So" if _EMOJI_TO_COME.match(letter) else unicodedata.category(letter)


def _without_joiners(name: str) -> str:
    """Leave out the joiners that join something; any other one is hidden, and stays to be found."""
    return "".join(
        letter
        for at, letter in enumerate(name)
        if letter not in _JOINERS
        or at == 0
        or _category(name[at - 1]) not in _BEFORE_JOINER
        or _category(name[at + 1 :][:1] or " ") not in _AFTER_JOINER
    )
