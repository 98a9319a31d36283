"""The routes: the page and its files, the HTTP interface, the socket, health."""

import re
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from urllib.parse import quote

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection, Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Mount, Route, Router, WebSocketRoute
from starlette.types import ASGIApp
from starlette.websockets import WebSocket

from web_gateway import api, metrics
from web_gateway.api import Api
from web_gateway.askers import Asker
from web_gateway.build import PAGES, TABLE_PAGES
from web_gateway.frames import server
from web_gateway.gateway import Gateway
from web_gateway.headers import SafeHeaders
from web_gateway.limits import What
from web_gateway.origin import ASKING
from web_gateway.page import Page
from web_gateway.requests import Requests
from web_gateway.seam.frames import Frames, Listener
from web_gateway.seam.handshake import attach
from web_gateway.socket import LATER, UNKNOWN, Socket
from wire.ids import BrowserHash, TableId, parse_table_id
from wire.log import events
from wire.refusal import WORDS, Refusal, Refused
from wire.seldom import Seldom

FULL = "There are too many connections here just now; try again in a moment."

FOREIGN = (
    "This page is not at an address that the server knows as its own. Open it at the right one; whoever runs the server sets "
    "it as TILERACE_PUBLIC_URL."
)

_ENDING = re.compile(r"[\W_]+\Z")
_SHOWN = 100
_SELDOM = Seldom()
_LOG = events("web_gateway")
Endpoint = Callable[[Request], Awaitable[Response]]


def make_app(gateway: Gateway, page: Page) -> ASGIApp:
    """Put the routes together."""
    web = Web(gateway, page)
    api_routes = [
        Route("/tables", web.checked(web.api.open_table), methods=["POST"], name="open_table"),
        Route("/tables/{table}", web.checked(web.api.show_table), methods=["GET"], name="show_table"),
        Route("/tables/{table}/qr.svg", web.checked(web.api.qr), methods=["GET"], name="qr"),
        Route(
            "/tables/{table}/races/{number}/replay",
            web.checked(web.api.replay),
            methods=["GET"],
            name="replay",
        ),
        WebSocketRoute("/tables/{table}/socket", web.socket, name="socket"),
    ]
    app = Starlette(
        routes=[
            # A slash too many is no route: Starlette would send on to what the Host header says, whatever that is.
            Mount("/api", Router(api_routes, redirect_slashes=False)),
            Route("/healthz", web.health, name="health"),
            Route("/readyz", web.ready, name="ready"),
            *(Route(address, web.page(name), name="page") for address, name in PAGES.items()),
            *(
                Route(form + ending, web.page_of_table(name, form), name="page")
                for form, name in TABLE_PAGES.items()
                for ending in ("", "/")
            ),
            Route("/at/{build}/{path:path}", web.built, name="file"),
            Route("/{path:path}", web.lasting, name="file"),
        ],
        exception_handlers={HTTPException: web.not_there, Exception: web.broken},
    )
    return Requests(SafeHeaders(app, secure=gateway.settings.secure))


class Web:
    """What is served over HTTP."""

    def __init__(self, gateway: Gateway, page: Page) -> None:
        """Serve one gateway and its page."""
        self.api = Api(gateway)
        self._gateway, self._page = gateway, page

    def checked(self, endpoint: Endpoint) -> Endpoint:
        """Refuse what a foreign page asks to change or to be shown, and give refusals as JSON.

        What it has a browser ask for would be counted to the address of whoever reads that page.
        """

        async def serve(request: Request) -> Response:
            if request.method not in ASKING and not self.api.is_ours(request):
                return _foreign(request)
            if self.api.is_embedded(request):
                return _foreign(request)
            try:
                self.api.asker(request).ask(What.REQUESTS)
                return await endpoint(request)
            except Refused as refused:
                metrics.request_refused(refused.refusal)
                return api.refused_answer(refused)

        return serve

    async def socket(self, websocket: WebSocket) -> None:
        """Begin a socket at a table."""
        if not self.api.is_ours(websocket):
            await websocket.receive()
            await websocket.send_denial_response(_foreign(websocket))
            return
        table = parse_table_id(websocket.path_params["table"])
        who = self.api.identify(websocket)
        cookies = [(b"set-cookie", cookie.encode()) for cookie in who.set_cookies]
        if self._gateway.packed and not (table and await self.api.is_seated(websocket, table)):
            await websocket.receive()
            await websocket.send_denial_response(_full())
            return
        listener = await self._listener(websocket, table, who.browser)
        await attach(websocket, listener, headers=cookies, seldom=isinstance(listener, Refusing))

    async def _listener(self, websocket: WebSocket, table: TableId | None, browser: BrowserHash) -> Listener:
        """Give who listens to a socket that there is room for; one that is refused is told why."""
        # Also one that came without a cookie is the same browser for as long as its socket is open.
        asker, host = self._gateway.askers.of(websocket, browser), websocket.headers.get("host")
        if not await self._may_open(websocket, table, asker):
            return Refusing(Refusal.TOO_MANY_REQUESTS, LATER)
        if table is None:
            return Refusing(Refusal.TABLE_UNKNOWN, UNKNOWN)
        return Socket(self._gateway, table, browser, asker=asker, host=host)

    async def _may_open(self, websocket: WebSocket, table: TableId | None, asker: Asker) -> bool:
        """Tell whether whoever asks may open one more socket; whom others crowd out comes to a seat all the same."""
        if not asker.browser_may_open():
            return False
        if asker.address_may_open() and not asker.has_spent(What.TRIES):
            return True
        return table is not None and await self.api.is_seated(websocket, table)

    async def health(self, _request: Request) -> Response:
        """Say that the process is alive."""
        return PlainTextResponse("ok\n")

    async def ready(self, _request: Request) -> Response:
        """Say whether browsers can be served: it has started, and does not go away."""
        if self._gateway.ready:
            return PlainTextResponse("ready\n")
        return PlainTextResponse("not ready\n", HTTPStatus.SERVICE_UNAVAILABLE)

    def page(self, name: str) -> Endpoint:
        """Serve one page, and make its browser known."""

        async def serve(request: Request) -> Response:
            return api.known(self._page.shell(request, name), self.api.identify(request))

        return serve

    def page_of_table(self, name: str, form: str) -> Endpoint:
        """Serve a page of a table, at the one address of this form that it has."""
        serve_page = self.page(name)

        async def serve(request: Request) -> Response:
            named = {part: _without_ending(text) for part, text in request.path_params.items()}
            table = parse_table_id(named["code"])
            if table is None:
                return self._page.missing(request)
            address = form.format_map(named | {"code": table})
            if address != request.scope["path"]:
                return RedirectResponse(quote(address), HTTPStatus.PERMANENT_REDIRECT)
            return await serve_page(request)

        return serve

    async def built(self, request: Request) -> Response:
        """Serve a file of one build."""
        return self._page.built(request, request.path_params["build"], request.path_params["path"])

    async def lasting(self, request: Request) -> Response:
        """Serve a file that has one address for all builds."""
        found = self._page.lasting(request, request.path_params["path"])
        if found is None:
            raise HTTPException(HTTPStatus.NOT_FOUND)
        return found

    async def not_there(self, request: Request, wrong: Exception) -> Response:
        """Answer what no route serves: in JSON under /api, else with a page."""
        status = wrong.status_code if isinstance(wrong, HTTPException) else HTTPStatus.NOT_FOUND
        headers = wrong.headers if isinstance(wrong, HTTPException) else None
        if not (request.url.path + "/").startswith("/api/"):
            if status == HTTPStatus.NOT_FOUND:
                return self._page.missing(request)
            return PlainTextResponse(f"{HTTPStatus(status).phrase}\n", status, headers)
        response = api.error(status, HTTPStatus(status).name, f"{HTTPStatus(status).phrase}.")
        response.headers.update(headers or {})
        return response

    async def broken(self, _request: Request, wrong: Exception) -> Response:
        """Answer where something of ours failed; Starlette raises it on, for the log."""
        _LOG.exception("a request failed", wrong)
        return api.error(HTTPStatus.INTERNAL_SERVER_ERROR, "INTERNAL", "Something went wrong here.")


class Refusing:
    """A socket that is refused: it says why, as a page is told nothing of a handshake that fails, and closes."""

    def __init__(self, refusal: Refusal, code: int) -> None:
        """Refuse it, and close with that code."""
        self._refusal, self._code = refusal, code

    def opened(self, frames: Frames) -> None:
        """Say so."""
        metrics.refused(None, self._refusal)
        refused = server.Refused(re=None, of=None, code=self._refusal.value, message=WORDS[self._refusal])
        frames.send(server.write(refused))
        frames.close(self._code)

    def text(self, message: str) -> None:
        """Pass over what came before the end."""

    def pong(self) -> None:
        """Pass over it."""

    def leaving(self) -> None:
        """Pass over it."""

    def closed(self, code: int) -> None:
        """Have nothing to let go."""


def _without_ending(part: str) -> str:
    """Leave out what is no letter or digit at the end, which chat programs take from the sentence around a link."""
    return _ENDING.sub("", part)


def _full() -> Response:
    metrics.request_refused(Refusal.UNAVAILABLE)
    return api.refused_answer(Refused(Refusal.UNAVAILABLE, FULL))


def _foreign(connection: HTTPConnection) -> Response:
    """Answer a page of another site, or one at an address that whoever runs this has not told of."""
    if _SELDOM.now("foreign"):
        origin, host = (connection.headers.get(name, "")[:_SHOWN] for name in ("origin", "host"))
        _LOG.warning("a page of another site asked", origin=origin, host=host)
    return api.error(HTTPStatus.FORBIDDEN, "FORBIDDEN", FOREIGN)
