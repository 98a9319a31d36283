"""Names that look alike get a number, whatever they are made of, and no name is heaped over others (docs/rules.md §4)."""

import doctest
import importlib.util
import unicodedata
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from table_service.domain import looks
from table_service.domain.names import distinct, plain
from wire.refusal import NameFault, Refusal, Refused

LETTERS = st.text(st.characters(exclude_categories=("Cs", "Co", "Cn")), max_size=20)
MAKER = Path(__file__).parents[2] / "table-service" / "looks" / "make.py"


def is_refused(name: str) -> bool:
    try:
        plain(name)
    except Refused as refused:
        return refused.refusal is Refusal.BAD_NAME
    return False


def test_the_examples_in_the_docs_hold() -> None:
    assert doctest.testmod(looks).failed == 0


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("", NameFault.UNSEEN),
        (" \u3000 ", NameFault.UNSEEN),
        ("\u3164", NameFault.UNSEEN),  # the Hangul filler
        ("x" * 21, NameFault.LONG),
        ("👨\u200d👩\u200d👧" * 5, NameFault.LONG),
        ("x" * 10_000, NameFault.LONG),
        ("a\u202eb", NameFault.HIDDEN),
        ("Ann\u200b", NameFault.HIDDEN),
        ("a\nb", NameFault.HIDDEN),
        ("\ue000", NameFault.HIDDEN),
        ("q\u0300\u0301\u0302\u0303\u0304", NameFault.HEAPED),
    ],
)
def test_who_gives_a_name_that_is_refused_is_told_what_is_wrong_with_it(name: str, fault: NameFault) -> None:
    with pytest.raises(Refused) as refused:
        plain(name)
    assert (refused.value.refusal, refused.value.message) == (Refusal.BAD_NAME, fault)


@pytest.mark.parametrize(
    ("name", "taken"),
    [
        ("\u0410nn", "Ann"),  # Cyrillic A
        ("\u0391nn", "Ann"),  # Greek Alpha
        ("\uff21\uff4e\uff4e", "Ann"),  # full width
        ("\U0001d400nn", "Ann"),  # mathematical bold
        ("\u0430nn", "ANN"),  # Cyrillic small a
        ("Ann\u0578", "Annn"),  # Armenian
        ("\u13aa\u13a1", "AR"),  # Cherokee
        ("Bi11", "Bill"),
        ("BiII", "Bill"),
        ("B|ll", "BIll"),
        ("lris", "Iris"),
        ("iris", "Iris"),
        ("B0b", "Bob"),
        ("b\u041eb", "Bob"),
        ("rnax", "max"),
        ("RNAX", "max"),
        ("vvill", "will"),
        ("\u0440\u0430\u0443", "pay"),
        ("\u0421\u0410\u0421", "CAC"),
        ("Ann \u0662", "Ann \u06f2"),  # the same digit in two scripts
        ("Ann\u2010Lee", "Ann-Lee"),
        ("O\u2019Neil", "O'Neil"),
    ],
)
def test_a_name_that_looks_like_one_at_the_table_gets_a_number(name: str, taken: str) -> None:
    assert distinct(plain(name), [taken]) == f"{plain(name)} 2"
    assert distinct(taken, [plain(name)]) == f"{taken} 2"


@pytest.mark.parametrize(
    ("name", "taken"),
    [
        ("Ann", "Anna"),
        ("Ann", "\u00c1nn"),
        ("Bo", "Bob"),
        ("日本", "日木"),
        ("Ян", "Яна"),
        ("Ann", "Ann 2"),
        ("Tim", "Tom"),
    ],
)
def test_a_name_that_looks_otherwise_is_kept(name: str, taken: str) -> None:
    assert distinct(name, [taken]) == name


def test_a_number_that_was_written_otherwise_is_a_number_that_is_taken() -> None:
    assert distinct("Ann", ["\u0410nn", "Ann \uff12"]) == "Ann 3"


@given(st.lists(LETTERS, max_size=4))
def test_no_two_at_a_table_look_alike(wanted: list[str]) -> None:
    taken: list[str] = []
    for name in wanted:
        if not is_refused(name):
            taken.append(distinct(plain(name), taken))
    seen = [looks.looks(name) for name in taken]
    assert not any(one & other for at, one in enumerate(seen) for other in seen[:at])
    assert all(1 <= len(name) <= 20 for name in taken)


@given(LETTERS)
def test_what_a_name_looks_like_looks_the_same(name: str) -> None:
    skeleton = looks._skeleton(name)
    assert looks._skeleton(skeleton) == skeleton


@pytest.mark.parametrize(
    "name",
    [
        "Z\u0335\u0321\u0322\u0327\u0328algo",
        "a\u0316\u0316b",
        "o\u20dd\u20dd",
        "q\u0300\u0301\u0302\u0303\u0304",
    ],
)
def test_marks_heaped_on_a_letter_are_refused(name: str) -> None:
    assert is_refused(name)


@pytest.mark.parametrize(
    "name",
    ["Việt Nguyễn", "สุชาติ", "נָעֳמִי", "देवनागरी", "မြွှေ", "ខ្មែរ", "ཨོཾ་མ་ཎི", "1\ufe0f\u20e3", "❤\ufe0f", "مُحَمَّد"],
)
def test_a_name_as_any_script_writes_it_is_kept(name: str) -> None:
    assert plain(name) == unicodedata.normalize("NFC", name)


@pytest.fixture(scope="module")
def maker() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_looks", MAKER)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_what_looks_like_what_is_made_of_unicodes_data(maker: ModuleType) -> None:
    assert maker.FILE.read_text(encoding="utf-8") == maker.made()
