"""Around every request: the id under which the logs of all services tell of it, and the count of what was answered."""

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from web_gateway import metrics
from wire.log import about
from wire.requests import HEADER, new_request, sane

_UPGRADED = 101
_ANSWERS = frozenset({"http.response.start", "websocket.http.response.start", "websocket.accept"})


class Requests:
    """Names and counts requests; the outermost of all, so that those that fail are named and counted, too."""

    def __init__(self, app: ASGIApp) -> None:
        """Wrap an app."""
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request under the id that its X-Request-Id header gives it, or a new one; the answer says it."""
        request = sane(Headers(scope=scope).get(HEADER)) or new_request()

        async def named(message: Message) -> None:
            if message["type"] in _ANSWERS:
                MutableHeaders(scope=message)[HEADER] = request
                metrics.REQUESTS.labels(_route(scope), message.get("status", _UPGRADED)).inc()
            await send(message)

        with about(request=request):
            await self._app(scope, receive, named)


def _route(scope: Scope) -> str:
    """Name the route that a request took, of which there are few, whatever was asked for."""
    name = getattr(scope.get("route"), "name", None)
    return name if name in metrics.ROUTES else metrics.OTHER
