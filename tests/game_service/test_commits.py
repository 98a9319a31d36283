"""The scripts, on a real store: every outcome, each judged alone, nothing half written."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from tests.game_service.racing import RACE, a_deal, load

from engine import Direction, Millis, Rules, Seat, SlideEvent
from game_service import commits, racelog
from game_service.commits import Commit, Ends, LeaseSeen, Outcome, Stored
from game_service.places import Places
from game_service.records import Snapshot, pack
from wire import keys
from wire.ids import RaceId, TableId
from wire.store import Store, WrongType

RACES = [RaceId(f"K7QM2XW{letter}.1") for letter in "PQR"]
TABLE = TableId("K7QM2XWP")


@pytest.fixture
async def store(store_url: str) -> AsyncIterator[Store]:
    connected = await Store.connect(store_url)
    yield connected
    await connected.aclose()


async def dealt(
    store: Store, race: RaceId = RACES[0], *, rules: Rules | None = None, starts_in: int = 0
) -> Snapshot:
    now = store.clock.now()
    await commits.deal(
        store, race, a_deal(rules=rules), starts_at=now + starts_in, countdown_ms=max(starts_in, 0)
    )
    return (await load(store, race))[1]


def slid(race: RaceId, base: Snapshot, **changes: object) -> Commit:
    """Describe a commit of one slide; `changes` are fields that shall differ."""
    state = base.record.race
    made = state.slide(Seat(1), useful(base), now=Millis(state.starts_at)).race
    record = type(base.record)(made, (base.record.tracks[0].slid(0), *base.record.tracks[1:]))
    entries = racelog.entry(SlideEvent(Seat(1), useful(base)))
    fields: dict[str, object] = {
        "places": Places.of(race), "base": base, "state": pack(record), "entries": entries,
        "not_before": state.starts_at, "before": 0, "ends": Ends.NOT, "lease": None,
    }  # fmt: skip
    return Commit(**(fields | changes))  # type: ignore[arg-type]


def useful(base: Snapshot) -> Direction:
    race = base.record.race
    for direction in Direction:
        try:
            race.slide(Seat(1), direction, now=Millis(race.starts_at))
        except ValueError:
            continue
        return direction
    raise AssertionError("a board that was just dealt slides")


async def outcome(store: Store, commit: Commit) -> Outcome:
    (result,) = await commits.commit(store, [commit])
    return result.outcome


async def untouched(store: Store, base: Snapshot, race: RaceId = RACES[0]) -> bool:
    return (await load(store, race))[1] == base and await commits.read_log(store, race) == b""


async def test_a_commit_moves_the_version_the_state_the_log_and_the_time(store: Store) -> None:
    base = await dealt(store)
    (result,) = await commits.commit(store, [slid(RACES[0], base)])
    _, after = await load(store)
    assert (result.outcome, result.version, result.now) == (Outcome.DONE, 2, after.last)
    assert after.record.race.racers[0].slides == 1
    log = await commits.read_log(store, RACES[0])
    assert len(log) == 6
    assert [logged.event for logged in racelog.read(log)] == [SlideEvent(Seat(1), useful(base))]


async def test_a_commit_on_another_version_changes_nothing(store: Store) -> None:
    base = await dealt(store)
    await commits.commit(store, [slid(RACES[0], base)])
    _, before = await load(store)
    assert await outcome(store, slid(RACES[0], base)) is Outcome.CONFLICT
    assert (await load(store))[1] == before


async def test_a_commit_on_the_same_version_of_another_past_is_a_conflict(store: Store) -> None:
    base = await dealt(store)
    other = Snapshot(base.version, base.last - 1, 0, base.record, base.state)
    assert await outcome(store, slid(RACES[0], other)) is Outcome.CONFLICT


async def test_a_slide_before_the_start_is_too_early(store: Store) -> None:
    base = await dealt(store, starts_in=5_000)
    assert await outcome(store, slid(RACES[0], base)) is Outcome.EARLY
    assert await untouched(store, base)


async def test_a_slide_at_the_deadline_is_too_late(store: Store) -> None:
    base = await dealt(store, rules=Rules(clock_ms=1))
    await asyncio.sleep(0.01)
    assert await outcome(store, slid(RACES[0], base)) is Outcome.LATE
    assert await untouched(store, base)


async def test_an_expiry_before_the_deadline_is_too_early(store: Store) -> None:
    base = await dealt(store, rules=Rules(clock_ms=60_000))
    assert await outcome(store, slid(RACES[0], base, ends=Ends.AT_DEADLINE)) is Outcome.EARLY
    assert await untouched(store, base)


async def test_an_expiry_without_a_clock_never_comes(store: Store) -> None:
    base = await dealt(store)
    assert await outcome(store, slid(RACES[0], base, ends=Ends.AT_DEADLINE)) is Outcome.EARLY


async def test_an_expiry_ends_at_the_deadline_whenever_it_comes(store: Store) -> None:
    base = await dealt(store, rules=Rules(clock_ms=1))
    await asyncio.sleep(0.05)
    expired = slid(RACES[0], base, ends=Ends.AT_DEADLINE)
    assert await outcome(store, expired) is Outcome.DONE
    _, after = await load(store)
    assert after.ended_at == base.record.race.deadline
    assert [logged.ms for logged in racelog.read(await commits.read_log(store, RACES[0]))] == [1]


async def test_what_hinged_on_an_offer_that_has_lapsed_is_refused(store: Store) -> None:
    base = await dealt(store)
    assert await outcome(store, slid(RACES[0], base, before=base.last)) is Outcome.LAPSED
    assert await untouched(store, base)


async def test_a_race_that_is_not_there_is_unknown(store: Store) -> None:
    base = await dealt(store)
    await store.client.flushall()
    assert await outcome(store, slid(RACES[0], base)) is Outcome.UNKNOWN


async def test_nothing_is_committed_after_the_end(store: Store) -> None:
    base = await dealt(store)
    await commits.commit(store, [slid(RACES[0], base, ends=Ends.NOW)])
    _, after = await load(store)
    assert await outcome(store, slid(RACES[0], after)) is Outcome.CONFLICT


async def test_the_end_asks_for_settling_and_clears_the_deadline(store: Store) -> None:
    base = await dealt(store, rules=Rules(clock_ms=60_000))
    clocks = keys.clocks_key(keys.bucket_of(TABLE))
    deadline = base.record.race.deadline
    assert await store.client.zrange(clocks, 0, -1, withscores=True) == [(b"deadline:K7QM2XWP.1", deadline)]
    (result,) = await commits.commit(store, [slid(RACES[0], base, ends=Ends.NOW)])
    assert await store.client.zrange(clocks, 0, -1, withscores=True) == [(b"settle:K7QM2XWP.1", result.now)]


@pytest.mark.parametrize(
    ("until_ago", "seen_ago", "expected"),
    [
        (-1_000, -1_000, Outcome.CONNECTED),
        (50, 50, Outcome.GRACE),
        (500, 500, Outcome.DONE),
        (500, 900, Outcome.CONNECTED),
    ],
)
async def test_racing_on_without_someone_reads_the_lease_again(
    store: Store, until_ago: int, seen_ago: int, expected: Outcome
) -> None:
    base = await dealt(store)
    until, seen = base.last - until_ago, base.last - seen_ago
    await store.client.zadd(keys.leases_key(keys.bucket_of(TABLE)), {keys.lease(TABLE, 1): until})
    lease = LeaseSeen(keys.lease(TABLE, 1), seen, 400)
    assert await outcome(store, slid(RACES[0], base, lease=lease)) is expected


async def test_a_bad_entry_of_a_batch_spoils_no_other(store: Store) -> None:
    bases = [await dealt(store, race) for race in RACES]
    await store.client.set(keys.log_key(RACES[1]), b"")
    await store.client.delete(keys.log_key(RACES[1]))
    await store.client.rpush(keys.log_key(RACES[1]), b"no log")
    results = await commits.commit(store, [slid(race, base) for race, base in zip(RACES, bases, strict=True)])
    assert [result.outcome for result in results] == [Outcome.DONE, Outcome.FAILED, Outcome.DONE]
    assert (await load(store, RACES[1]))[1] == bases[1]


@pytest.mark.parametrize("field", ["v", "last", "at", "dl", "ea"])
async def test_a_record_without_its_numbers_is_told_of_and_spoils_no_other(store: Store, field: str) -> None:
    bases = [await dealt(store, race) for race in RACES]
    await store.client.hset(keys.race_key(RACES[1]), field, "nonsense")
    batch = [slid(race, base) for race, base in zip(RACES, bases, strict=True)]
    found = [result.outcome for result in await commits.commit(store, batch)]
    assert found[::2] == [Outcome.DONE, Outcome.DONE]
    assert found[1] is not Outcome.DONE
    loaded = await commits.load(store, RACES)
    assert [type(each) for each in loaded] == [Stored, WrongType, Stored]
    versions = await commits.versions(store, [Places.of(race) for race in RACES])
    assert [each is None for each in versions] == [False, field in {"v", "last"}, False]


async def test_a_batch_of_all_outcomes_answers_each(store: Store) -> None:
    bases = [await dealt(store, race) for race in RACES]
    stale = Snapshot(9, bases[1].last, 0, bases[1].record, bases[1].state)
    batch = [
        slid(RACES[0], bases[0]),
        slid(RACES[1], stale),
        slid(RACES[2], bases[2], not_before=bases[2].last + 60_000),
    ]
    results = await commits.commit(store, batch)
    assert [result.outcome for result in results] == [Outcome.DONE, Outcome.CONFLICT, Outcome.EARLY]


async def test_a_store_that_forgot_its_scripts_is_given_them_again(store: Store) -> None:
    base = await dealt(store)
    await store.client.script_flush()
    assert await outcome(store, slid(RACES[0], base)) is Outcome.DONE


async def test_time_never_runs_backwards_for_a_race(store: Store) -> None:
    base = await dealt(store)
    ahead = base.last + 60_000
    await store.client.hset(keys.race_key(RACES[0]), "last", ahead)
    _, later = await load(store)
    (result,) = await commits.commit(store, [slid(RACES[0], later)])
    assert result.now == ahead
    assert abs(store.clock.now() - base.last) < 30_000


async def test_a_deal_made_twice_answers_what_was_dealt_first(store: Store) -> None:
    now = store.clock.now()
    first = await commits.deal(store, RACES[0], a_deal(), starts_at=now + 2_000, countdown_ms=3_000)
    other = a_deal(seats=(1, 2, 3), rules=Rules(clock_ms=5_000))
    second = await commits.deal(store, RACES[0], other, starts_at=now + 9_000, countdown_ms=3_000)
    assert (second.starts_at, second.deadline, second.meta) == (first.starts_at, 0, first.meta)


async def test_the_start_is_as_asked_where_it_is_far_enough_ahead(store: Store) -> None:
    asked = store.clock.now() + 2_000
    dealt_now = await commits.deal(
        store, RACES[0], a_deal(rules=Rules(clock_ms=5_000)), starts_at=asked, countdown_ms=3_000
    )
    assert (dealt_now.starts_at, dealt_now.deadline) == (asked, asked + 5_000)


async def test_a_start_farther_ahead_than_the_countdown_is_one_of_a_clock_that_fell_back(
    store: Store,
) -> None:
    asked = store.clock.now() + 120_000
    dealt_now = await commits.deal(store, RACES[0], a_deal(), starts_at=asked, countdown_ms=3_000)
    assert store.clock.now() < dealt_now.starts_at <= store.clock.now() + 3_000


async def test_a_start_that_is_too_near_begins_the_countdown_anew(store: Store) -> None:
    asked = store.clock.now() + 300
    dealt_now = await commits.deal(store, RACES[0], a_deal(), starts_at=asked, countdown_ms=3_000)
    assert dealt_now.starts_at == dealt_now.now + 3_000


async def test_a_live_race_of_four_takes_little_room(store: Store) -> None:
    now = store.clock.now()
    await commits.deal(store, RACES[0], a_deal(seats=(1, 2, 3, 4)), starts_at=now, countdown_ms=0)
    usage = await store.client.memory_usage(keys.race_key(RACES[0]), samples=0)
    assert usage is not None
    assert usage < 2_048


async def test_a_verdict_is_not_restored_where_its_table_is_gone(store: Store) -> None:
    base = await dealt(store)
    (found,) = await commits.load(store, [RACES[0]])
    assert isinstance(found, commits.Stored)
    held = Snapshot(base.version + 3, base.last + 9, base.last + 9, base.record, base.state)
    places = Places.of(RACES[0])
    assert not await commits.restore(store, places, held=held, found=found, log=b"")
    await store.client.hset(keys.table_key(TABLE), "v", 1)
    assert await commits.restore(store, places, held=held, found=found, log=racelog.block(5, b"\x01"))
    _, after = await load(store, RACE)
    assert (after.version, after.ended_at) == (held.version, held.ended_at)
