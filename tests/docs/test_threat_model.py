"""docs/threat-model.md and docs/fairness.md: all that they name exists, and no guard is left unspoken of.

That every test in Python that they name exists is seen to in test_readme.py.
"""

import re
from pathlib import Path

import pytest
from tests.guards.table import all_guards

TESTS = Path(__file__).parent.parent
DOCS = TESTS.parent / "docs"
MODEL = (DOCS / "threat-model.md").read_text()
FAIRNESS = (DOCS / "fairness.md").read_text()
PYTHON = re.compile(r"`(?:((?:[a-z_0-9]+/)+[a-z_0-9]+\.py))?::(test_[a-z0-9_]+)`")
FILE = re.compile(r"`((?:[a-z_0-9]+/)+[a-z_0-9]+(?:\.test\.js|\.py))`")
NODE = re.compile(r'`(page/[a-z_0-9]+\.test\.js)`((?:,? "[^"]+")+)')
ROW = re.compile(r"^\| (?!wanted |tried |what |---)(.+?) \| (.+) \|$", re.MULTILINE)
BY_NAME = pytest.mark.parametrize("page", [MODEL, FAIRNESS], ids=["threat-model", "fairness"])


@BY_NAME
def test_every_file_and_every_test_of_the_page_that_is_named_exists(page: str) -> None:
    missing = [
        file for file in FILE.findall(page) if not any((at / file).is_file() for at in (TESTS, TESTS.parent))
    ]
    for file, all_words in NODE.findall(page):
        written = (TESTS / file).read_text()
        missing += [words for words in re.findall(r'"([^"]+)"', all_words) if words not in written]
    assert missing == []


def test_everything_that_somebody_may_want_is_kept_from_them_by_something_with_a_test() -> None:
    wanted = ROW.findall(MODEL.partition("## Learn what")[2].partition("## In clear")[0])
    assert [what for what, kept in wanted if not PYTHON.search(kept) and not FILE.search(kept)] == []
    assert len(wanted) > 40


def test_every_area_of_guards_is_spoken_of() -> None:
    areas = {guard.area for guard in all_guards()}
    spoken = set(re.findall(r"`tests/guards/([a-z]+)\.toml`", MODEL))
    assert areas - spoken == set()


def test_every_guard_of_fairness_is_spoken_of_by_one_of_its_tests() -> None:
    unspoken = [
        guard.what
        for guard in all_guards(["fairness"])
        if not any(test.rpartition("::")[2].partition("[")[0] in MODEL + FAIRNESS for test in guard.tests)
    ]
    assert unspoken == []
