"""What is read of tables at once: records, leases, and how many watch."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from table_service import record
from table_service.domain.table import SEATS, Leases, Table
from table_service.watchers import number_of, total
from wire import keys
from wire.ids import TableId
from wire.store import Reply, StoreError, WrongType


@dataclass(frozen=True, slots=True)
class Loaded:
    """A table as it is stored, with its seats' leases and how many watch it."""

    table: Table
    leases: Leases
    watchers: int


class Unreadable(StoreError):
    """What is stored of a table is damaged, or of a later release: it is there, and is not touched."""


def reading(tables: Sequence[TableId], now: int) -> list[tuple[str, ...]]:
    """Give the commands that read tables, and the gateways that are heard at `now` (ms)."""
    commands: list[tuple[str, ...]] = []
    for bucket in _buckets(tables):
        commands += [
            ("ZRANGE", keys.gateways_key(bucket), str(now), "+inf", "BYSCORE"),
            ("ZRANGE", keys.streams_key(bucket), "0", "-1", "WITHSCORES"),
        ]
    for table in tables:
        leases = (keys.lease(table, seat) for seat in SEATS)
        commands += [
            ("HMGET", keys.table_key(table), "v", "r"),
            ("ZMSCORE", keys.leases_key(keys.bucket_of(table)), *leases),
            ("HGETALL", keys.watchers_key(table)),
        ]
    return commands


def read_tables(
    tables: Sequence[TableId], replies: Sequence[Reply | WrongType]
) -> list[Loaded | Unreadable | None]:
    """Read what the store answers to `reading`; None for a table that is not there."""
    left = iter(replies)
    streams = {bucket: _streams(next(left), next(left)) for bucket in _buckets(tables)}
    return [_loaded(left, streams[keys.bucket_of(table)]) for table in tables]


def _buckets(tables: Sequence[TableId]) -> list[int]:
    return sorted({keys.bucket_of(table) for table in tables})


def _loaded(replies: Iterator[Reply | WrongType], streams: Mapping[bytes, int]) -> Loaded | Unreadable | None:
    stored, leases, watchers = next(replies), next(replies), next(replies)
    for reply in (stored, leases):
        if isinstance(reply, WrongType):
            return Unreadable(str(reply))
    if not isinstance(stored, list) or not isinstance(stored[1], bytes):
        return None
    try:
        table = record.decode(stored[1])
    except record.BadRecord as error:
        return Unreadable(str(error))
    return Loaded(table, _leases(leases), total(_pairs(watchers), streams))


def _leases(reply: Reply | WrongType) -> dict[int, int]:
    scores = reply if isinstance(reply, list) else []
    untils = zip(SEATS, map(number_of, scores), strict=True)
    return {seat: until for seat, until in untils if until is not None}


def _streams(live: Reply | WrongType, streams: Reply | WrongType) -> dict[bytes, int]:
    """Give the number of each live gateway's newest stream."""
    heard = live if isinstance(live, list) else []
    numbers = (
        (gateway, number_of(number)) for gateway, number in _pairs(streams).items() if gateway in heard
    )
    return {gateway: number for gateway, number in numbers if number is not None}


def _pairs(reply: object) -> dict[bytes, bytes]:
    """Read a hash or a set's scores, as the library gives them or as the store sends them."""
    match reply:
        case dict():
            return dict(reply)
        case list() if reply and isinstance(reply[0], list | tuple):
            return dict(reply)
        case list():
            return dict(zip(reply[::2], reply[1::2], strict=True))
        case _:
            return {}
