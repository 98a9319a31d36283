"""What tests of fuzzing share: the seed of a run, and a running stack."""

from collections.abc import Iterator

import pytest
from tests.stack import Stack, standing

SETTINGS = {
    "grace_ms": "1500",
    "ping_ms": "5000",
    "countdown_ms": "300",
    "clocks_s": "2,60,120,180,300,600,900",
}


@pytest.fixture(scope="session")
def seed(pytestconfig: pytest.Config) -> int:
    found: int = pytestconfig.getoption("--seed")
    return found


@pytest.fixture(scope="session")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    with standing(tmp_path_factory.mktemp("stack"), **SETTINGS) as stack:
        yield stack


@pytest.fixture
def base(stack: Stack) -> str:
    return stack.base
