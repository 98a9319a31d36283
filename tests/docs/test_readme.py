"""tests/README.md says which test keeps which fault out: each that it names exists."""

import re
from pathlib import Path

TESTS = Path(__file__).parent.parent
README = (TESTS / "README.md").read_text()
PYTHON = re.compile(r"`(?:([a-z_0-9]+/[a-z_0-9]+\.py))?::(test_[a-z0-9_]+)`")
NODE = re.compile(r'`(page/[a-z_0-9]+\.test\.js)`((?:,? "[^"]+")+)')
FAULT = re.compile(r"^\| (?!fault |folder |---)(.+?) \| (.+) \|$", re.MULTILINE)


def test_every_test_in_python_that_it_names_exists() -> None:
    file, missing, seen = "", [], 0
    for named in PYTHON.finditer(README):
        file = named[1] or file
        seen += 1
        if f"def {named[2]}(" not in (TESTS / file).read_text():
            missing.append(f"{file}::{named[2]}")
    assert missing == []
    assert seen > 60


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
