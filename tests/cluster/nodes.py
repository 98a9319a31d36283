"""A Cluster of processes: three primaries with a replica each, whose slots can be moved and whose nodes can die."""

import contextlib
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from redis import Redis
from redis.crc import key_slot
from redis.exceptions import RedisError
from tests.stack import Valkey, free_port

from wire import keys

PRIMARIES = 3
SLOTS = 16_384
NODE_TIMEOUT_MS = 2_000
"""After how long without a word a node is taken for dead."""
HAPPENS_S = 40.0
KEYS_AT_ONCE = 4
"""Few, so that a slot that is moved the slow way is in two places for a while."""


@dataclass(eq=False)
class Node(Valkey):
    """One node of a Cluster; `bus` is the port on which the nodes talk to each other."""

    bus: int = field(default_factory=free_port)

    def __post_init__(self) -> None:
        self.options = (
            "--cluster-enabled", "yes", "--cluster-port", str(self.bus),
            "--cluster-node-timeout", str(NODE_TIMEOUT_MS), "--cluster-require-full-coverage", "no",
            "--repl-diskless-sync-delay", "0", "--repl-timeout", "5", "--cluster-allow-replica-migration", "no",
        )  # fmt: skip

    @property
    def is_alive(self) -> bool:
        return self.process is not None and self.process.poll() is None

    @property
    def is_primary(self) -> bool:
        return self.role()[0] == b"master"

    @property
    def id(self) -> str:
        return self.tell("CLUSTER", "MYID")

    def ask(self, *command: str | int) -> object:
        """Send one command."""
        with Redis(port=self.port, protocol=2, socket_timeout=HAPPENS_S) as client:
            reply: object = client.execute_command(*command)
        return reply

    def tell(self, *command: str) -> str:
        """Send a command that is answered in text."""
        reply = self.ask(*command)
        assert isinstance(reply, bytes)
        return reply.decode()

    def role(self) -> list[object]:
        """Ask for the role, and what belongs to it."""
        reply = self.ask("ROLE")
        assert isinstance(reply, list)
        return reply

    def slots(self) -> dict[int, int]:
        """Give the port that holds each bucket, as this node sees it."""
        with Redis(port=self.port, protocol=2, socket_timeout=5) as client:
            told = client.connection_pool.get_connection()
            told.send_command("CLUSTER", "SLOTS")
            ranges = told.read_response()
            client.connection_pool.release(told)
        return {
            bucket: members[0][1]
            for bucket in range(keys.BUCKETS)
            for first, last, *members in ranges
            if first <= slot_of(bucket) <= last
        }


@dataclass
class Nodes:
    """All nodes; those of one shard, a primary and its replica, stand side by side."""

    all: list[Node]

    @property
    def alive(self) -> list[Node]:
        return [node for node in self.all if node.is_alive]

    def start(self) -> None:
        """Start them, each of its third of the slots, and wait until they are one."""
        for node in self.all:
            node.start()
        first, *others = self.all
        for node in others:
            first.ask("CLUSTER", "MEET", "127.0.0.1", node.port, node.bus)
        primaries, replicas = self.all[::2], self.all[1::2]
        for number, node in enumerate(primaries):
            start, end = (SLOTS * edge // PRIMARIES for edge in (number, number + 1))
            node.ask("CLUSTER", "ADDSLOTSRANGE", start, end - 1)
        for primary, replica in zip(primaries, replicas, strict=True):
            until(lambda: _does(replica, "CLUSTER", "REPLICATE", primary.id), "a replica never joined")  # noqa: B023
        self.until_whole()

    def stop(self) -> None:
        with contextlib.ExitStack() as stops:
            for node in self.all:
                stops.callback(node.stop)

    def until_whole(self) -> None:
        """Wait until every node sees every slot held, and every replica follows its primary."""
        until(lambda: all(map(self._is_whole, self.all)), "the nodes were never one Cluster")

    def mend(self) -> None:
        """Start what has died, and wait until all is whole."""
        for node in self.all:
            if not node.is_alive:
                node.start()
        self.until_whole()

    def holder(self, bucket: int) -> Node:
        """Give the primary that holds a bucket, as most of the nodes that live see it."""
        told = [node.slots().get(bucket) for node in self.alive]
        port = max(set(told), key=told.count)
        return next(node for node in self.all if node.port == port)

    def replica_of(self, node: Node) -> Node:
        """Give the other one of a shard."""
        return self.all[self.all.index(node) ^ 1]

    def kill(self, node: Node) -> None:
        """Have a primary die, and wait until its replica has taken over."""
        node.kill()
        self.until_primary(self.replica_of(node))

    def hand_over(self, node: Node) -> None:
        """Have a primary's replica take over as planned: it waits until it has all."""
        replica = self.replica_of(node)
        replica.ask("CLUSTER", "FAILOVER")
        self.until_primary(replica)

    def until_primary(self, node: Node, *, without: Node | None = None) -> None:
        """Wait until a node is a primary, and all that live, but for one, know it for one that holds slots."""
        asked = [each for each in self.alive if each is not without]
        until(
            lambda: node.is_primary and all(node.port in each.slots().values() for each in asked),
            "the replica never took over",
        )

    def move(self, bucket: int, target: Node) -> None:
        """Move a bucket's slot key by key, as `--cluster reshard` does: it is in two places meanwhile."""
        slot, source = slot_of(bucket), self.holder(bucket)
        target.ask("CLUSTER", "SETSLOT", slot, "IMPORTING", source.id)
        source.ask("CLUSTER", "SETSLOT", slot, "MIGRATING", target.id)
        while found := source.ask("CLUSTER", "GETKEYSINSLOT", slot, KEYS_AT_ONCE):
            assert isinstance(found, list)
            source.ask("MIGRATE", "127.0.0.1", target.port, "", 0, 5_000, "KEYS", *found)
            time.sleep(0.02)
        for node in (target, source):
            node.ask("CLUSTER", "SETSLOT", slot, "NODE", target.id)
        self.until_held(bucket, target)

    def move_at_once(self, bucket: int, target: Node) -> None:
        """Move a bucket's slot as Valkey 9 does by itself: it changes hands in one moment."""
        slot, source = slot_of(bucket), self.holder(bucket)
        source.ask("CLUSTER", "MIGRATESLOTS", "SLOTSRANGE", slot, slot, "NODE", target.id)
        self.until_held(bucket, target)

    def until_held(self, bucket: int, node: Node) -> None:
        """Wait until all that live know that a node holds a bucket."""
        until(
            lambda: all(each.slots().get(bucket) == node.port for each in self.alive),
            "the slot was never known to have moved",
        )

    def _is_whole(self, node: Node) -> bool:
        try:
            info, role = node.tell("CLUSTER", "INFO"), node.role()
        except RedisError:
            return False
        follows = role[0] == b"master" or role[3] == b"connected"
        is_one = f"cluster_known_nodes:{len(self.all)}" in info and f"cluster_size:{PRIMARIES}" in info
        return follows and is_one and "cluster_state:ok" in info and f"cluster_slots_ok:{SLOTS}" in info


def slot_of(bucket: int) -> int:
    """Give the slot of a bucket's hash tag."""
    return key_slot(keys.tag(bucket).encode())


@contextlib.contextmanager
def clustered(folder: Path) -> Iterator[Nodes]:
    """Run a Cluster within the block."""
    nodes = []
    for number in range(2 * PRIMARIES):
        (folder / f"node-{number}").mkdir()
        nodes.append(Node(folder / f"node-{number}"))
    found = Nodes(nodes)
    try:
        found.start()
        yield found
    finally:
        found.stop()


def until(holds: Callable[[], bool], otherwise: str, *, seconds: float = HAPPENS_S) -> None:
    """Wait until something holds."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, otherwise
        time.sleep(0.05)


def _does(node: Node, *command: str | int) -> bool:
    with contextlib.suppress(RedisError):
        node.ask(*command)
        return True
    return False
