"""What the tests of faults share: a fleet, a seed to run a failure again from, and a page of figures."""

import random
from collections.abc import Iterator

import pytest
from tests.faults.figures import Figures
from tests.faults.fleet import Fleet, sailing

_FIGURES = pytest.StashKey[Figures]()


def pytest_configure(config: pytest.Config) -> None:
    config.stash[_FIGURES] = Figures()


@pytest.fixture(scope="session")
def seed(pytestconfig: pytest.Config) -> int:
    found: int = pytestconfig.getoption("--seed")
    return found


@pytest.fixture
def rng(seed: int, request: pytest.FixtureRequest) -> random.Random:
    """Give the choices of one test, the same for the same seed."""
    return random.Random(f"{seed} {request.node.nodeid}")


@pytest.fixture
def figures(pytestconfig: pytest.Config) -> Figures:
    return pytestconfig.stash[_FIGURES]


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    """Give a fleet that the tests of a file share; each leaves it whole and calm."""
    with sailing(tmp_path_factory.mktemp("fleet")) as fleet:
        yield fleet


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    for line in config.stash[_FIGURES].lines():
        terminalreporter.write_line(line)
    if terminalreporter.stats.get("failed") or terminalreporter.stats.get("error"):
        terminalreporter.write_line(
            f"the choices of this run are made again with SEED={config.getoption('--seed')}"
        )
