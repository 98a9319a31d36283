"""components/ha-store: its keeper makes one Cluster of six nodes as they are shipped, and keeps it one."""

import asyncio
import importlib.util
import shutil
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from redis.crc import key_slot
from tests.e2e.meeting import racing, verdicts
from tests.manifests.reading import K8S
from tests.manifests.stores import BUS, ShippedStore, client_of, denied, running, secrets_in
from tests.stack import free_port, make_stack
from tests.stack import running as started

from wire import keys

ELSEWHERE = "127.0.9.1"
WITHIN_S = 60.0
HAPPENS_S = 20.0


def keeper_module() -> ModuleType:
    spec = importlib.util.spec_from_file_location("keeper", K8S / "components/ha-store/keeper.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def node_port() -> int:
    """Find a port that has its bus port free, too, and below those that the system gives to connections."""
    while True:
        port = free_port()
        with socket.socket() as probe:
            if port < 22_000 and probe.connect_ex(("127.0.0.1", port + BUS)):
                return port


@dataclass
class Six:
    """Six nodes, and who keeps them."""

    nodes: list[ShippedStore]
    secrets: Mapping[str, str]

    def keep(self) -> bool:
        """Have the keeper do its work once."""
        addresses = [f"{node.host}:{node.port}" for node in self.nodes]
        found: bool = keeper_module().Keeper(addresses, self.secrets["operator-url"]).keep(within_s=WITHIN_S)
        return found

    def ask(self, node: ShippedStore, *command: str) -> Any:
        with client_of(node.url(self.secrets["operator-url"])) as client:
            return client.execute_command(*command)

    def is_primary(self, node: ShippedStore) -> bool:
        return bool(self.ask(node, "ROLE")[0] == b"master")

    def following(self) -> dict[int, int]:
        """Give the number of each replica's primary."""
        ports = {node.port: number for number, node in enumerate(self.nodes)}
        roles = {number: self.ask(node, "ROLE") for number, node in enumerate(self.nodes)}
        return {number: ports[role[2]] for number, role in roles.items() if role[0] == b"slave"}

    def slots(self) -> dict[int, list[int]]:
        """Give the first and the last slot of each primary, by its number."""
        ports = {node.port: number for number, node in enumerate(self.nodes)}
        ranges = self.ask(self.nodes[5], "CLUSTER", "SLOTS")
        return {ports[primary[1]]: [first, last] for first, last, primary, *_ in ranges}


@pytest.fixture(scope="module")
def six(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Six]:
    folder = tmp_path_factory.mktemp("six")
    made = secrets_in(folder)
    nodes = []
    for number in range(6):
        (folder / str(number)).mkdir()
        nodes.append(ShippedStore(folder / str(number), folder, port=node_port(), is_clustered=True))
    with running(*nodes):
        yield Six(nodes, made)


def until(happened: Callable[[], bool], words: str) -> None:
    end = time.monotonic() + HAPPENS_S
    while not happened():
        assert time.monotonic() < end, words
        time.sleep(0.05)


def test_six_nodes_become_one_cluster_level_with_tables_and_each_primary_has_a_replica(six: Six) -> None:
    assert six.keep()
    assert six.slots() == {0: [0, 5700], 1: [5701, 9700], 2: [9701, 16383]}
    assert sorted(six.following().values()) == [0, 1, 2]
    buckets = [
        sum(first <= key_slot(keys.tag(each).encode()) <= last for each in range(keys.BUCKETS))
        for first, last in six.slots().values()
    ]
    assert sorted(buckets) == [5, 5, 6]


def test_nothing_is_left_to_do_where_all_is_well(six: Six) -> None:
    module = keeper_module()
    addresses = [f"{node.host}:{node.port}" for node in six.nodes]
    looked = module.Keeper(addresses, six.secrets["operator-url"]).look()
    assert looked.is_whole
    assert module.steps(looked) == []


async def test_friends_race_on_it_and_nothing_is_denied(six: Six, tmp_path: Path) -> None:
    url = six.nodes[3].url(six.secrets["redis-url"])
    stack = make_stack(url, tmp_path, countdown_ms="400", ping_ms="500", grace_ms="1000")
    with started(stack):
        async with racing(stack.base, 2, target=64) as friends:
            await asyncio.gather(
                *(each.slides_until(lambda: friends[0].verdict is not None) for each in friends)
            )
            assert (await verdicts(friends))["reason"] == "TARGET"
    assert [line for node in six.nodes for line in denied(node, six.secrets["operator-url"])] == []


def test_a_primary_that_is_told_to_stop_hands_over_first(six: Six) -> None:
    node = six.nodes[0]
    (follower,) = [number for number, primary in six.following().items() if primary == 0]
    node.stop()
    until(lambda: six.is_primary(six.nodes[follower]), "the replica never took over")
    node.start()
    assert six.keep()
    assert six.following()[0] == follower


def test_a_node_that_lost_its_volume_follows_again_and_its_former_self_is_forgotten(six: Six) -> None:
    lost = next(iter(six.following()))
    node = six.nodes[lost]
    node.stop()
    shutil.rmtree(node.data)
    node.start()
    assert six.keep()
    assert len(six.ask(six.nodes[1], "CLUSTER", "NODES").splitlines()) == 6
    assert sorted(six.following().values()) == sorted(six.slots())


def test_nodes_that_all_came_back_elsewhere_find_each_other_and_have_lost_nothing(six: Six) -> None:
    slots = {tuple(each) for each in six.slots().values()}
    for node in six.nodes:
        node.stop()
    for node in six.nodes:
        node.host = ELSEWHERE
        node.start()
    assert six.keep()
    assert {tuple(each) for each in six.slots().values()} == slots
    assert sorted(six.following().values()) == sorted(six.slots())


def test_no_cluster_is_made_while_a_node_is_missing(six: Six) -> None:
    module = keeper_module()
    known = module.Known("a", "10.0.0.1", 6379, "", is_linked=True, has_failed=False, slots=frozenset())
    alone = module.Node("10.0.0.1", 6379, "a", 0, {"a": known})
    assert module.steps(module.Looked([alone], 6)) == []
    assert len(six.nodes) == 6


def test_a_node_with_keys_that_belongs_nowhere_is_left_alone() -> None:
    module = keeper_module()
    nodes = [lone(module, name, keys=1 if name == "a" else 0) for name in "abcdef"]
    commands = [step.command[1] for step in module.steps(module.Looked(nodes, 6))]
    assert commands == ["ADDSLOTSRANGE", "ADDSLOTSRANGE"]


def lone(module: ModuleType, name: str, *, keys: int) -> Any:
    """Give a node that knows all six, and holds nothing."""
    known = {
        each: module.Known(
            each, f"10.0.0.{each}", 6379, "", is_linked=True, has_failed=False, slots=frozenset()
        )
        for each in "abcdef"
    }
    return module.Node(f"10.0.0.{name}", 6379, name, keys, known)
