# ruff: noqa: N802  the RPCs have the names they have in the proto
"""The RPCs of game-service: a thin coat over the races and the store."""

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from typing import TypeVar

import grpc

from engine import Seat, Seed
from engine.errors import RuleBroken
from game_service import commits, messages, metrics
from game_service.commands import Command, Done, ExpireAsked, ResignAsked, RetireAsked
from game_service.link import Link, Stream, serve_link
from game_service.meta import HASH_BYTES, SEED_BYTES, Deal, Entrant, unpack_deal
from game_service.old_link import Context, OldStream
from game_service.races import Races
from game_service.records import Snapshot
from game_service.replay import replay_message, times_of
from game_service.reveals import durable
from game_service.running import read_stored
from tilerace.game.v1 import game_pb2, game_pb2_grpc
from wire import keys
from wire.ids import BrowserHash, RaceId, parse_race_id
from wire.log import about, events, meant
from wire.metrics import QUEUES, longest
from wire.refusal import Refusal, Refused, abort, of_rule
from wire.seldom import Seldom
from wire.store import Store, StoreError, WrongType

_LOG = events("game_service")
_SELDOM = Seldom()
CALL_S = 5.0
"""How long a unary call waits for its commit."""
FARTHEST_START_MS = 600_000
MOST_COUNTDOWN_MS = 60_000
MOST_NAME = 64
FRESH_MS = 60_000
"""How long after its end a replay waits for the store to say that the verdict is durable."""
DRAIN_S = 1.0
"""How long a draining replica goes on answering what gateways had sent before they went elsewhere."""


Answered = TypeVar("Answered")
_Context = grpc.aio.ServicerContext[object, object]


def random_seed() -> Seed:
    """Make a race's seed by the system's generator."""
    return Seed(secrets.token_bytes(SEED_BYTES))


class GameService(game_pb2_grpc.GameServiceServicer):
    """Serves running races."""

    def __init__(self, store: Store, races: Races, *, new_seed: Callable[[], Seed] = random_seed) -> None:
        """Serve the races of one store; each race is dealt with a new seed."""
        self._new_seed = new_seed
        self._store = store
        self._races = races
        self._links: set[Link] = set()
        self._links_gone = asyncio.Event()
        self._draining = False

    async def drain(self) -> None:
        """Send gateways elsewhere, answer what they had sent, and end their streams."""
        self._draining = True
        for link in self._links:
            link.drain()
        if self._links:
            await _within(DRAIN_S, self._links_gone.wait())
        await _within(DRAIN_S, self._races.finished())
        for link in self._links:
            link.outbox.close()

    def look(self) -> None:
        """Set the gauges of this replica to how it is."""
        self._races.look()
        metrics.LINKS.set(len(self._links))
        QUEUES.labels("link").set(longest(len(link.outbox) for link in self._links))

    async def Deal(self, request: game_pb2.DealRequest, context: _Context) -> game_pb2.DealResponse:
        """Deal a race once."""
        return await _answer(context, request.race, self._deal(request))

    async def Retire(self, request: game_pb2.RetireRequest, context: _Context) -> game_pb2.RetireResponse:
        """Put a racer out whose grace is over."""
        seat = Seat(request.seat)
        asked = self._ask(
            request.race, lambda done: RetireAsked(seat, request.until, max(0, request.grace_ms), done)
        )
        await _answer(context, request.race, asked)
        return game_pb2.RetireResponse(now=self._store.clock.now())

    async def Resign(self, request: game_pb2.ResignRequest, context: _Context) -> game_pb2.ResignResponse:
        """Put a racer out who left the table, unless it is stuck."""
        seat = Seat(request.seat)
        asked = self._ask(request.race, lambda done: ResignAsked(seat, done))
        await _answer(context, request.race, asked)
        return game_pb2.ResignResponse(now=self._store.clock.now())

    async def Expire(self, request: game_pb2.ExpireRequest, context: _Context) -> game_pb2.ExpireResponse:
        """End a race whose deadline has passed."""
        over = await _answer(context, request.race, self._ask(request.race, ExpireAsked))
        return game_pb2.ExpireResponse(over=over, now=self._store.clock.now())

    async def GetRace(self, request: game_pb2.GetRaceRequest, context: _Context) -> game_pb2.GetRaceResponse:
        """Say how a race stands, without boards."""
        return await _answer(context, request.race, self._get_race(request.race))

    async def GetReplay(
        self, request: game_pb2.GetReplayRequest, context: _Context
    ) -> game_pb2.GetReplayResponse:
        """Give a finished race's seed and slides."""
        return await _answer(context, request.race, self._get_replay(request.race))

    async def Link(  # type: ignore[override]  # the stubs know no read() and write()
        self,
        request_iterator: object,  # noqa: ARG002
        context: Context,
    ) -> None:
        """Serve the stream of a gateway of release 0.1."""
        await OldStream(context).serve(self.link)

    async def link(self, stream: Stream) -> None:
        """Serve one gateway's stream to its end."""
        link = Link(self._races)
        self._links.add(link)
        self._links_gone.clear()
        if self._draining:
            link.drain()
        try:
            await serve_link(link, self._races, stream)
        finally:
            self._links.discard(link)
            if not self._links:
                self._links_gone.set()

    async def _deal(self, request: game_pb2.DealRequest) -> game_pb2.DealResponse:
        race, deal = _race(request.race), _deal_of(request, self._new_seed())
        if not 0 <= request.countdown_ms <= MOST_COUNTDOWN_MS:
            raise Refused(Refusal.BAD_REQUEST, "A countdown takes 0 to 60000 ms.")
        if request.starts_at > self._store.clock.now() + FARTHEST_START_MS:
            raise Refused(Refusal.BAD_REQUEST, "A race starts within ten minutes.")
        dealt = await commits.deal(
            self._store, race, deal, starts_at=request.starts_at, countdown_ms=request.countdown_ms
        )
        times = messages.times_message(
            starts_at=dealt.starts_at, deadline=dealt.deadline, ended_at=dealt.ended_at
        )
        return game_pb2.DealResponse(
            times=times, commitment=unpack_deal(dealt.meta).commitment, now=dealt.now
        )

    async def _ask(self, race: str, command: Callable[[Done], Command]) -> bool:
        """Put a command to a race, and wait until it is committed, or found to hold; whether the race is over."""
        running = self._races.get(_race(race))
        done: Done = asyncio.get_running_loop().create_future()
        running.ask(command(done))
        self._races.wake(running)
        async with asyncio.timeout(CALL_S):
            return await done

    async def _get_race(self, race: str) -> game_pb2.GetRaceResponse:
        deal, snapshot = await _read(self._store, _race(race))
        state = snapshot.record.race
        message = game_pb2.GetRaceResponse(
            version=snapshot.version,
            times=times_of(snapshot),
            commitment=deal.commitment,
            verdict=None if state.verdict is None else messages.verdict_message(state.verdict),
            now=self._store.clock.now(),
        )
        messages.add_standings(message, state)
        return message

    async def _get_replay(self, text: str) -> game_pb2.GetReplayResponse:
        race = _race(text)
        deal, snapshot = await _read(self._store, race)
        if snapshot.record.race.verdict is None:
            raise Refused(Refusal.RACE_NOT_OVER)
        if self._store.clock.now() - snapshot.last < FRESH_MS:
            await durable(self._store, keys.bucket_of_race(race))
        log = await commits.read_log_at(self._store, race, snapshot)
        if log is None:
            raise Refused(Refusal.UNAVAILABLE)  # the store fell back meanwhile: it may not be over
        return replay_message(deal, snapshot, log)


async def _read(store: Store, race: RaceId) -> tuple[Deal, Snapshot]:
    (stored,) = await commits.load(store, [race])
    if stored is None:
        raise Refused(Refusal.RACE_NOT_RUNNING)
    if isinstance(stored, WrongType):
        raise stored
    return read_stored(stored)


async def _answer(context: _Context, race: str, work: Awaitable[Answered]) -> Answered:
    """Give what `work` gives, or end the call with what refuses it; what is logged meanwhile is about the race."""
    with about(race=race):
        try:
            return await work
        except Refused as refused:
            await abort(context, refused)
        except (StoreError, TimeoutError) as error:
            # Each request is told of, and what the clocks ask for again and again seldom.
            if _SELDOM.now(str(meant().get("request", race))):
                _LOG.warning("a call was not answered by the store", kind=type(error).__name__)
            await abort(context, Refused(Refusal.UNAVAILABLE))
        except ValueError as error:
            _LOG.exception("a record cannot be read", error)
            await abort(context, Refused(Refusal.UNAVAILABLE))


async def _within(seconds: float, work: Awaitable[object]) -> None:
    try:
        async with asyncio.timeout(seconds):
            await work
    except TimeoutError:
        _LOG.warning("drained before all was done")


def _race(text: str) -> RaceId:
    try:
        parse_race_id(text)
    except ValueError as error:
        raise Refused(Refusal.BAD_REQUEST, str(error)) from error
    return RaceId(text)


def _deal_of(request: game_pb2.DealRequest, seed: Seed) -> Deal:
    """Make the deal that is asked for.

    Raises:
        Refused: nobody can race like that.
    """
    entrants = sorted(request.entrants, key=lambda each: each.seat)
    seats = [each.seat for each in entrants]
    if not 2 <= len(seats) <= 4 or len(set(seats)) != len(seats) or not set(seats) <= {1, 2, 3, 4}:
        raise Refused(Refusal.BAD_REQUEST, "A race is dealt to two to four different seats from 1 to 4.")
    if any(len(each.browser) != HASH_BYTES or len(each.name) > MOST_NAME for each in entrants):
        raise Refused(Refusal.BAD_REQUEST, "A racer has a name, and a browser's hash of 32 bytes.")
    try:
        rules = messages.rules_from(request.rules)
    except RuleBroken as broken:
        raise of_rule(broken) from broken
    racers = tuple(Entrant(Seat(each.seat), each.name, BrowserHash(each.browser)) for each in entrants)
    return Deal(seed, rules, racers)
