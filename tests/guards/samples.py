"""Tests of each bad kind, for the runner to tell apart; no other run collects this file."""

import pytest


@pytest.fixture
def nothing() -> None:
    raise RuntimeError


def test_that_fails() -> None:
    raise AssertionError


@pytest.mark.usefixtures("nothing")
def test_that_cannot_begin() -> None:
    pass


def test_that_is_skipped() -> None:
    pytest.skip("as a sample")
