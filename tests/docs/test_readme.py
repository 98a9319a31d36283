"""tests/README.md says which test keeps which fault out, four pages of docs/ what happens when, and who is kept from what.

Each test that they name exists.
"""

import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parent.parent
README = (TESTS / "README.md").read_text()
FAULTS = (TESTS.parent / "docs" / "faults.md").read_text()
CLUSTER = (TESTS.parent / "docs" / "cluster.md").read_text()
MODEL = (TESTS.parent / "docs" / "threat-model.md").read_text()
FAIRNESS = (TESTS.parent / "docs" / "fairness.md").read_text()
PYTHON = re.compile(r"`(?:((?:[a-z_0-9]+/)*[a-z_0-9]+\.py))?::(test_[a-z0-9_]+)`")
NODE = re.compile(r'`(page/[a-z_0-9]+\.test\.js)`((?:,? "[^"]+")+)')
FAULT = re.compile(r"^\| (?!fault |folder |---)(.+?) \| (.+) \|$", re.MULTILINE)


@pytest.mark.parametrize(
    ("page", "folder", "least"),
    [
        (README, TESTS, 60),
        (FAULTS, TESTS / "faults", 60),
        (CLUSTER, TESTS / "cluster", 10),
        (MODEL, TESTS, 60),
        (FAIRNESS, TESTS, 30),
    ],
    ids=["README", "faults", "cluster", "threat-model", "fairness"],
)
def test_every_test_in_python_that_is_named_exists(page: str, folder: Path, least: int) -> None:
    file, missing, seen = "", [], 0
    for named in PYTHON.finditer(page):
        file = named[1] or file
        seen += 1
        if f"def {named[2]}(" not in (folder / file).read_text():
            missing.append(f"{file}::{named[2]}")
    assert missing == []
    assert seen > least


@pytest.mark.parametrize(("page", "folder"), [(FAULTS, "faults"), (CLUSTER, "cluster")])
def test_every_scenario_stands_in_the_table_of_what_happens_when(page: str, folder: str) -> None:
    written = {
        name
        for file in (TESTS / folder).glob("test_*.py")
        if file.name != "test_history.py"  # it tests the checker
        for name in re.findall(r"^(?:async )?def (test_[a-z0-9_]+)", file.read_text(), re.MULTILINE)
    }
    assert written - {named[2] for named in PYTHON.finditer(page)} == set()


def test_every_test_of_the_page_that_it_names_exists() -> None:
    named = [
        (file, words)
        for file, all_words in NODE.findall(README)
        for words in re.findall(r'"([^"]+)"', all_words)
    ]
    assert [f"{file}: {words}" for file, words in named if words not in (TESTS / file).read_text()] == []
    assert len(named) > 10


def test_every_fault_has_a_test() -> None:
    faults = FAULT.findall(README.partition("## Faults")[2])
    assert [fault for fault, tests in faults if not PYTHON.search(tests) and not NODE.search(tests)] == []
    assert len(faults) > 45
