"""Entries of the clocks: what is due, and when (docs/architecture.md, rules 3 and 7).

An entry is one text, `<what>:<whose>`; its score in the bucket's sorted set is the millisecond it is due.
"""

from dataclasses import dataclass
from typing import assert_never

from wire.ids import RaceId, TableId, parse_race_id, parse_table_id


@dataclass(frozen=True, slots=True)
class DealDue:
    """A race was started and its deal is not recorded yet."""

    race: RaceId


@dataclass(frozen=True, slots=True)
class DeadlineDue:
    """A race's clock has run out."""

    race: RaceId


@dataclass(frozen=True, slots=True)
class SettleDue:
    """A race is over and its table has not taken the verdict yet."""

    race: RaceId


@dataclass(frozen=True, slots=True)
class ResignDue:
    """A racer left the table while racing."""

    race: RaceId
    seat: int


@dataclass(frozen=True, slots=True)
class PresenceDue:
    """Somebody's lease or grace at a table may have run out."""

    table: TableId


@dataclass(frozen=True, slots=True)
class ExpireDue:
    """A table may have had no visit for 24 hours."""

    table: TableId


Entry = DealDue | DeadlineDue | SettleDue | ResignDue | PresenceDue | ExpireDue


def to_text(entry: Entry) -> str:
    """Write an entry as it stands in the store.

    >>> to_text(ResignDue(RaceId("K7QM2XWP.3"), 2))
    'resign:K7QM2XWP.3:2'
    """
    match entry:
        case DealDue(race):
            return f"deal:{race}"
        case DeadlineDue(race):
            return f"deadline:{race}"
        case SettleDue(race):
            return f"settle:{race}"
        case ResignDue(race, seat):
            return f"resign:{race}:{seat}"
        case PresenceDue(table):
            return f"presence:{table}"
        case ExpireDue(table):
            return f"expire:{table}"
        case _:
            assert_never(entry)


def from_text(text: str) -> Entry:
    """Read an entry.

    Raises:
        ValueError: `text` is no entry.
    """
    what, _, whose = text.partition(":")
    match what:
        case "deal":
            return DealDue(_race(whose))
        case "deadline":
            return DeadlineDue(_race(whose))
        case "settle":
            return SettleDue(_race(whose))
        case "resign":
            race, _, seat = whose.partition(":")
            if seat not in {"1", "2", "3", "4"}:
                raise ValueError(f"{text!r} names no seat from 1 to 4")
            return ResignDue(_race(race), int(seat))
        case "presence":
            return PresenceDue(_table(whose))
        case "expire":
            return ExpireDue(_table(whose))
        case _:
            raise ValueError(f"{text!r} is no entry of the clocks")


def _race(text: str) -> RaceId:
    parse_race_id(text)
    return RaceId(text)


def _table(text: str) -> TableId:
    table = parse_table_id(text)
    if table is None or table != text:
        raise ValueError(f"{text!r} is no table's id")
    return table
