"""gRPC, the Link and the Watch of running services: whatever bytes come, they are answered or refused as documented."""

import asyncio
import random
import secrets
import time
from collections.abc import Sequence
from typing import Any

import grpc
import pytest
from google.protobuf.message import Message
from tests.fuzz.blind import changed
from tests.fuzz.health import health_of, see_well
from tests.stack import Stack

from tilerace.game.v1 import game_pb2
from tilerace.table.v1 import table_pb2
from wire.framed import Ended, Framed, connect
from wire.ids import new_table_id
from wire.refusal import Refusal, from_rpc_error, grpc_code
from wire.serving import channel
from wire.slides import pack_slide

ROUND = 60
AT_ONCE = 20
IN_TIME_S = 20.0
GAME, TABLE = "/tilerace.game.v1.GameService/", "/tilerace.table.v1.TableService/"
OF_NO_USE = "a gateway sent what is no message of ours; its stream is ended"


def asked(table: str, browser: bytes) -> dict[str, Sequence[Message]]:
    """Give messages as they come from services of ours, by the RPC they are for."""
    race = f"{table}.1"
    entrants = [
        game_pb2.Entrant(seat=seat, name=f"Racer {seat}", browser=bytes([seat]) * 32) for seat in (1, 2)
    ]
    command = {"table": table, "browser": browser, "id": secrets.token_bytes(16)}
    commands: list[dict[str, Message]] = [
        {"sit": table_pb2.Sit(name="Bo", connection=7)},
        {"leave": table_pb2.Leave()},
        {"rename": table_pb2.Rename(name="Zoe")},
        {"ready": table_pb2.SetReady(ready=True)},
        {"free_seat": table_pb2.FreeSeat(seat=2)},
        {"rules": game_pb2.Rules(target=64)},
        {"start": table_pb2.Start()},
        {"race_on_without": table_pb2.RaceOnWithout(race=1, seat=2)},
        {"play_again": table_pb2.PlayAgain(race=1)},
        {"change_settings": table_pb2.ChangeSettings(race=1)},
    ]
    return {
        GAME + "Deal": [
            game_pb2.DealRequest(
                race=race,
                entrants=entrants,
                rules=game_pb2.Rules(target=64, clock_ms=60_000),
                countdown_ms=300,
            )
        ],
        GAME + "Retire": [game_pb2.RetireRequest(race=race, seat=2, until=1, grace_ms=1)],
        GAME + "Resign": [game_pb2.ResignRequest(race=race, seat=1)],
        GAME + "Expire": [game_pb2.ExpireRequest(race=race)],
        GAME + "GetRace": [game_pb2.GetRaceRequest(race=race)],
        GAME + "GetReplay": [game_pb2.GetReplayRequest(race=race)],
        TABLE + "OpenTable": [
            table_pb2.OpenTableRequest(
                table=table, browser=browser, name="Ann", rules=game_pb2.Rules(target=2048)
            )
        ],
        TABLE + "GetTable": [table_pb2.GetTableRequest(table=table)],
        TABLE + "Command": [table_pb2.CommandRequest(**command, **each) for each in commands],  # type: ignore[arg-type]
    }


def some(rng: random.Random, known: list[bytes]) -> bytes:
    """Give one of the known messages, as it is now and then, mostly changed."""
    return rng.choice(known) if rng.random() < 0.3 else changed(rng, known)


async def calling(opened: grpc.aio.Channel, method: str, data: bytes) -> None:
    called: Any = opened.unary_unary(method)
    await called(data, timeout=IN_TIME_S)


async def call(opened: grpc.aio.Channel, method: str, data: bytes) -> None:
    """Make a call with these bytes, and see that its end is one that is documented."""
    try:
        await calling(opened, method, data)
    except grpc.aio.AioRpcError as error:
        refused = from_rpc_error(error)
        assert refused is not None, (method, data, error)
        assert error.code() is grpc_code(refused.refusal)


async def test_bytes_that_are_no_message_are_refused_as_such(stack: Stack) -> None:
    for method in asked(new_table_id(), bytes(32)):
        service = stack.game if method.startswith(GAME) else stack.table
        name = "GAME_LISTEN" if method.startswith(GAME) else "TABLE_LISTEN"
        async with channel(service.environment[f"TILERACE_{name}"]) as opened:
            with pytest.raises(grpc.aio.AioRpcError) as refused:
                await calling(opened, method, b"\xff")
        found = from_rpc_error(refused.value)
        assert found is not None
        assert found.refusal is Refusal.BAD_REQUEST
    assert "DecodeError" not in stack.logs


async def test_a_watch_that_sends_no_message_is_told_so(stack: Stack) -> None:
    async with channel(stack.table.environment["TILERACE_TABLE_LISTEN"]) as opened:
        stream = watching(opened)
        await stream.write(b"\xff")
        ended = await _ending(stream)
        found = None if ended is None else from_rpc_error(ended)
        assert found is not None
        assert found.refusal is Refusal.BAD_REQUEST


async def call_for_a_while(stack: Stack, rng: random.Random) -> int:
    game, table = (
        stack.game.environment["TILERACE_GAME_LISTEN"],
        stack.table.environment["TILERACE_TABLE_LISTEN"],
    )
    count = 0
    async with channel(game) as to_game, channel(table) as to_table:
        for _ in range(ROUND // AT_ONCE):
            known = asked(new_table_id(), secrets.token_bytes(32))
            for method, messages in known.items():
                opened = to_game if method.startswith(GAME) else to_table
                packed = [message.SerializeToString() for message in messages]
                async with asyncio.TaskGroup() as tasks:
                    for _ in range(AT_ONCE):
                        tasks.create_task(call(opened, method, some(rng, packed)))
                count += AT_ONCE
    return count


async def test_whatever_is_called_is_answered_or_refused(
    stack: Stack, seed: int, pytestconfig: pytest.Config
) -> None:
    rng, before, count = random.Random(seed), health_of(stack), 0
    end = time.monotonic() + 60 * pytestconfig.getoption("--minutes")
    while not count or time.monotonic() < end:
        count += await call_for_a_while(stack, rng)
    print(f"{count:,} calls")  # noqa: T201
    see_well(stack, before, expected=(OF_NO_USE,))


def of_a_gateway(table: str) -> list[bytes]:
    """Give messages of a Link as a gateway sends them."""
    attach = game_pb2.Attach(handle=1, race=f"{table}.1", browser=bytes([1]) * 32, connection=5, attempt=1)
    calls = [
        game_pb2.LinkCall(attach=attach),
        game_pb2.LinkCall(subscribe=game_pb2.Subscribe(race=f"{table}.1")),
        game_pb2.LinkCall(slides=pack_slide(1, 1, 2)),
        game_pb2.LinkCall(act=game_pb2.Act(handle=1, action=game_pb2.ACTION_OFFER, call=2)),
        game_pb2.LinkCall(ping=game_pb2.Ping(ping=3)),
        game_pb2.LinkCall(detach=game_pb2.Detach(handle=1)),
        game_pb2.LinkCall(unsubscribe=game_pb2.Unsubscribe(race=f"{table}.1")),
    ]
    return [game_pb2.LinkRequest(calls=[each]).SerializeToString() for each in calls]


async def link(address: str, messages: list[bytes]) -> bool:
    """Send messages over a Link; give whether it still answers a ping at the end."""
    framed, heard = await connect(address), asyncio.Event()

    def take(message: bytes) -> None:
        response = game_pb2.LinkResponse.FromString(message)
        if any(event.pong.ping == 99 for event in response.events):
            heard.set()

    framed.start(take)
    try:
        for message in [
            *messages,
            game_pb2.LinkRequest(calls=[game_pb2.LinkCall(ping=game_pb2.Ping(ping=99))]).SerializeToString(),
        ]:
            await framed.write(message)
        return await _heard(framed, heard)
    except Ended:
        return False
    finally:
        framed.abort()


async def _heard(framed: Framed, heard: asyncio.Event) -> bool:
    framed.ended.add_done_callback(lambda _: heard.set())
    async with asyncio.timeout(IN_TIME_S):
        await heard.wait()
    return not framed.ended.done()


async def test_a_link_takes_what_it_is_sent_or_ends_and_the_next_is_served(
    stack: Stack, seed: int, pytestconfig: pytest.Config
) -> None:
    rng, before, count = random.Random(seed), health_of(stack), 0
    address = stack.game.environment["TILERACE_GAME_LISTEN"]
    end = time.monotonic() + 60 * pytestconfig.getoption("--minutes")
    while not count or time.monotonic() < end:
        for _ in range(ROUND):
            known = of_a_gateway(new_table_id())
            messages = [some(rng, known) for _ in range(rng.randrange(1, 9))]
            await link(address, messages)
            count += len(messages)
        assert await link(address, of_a_gateway(new_table_id()))
    print(f"{count:,} messages of Links")  # noqa: T201
    see_well(stack, before, expected=(OF_NO_USE,))


def of_watches(table: str) -> list[bytes]:
    """Give messages of a Watch as a gateway sends them."""
    hello = table_pb2.WatchHello(gateway=secrets.token_bytes(16), stream=1)
    calls = [table_pb2.WatchCall(hello=hello), table_pb2.WatchCall(ping=table_pb2.WatchPing(ping=3))]
    kinds = [
        field.name for field in table_pb2.WatchCall.DESCRIPTOR.fields if field.name not in {"hello", "ping"}
    ]
    for kind in kinds:
        made = table_pb2.WatchCall()
        part: Message = getattr(made, kind)
        part.SetInParent()
        for field in part.DESCRIPTOR.fields:
            if field.name == "table":
                setattr(part, "table", table)  # noqa: B010  a message of one kind or another
            elif field.name == "browser":
                setattr(part, "browser", bytes([1]) * 32)  # noqa: B010
        calls.append(made)
    return [table_pb2.WatchRequest(calls=[each]).SerializeToString() for each in calls]


async def watch(opened: grpc.aio.Channel, messages: list[bytes]) -> None:
    """Send messages over a Watch, and see that it ends as documented where it ends."""
    stream = watching(opened)
    reading = asyncio.create_task(_ending(stream))
    try:
        for message in messages:
            await stream.write(message)
        await stream.done_writing()
    except (grpc.aio.AioRpcError, asyncio.InvalidStateError):
        stream.cancel()  # it had ended; a write that fails hides why
        await asyncio.wait([reading])
        return
    refused = await reading
    assert refused is None or from_rpc_error(refused) is not None, (messages, refused)


def watching(opened: grpc.aio.Channel) -> Any:
    return opened.stream_stream(TABLE + "Watch")(timeout=IN_TIME_S)


async def _ending(stream: Any) -> grpc.aio.AioRpcError | None:
    """Read a stream to its end; give the error it ended with."""
    try:
        while await stream.read() is not grpc.aio.EOF:
            pass
    except grpc.aio.AioRpcError as error:
        return error
    return None


async def test_a_watch_takes_what_it_is_sent_or_ends_as_documented(
    stack: Stack, seed: int, pytestconfig: pytest.Config
) -> None:
    rng, before, count = random.Random(seed), health_of(stack), 0
    end = time.monotonic() + 60 * pytestconfig.getoption("--minutes")
    async with channel(stack.table.environment["TILERACE_TABLE_LISTEN"]) as opened:
        while not count or time.monotonic() < end:
            for _ in range(ROUND):
                known = of_watches(new_table_id())
                first = known[0] if rng.random() < 0.8 else some(rng, known)
                messages = [first, *(some(rng, known) for _ in range(rng.randrange(6)))]
                await watch(opened, messages)
                count += len(messages)
    print(f"{count:,} messages of Watches")  # noqa: T201
    see_well(stack, before, expected=(OF_NO_USE,))
