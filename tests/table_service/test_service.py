"""table-service as gateways call it, with the real game-service beside it on a real Valkey."""

import asyncio

from tests.table_service.conftest import Caller, new_browser

from tilerace.game.v1 import game_pb2
from tilerace.table.v1 import table_pb2


async def until_finished(caller: Caller) -> table_pb2.Table:
    async with asyncio.timeout(10):
        while (table := await caller.get()).phase != table_pb2.PHASE_FINISHED:
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
    table = await until_finished(caller)
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


async def test_friends_who_never_connect_lose_their_seats_after_grace(caller: Caller) -> None:
    await two_at_a_table(caller)
    async with asyncio.timeout(10):
        while len((await caller.get()).seats) > 1:
            await asyncio.sleep(0.1)
    assert not (await caller.get()).seats[0].connected
