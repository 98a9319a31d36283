"""A `make play` that the tests which only look at it share."""

from collections.abc import Iterator

import pytest
from tests.play.one_machine import OneMachine, started


@pytest.fixture(scope="session")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OneMachine]:
    with started(tmp_path_factory.mktemp("play")) as running:
        yield running
