"""Calls outside of the streams: tables opened, shown and changed, races replayed."""

from collections.abc import Callable
from typing import TypeVar, assert_never

import grpc

from tilerace.game.v1 import game_pb2, game_pb2_grpc
from tilerace.table.v1 import table_pb2, table_pb2_grpc
from web_gateway.frames import client
from web_gateway.metrics import COMMAND_SECONDS
from wire.channels import Channels
from wire.clock import StoreClock
from wire.ids import BrowserHash, RaceId, TableId
from wire.log import about, events
from wire.refusal import NameFault, Refusal, Refused, from_rpc_error
from wire.requests import metadata
from wire.routing import Replicas
from wire.seldom import Seldom

DEFAULT_NAME = "Player"
MOST_CLOCK_S = 1_000_000
MOST_TARGET = 2**30

_LOG = events("web_gateway")
Asked = TypeVar("Asked")
Answer = TypeVar("Answer")


def rules_of(target: int | None, clock_s: int | None) -> game_pb2.Rules:
    """Write rules as a message, where 0 stands for none.

    Raises:
        Refused: BAD_RULES, where a number could not even be written; the rest is table-service's to judge.
    """
    if (target is not None and not 0 < target <= MOST_TARGET) or (
        clock_s is not None and not 0 < clock_s <= MOST_CLOCK_S
    ):
        raise Refused(Refusal.BAD_RULES)
    return game_pb2.Rules(target=target or 0, clock_ms=(clock_s or 0) * 1000)


def name_of(name: str | None) -> str:
    """Give the name asked for, Player where it was left out.

    Raises:
        Refused: BAD_NAME, for an empty one, which would count as left out.
    """
    if name == "":
        raise Refused(Refusal.BAD_NAME, NameFault.UNSEEN)
    return DEFAULT_NAME if name is None else name


def command_of(frame: client.ToTable, connection: int) -> table_pb2.CommandRequest:
    """Write a frame as a command; table, browser and id are yet to be filled in.

    Raises:
        Refused: BAD_NAME or BAD_RULES, where it could not even be written.
    """
    request = table_pb2.CommandRequest()
    match frame:
        case client.Sit(name=name):
            request.sit.name, request.sit.connection = name_of(name), connection
        case client.Leave():
            request.leave.SetInParent()
        case client.Rename(name=name):
            request.rename.name = name_of(name)
        case client.Ready(ready=ready):
            request.ready.ready = ready
        case client.FreeSeat(seat=seat):
            request.free_seat.seat = seat
        case client.ChooseRules(target=target, clock_s=clock_s):
            request.rules.CopyFrom(rules_of(target, clock_s))
        case client.Start():
            request.start.SetInParent()
        case client.RaceOnWithout(race=race, seat=seat):
            request.race_on_without.race, request.race_on_without.seat = race, seat
        case client.PlayAgain(race=race):
            request.play_again.race = race
        case client.ChangeSettings(race=race):
            request.change_settings.race = race
        case _:
            assert_never(frame)
    return request


class Calls:
    """Calls to both services, each tried once more on another replica where no answer came."""

    def __init__(self, game: Replicas, table: Replicas, *, channels: Channels, clock: StoreClock) -> None:
        """Call these replicas."""
        self._game, self._table, self._channels, self._clock = game, table, channels, clock
        self._seldom = Seldom(every_s=1.0)

    async def open_table(
        self, table: TableId, browser: BrowserHash, *, name: str, rules: game_pb2.Rules
    ) -> table_pb2.TableNews:
        """Open a table under an id of ours.

        Raises:
            Refused: BAD_NAME, BAD_RULES, UNAVAILABLE.
        """
        request = table_pb2.OpenTableRequest(table=table, browser=browser, name=name, rules=rules)
        with about(table=table):
            response = await self._call(
                self._table,
                table,
                "open_table",
                lambda channel: table_pb2_grpc.TableServiceStub(channel).OpenTable,
                request,
            )
        self._clock.heard(response.now)
        return response.news

    async def get_table(self, table: TableId) -> table_pb2.TableNews:
        """Show a table.

        Raises:
            Refused: TABLE_UNKNOWN, UNAVAILABLE.
        """
        request = table_pb2.GetTableRequest(table=table)
        with about(table=table):
            response = await self._call(
                self._table,
                table,
                "show_table",
                lambda channel: table_pb2_grpc.TableServiceStub(channel).GetTable,
                request,
            )
        self._clock.heard(response.now)
        return response.news

    async def command(
        self, table: TableId, browser: BrowserHash, command: table_pb2.CommandRequest
    ) -> table_pb2.TableNews:
        """Change a table by a command that has its id: once, also where it has to be tried again.

        Raises:
            Refused: what the rules refuse; UNAVAILABLE.
        """
        command.table, command.browser = table, browser
        response = await self._call(
            self._table,
            table,
            command.WhichOneof("command") or "",
            lambda channel: table_pb2_grpc.TableServiceStub(channel).Command,
            command,
        )
        self._clock.heard(response.now)
        return response.news

    async def share_limits(self, request: table_pb2.ShareLimitsRequest) -> table_pb2.ShareLimitsResponse:
        """Tell what askers have spent here, and hear what they have spent at all gateways.

        Raises:
            Refused: UNAVAILABLE.
        """
        return await self._call(
            self._table,
            request.gateway.hex(),
            "share_limits",
            lambda channel: table_pb2_grpc.TableServiceStub(channel).ShareLimits,
            request,
        )

    async def replay(self, race: RaceId) -> game_pb2.GetReplayResponse:
        """Give a race that is over, slide by slide.

        Raises:
            Refused: RACE_NOT_OVER, RACE_NOT_RUNNING where there is no such race, UNAVAILABLE.
        """
        request = game_pb2.GetReplayRequest(race=race)
        with about(race=race):
            return await self._call(
                self._game,
                race,
                "replay",
                lambda channel: game_pb2_grpc.GameServiceStub(channel).GetReplay,
                request,
            )

    async def _call(
        self,
        replicas: Replicas,
        key: str,
        of: str,
        method: Callable[[grpc.aio.Channel], "grpc.aio.UnaryUnaryMultiCallable[Asked, Answer]"],
        request: Asked,
    ) -> Answer:
        async def attempt(address: str) -> Answer:
            return await method(self._channels.to(address))(request, metadata=metadata())

        with COMMAND_SECONDS.labels(of).time():
            try:
                return await replicas.call(key, attempt)
            except grpc.aio.AioRpcError as error:
                raise self._refused(key, of, error) from None
            except TimeoutError:
                _LOG.warning("a call took too long", of=of)
                raise Refused(Refusal.UNAVAILABLE) from None

    def _refused(self, key: str, of: str, error: grpc.aio.AioRpcError) -> Refused:
        """Read what a call was refused with; that it cannot be done now is told, each table's once a second."""
        refused = from_rpc_error(error)
        if refused is None:
            _LOG.warning("a call got no answer", of=of, code=error.code().name)
            return Refused(Refusal.UNAVAILABLE)
        if refused.refusal is Refusal.UNAVAILABLE and self._seldom.now(key):
            _LOG.warning("a call was refused for now", of=of)
        return refused
