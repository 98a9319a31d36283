"""What tests of game-service share: a replica in this process, and a gateway's end of its Link, over real sockets."""

import asyncio
import contextlib
import hashlib
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field

from engine import Board, Direction, Rules, Seat, Seed, slide
from game_service import commits
from game_service.__main__ import served
from game_service.meta import Deal, Entrant
from game_service.races import Races
from game_service.records import Snapshot
from game_service.running import read_stored
from game_service.service import GameService
from tilerace.game.v1 import game_pb2, game_pb2_grpc
from wire.framed import Framed, connect
from wire.ids import BrowserHash, RaceId
from wire.serving import channel, running
from wire.settings import Address
from wire.slides import APPLIED, Answer, PackedSlide, pack_answer, pack_slides, unpack_answers
from wire.store import Store

RACE = "K7QM2XWP.1"
SEED = Seed(hashlib.sha256(b"a seed that makes tests repeatable").digest())
WAIT_S = 10.0


def browser(seat: int) -> bytes:
    return hashlib.sha256(b"browser %d" % seat).digest()


@dataclass
class Replica:
    """One game-service."""

    store: Store
    races: Races
    stub: "game_pb2_grpc.GameServiceAsyncStub"
    target: str

    async def deal(
        self,
        race: str = RACE,
        *,
        seats: Sequence[int] = (1, 2),
        target: int = 0,
        clock_ms: int = 0,
        countdown_ms: int = 0,
    ) -> game_pb2.DealResponse:
        entrants = [
            game_pb2.Entrant(seat=seat, name=f"Racer {seat}", browser=browser(seat)) for seat in seats
        ]
        request = game_pb2.DealRequest(
            race=race,
            entrants=entrants,
            rules=game_pb2.Rules(target=target, clock_ms=clock_ms),
            starts_at=self.store.clock.now() + countdown_ms,
            countdown_ms=countdown_ms,
        )
        return await self.stub.Deal(request)


@contextlib.asynccontextmanager
async def replica(store_url: str) -> AsyncIterator[Replica]:
    store = await Store.connect(store_url)
    races = Races(store)
    listen = Address("127.0.0.1", 0)
    service = served(GameService(store, races, new_seed=lambda: SEED))
    try:
        async with asyncio.TaskGroup() as tasks:
            racing = tasks.create_task(races.run())
            async with running(service, listen, setting="TEST") as port:
                target = f"127.0.0.1:{port}"
                async with channel(target) as opened:
                    yield Replica(store, races, game_pb2_grpc.GameServiceStub(opened), target)
            racing.cancel()
    finally:
        await store.aclose()


def a_deal(*, seats: Sequence[int] = (1, 2), rules: Rules | None = None) -> Deal:
    entrants = tuple(Entrant(Seat(seat), f"Racer {seat}", BrowserHash(browser(seat))) for seat in seats)
    return Deal(SEED, rules or Rules(), entrants)


async def load(store: Store, race: str = RACE) -> tuple[Deal, Snapshot]:
    """Read a race past any service."""
    (stored,) = await commits.load(store, [RaceId(race)])
    assert isinstance(stored, commits.Stored)
    return read_stored(stored)


@dataclass
class Racer:
    """A socket attached to a race, as a gateway keeps it: its board, and the next slide's number."""

    handle: int
    seat: int
    cells: bytes
    slides: int
    score: int

    @property
    def useful(self) -> list[int]:
        """The directions that move something, those that leave the most room first."""
        board = Board.from_cells(self.cells)
        made = {int(each): found.board for each in Direction if (found := slide(board, each)) is not None}
        return sorted(made, key=lambda each: -len(made[each].empty_cells))

    @property
    def useless(self) -> list[int]:
        return [int(each) for each in Direction if each not in self.useful]

    def take(self, answer: Answer) -> None:
        self.cells, self.slides, self.score = answer.cells, answer.slides, answer.score


@dataclass
class Gateway:
    """A gateway's end of one Link."""

    stream: Framed
    events: list[game_pb2.LinkEvent] = field(default_factory=list)
    more: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def ended(self) -> bool:
        return self.stream.ended.done()

    def take(self, message: bytes) -> None:
        for event in game_pb2.LinkResponse.FromString(message).events:
            if event.WhichOneof("event") == "answers":
                self.events += [_answer_event(answer) for answer in unpack_answers(event.answers)]
            else:
                self.events.append(event)
        self.more.set()

    async def until_ended(self) -> None:
        async with asyncio.timeout(WAIT_S):
            await asyncio.wait([self.stream.ended])

    async def send(self, *calls: game_pb2.LinkCall) -> None:
        await self.stream.write(game_pb2.LinkRequest(calls=calls).SerializeToString())

    async def subscribe(self, race: str = RACE) -> None:
        await self.send(game_pb2.LinkCall(subscribe=game_pb2.Subscribe(race=race)))

    async def slide(self, *slides: tuple[int, int, int]) -> None:
        await self.send(game_pb2.LinkCall(slides=pack_slides(PackedSlide(*each) for each in slides)))

    async def act(self, handle: int, action: int, call: int = 1) -> game_pb2.Acted:
        asked = game_pb2.Act(handle=handle, action=game_pb2.Action.ValueType(action), call=call)
        await self.send(game_pb2.LinkCall(act=asked))
        return await self.acted(handle, call)

    async def acted(self, handle: int, call: int) -> game_pb2.Acted:
        event = await self.find(lambda each: each.acted.handle == handle and each.acted.call == call)
        return event.acted

    async def ask_attach(
        self, handle: int, seat: int, *, race: str = RACE, connection: int = 1, attempt: int = 1
    ) -> None:
        attach = game_pb2.Attach(
            handle=handle, race=race, browser=browser(seat), connection=connection, attempt=attempt
        )
        await self.send(game_pb2.LinkCall(attach=attach))

    async def attach(
        self, handle: int, seat: int, *, race: str = RACE, connection: int = 1, attempt: int = 1
    ) -> Racer:
        await self.ask_attach(handle, seat, race=race, connection=connection, attempt=attempt)
        event = await self.find(lambda each: each.attached.handle == handle)
        return Racer(
            handle, event.attached.seat, event.attached.cells, event.attached.slides, event.attached.score
        )

    async def detached(self, handle: int) -> int:
        event = await self.find(lambda each: each.detached.handle == handle)
        return int(event.detached.refusal)

    async def answer(self, handle: int) -> Answer:
        """Take the next answer to a slide of a handle."""
        event = await self.find(
            lambda each: bool(each.answers) and next(unpack_answers(each.answers)).handle == handle
        )
        return next(unpack_answers(event.answers))

    async def slide_once(self, racer: Racer) -> Answer:
        """Make any useful slide and take its answer."""
        await self.slide((racer.handle, racer.slides + 1, racer.useful[0]))
        answer = await self.answer(racer.handle)
        assert answer.code == APPLIED
        racer.take(answer)
        return answer

    async def news(self, wanted: Callable[[game_pb2.RaceNews], bool] = lambda _: True) -> game_pb2.RaceNews:
        event = await self.find(lambda each: each.WhichOneof("event") == "news" and wanted(each.news))
        return event.news

    async def kind(self, name: str) -> game_pb2.LinkEvent:
        return await self.find(lambda each: each.WhichOneof("event") == name)

    async def find(self, wanted: Callable[[game_pb2.LinkEvent], bool]) -> game_pb2.LinkEvent:
        """Take the first event that is wanted, waiting for it; those before it stay."""
        async with asyncio.timeout(WAIT_S):
            while True:
                for number, event in enumerate(self.events):
                    if wanted(event):
                        return self.events.pop(number)
                assert not self.ended, f"the stream ended with {self.kinds}"
                self.more.clear()
                await self.more.wait()

    @property
    def kinds(self) -> list[str | None]:
        return [event.WhichOneof("event") for event in self.events]


@contextlib.asynccontextmanager
async def gateway_of(target: str) -> AsyncIterator[Gateway]:
    """Be a gateway at `host:port` within the block."""
    stream = await connect(target)
    end = Gateway(stream)
    stream.ended.add_done_callback(lambda _: end.more.set())
    stream.start(end.take)
    try:
        yield end
    finally:
        stream.close()


def gateway(to: Replica) -> contextlib.AbstractAsyncContextManager[Gateway]:
    return gateway_of(to.target)


def _answer_event(answer: Answer) -> game_pb2.LinkEvent:
    return game_pb2.LinkEvent(answers=pack_answer(answer))
