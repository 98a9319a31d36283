"""A gateway of the generator's own: it deals races at a game-service, follows them over its Link, and slides there."""

import asyncio
import hashlib
import time
from collections.abc import Iterable, Sequence
from typing import Self

from bench.race.drive import Load
from bench.race.keys import EXPONENTS, choose

from tilerace.game.v1 import game_pb2, game_pb2_grpc
from wire.framed import Framed, connect
from wire.ids import RaceId
from wire.serving import channel
from wire.slides import Answer, PackedSlide, pack_slides, unpack_answers

SEATS = (1, 2, 3, 4)
AT_ONCE = 64
"""How many races are dealt, and followed, at once."""
CALL_S = 30.0


class Gateway:
    """One stream to one replica; make it, and use it, within one event loop."""

    def __init__(self, target: str, stream: Framed) -> None:
        """Use a stream to `host:port`."""
        self._channel = channel(target)
        self._stub: game_pb2_grpc.GameServiceAsyncStub = game_pb2_grpc.GameServiceStub(self._channel)
        self._stream = stream
        self._messages: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._boards: dict[int, Answer | game_pb2.Attached] = {}
        stream.ended.add_done_callback(lambda _: self._messages.put_nowait(None))
        stream.start(self._messages.put_nowait)

    @classmethod
    async def to(cls, target: str) -> Self:
        """Connect to `host:port`."""
        return cls(target, await connect(target))

    async def aclose(self) -> None:
        """Leave."""
        self._stream.close()
        await self._channel.close()

    async def deal(self, races: Sequence[RaceId]) -> None:
        """Deal races of four that begin at once."""
        for start in range(0, len(races), AT_ONCE):
            await asyncio.gather(*map(self._deal, races[start : start + AT_ONCE]))

    async def follow(self, races: Sequence[RaceId]) -> None:
        """Follow races, until there was news of each."""
        for start in range(0, len(races), AT_ONCE):
            missing = set(races[start : start + AT_ONCE])
            await self._tell(game_pb2.LinkCall(subscribe=game_pb2.Subscribe(race=race)) for race in missing)
            while missing:
                missing -= {event.news.race for event in await self._heard()}

    async def attach(self, races: Iterable[RaceId]) -> None:
        """Attach every racer of some races, until each was told of its board."""
        racers = [(race, seat) for race in races for seat in SEATS]
        await self._tell(
            game_pb2.LinkCall(
                attach=game_pb2.Attach(
                    handle=handle, race=race, browser=_browser(race, seat), connection=1, attempt=1
                )
            )
            for handle, (race, seat) in enumerate(racers, start=1)
        )
        while len(self._boards) < len(racers):
            for event in await self._heard():
                if event.WhichOneof("event") == "attached":
                    self._boards[event.attached.handle] = event.attached

    async def slide(self, each: int) -> Load:
        """Have every racer slide so often, each as soon as it was answered; one that is stuck is done."""
        load, begun, own = Load(), time.perf_counter(), time.process_time()
        left = dict.fromkeys(self._boards, each)
        under_way = await self._slide(self._boards, left)
        while under_way:
            answers = [
                answer
                for event in await self._heard()
                if event.WhichOneof("event") == "answers"
                for answer in unpack_answers(event.answers)
            ]
            self._boards.update((answer.handle, answer) for answer in answers)
            load.slides += len(answers)
            under_way += await self._slide([answer.handle for answer in answers], left) - len(answers)
        load.seconds, load.own_cpu_s = time.perf_counter() - begun, time.process_time() - own
        return load

    async def _slide(self, handles: Iterable[int], left: dict[int, int]) -> int:
        """Have those who can and have not done so often enough slide once; give how many they are."""
        slides = list[PackedSlide]()
        for handle in handles:
            board = self._boards[handle]
            direction = choose(tuple(board.cells), EXPONENTS) if left[handle] else None
            if direction is not None:
                left[handle] -= 1
                slides.append(PackedSlide(handle, board.slides + 1, direction))
        if slides:
            await self._tell([game_pb2.LinkCall(slides=pack_slides(slides))])
        return len(slides)

    async def _tell(self, calls: Iterable[game_pb2.LinkCall]) -> None:
        await self._stream.write(game_pb2.LinkRequest(calls=calls).SerializeToString())

    async def _heard(self) -> Sequence[game_pb2.LinkEvent]:
        async with asyncio.timeout(CALL_S):
            message = await self._messages.get()
        if message is None:
            raise ConnectionError("game-service ended the stream")
        return game_pb2.LinkResponse.FromString(message).events

    async def _deal(self, race: RaceId) -> None:
        entrants = [
            game_pb2.Entrant(seat=seat, name=f"Racer {seat}", browser=_browser(race, seat)) for seat in SEATS
        ]
        await self._stub.Deal(
            game_pb2.DealRequest(race=race, entrants=entrants, rules=game_pb2.Rules()), timeout=CALL_S
        )


def _browser(race: RaceId, seat: int) -> bytes:
    return hashlib.sha256(f"{race} {seat}".encode()).digest()
