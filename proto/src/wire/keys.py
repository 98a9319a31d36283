"""Where things are kept in the store: one of 16 buckets, fixed by the table's id (docs/architecture.md, rule 12).

Every key and channel begins with its bucket's hash tag, so that a table, its races, its timers and its leases are on
one node of a Redis Cluster and can be committed together.
"""

import zlib

from wire.ids import RaceId, TableId, parse_race_id

BUCKETS = 16
_TAGS = tuple(f"{{b{number:02}}}" for number in range(BUCKETS))


def bucket_of(table: TableId) -> int:
    """Give the bucket of a table and of everything that is its own: 0 to 15.

    >>> bucket_of(TableId("K7QM2XWP")) in range(16)
    True
    """
    return zlib.crc32(table.encode()) % BUCKETS


def tag(bucket: int) -> str:
    """Give a bucket's hash tag, `{b00}` to `{b15}`."""
    return _TAGS[bucket]


def bucket_of_race(race: RaceId) -> int:
    """Give the bucket of a race: its table's."""
    return bucket_of(parse_race_id(race)[0])


def bucket_of_key(key: str | bytes | int) -> int:
    """Give the bucket that a key or a channel begins with.

    >>> bucket_of_key("{b07}:clocks")
    7
    """
    text = key.decode() if isinstance(key, bytes) else str(key)
    return int(text[2:4])


def race_key(race: RaceId) -> str:
    """Name a race's record, a hash."""
    return f"{_TAGS[bucket_of_race(race)]}:race:{race}"


def log_key(race: RaceId) -> str:
    """Name a race's log, a string that is only ever appended to."""
    return f"{race_key(race)}:log"


def table_key(table: TableId) -> str:
    """Name a table's record, a hash."""
    return f"{_TAGS[bucket_of(table)]}:table:{table}"


def clocks_key(bucket: int) -> str:
    """Name a bucket's timers: a sorted set of entries by the millisecond they are due."""
    return f"{_TAGS[bucket]}:clocks"


def leases_key(bucket: int) -> str:
    """Name a bucket's presence leases: a sorted set of `<table>:<seat>` by the millisecond they run out."""
    return f"{_TAGS[bucket]}:leases"


def gateways_key(bucket: int) -> str:
    """Name a bucket's gateways: a sorted set of gateway ids by the millisecond they count as gone."""
    return f"{_TAGS[bucket]}:gateways"


def streams_key(bucket: int) -> str:
    """Name a bucket's watch streams: a sorted set of gateway ids by the number of each one's newest stream."""
    return f"{_TAGS[bucket]}:streams"


def watchers_key(table: TableId) -> str:
    """Name a table's watchers: a hash of gateway id to how many sockets without a seat it holds."""
    return f"{_TAGS[bucket_of(table)]}:watchers:{table}"


def sweep_key(bucket: int) -> str:
    """Name where a bucket's last sweep left its time."""
    return f"{_TAGS[bucket]}:sweep"


def limit_bucket(key: bytes) -> int:
    """Give the bucket where what an asker has spent of a limit is kept."""
    return key[0] % BUCKETS


def limit_key(key: bytes) -> str:
    """Name what an asker has spent of a limit: a hash, gone once all has come back."""
    return f"{_TAGS[limit_bucket(key)]}:limit:{key.hex()}"


def races_channel(bucket: int) -> str:
    """Name the sharded channel on which commits of races are told."""
    return f"{_TAGS[bucket]}:races"


def tables_channel(bucket: int) -> str:
    """Name the sharded channel on which commits of tables are told."""
    return f"{_TAGS[bucket]}:tables"


def lease(table: TableId, seat: int) -> str:
    """Name a seat's lease among its bucket's leases.

    >>> lease(TableId("K7QM2XWP"), 2)
    'K7QM2XWP:2'
    """
    return f"{table}:{seat}"
