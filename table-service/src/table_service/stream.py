"""One gateway's Watch stream: its sockets, and the events that wait for it."""

from collections.abc import Iterable
from dataclasses import InitVar, dataclass, field

from tilerace.table.v1 import table_pb2
from wire.batching import Outbox, Overflow
from wire.ids import BrowserHash, TableId

BOUND = 20_000
"""How many events may wait for a gateway; past it the stream is cut, and the gateway comes back to snapshots."""
INBOX = 50_000
"""How many calls of a gateway may wait to be taken, more than twice its sockets; past it the stream is cut."""
MOST_SOCKETS = 50_000
"""How many sockets one stream tells of at most, more than twice what a gateway holds; past it the stream is cut."""


@dataclass(frozen=True, slots=True)
class Socket:
    """A browser's socket at a table, and its number."""

    table: TableId
    browser: BrowserHash
    connection: int


@dataclass(eq=False, slots=True)
class Stream:
    """What a replica knows of one gateway's stream.

    `number` counts the gateway's streams, `came` its messages, `heard_at` is when the gateway last counted as heard (ms), `begun_in` are the
    groups of the store that know this stream for the gateway's newest. `inboxes` hold what it sent and is not taken yet,
    for each group: taken all at once, however many messages it came in.
    """

    groups: InitVar[Iterable[int]]
    gateway: bytes = b""
    number: int = 0
    heard_at: int = 0
    came: int = 0
    begun_in: set[int] = field(default_factory=set)
    inboxes: dict[int, Outbox[table_pb2.WatchCall]] = field(init=False)
    sockets: dict[int, Socket] = field(default_factory=dict)
    tables: dict[TableId, set[int]] = field(default_factory=dict)
    watchers: dict[TableId, int] = field(default_factory=dict)
    outbox: Outbox[table_pb2.WatchEvent] = field(default_factory=lambda: Outbox(BOUND))

    def __post_init__(self, groups: Iterable[int]) -> None:
        self.inboxes = {group: Outbox(INBOX) for group in groups}

    def add(self, number: int, socket: Socket) -> None:
        """Take a socket in.

        Raises:
            Overflow: there are more than any gateway holds.
        """
        if len(self.sockets) >= MOST_SOCKETS:
            raise Overflow
        self.sockets[number] = socket
        self.tables.setdefault(socket.table, set()).add(number)

    def remove(self, number: int) -> Socket | None:
        """Let a socket go; None where it is not known."""
        socket = self.sockets.pop(number, None)
        if socket is None:
            return None
        here = self.tables.get(socket.table, set())
        here.discard(number)
        if not here:
            self.tables.pop(socket.table, None)
        return socket

    def at(self, table: TableId) -> list[Socket]:
        """Give the sockets at a table."""
        return [self.sockets[number] for number in self.tables.get(table, ())]

    def tell(self, **event: object) -> None:
        """Queue one event, named as in WatchEvent.

        Raises:
            Overflow: the gateway reads too slowly.
        """
        self.outbox.put(table_pb2.WatchEvent(**event))  # type: ignore[arg-type]
