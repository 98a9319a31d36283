"""What tests of fuzzing share: the seed of a run."""

import pytest


@pytest.fixture(scope="session")
def seed(pytestconfig: pytest.Config) -> int:
    found: int = pytestconfig.getoption("--seed")
    return found
