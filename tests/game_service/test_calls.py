"""The unary calls, over real gRPC: deal, retire, resign, how a race stands, its replay."""

from collections.abc import AsyncIterator, Awaitable

import grpc
import pytest
from tests.game_service.racing import RACE, SEED, Replica, browser, gateway, load, replica

from engine import Direction, SlideEvent, commitment, replay
from game_service import commits, racelog
from game_service.racelog import replayable
from tilerace.game.v1 import game_pb2
from wire import keys
from wire.ids import RaceId, TableId
from wire.refusal import Refusal, from_rpc_error

TABLE = TableId("K7QM2XWP")


@pytest.fixture
async def game(store_url: str) -> AsyncIterator[Replica]:
    async with replica(store_url) as one:
        yield one


async def refusal(call: Awaitable[object]) -> Refusal:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call
    refused = from_rpc_error(caught.value)
    assert refused is not None
    return refused.refusal


async def leave_lease(game: Replica, seat: int, until: int) -> None:
    await game.store.client.zadd(keys.leases_key(keys.bucket_of(TABLE)), {keys.lease(TABLE, seat): until})


async def test_a_race_dealt_twice_is_dealt_once(game: Replica) -> None:
    first, second = await game.deal(), await game.deal(seats=(1, 2, 3), clock_ms=60_000)
    assert (second.times, second.commitment) == (first.times, first.commitment)
    assert first.commitment == commitment(SEED)


@pytest.mark.parametrize("seats", [(1,), (1, 1), (0, 1), (4, 5), (1, 2, 3, 4, 4)])
async def test_only_two_to_four_different_seats_are_dealt(game: Replica, seats: tuple[int, ...]) -> None:
    assert await refusal(game.deal(seats=seats)) is Refusal.BAD_REQUEST


async def test_rules_nobody_can_race_by_are_refused(game: Replica) -> None:
    assert await refusal(game.deal(target=100)) is Refusal.BAD_RULES


async def test_a_browser_is_known_by_32_bytes(game: Replica) -> None:
    entrants = [game_pb2.Entrant(seat=seat, name="Ann", browser=b"short") for seat in (1, 2)]
    assert (
        await refusal(game.stub.Deal(game_pb2.DealRequest(race=RACE, entrants=entrants)))
        is Refusal.BAD_REQUEST
    )


@pytest.mark.parametrize("race", ["", "K7QM2XWP", "K7QM2XWP.0", "k7qm2xwp.1", "K7QM2XWP.01"])
async def test_what_is_no_race_is_a_bad_request(game: Replica, race: str) -> None:
    assert await refusal(game.stub.GetRace(game_pb2.GetRaceRequest(race=race))) is Refusal.BAD_REQUEST


async def test_a_race_that_was_not_dealt_is_not_running(game: Replica) -> None:
    assert await refusal(game.stub.GetRace(game_pb2.GetRaceRequest(race=RACE))) is Refusal.RACE_NOT_RUNNING
    resign = game_pb2.ResignRequest(race=RACE, seat=1)
    assert await refusal(game.stub.Resign(resign)) is Refusal.RACE_NOT_RUNNING


async def test_how_a_race_stands(game: Replica) -> None:
    dealt = await game.deal(clock_ms=60_000)
    race = await game.stub.GetRace(game_pb2.GetRaceRequest(race=RACE))
    assert (race.version, race.commitment, race.times) == (1, dealt.commitment, dealt.times)
    assert [standing.biggest for standing in race.standings] in ([2, 2], [4, 4])
    assert not race.HasField("verdict")


async def test_who_left_the_table_is_out_and_a_repeat_changes_nothing(game: Replica) -> None:
    await game.deal(seats=(1, 2, 3))
    await game.stub.Resign(game_pb2.ResignRequest(race=RACE, seat=2))
    await game.stub.Resign(game_pb2.ResignRequest(race=RACE, seat=2))
    race = await game.stub.GetRace(game_pb2.GetRaceRequest(race=RACE))
    assert race.version == 2
    assert race.standings[1].out == game_pb2.OUT_RESIGNED


async def test_who_is_no_racer_cannot_resign(game: Replica) -> None:
    await game.deal()
    assert await refusal(game.stub.Resign(game_pb2.ResignRequest(race=RACE, seat=4))) is Refusal.NOT_A_RACER


async def test_a_racer_whose_grace_is_over_is_raced_on_without(game: Replica) -> None:
    dealt = await game.deal(seats=(1, 2, 3))
    until = dealt.now - 1_000
    await leave_lease(game, 2, until)
    request = game_pb2.RetireRequest(race=RACE, seat=2, until=until, grace_ms=500)
    await game.stub.Retire(request)
    await game.stub.Retire(request)
    race = await game.stub.GetRace(game_pb2.GetRaceRequest(race=RACE))
    assert (race.version, race.standings[1].out) == (2, game_pb2.OUT_LEFT_BEHIND)


async def test_a_racer_who_came_back_stays_in(game: Replica) -> None:
    dealt = await game.deal()
    await leave_lease(game, 2, dealt.now + 20_000)
    request = game_pb2.RetireRequest(race=RACE, seat=2, until=dealt.now - 1_000, grace_ms=500)
    assert await refusal(game.stub.Retire(request)) is Refusal.STILL_CONNECTED


async def test_a_racer_with_grace_left_stays_in(game: Replica) -> None:
    dealt = await game.deal()
    until = dealt.now - 1_000
    await leave_lease(game, 2, until)
    request = game_pb2.RetireRequest(race=RACE, seat=2, until=until, grace_ms=60_000)
    assert await refusal(game.stub.Retire(request)) is Refusal.GRACE_NOT_OVER


async def test_a_stuck_racer_stays_in_whoever_leaves_or_presses(game: Replica) -> None:
    await game.deal(seats=(1, 2, 3))
    async with gateway(game) as gate:
        racer = await gate.attach(1, seat=1)
        while racer.useful:
            racer.useful.sort()
            await gate.slide((1, racer.slides + 1, racer.useful[-1]))
            racer.take(await gate.answer(1))
    request = game_pb2.RetireRequest(race=RACE, seat=1, until=0, grace_ms=0)
    assert await refusal(game.stub.Retire(request)) is Refusal.RACER_STUCK
    await game.stub.Resign(game_pb2.ResignRequest(race=RACE, seat=1))
    race = await game.stub.GetRace(game_pb2.GetRaceRequest(race=RACE))
    assert race.standings[0].state == game_pb2.RACER_STATE_STUCK


async def test_a_race_that_goes_on_has_no_replay(game: Replica) -> None:
    await game.deal()
    assert await refusal(game.stub.GetReplay(game_pb2.GetReplayRequest(race=RACE))) is Refusal.RACE_NOT_OVER


async def test_a_replay_is_what_the_engine_makes_of_the_log(game: Replica) -> None:
    dealt = await game.deal(seats=(1, 2, 4), target=2048)
    async with gateway(game) as gate:
        racers = [await gate.attach(seat, seat=seat) for seat in (1, 2, 4)]
        for turn in range(60):
            await gate.slide_once(racers[turn % 3])
        await gate.act(1, game_pb2.ACTION_OFFER, 1)
        await gate.act(2, game_pb2.ACTION_AGREE, 2)
        await gate.slide_once(racers[2])
        await gate.act(2, game_pb2.ACTION_OFFER, 3)
        await gate.act(1, game_pb2.ACTION_DECLINE, 4)
        await gate.act(4, game_pb2.ACTION_RESIGN, 5)
        await gate.act(1, game_pb2.ACTION_RESIGN, 6)
    answer = await game.stub.GetReplay(game_pb2.GetReplayRequest(race=RACE))
    deal, snapshot = await load(game.store)
    logged = list(racelog.read(await commits.read_log(game.store, RaceId(RACE))))
    starts_at = snapshot.record.race.starts_at
    remade = replay(
        deal.seed, deal.rules, deal.seats, [replayable(each, starts_at=starts_at) for each in logged],
        starts_at=starts_at,
    )  # fmt: skip
    assert remade == snapshot.record.race
    slides = [(each.event, each.ms) for each in logged if isinstance(each.event, SlideEvent)]
    assert [(each.seat, each.direction, each.ms) for each in answer.slides] == [
        (event.seat, event.direction, ms) for event, ms in slides
    ]
    assert [each.after for each in answer.events] == [60, 60, 61, 61, 61, 61]
    assert [each.type for each in answer.events] == [
        game_pb2.REPLAY_EVENT_TYPE_OFFERED, game_pb2.REPLAY_EVENT_TYPE_AGREED, game_pb2.REPLAY_EVENT_TYPE_OFFERED,
        game_pb2.REPLAY_EVENT_TYPE_DECLINED, game_pb2.REPLAY_EVENT_TYPE_RESIGNED, game_pb2.REPLAY_EVENT_TYPE_RESIGNED,
    ]  # fmt: skip
    assert (answer.seed, answer.commitment) == (SEED, dealt.commitment)
    assert [seat.name for seat in answer.seats] == ["Racer 1", "Racer 2", "Racer 4"]
    assert answer.verdict.winner == 2
    assert Direction(answer.slides[0].direction) in Direction
    assert browser(1) not in answer.SerializeToString()
