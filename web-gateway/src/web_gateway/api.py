"""The HTTP interface: tables opened and shown, races replayed, the link as a QR code."""

import io
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import Annotated, TypeVar

import msgspec
import segno
from msgspec import Meta, Struct
from starlette.requests import ClientDisconnect, HTTPConnection, Request
from starlette.responses import Response

from web_gateway.askers import Asker
from web_gateway.calls import name_of, rules_of
from web_gateway.frames import server
from web_gateway.gateway import Gateway
from web_gateway.held import Held
from web_gateway.identity import Identity, identify
from web_gateway.limits import What
from web_gateway.replay import replay_of
from web_gateway.table_frames import table_frame
from wire.ids import TableId, new_table_id, parse_table_id, race_id
from wire.in_hand import InHand
from wire.keys import bucket_of
from wire.refusal import Refusal, Refused

MOST_BODY = 4096
MOST_NUMBER = 9
"""The most digits that a race's number has."""
MOST_OPENING, PATIENCE_S = 128, 1.0
"""How many tables are being opened at once, and how long the first of them may take before more are refused."""
RETRY_S = "2"

_STATUS = {
    Refusal.TABLE_UNKNOWN: HTTPStatus.NOT_FOUND,
    Refusal.BAD_REQUEST: HTTPStatus.BAD_REQUEST,
    Refusal.BAD_NAME: HTTPStatus.BAD_REQUEST,
    Refusal.BAD_RULES: HTTPStatus.BAD_REQUEST,
    Refusal.TOO_MANY_REQUESTS: HTTPStatus.TOO_MANY_REQUESTS,
    Refusal.UNAVAILABLE: HTTPStatus.SERVICE_UNAVAILABLE,
}
_PRIVATE = {"no-cache": "private, no-cache"}
"""How an answer with a browser's own cookie may be kept: by that browser only."""
_ASKS = "tilerace.identity"
"""Where a request's scope keeps which browser asks."""
_NOT_THERE = {Refusal.TABLE_UNKNOWN, Refusal.RACE_NOT_RUNNING}
"""What a look-up of something that is not there is refused with."""
_Body = TypeVar("_Body")
_Found = TypeVar("_Found")
# For the description alone: what is outside is refused by a code of its own, and in better words.
_Name = Annotated[str, Meta(extra_json_schema={"minLength": 1, "maxLength": 160})]
_Target = Annotated[int, Meta(extra_json_schema={"enum": [64 << step for step in range(8)]})]
_Clock = Annotated[int, Meta(extra_json_schema={"minimum": 1})]


class RulesAsked(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The rules of the first race; left out they are First to 2048 (docs/rules.md §4)."""

    target: _Target | None = 2048
    clock_s: _Clock | None = None


class OpenTable(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a table is opened with; a name left out is Player."""

    name: _Name | None = None
    rules: RulesAsked | None = None


class Opened(Struct, frozen=True, kw_only=True):
    """A table was opened: its id, and where its page is."""

    table: str
    url: str


class Error(Struct, frozen=True, kw_only=True):
    """Why a request was refused, in a word and in words for a person."""

    error: str
    message: str


class Api:
    """The endpoints under /api."""

    def __init__(self, gateway: Gateway) -> None:
        """Serve one gateway."""
        self._gateway = gateway
        self._held = Held()
        self._opening = InHand(MOST_OPENING, patience_s=PATIENCE_S)

    async def open_table(self, request: Request) -> Response:
        """Open a table, with the asking browser in seat 1 as its host."""
        asked = _decoded(await _body(request), OpenTable)
        self.asker(request).ask(What.TABLES)
        if self._gateway.crowded:
            raise Refused(Refusal.UNAVAILABLE)
        rules = asked.rules or RulesAsked()
        who, table = self.identify(request), new_table_id()
        # A bucket may be on a node of the store that does not answer: it is to hold up no other's tables.
        with self._opening.one(bucket_of(table)):
            await self._gateway.calls.open_table(
                table,
                who.browser,
                name=name_of(asked.name),
                rules=rules_of(rules.target, rules.clock_s),
            )
        return known(json(Opened(table=table, url=f"/t/{table}"), HTTPStatus.CREATED), who)

    async def show_table(self, request: Request) -> Response:
        """Show a table as a watcher sees it."""
        table = table_of(request)
        news = await self._found(request, table, lambda: self._gateway.calls.get_table(table))
        frame = table_frame(news.table, now=self._gateway.clock.now())
        return known(Response(server.write(frame), media_type="application/json"), self.identify(request))

    async def replay(self, request: Request) -> Response:
        """Give a race that is over."""
        self.asker(request).ask(What.DRAWN)
        table, text = table_of(request), request.path_params["number"]
        number = int(text) if text.isascii() and text.isdigit() and len(text) <= MOST_NUMBER else 0
        if number == 0:
            return no_such_race()
        try:
            race = race_id(table, number)
            found = await self._found(request, table, lambda: self._gateway.calls.replay(race))
        except Refused as refused:
            if refused.refusal is Refusal.RACE_NOT_RUNNING:
                return no_such_race()
            raise
        link = self._link(f"/t/{table}/replay/{number}", request)
        whole = known(json(replay_of(number, found, link=link)), self.identify(request))
        return self._held.answer(whole, instead=refused_answer(Refused(Refusal.UNAVAILABLE)))

    async def qr(self, request: Request) -> Response:
        """Draw the table's link."""
        self.asker(request).ask(What.DRAWN)
        link = self._link(f"/t/{table_of(request)}", request)
        drawn = io.BytesIO()
        segno.make(link, error="m", micro=False).save(
            drawn, kind="svg", scale=8, border=4, dark="#000", light="#fff", xmldecl=False
        )
        return Response(drawn.getvalue(), media_type="image/svg+xml")

    def identify(self, connection: HTTPConnection) -> Identity:
        """Tell which browser asks: one that is new is the same one as often as that is asked."""
        known: Identity | None = connection.scope.get(_ASKS)
        if known is None:
            known = identify(connection.headers.get("cookie"), secure=self._gateway.settings.secure)
            connection.scope[_ASKS] = known
        return known

    def asker(self, connection: HTTPConnection) -> Asker:
        """Tell who asks, for what it may still ask for."""
        who = self.identify(connection)
        return self._gateway.askers.of(connection, None if who.fresh else who.browser)

    async def may_look(self, connection: HTTPConnection, table: TableId) -> bool:
        """Tell whether one may look at a table: not who has tried too many, unless its browser has a seat there."""
        return not self.asker(connection).has_spent(What.TRIES) or await self.is_seated(connection, table)

    async def is_seated(self, connection: HTTPConnection, table: TableId) -> bool:
        """Tell whether the asking browser has a seat at a table."""
        browser = self.identify(connection).browser
        return await self._gateway.seats(browser, table, asker=self.asker(connection))

    def is_ours(self, connection: HTTPConnection) -> bool:
        """Tell whether a request comes from a page of ours, or from no page."""
        return self._gateway.origins.is_ours(connection.headers)

    def is_embedded(self, connection: HTTPConnection) -> bool:
        """Tell whether a page of another site has its reader's browser ask."""
        return self._gateway.origins.is_embedded(connection.headers)

    def _link(self, path: str, request: Request) -> str:
        return self._gateway.addresses.link(path, request.headers.get("host"))[0]

    async def _found(self, request: Request, table: TableId, look: Callable[[], Awaitable[_Found]]) -> _Found:
        """Look for something; to who has tried too many, what is there looks like what is not.

        They are refused before, as how long two look-ups take would tell; and after, where others tried meanwhile.

        Raises:
            Refused: TOO_MANY_REQUESTS, or what the look-up raises.
        """
        await self._check_may_look(request, table)
        try:
            found = await look()
        except Refused as refused:
            if refused.refusal in _NOT_THERE:
                self.asker(request).ask(What.TRIES)
            raise
        await self._check_may_look(request, table)
        return found

    async def _check_may_look(self, request: Request, table: TableId) -> None:
        if not await self.may_look(request, table):
            raise Refused(Refusal.TOO_MANY_REQUESTS)


def table_of(connection: HTTPConnection) -> TableId:
    """Read the table's id in a request's path.

    Raises:
        Refused: TABLE_UNKNOWN, where it cannot be one.
    """
    table = parse_table_id(connection.path_params["table"])
    if table is None:
        raise Refused(Refusal.TABLE_UNKNOWN)
    return table


def json(answer: Struct, status: int = HTTPStatus.OK) -> Response:
    """Answer with a struct as JSON."""
    return Response(msgspec.json.encode(answer), status, media_type="application/json")


def error(status: int, code: str, message: str) -> Response:
    """Answer why a request is refused."""
    response = json(Error(error=code, message=message), status)
    if status in {HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.TOO_MANY_REQUESTS}:
        response.headers["retry-after"] = RETRY_S
    return response


def refused_answer(refused: Refused) -> Response:
    """Answer with a refusal; most are a conflict with how things stand."""
    status = _STATUS.get(refused.refusal, HTTPStatus.CONFLICT)
    return error(status, refused.refusal.value, refused.message)


def no_such_race() -> Response:
    """Answer that a table has no race of that number."""
    return error(HTTPStatus.NOT_FOUND, "RACE_UNKNOWN", "This table has no such race.")


def known(response: Response, who: Identity) -> Response:
    """Let a browser that is new keep its cookie; what it was answered is nobody else's."""
    response.headers.setdefault("cache-control", "no-store")
    if who.set_cookies:
        for cookie in who.set_cookies:
            response.headers.append("set-cookie", cookie)
        response.headers["cache-control"] = _PRIVATE.get(response.headers["cache-control"], "no-store")
    return response


async def _body(request: Request) -> bytes:
    body = bytearray()
    try:
        async for chunk in request.stream():
            body += chunk
            if len(body) > MOST_BODY:
                raise Refused(Refusal.BAD_REQUEST, f"A request has at most {MOST_BODY} bytes.")
    except ClientDisconnect:
        # Nobody hears it; as an error of ours, anybody could fill the log with it.
        raise Refused(Refusal.BAD_REQUEST, "That request did not come whole.") from None
    return bytes(body)


def _decoded(body: bytes, into: type[_Body]) -> _Body:
    """Read a request's body; an empty one asks for nothing in particular."""
    try:
        return msgspec.json.decode(body.decode() if body.strip() else "{}", type=into)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as wrong:
        raise Refused(
            Refusal.BAD_REQUEST, f"That request is out of shape: {str(wrong)[:200].rstrip('.')}."
        ) from None
