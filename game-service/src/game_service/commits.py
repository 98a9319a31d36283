"""What game-service asks of the store: deal, commit, load and restore races, each in one script or read.

Every change is one script that compares before it writes (docs/architecture.md, rule 1).
"""

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from importlib import resources
from typing import NamedTuple

from game_service.meta import Deal, Meta, pack_deal
from game_service.places import Places
from game_service.records import Snapshot, dealt_record, pack
from wire import keys
from wire.ids import RaceId
from wire.store import Argument, Reply, Script, Store, StoreRefused, WrongType

MOST_IN_A_BATCH = 256
"""How many races one script call commits at most, so that no call holds the store for long."""


class Outcome(IntEnum):
    """What became of a commit; the numbers are those of commit.lua."""

    DONE = 0
    CONFLICT = 1
    EARLY = 2
    LATE = 3
    LAPSED = 4
    UNKNOWN = 5
    CONNECTED = 6
    GRACE = 7
    FAILED = 8


class Ends(IntEnum):
    """Whether a commit ends its race, and with which time."""

    NOT = 0
    NOW = 1
    AT_DEADLINE = 2


@dataclass(frozen=True, slots=True)
class LeaseSeen:
    """A lease that must be as it was read, and over by `grace_ms`; `until` in milliseconds."""

    member: str
    until: int
    grace_ms: int


class Commit(NamedTuple):
    """One change of one race: from `base` to the packed `state`, within the times given (0 is none)."""

    places: Places
    base: Snapshot
    state: bytes
    entries: bytes
    not_before: int
    before: int
    ends: Ends
    lease: LeaseSeen | None


class Result(NamedTuple):
    """A commit's outcome, with the race's version and time as the script saw them."""

    outcome: Outcome
    version: int
    now: int


@dataclass(frozen=True, slots=True, repr=False)
class Stored:
    """A race's record as it stands in the store, never shown whole; times in milliseconds, 0 for none."""

    version: int
    state: bytes
    starts_at: int
    deadline: int
    ended_at: int
    last: int
    meta: Meta


@dataclass(frozen=True, slots=True, repr=False)
class Dealt:
    """What a deal came to: the times the script fixed, and what was dealt, now or before. It holds the seed, too."""

    starts_at: int
    deadline: int
    ended_at: int
    meta: Meta
    now: int


def _script(name: str) -> Script:
    script = resources.files("game_service").joinpath("scripts", f"{name}.lua")
    return Script(script.read_text("utf-8"), name)


_COMMIT = struct.Struct("<IdddBHH")
COMMIT, DEAL, RESTORE = _script("commit"), _script("deal"), _script("restore")


async def commit(store: Store, batch: Sequence[Commit]) -> list[Result]:
    """Commit a batch, at most one change a race and all of one group of the store; a result each, in order.

    Raises:
        OutcomeUnknown: no answer came; each of them is committed or not.
        StoreRefused: the store refused the whole batch.
    """
    # All replicas hear every channel of a group, so the news of its batch is one message, on any of them.
    script_keys: list[str] = []
    arguments: list[Argument] = [len(batch), batch[0].places.races_channel]
    more_keys: list[str] = []
    more: list[Argument] = []
    for each in batch:
        at, base = each.places, each.base
        script_keys += (at.record, at.log)
        if each.ends or each.lease:
            more_keys += (at.clocks, at.leases)
            more += _more(each)
        number = len(more_keys) // 2 if each.ends or each.lease else 0
        arguments.append(
            _COMMIT.pack(
                base.version, base.last, each.not_before, each.before, each.ends, number, len(each.state)
            )
            + each.state
            + each.entries
        )
    clock, *answers = _shape(
        await store.run(COMMIT, script_keys + more_keys, arguments + more), len(batch) + 1
    )
    store.clock.heard(_number(clock))
    return [_result(each.base, answer, _number(clock)) for each, answer in zip(batch, answers, strict=True)]


def _more(each: Commit) -> tuple[Argument, ...]:
    """Give the arguments that only some commits have."""
    at, lease = each.places, each.lease
    return (
        at.settle_entry, at.deadline_entry, at.tables_channel,
        lease.member if lease else "", lease.until if lease else 0, lease.grace_ms if lease else 0,
    )  # fmt: skip


def _result(base: Snapshot, answer: Reply, clock: int) -> Result:
    if answer == Outcome.DONE:
        return Result(Outcome.DONE, base.version + 1, max(clock, base.last))
    outcome, version, now = _shape(answer, 3)
    return Result(Outcome(_number(outcome)), _number(version), _number(now))


async def deal(store: Store, race: RaceId, dealt: Deal, *, starts_at: int, countdown_ms: int) -> Dealt:
    """Deal a race unless it is dealt already; either way say what is there.

    Raises:
        StoreError: it is not known to be dealt.
    """
    at = Places.of(race)
    # Nothing in the state depends on when the race starts, which only the script knows.
    state = pack(dealt_record(dealt, starts_at))
    reply = await store.run(
        DEAL,
        [at.record, at.clocks],
        [
            race, state, pack_deal(dealt), starts_at, countdown_ms, dealt.rules.clock_ms or 0,
            at.deadline_entry, at.races_channel,
        ],
    )  # fmt: skip
    if not isinstance(reply, list) or len(reply) != 5 or not isinstance(reply[3], bytes):
        raise StoreRefused("the deal script answered with another shape")
    starts_at, deadline, ended_at, now = (_number(each) for each in [*reply[:3], reply[4]])
    store.clock.heard(now)
    return Dealt(starts_at, deadline, ended_at, Meta(reply[3]), now)


async def load(store: Store, races: Sequence[RaceId]) -> list[Stored | WrongType | None]:
    """Read races' records in one write; None for one that is not there.

    Raises:
        StoreError: they could not be read.
    """
    fields = ("v", "s", "at", "dl", "ea", "last", "meta")
    replies = await store.read_apart([("HMGET", keys.race_key(race), *fields) for race in races])
    return [reply if isinstance(reply, WrongType) else _stored(reply) for reply in replies]


async def versions(store: Store, races: Sequence[Places]) -> list[tuple[int, int] | None]:
    """Read races' (version, last) in one write; None for one that is not there, or is no record.

    Raises:
        StoreError: they could not be read.
    """
    replies = await store.read_apart([("HMGET", race.record, "v", "last") for race in races])
    return [_version(reply) for reply in replies]


async def read_log(store: Store, race: RaceId) -> bytes:
    """Read a race's log; empty where there is none.

    Raises:
        StoreError: it could not be read.
    """
    (reply,) = await store.read([("GET", keys.log_key(race))])
    return reply if isinstance(reply, bytes) else b""


async def read_log_at(store: Store, race: RaceId, held: Snapshot) -> bytes | None:
    """Read a race's log where the record is as it is held; None where it is another or gone.

    Raises:
        StoreError: it could not be read.
    """
    stands, log = await store.read_apart(
        [("HMGET", keys.race_key(race), "v", "last"), ("GET", keys.log_key(race))]
    )
    if _version(stands) != (held.version, held.last):
        return None
    return log if isinstance(log, bytes) else b""


async def restore(store: Store, at: Places, *, held: Snapshot, found: Stored, log: bytes) -> bool:
    """Commit a verdict that is held again over the lower version found; whether it stands there now.

    Raises:
        StoreError: it is not known to be restored.
    """
    reply = await store.run(
        RESTORE,
        [at.record, at.log, at.clocks, at.table],
        [
            at.race, found.version, found.last, found.meta, held.version, held.last, pack(held.record),
            held.ended_at, log, at.settle_entry, at.races_channel, at.tables_channel, at.deadline_entry,
        ],
    )  # fmt: skip
    return reply == 1


def _shape(reply: Reply, count: int) -> list[Reply]:
    if not isinstance(reply, list) or len(reply) != count:
        raise StoreRefused("a script answered with another shape")
    return reply


def _number(reply: Reply) -> int:
    if not isinstance(reply, int):
        raise StoreRefused("a script answered with another shape")
    return reply


def _version(reply: Reply | WrongType) -> tuple[int, int] | None:
    version, last = reply if isinstance(reply, list) else (None, None)
    if not isinstance(version, bytes) or not isinstance(last, bytes):
        return None
    try:
        return int(version), int(last)
    except ValueError:
        return None


def _stored(reply: Reply) -> Stored | WrongType | None:
    if not isinstance(reply, list):
        return None
    version, state, starts_at, deadline, ended_at, last, meta = (
        field if isinstance(field, bytes) else b"" for field in reply
    )
    if not version:
        return None
    try:
        return Stored(
            int(version), state, int(starts_at), int(deadline), int(ended_at), int(last), Meta(meta)
        )
    except ValueError:
        return WrongType("a race's record holds something else for a number")
