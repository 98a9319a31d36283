"""What table-service asks of game-service (docs/architecture.md, rule 7)."""

from collections.abc import Callable
from typing import TypeVar

import grpc

from table_service.domain.races import TIE_HALVES, WIN_HALVES, Result
from table_service.domain.table import RaceAtTable
from tilerace.game.v1 import game_pb2, game_pb2_grpc
from wire.channels import Channels
from wire.ids import RaceId
from wire.log import about, events, meant
from wire.refusal import Refusal, Refused, from_rpc_error
from wire.requests import metadata
from wire.routing import Replicas
from wire.seldom import Seldom

_LOG = events("table_service")
Request = TypeVar("Request")
Answer = TypeVar("Answer")
DEADLINE_S = 3.0


class Games:
    """game-service's replicas, called by race; no answer is UNAVAILABLE, a refusal stays one."""

    def __init__(self, replicas: Replicas, channels: Channels) -> None:
        """Call these replicas over these channels."""
        self._replicas = replicas
        self._channels = channels
        self._seldom = Seldom()

    async def deal(self, race_id: RaceId, race: RaceAtTable, *, countdown_ms: int) -> game_pb2.DealResponse:
        """Have a race dealt; once dealt, it answers the same again."""
        request = game_pb2.DealRequest(
            race=race_id,
            entrants=[
                game_pb2.Entrant(seat=entrant.seat, name=entrant.name, browser=entrant.browser)
                for entrant in race.entrants
            ],
            rules=game_pb2.Rules(target=race.rules.target or 0, clock_ms=race.rules.clock_ms or 0),
            starts_at=race.starts_at,
            countdown_ms=countdown_ms,
        )
        return await self._call(race_id, lambda stub: stub.Deal, request)

    async def retire(self, race_id: RaceId, *, seat: int, until: int, grace_ms: int) -> None:
        """Put a racer out whose lease ran out at `until` and whose grace is over."""
        request = game_pb2.RetireRequest(race=race_id, seat=seat, until=until, grace_ms=grace_ms)
        await self._call(race_id, lambda stub: stub.Retire, request)

    async def resign(self, race_id: RaceId, *, seat: int) -> None:
        """Put a racer out who left; harmless when repeated."""
        request = game_pb2.ResignRequest(race=race_id, seat=seat)
        await self._call(race_id, lambda stub: stub.Resign, request)

    async def expire(self, race_id: RaceId) -> bool:
        """End a race whose deadline has passed; tell whether it is over."""
        request = game_pb2.ExpireRequest(race=race_id)
        return bool((await self._call(race_id, lambda stub: stub.Expire, request)).over)

    async def get(self, race_id: RaceId) -> game_pb2.GetRaceResponse:
        """Ask how a race stands."""
        request = game_pb2.GetRaceRequest(race=race_id)
        return await self._call(race_id, lambda stub: stub.GetRace, request)

    async def _call(
        self,
        race_id: RaceId,
        call_of: "Callable[[game_pb2_grpc.GameServiceAsyncStub], grpc.aio.UnaryUnaryMultiCallable[Request, Answer]]",
        request: Request,
    ) -> Answer:
        async def attempt(address: str) -> Answer:
            call = call_of(game_pb2_grpc.GameServiceStub(self._channels.to(address)))
            return await call(request, timeout=DEADLINE_S, metadata=metadata())

        with about(race=race_id):
            try:
                return await self._replicas.call(race_id, attempt)
            except grpc.aio.AioRpcError as error:
                refused = from_rpc_error(error) or Refused(Refusal.UNAVAILABLE)
                self._tell(race_id, refused, error.code().name)
                raise refused from error
            except TimeoutError as error:
                refused = Refused(Refusal.UNAVAILABLE)
                self._tell(race_id, refused, "too late")
                raise refused from error

    def _tell(self, race_id: RaceId, refused: Refused, why: str) -> None:
        """Tell of each request that it failed, and of what the clocks ask for again and again, each race's seldom."""
        if refused.refusal is Refusal.UNAVAILABLE and self._seldom.now(str(meant().get("request", race_id))):
            _LOG.warning("game-service could not do what was asked of a race", why=why)


def result_of(race: game_pb2.GetRaceResponse) -> Result | None:
    """Read what a race adds to the tally, or None while it is not over."""
    if not race.HasField("verdict"):
        return None
    verdict = race.verdict
    halves = {verdict.winner: WIN_HALVES} if verdict.winner else dict.fromkeys(verdict.tied, TIE_HALVES)
    return Result(race.times.ended_at, halves)
