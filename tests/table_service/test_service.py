"""table-service as gateways call it, with the real game-service beside it on a real Valkey."""

import asyncio
import signal
from collections.abc import Callable

import grpc
import pytest
import redis
from tests.stack import Service
from tests.table_service.conftest import GRACE_MS, Caller, new_browser

from table_service.service import MOST_OPENING, PATIENCE_S
from tilerace.game.v1 import game_pb2
from tilerace.table.v1 import table_pb2
from wire import keys
from wire.ids import new_table_id
from wire.refusal import Refusal, from_rpc_error
from wire.routing import DEADLINE_S


async def until(caller: Caller, holds: Callable[[table_pb2.Table], bool]) -> table_pb2.Table:
    async with asyncio.timeout(20):
        while not holds(table := await caller.get()):
            await asyncio.sleep(0.05)
    return table


async def two_at_a_table(caller: Caller) -> tuple[bytes, bytes]:
    ann, bo = new_browser(), new_browser()
    await caller.open(ann, name="Ann")
    await caller.do(bo, sit=table_pb2.Sit(name="Bo"))
    await caller.do(bo, ready=table_pb2.SetReady(ready=True))
    return ann, bo


async def test_a_table_is_opened_with_its_opener_as_host_in_seat_1(caller: Caller) -> None:
    table = await caller.open(new_browser(), name="Ann", rules=game_pb2.Rules(target=2048))
    assert (table.host, table.seats[0].seat, table.seats[0].name) == (1, 1, "Ann")
    assert table.phase == table_pb2.PHASE_GATHERING
    assert table.seats[0].connected


async def test_a_start_deals_a_race_and_records_the_deal(caller: Caller) -> None:
    ann, _ = await two_at_a_table(caller)
    table = await caller.do(ann, start=table_pb2.Start())
    assert (table.phase, table.race.number) == (table_pb2.PHASE_RACING, 1)
    assert len(table.race.commitment) == 64
    assert table.race.times.starts_at > 0


async def test_a_command_sent_again_is_carried_out_once(caller: Caller) -> None:
    ann, _ = await two_at_a_table(caller)
    command = caller.command(ann, start=table_pb2.Start())
    first, again = await caller.send(command), await caller.send(command)
    assert (first.race.number, again.race.number) == (1, 1)
    assert again.race.commitment == first.race.commitment


async def test_leaving_while_racing_resigns_and_frees_the_seat_at_the_end(caller: Caller) -> None:
    ann, bo = await two_at_a_table(caller)
    await caller.do(ann, start=table_pb2.Start())
    await caller.do(bo, leave=table_pb2.Leave())
    table = await until(caller, lambda table: table.phase == table_pb2.PHASE_FINISHED)
    assert [(seat.seat, seat.tally_halves) for seat in table.seats] == [(1, 2)]


async def test_refusals_come_with_their_codes(caller: Caller) -> None:
    ann, bo = new_browser(), new_browser()
    await caller.open(ann, name="Ann")
    assert await caller.refused(ann, start=table_pb2.Start()) == "NO_FRIEND_SEATED"
    assert await caller.refused(bo, ready=table_pb2.SetReady(ready=True)) == "NOT_SEATED"
    await caller.do(bo, sit=table_pb2.Sit(name="Bo"))
    assert await caller.refused(ann, start=table_pb2.Start()) == "NOT_ALL_READY"
    assert await caller.refused(bo, start=table_pb2.Start()) == "NOT_HOST"
    assert await caller.refused(bo, sit=table_pb2.Sit(name="Bo")) == "ALREADY_SEATED"
    assert await caller.refused(new_browser(), sit=table_pb2.Sit(name="\u202eevil")) == "BAD_NAME"
    assert await caller.refused(ann, rules=game_pb2.Rules(target=100)) == "BAD_RULES"
    assert await caller.refused(ann, rules=game_pb2.Rules(clock_ms=61_000)) == "BAD_RULES"
    assert await caller.refused(ann, free_seat=table_pb2.FreeSeat(seat=4)) == "SEAT_EMPTY"
    assert await caller.refused(ann, play_again=table_pb2.PlayAgain(race=1)) == "RACE_MOVED_ON"


async def test_two_who_sit_at_once_get_different_seats(caller: Caller) -> None:
    await caller.open(new_browser(), name="Ann")
    browsers = [new_browser() for _ in range(3)]
    await asyncio.gather(*(caller.do(browser, sit=table_pb2.Sit(name="Bo")) for browser in browsers))
    table = await caller.get()
    assert [seat.seat for seat in table.seats] == [1, 2, 3, 4]
    assert sorted(seat.name for seat in table.seats) == ["Ann", "Bo", "Bo 2", "Bo 3"]
    assert await caller.refused(new_browser(), sit=table_pb2.Sit(name="Bo")) == "TABLE_FULL"


async def test_a_race_that_ended_before_its_deal_was_recorded_is_settled(
    caller: Caller, services: tuple[Service, Service]
) -> None:
    ann, bo = await two_at_a_table(caller)
    services[0].signal(signal.SIGSTOP)
    starting = asyncio.create_task(caller.do(ann, start=table_pb2.Start()))
    await until(caller, lambda table: table.phase == table_pb2.PHASE_RACING)
    leaving = asyncio.create_task(caller.do(bo, leave=table_pb2.Leave()))
    await asyncio.sleep(0.2)
    services[0].signal(signal.SIGCONT)
    table = await until(caller, lambda table: table.phase == table_pb2.PHASE_FINISHED)
    assert [(seat.seat, seat.tally_halves) for seat in table.seats] == [(1, 2)]
    assert table.race.commitment
    await asyncio.gather(starting, leaving, return_exceptions=True)


async def test_what_was_started_and_left_without_game_service_is_made_good_when_it_is_back(
    caller: Caller, services: tuple[Service, Service]
) -> None:
    ann, bo = await two_at_a_table(caller)
    services[0].stop()
    started = await caller.do(ann, start=table_pb2.Start())
    assert (started.phase, started.race.commitment) == (table_pb2.PHASE_RACING, "")
    await caller.do(bo, leave=table_pb2.Leave())
    services[0].start()
    table = await until(caller, lambda table: table.phase == table_pb2.PHASE_FINISHED)
    assert [(seat.seat, seat.tally_halves) for seat in table.seats] == [(1, 2)]


async def test_what_is_done_is_said_to_be_done_though_game_service_is_away_or_hangs(
    caller: Caller, services: tuple[Service, Service]
) -> None:
    ann, bo = await two_at_a_table(caller)
    services[0].signal(signal.SIGSTOP)
    command = caller.command(ann, start=table_pb2.Start())
    async with asyncio.timeout(DEADLINE_S):  # that a gateway waits
        assert (await caller.send(command)).phase == table_pb2.PHASE_RACING
    services[0].signal(signal.SIGKILL)
    assert (await caller.send(command)).race.number == 1
    assert await caller.refused(bo, start=table_pb2.Start()) == "UNAVAILABLE"


async def test_play_again_pressed_by_two_starts_one_race_and_moves_the_seats_round(caller: Caller) -> None:
    ann, bo = await finished(caller)
    tables = await asyncio.gather(
        *(caller.do(browser, play_again=table_pb2.PlayAgain(race=1)) for browser in (ann, bo))
    )
    assert [table.race.number for table in tables] == [2, 2]
    table = await caller.get()
    assert [(seat.seat, seat.name) for seat in table.seats] == [(1, "Bo"), (2, "Ann")]
    assert await caller.refused(ann, play_again=table_pb2.PlayAgain(race=3)) == "RACE_MOVED_ON"
    assert await caller.refused(ann, play_again=table_pb2.PlayAgain(race=2)) == "RACE_NOT_OVER"


async def test_change_settings_goes_back_to_gathering_with_seats_and_tally(caller: Caller) -> None:
    ann, bo = await finished(caller)
    assert await caller.refused(bo, change_settings=table_pb2.ChangeSettings(race=1)) == "NOT_HOST"
    table = await caller.do(ann, change_settings=table_pb2.ChangeSettings(race=1))
    assert (table.phase, table.HasField("race")) == (table_pb2.PHASE_GATHERING, False)
    assert [(seat.name, seat.tally_halves) for seat in table.seats] == [("Ann", 2), ("Bo", 0)]


async def test_the_clock_ends_a_race_by_itself(caller: Caller) -> None:
    ann, bo = new_browser(), new_browser()
    await caller.open(ann, rules=game_pb2.Rules(clock_ms=1_000))
    await caller.do(bo, sit=table_pb2.Sit(name="Bo"))
    await caller.do(bo, ready=table_pb2.SetReady(ready=True))
    started = await caller.do(ann, start=table_pb2.Start())
    times = started.race.times
    assert times.deadline == times.starts_at + 1_000
    table = await until(caller, lambda table: table.phase == table_pb2.PHASE_FINISHED)
    assert table.race.times.ended_at == times.deadline
    assert [seat.tally_halves for seat in table.seats] == [1, 1]


async def test_nobody_is_raced_on_without_while_connected_or_by_one_who_does_not_race(
    caller: Caller,
) -> None:
    ann, _ = await two_at_a_table(caller)
    without = table_pb2.RaceOnWithout(race=1, seat=2)
    assert await caller.refused(ann, race_on_without=without) == "RACE_NOT_RUNNING"
    await caller.do(ann, start=table_pb2.Start())
    assert await caller.refused(ann, race_on_without=without) == "STILL_CONNECTED"
    assert await caller.refused(new_browser(), race_on_without=without) == "NOT_A_RACER"
    missing, later = table_pb2.RaceOnWithout(race=1, seat=4), table_pb2.RaceOnWithout(race=2, seat=2)
    assert await caller.refused(ann, race_on_without=missing) == "SEAT_EMPTY"
    assert await caller.refused(ann, race_on_without=later) == "RACE_MOVED_ON"


async def test_who_is_past_grace_is_left_behind_once_however_often_it_is_asked_for(
    caller: Caller, store_url: str
) -> None:
    ann, _ = await two_at_a_table(caller)
    await caller.do(ann, start=table_pb2.Start())
    without = table_pb2.RaceOnWithout(race=1, seat=2)
    lease, leases = keys.lease(caller.table, 2), keys.leases_key(keys.bucket_of(caller.table))
    with redis.Redis.from_url(store_url) as store:
        past = int(store.time()[0]) * 1000 - 100
        store.zadd(leases, {lease: past})
        assert await caller.refused(ann, race_on_without=without) == "GRACE_NOT_OVER"
        store.zadd(leases, {lease: past - GRACE_MS})
    command = caller.command(ann, race_on_without=without)
    for _ in range(2):
        await caller.send(command)
    table = await until(caller, lambda table: table.phase == table_pb2.PHASE_FINISHED)
    assert [seat.tally_halves for seat in table.seats] == [2, 0]
    await caller.send(command)


async def test_a_table_opened_without_rules_is_first_to_2048(caller: Caller) -> None:
    table = await caller.open(new_browser())
    assert (table.rules.target, table.rules.clock_ms, table.seats[0].name) == (2048, 0, "Player")


async def test_opening_again_answers_the_same_and_another_cannot_take_the_id(caller: Caller) -> None:
    ann = new_browser()
    first, again = await caller.open(ann, name="Ann"), await caller.open(ann, name="Ann")
    assert (first.version, again.version) == (1, 1)
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await caller.open(new_browser(), name="Bo")
    assert caught.value.code() is grpc.StatusCode.UNAVAILABLE


async def test_more_tables_than_can_be_opened_soon_are_refused_at_once(
    caller: Caller, store_url: str
) -> None:
    def ask() -> "asyncio.Future[table_pb2.OpenTableResponse]":
        request = table_pb2.OpenTableRequest(table=new_table_id(), browser=new_browser(), name="Ann")
        return asyncio.ensure_future(caller.stub.OpenTable(request, timeout=10))

    with redis.Redis.from_url(store_url) as store:
        store.client_pause(60_000, all=False)
        asked = [ask() for _ in range(MOST_OPENING + 20)]
        refused, waiting = await asyncio.wait(asked, timeout=PATIENCE_S * 1.5)
        late = ask()
        refused |= (await asyncio.wait([late], timeout=PATIENCE_S))[0]
        store.client_unpause()
    assert len(refused) == 20 + 1
    for each in refused:
        error = each.exception()
        assert isinstance(error, grpc.aio.AioRpcError)
        found = from_rpc_error(error)
        assert found is not None
        assert found.refusal is Refusal.UNAVAILABLE
    assert len(await asyncio.gather(*waiting)) == MOST_OPENING
    assert (await ask()).news.table.host == 1


async def test_names_are_in_no_log(caller: Caller, services: tuple[Service, Service]) -> None:
    ann, bo = new_browser(), new_browser()
    await caller.open(ann, name="Annabella")
    await caller.do(bo, sit=table_pb2.Sit(name="Boromir"))
    await caller.refused(bo, rename=table_pb2.Rename(name="Boromir\u202e"))
    await caller.do(bo, ready=table_pb2.SetReady(ready=True))
    await caller.do(ann, start=table_pb2.Start())
    await caller.do(bo, leave=table_pb2.Leave())
    log = services[1].log.read_text()
    assert "listening" in log
    for secret in ("Annabella", "Boromir", ann.hex(), bo.hex()):
        assert secret not in log


async def finished(caller: Caller) -> tuple[bytes, bytes]:
    """Play a race of two that Ann wins, and both stay."""
    ann, bo = await two_at_a_table(caller)
    await caller.do(ann, start=table_pb2.Start())
    await caller.resigns(seat=2)
    await until(caller, lambda table: table.phase == table_pb2.PHASE_FINISHED)
    return ann, bo
