# ruff: noqa: INP001 - run by its path
"""Makes one Cluster of the store's nodes, and keeps it one, as far as they do not do so themselves.

It looks at all of them, does the next thing that is missing, and looks again, until nothing is: introduces nodes that do not
know each other, or know each other by an old address; shares out the slots, once; has nodes without slots follow a primary;
and has a node forgotten that came back without its volume, as another. It never takes a slot from anybody, and never
touches a node with keys that belongs nowhere.

STORE_NODES are all nodes as host:port, the first three of which become primaries; OPERATOR_URL has user and password.
"""

import contextlib
import os
import socket
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

SHARES = ((0, 5700), (5701, 9700), (9701, 16383))
"""The slots of each primary, so that each has about as many tables (docs/cluster.md, "Which slots")."""
SLOTS = 16_384
WITHIN_S = 240.0
AGAIN_S = 1.0
ANSWER_S = 3.0
BUS = 10_000
"""How far a node's port for other nodes is above that for clients."""


@dataclass(frozen=True, slots=True)
class Known:
    """What a node says of a node: of itself, or of another."""

    id: str
    host: str
    port: int
    follows: str
    """The primary's id; empty for a primary."""
    is_linked: bool
    has_failed: bool
    slots: frozenset[int]


@dataclass(frozen=True, slots=True)
class Node:
    """A node that answers: where it is, how many keys it holds, and whom it knows."""

    host: str
    port: int
    id: str
    keys: int
    known: Mapping[str, Known]
    is_level: bool = True
    """Whether it is a primary, or has all that its primary has."""

    @property
    def itself(self) -> Known:
        """What it says of itself."""
        return self.known[self.id]

    @property
    def is_spare(self) -> bool:
        """Whether it is a primary of nothing, and has nothing to lose."""
        return not (self.itself.follows or self.itself.slots or self.keys)

    def knows(self, other: "Node") -> bool:
        """Tell whether it knows another, where it is now, and has a line to it."""
        known = self.known.get(other.id)
        return known is not None and known.is_linked and (known.host, known.port) == (other.host, other.port)


@dataclass(frozen=True, slots=True)
class Step:
    """A command to be sent to a node."""

    node: Node
    command: tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Looked:
    """The nodes that answered, of so many that there are to be."""

    nodes: Sequence[Node]
    expected: int
    held: frozenset[int] = field(init=False)
    """Slots that anybody knows anybody to hold, dead or alive."""

    def __post_init__(self) -> None:
        views = (known.slots for node in self.nodes for known in node.known.values())
        object.__setattr__(self, "held", frozenset().union(*views))

    @property
    def is_complete(self) -> bool:
        """Whether all answered, and all know all."""
        pairs = ((one, other) for one in self.nodes for other in self.nodes if one is not other)
        return len(self.nodes) == self.expected and all(one.knows(other) for one, other in pairs)

    @property
    def is_whole(self) -> bool:
        """Whether there is nothing left to do, and each replica could take over."""
        level = all(node.is_level for node in self.nodes)
        return self.is_complete and len(self.held) == SLOTS and level and not steps(self)


def steps(looked: Looked) -> list[Step]:
    """Give what to do next; after it, look again."""
    found = list(_introductions(looked))
    if found or not looked.is_complete:
        return found
    return list(_shares(looked)) or [*_followers(looked), *_departures(looked)]


def _introductions(looked: Looked) -> Iterator[Step]:
    """Introduce all to one of them, best one that belongs somewhere: from there the word spreads by itself."""
    if not looked.held and len(looked.nodes) < looked.expected:
        return
    by = next((node for node in looked.nodes if node.itself.slots), next(iter(looked.nodes), None))
    for other in looked.nodes:
        if by is not None and other is not by and not by.knows(other):
            yield Step(by, ("CLUSTER", "MEET", other.host, other.port, other.port + BUS))


def _shares(looked: Looked) -> Iterator[Step]:
    for node, (first, last) in zip(looked.nodes, SHARES, strict=False):
        if node.is_spare and looked.held.isdisjoint(range(first, last + 1)):
            yield Step(node, ("CLUSTER", "ADDSLOTSRANGE", first, last))


def _followers(looked: Looked) -> Iterator[Step]:
    """Have each spare node follow the primary that has the fewest followers."""
    followers = {node.id: 0 for node in looked.nodes if node.itself.slots}
    for node in looked.nodes:
        if node.itself.follows in followers:
            followers[node.itself.follows] += 1
    for node in looked.nodes:
        if node.is_spare and followers and len(looked.held) == SLOTS:
            primary = min(followers, key=followers.__getitem__)
            followers[primary] += 1
            yield Step(node, ("CLUSTER", "REPLICATE", primary))


def _departures(looked: Looked) -> Iterator[Step]:
    """Have everyone forget who holds nothing, has failed, and is none of the nodes that there are."""
    here = {node.id for node in looked.nodes}
    for node in looked.nodes:
        for known in node.known.values():
            if known.id not in here and known.has_failed and not known.slots:
                yield Step(node, ("CLUSTER", "FORGET", known.id))


def read(text: str) -> dict[str, Known]:
    """Read CLUSTER NODES (https://valkey.io/commands/cluster-nodes/)."""
    return {known.id: known for known in map(_known, text.splitlines())}


def _known(line: str) -> Known:
    name, address, flags, primary, _ping, _pong, _epoch, link, *slots = line.split()
    host, _, port = address.partition("@")[0].rpartition(":")
    marks = flags.split(",")
    return Known(
        id=name,
        host=host,
        port=int(port),
        follows="" if primary == "-" else primary,
        is_linked="myself" in marks or (link == "connected" and "handshake" not in marks),
        has_failed="fail" in marks,
        slots=frozenset(slot for part in slots if not part.startswith("[") for slot in _range(part)),
    )


def _range(part: str) -> range:
    first, _, last = part.partition("-")
    return range(int(first), int(last or first) + 1)


class Keeper:
    """Looks at the nodes and does what is to be done."""

    def __init__(self, addresses: Sequence[str], operator_url: str) -> None:
        """Take the nodes as host:port, and a URL with the user and password that all of them know."""
        self._addresses = addresses
        self._operator = urlsplit(operator_url)

    def keep(self, *, within_s: float = WITHIN_S) -> bool:
        """Do what is missing until nothing is; tell whether that was reached in time."""
        end = time.monotonic() + within_s
        while not (looked := self.look()).is_whole:
            for step in steps(looked):
                self._do(step)
            if time.monotonic() > end:
                return False
            time.sleep(AGAIN_S)
        return True

    def look(self) -> Looked:
        """Ask all nodes that answer."""
        nodes = []
        for address in self._addresses:
            with contextlib.suppress(RedisError, OSError):
                nodes.append(self._ask(address))
        return Looked(nodes, len(self._addresses))

    def _ask(self, address: str) -> Node:
        name, _, port = address.rpartition(":")
        host = socket.gethostbyname(name)
        with self._client(host, int(port)) as client:
            told = client.execute_command("CLUSTER", "NODES")
            role = client.execute_command("ROLE")
            return Node(
                host=host,
                port=int(port),
                id=client.execute_command("CLUSTER", "MYID").decode(),
                keys=int(client.execute_command("DBSIZE")),
                known=read(told.decode()),
                is_level=role[0] == b"master" or role[3] == b"connected",
            )

    def _do(self, step: Step) -> None:
        words = " ".join(map(str, step.command))
        try:
            with self._client(step.node.host, step.node.port) as client:
                client.execute_command(*step.command)
        except (RedisError, OSError) as error:
            words = f"{words}: {error}"
        sys.stdout.write(f"{step.node.host}:{step.node.port} {words}\n")

    def _client(self, host: str, port: int) -> Redis:
        return Redis(
            host=host,
            port=port,
            username=self._operator.username,
            password=self._operator.password,
            protocol=2,
            socket_timeout=ANSWER_S,
            retry=Retry(NoBackoff(), 0),
        )


def main(environment: Mapping[str, str]) -> int:
    """Keep the Cluster, and give the exit code."""
    keeper = Keeper(environment["STORE_NODES"].split(","), environment["OPERATOR_URL"])
    if keeper.keep():
        return 0
    looked = keeper.look()
    sys.stderr.write(
        f"The nodes are no whole Cluster: {len(looked.nodes)} of {looked.expected} answer,"
        f" {len(looked.held)} of {SLOTS} slots are held.\n"
    )
    return 1


if __name__ == "__main__":
    sys.exit(main(os.environ))
