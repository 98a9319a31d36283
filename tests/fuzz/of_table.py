"""Targets in table-service: names, tables as they are stored, what the store answers."""

from typing import Any, cast

from tests.fuzz.of_wire import text_of
from tests.fuzz.target import Tape, Target

from table_service import reading, record
from table_service.domain.names import LONGEST, distinct, plain
from table_service.domain.table import SEATS
from table_service.reading import Loaded, Unreadable
from table_service.views import news_of
from wire.ids import TableId
from wire.refusal import Refusal, Refused
from wire.store import Reply

TABLE = TableId("K7QM2XWP")


def names(data: bytes) -> None:
    """A name that is taken is 1 to 20 characters, is taken as it is from then on, and is told from all others."""
    wanted = text_of(data).split("\n")
    taken: list[str] = []
    for each in wanted[:6]:
        try:
            name = plain(each)
        except Refused as refused:
            assert refused.refusal is Refusal.BAD_NAME
            continue
        assert 1 <= len(name) <= LONGEST
        assert plain(name) == name
        assert name.encode()
        chosen = distinct(name, taken)
        assert 1 <= len(chosen) <= LONGEST
        assert plain(chosen) == chosen
        assert distinct(chosen, taken) == chosen
        assert chosen not in taken
        taken.append(chosen)


def stored_tables(data: bytes) -> None:
    """A table that is read can be shown, and is written as what is read alike."""
    try:
        table = record.decode(data)
    except record.BadRecord:
        return
    assert record.decode(record.encode(table)) == table
    news_of(Loaded(table, {}, 0), now=1_000_000, grace_ms=60_000).SerializeToString()


def store_readings(data: bytes) -> None:
    """Whatever scores and hashes the store answers, a table is read, is none, or is unreadable."""
    tape = Tape(data)
    scores: list[Reply] = [tape.take(tape.number(12)) or None for _ in range(4)]
    gateways: list[Reply] = [tape.take(tape.number(6)) for _ in range(tape.number(4))]
    pairs: list[Reply] = [tape.take(tape.number(6)) for _ in range(2 * tape.number(4))]
    stored: list[Reply] = [b"1", tape.rest()]
    replies = [gateways, pairs, stored, cast("Any", scores), pairs]
    (loaded,) = reading.read_tables([TABLE], replies)
    assert loaded is None or isinstance(loaded, Unreadable | Loaded)
    if isinstance(loaded, Loaded):
        assert {*loaded.leases} <= {*SEATS}
        assert loaded.watchers >= 0
        news_of(loaded, now=1_000_000, grace_ms=60_000).SerializeToString()


TARGETS = (
    Target("names", ("table_service.domain.names",), names),
    Target("stored_tables", ("table_service.record", "table_service.views"), stored_tables),
    Target("store_readings", ("table_service.reading",), store_readings),
)
