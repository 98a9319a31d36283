"""What the tests of a Cluster share: its nodes, a fleet on them, and the seed and figures of the tests of faults."""

from collections.abc import AsyncIterator, Iterator

import pytest
from tests.cluster.fleet import sailing_on
from tests.cluster.nodes import Nodes, clustered
from tests.faults.conftest import figures, pytest_configure, pytest_terminal_summary, rng, seed
from tests.faults.fleet import Fleet

from wire.store import Store

__all__ = ["figures", "pytest_configure", "pytest_terminal_summary", "rng", "seed"]


@pytest.fixture(scope="module")
def all_nodes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nodes]:
    with clustered(tmp_path_factory.mktemp("nodes")) as nodes:
        yield nodes


@pytest.fixture
def nodes(all_nodes: Nodes) -> Iterator[Nodes]:
    """Give the nodes that the tests of a file share; what a test killed is started again."""
    yield all_nodes
    all_nodes.mend()


@pytest.fixture(scope="module")
def fleet(all_nodes: Nodes, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    """Give a fleet that the tests of a file share."""
    with sailing_on(all_nodes, tmp_path_factory.mktemp("fleet")) as fleet:
        yield fleet


@pytest.fixture
async def store(nodes: Nodes) -> AsyncIterator[Store]:
    store = await Store.connect(nodes.all[0].url)
    yield store
    await store.aclose()
