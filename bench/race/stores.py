"""Stores: one, or a Cluster of three primaries, each of whose files is synced before it answers."""

import contextlib
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.cluster.nodes import PRIMARIES, SLOTS, Node
from tests.stack import Valkey

START_S = 30.0


@contextlib.contextmanager
def single() -> Iterator[Sequence[Valkey]]:
    """Run one store within the block."""
    with tempfile.TemporaryDirectory() as folder:
        store = Valkey(Path(folder))
        try:
            store.start()
            yield [store]
        finally:
            store.stop()


@contextlib.contextmanager
def cluster() -> Iterator[Sequence[Valkey]]:
    """Run a Cluster within the block, without replicas, so that as much is stored as by a single store."""
    with contextlib.ExitStack() as stack:
        nodes = list[Node]()
        for _ in range(PRIMARIES):
            folder = stack.enter_context(tempfile.TemporaryDirectory())
            nodes.append(Node(Path(folder)))
            stack.callback(nodes[-1].stop)
            nodes[-1].start()
        for number, node in enumerate(nodes):
            nodes[0].ask("CLUSTER", "MEET", "127.0.0.1", node.port, node.bus)
            start, end = (SLOTS * edge // PRIMARIES for edge in (number, number + 1))
            node.ask("CLUSTER", "ADDSLOTSRANGE", start, end - 1)
        _until_whole(nodes)
        yield nodes


def _until_whole(nodes: Sequence[Node]) -> None:
    end = time.monotonic() + START_S
    while not all(_is_whole(node) for node in nodes):
        if time.monotonic() > end:
            raise RuntimeError("the nodes never became one Cluster")
        time.sleep(0.05)


def _is_whole(node: Node) -> bool:
    info = node.tell("CLUSTER", "INFO")
    return "cluster_state:ok" in info and f"cluster_known_nodes:{PRIMARIES}\r" in info
