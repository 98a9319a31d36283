"""A guard that is taken out is missed: each row of the table is tried on a copy of the tree."""

from concurrent.futures import Future

import pytest
from tests.guards.conftest import Judged
from tests.guards.copying import ROOT
from tests.guards.table import FaultyRow, Guard, all_guards


def test_the_tests_of_a_guard_fail_without_it(guard: Guard, judged: Judged) -> None:
    hold(judged[guard])


def test_the_tests_of_all_guards_pass_with_them(judged: Judged) -> None:
    hold(judged[None])


def test_every_guard_stands_once_where_its_row_takes_it_out_also_those_not_tried_this_time() -> None:
    counts = {
        (guard.what, guard.file): (ROOT / guard.file).read_text().count(guard.old) for guard in all_guards()
    }
    assert {row: count for row, count in counts.items() if count != 1} == {}


def test_every_test_in_python_is_where_its_row_says_also_of_rows_not_tried_this_time() -> None:
    named = {test.partition("[")[0] for guard in all_guards() for test in guard.tests if ".py::" in test}
    assert [test for test in sorted(named) if not is_there(*test.split("::"))] == []


def is_there(file: str, *names: str) -> bool:
    text = (ROOT / file).read_text() if (ROOT / file).is_file() else ""
    return all(name in text for name in names)


def hold(future: Future[None]) -> None:
    """See that a row is no faulty one; if it is, its words tell all, and where they were raised nothing."""
    faulty = future.exception()
    if isinstance(faulty, FaultyRow):
        pytest.fail(str(faulty), pytrace=False)
    future.result()
