"""Commands on tables as they come over the wire, turned into transitions (docs/rules.md §4)."""

import asyncio
from collections.abc import Callable

from table_service.domain import commands, races
from table_service.domain.table import Phase, Rules, Table
from table_service.races import Races
from table_service.reading import Loaded
from table_service.room import Room
from table_service.tables import Tables
from table_service.views import rules_from
from tilerace.table.v1 import table_pb2
from wire.ids import BrowserHash, TableId, same_browser
from wire.refusal import Refusal, Refused

BROWSER_BYTES = 32
COMMAND_BYTES = 16
AFTER_S = 1.0
"""How long a command that is committed waits for what follows it; its caller must hear in time that it is done."""


class Requests:
    """Carries out commands, each once by its id."""

    def __init__(self, tables: Tables, taken: Races, room: Room) -> None:
        """Work on these tables and races, as far as there is room."""
        self._tables = tables
        self._races = taken
        self._room = room
        self._clocks_ms = frozenset(seconds * 1000 for seconds in tables.timings.clocks_s)

    async def open(self, table: TableId, request: table_pb2.OpenTableRequest) -> Loaded:
        """Open a table; asked again by the same browser it is there already.

        Raises:
            Refused: BAD_NAME, BAD_RULES, BAD_REQUEST, or UNAVAILABLE where another has a table of that id or there is no
                room.
            StoreError: the store did not answer.
        """
        browser = browser_from(request.browser)
        rules = rules_from(request.rules) if request.HasField("rules") else Rules()
        commands.check_rules(rules, self._clocks_ms)
        opened = commands.open_table(
            table, browser, name=request.name, rules=rules, since=self._tables.store.clock.now_us()
        )
        self._room.check_table(table)
        loaded = await self._tables.create(opened)
        if not same_browser(loaded.table.host, browser):
            raise Refused(Refusal.UNAVAILABLE)
        return loaded

    async def carry_out(self, table: TableId, request: table_pb2.CommandRequest) -> Loaded:
        """Carry a command out, or give the table as it is where that is done already.

        Raises:
            Refused: what the rules refuse.
            StoreError: the store did not answer, and it cannot be told whether it is done.
        """
        browser = browser_from(request.browser)
        if len(request.id) != COMMAND_BYTES:
            raise Refused(Refusal.BAD_REQUEST, "A command's id is 16 bytes.")
        loaded = await self._settled(table, request)
        if request.id in loaded.table.outcomes:
            return loaded
        if request.WhichOneof("command") in {"start", "play_again"}:
            self._room.check_race(table)
        if request.WhichOneof("command") == "race_on_without":
            asked = request.race_on_without
            await self._races.race_on_without(loaded, browser, number=asked.race, seat=asked.seat)
            return await self._tables.load(table)
        judge = self._judge(browser, request)

        def once(now: Loaded, ms: int) -> Table:
            if request.id in now.table.outcomes:
                return now.table
            after = judge(now, ms)
            return after if after == now.table else after.with_outcome(request.id)

        return await self._after(table, request, await self._tables.change(table, once))

    async def _settled(self, table: TableId, request: table_pb2.CommandRequest) -> Loaded:
        """Settle first; what is done already is so without game-service, and who leaves may: the clocks carry it there."""
        try:
            return await self._races.settle(table)
        except Refused as refused:
            if refused.refusal is not Refusal.UNAVAILABLE:
                raise
            loaded = await self._tables.load(table)
            if request.id in loaded.table.outcomes or request.WhichOneof("command") == "leave":
                return loaded
            raise

    async def _after(self, table: TableId, request: table_pb2.CommandRequest, loaded: Loaded) -> Loaded:
        """Go on at once with what the clocks would come to a little later; where that fails or takes long, they do."""
        try:
            async with asyncio.timeout(AFTER_S):
                return await self._go_on(table, request, loaded)
        except (Refused, TimeoutError):
            return loaded

    async def _go_on(self, table: TableId, request: table_pb2.CommandRequest, loaded: Loaded) -> Loaded:
        match request.WhichOneof("command"):
            case "start" | "play_again":
                return await self._races.deal(table)
            case "leave":
                race_id, race = loaded.table.race_id, loaded.table.race
                left = None if race is None else race.entrant(browser_from(request.browser))
                if race_id is not None and left is not None and loaded.table.phase is Phase.RACING:
                    await self._races.resign(race_id, left.seat)
                    return await self._races.settle(table)
            case _:
                pass
        return loaded

    def _judge(
        self, browser: BrowserHash, request: table_pb2.CommandRequest
    ) -> Callable[[Loaded, int], Table]:
        countdown_ms = self._tables.timings.countdown_ms

        def judge(loaded: Loaded, now: int) -> Table:
            table = loaded.table
            match request.WhichOneof("command"):
                case "sit":
                    asked = request.sit
                    return commands.sit(
                        table, browser, name=asked.name, connection=asked.connection, since=now * 1000
                    )
                case "leave":
                    return commands.leave(table, browser)
                case "rename":
                    return commands.rename(table, browser, name=request.rename.name)
                case "ready":
                    return commands.set_ready(table, browser, ready=request.ready.ready)
                case "free_seat":
                    return commands.free_seat(table, browser, seat=request.free_seat.seat)
                case "rules":
                    rules = commands.check_rules(rules_from(request.rules), self._clocks_ms)
                    return commands.set_rules(table, browser, rules=rules)
                case "start":
                    return races.start(table, browser, starts_at=now + countdown_ms)
                case "play_again":
                    return races.play_again(
                        table, browser, number=request.play_again.race, leases=loaded.leases, now=now,
                        starts_at=now + countdown_ms,
                    )  # fmt: skip
                case "change_settings":
                    return races.change_settings(table, browser, number=request.change_settings.race)
                case _:
                    raise Refused(Refusal.BAD_REQUEST, "That command is not one this release knows.")

        return judge


def browser_from(raw: bytes) -> BrowserHash:
    """Read a browser's hash.

    Raises:
        Refused: BAD_REQUEST, when it is not 32 bytes.
    """
    if len(raw) != BROWSER_BYTES:
        raise Refused(Refusal.BAD_REQUEST, "A browser's hash is 32 bytes.")
    return BrowserHash(raw)
