"""A guard that is taken out is missed: each row of the table is tried on a copy of the tree."""

from concurrent.futures import Future

import pytest
from tests.guards.conftest import Judged
from tests.guards.table import FaultyRow, Guard


def test_the_tests_of_a_guard_fail_without_it(guard: Guard, judged: Judged) -> None:
    hold(judged[guard])


def test_the_tests_of_all_guards_pass_with_them(judged: Judged) -> None:
    hold(judged[None])


def hold(future: Future[None]) -> None:
    """See that a row is no faulty one; if it is, its words tell all, and where they were raised nothing."""
    faulty = future.exception()
    if isinstance(faulty, FaultyRow):
        pytest.fail(str(faulty), pytrace=False)
    future.result()
