"""Where a WebSocket begins: uvicorn's `ws=` class. The handshake is ASGI; then `Frames` take the transport.

uvicorn calls the class with `config`, `server_state` and `app_state`, then `connection_made`, then `data_received` once
with the request that it has parsed, rebuilt; the rest of the connection is ours.
"""

import asyncio
import functools
import http
import json
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, cast
from urllib.parse import unquote

from starlette.types import Message, Scope
from starlette.websockets import WebSocket
from uvicorn.config import Config
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.utils import ClientDisconnected, get_local_addr, get_remote_addr, is_ssl
from uvicorn.server import ServerState

from web_gateway.seam.frames import LINGER_S, Frames, Listener
from web_gateway.seam.request import Header, Refusal, Request, parse, refusal
from web_gateway.seam.sockets import Sockets
from wire.log import events

_log = events("web_gateway")
_OURS = frozenset({b"content-length", b"connection", b"transfer-encoding"})
_FULL = Refusal(503, "There are too many connections here just now; try again in a moment.")
_LEAVING = Refusal(503, "The server is restarting; try again in a moment.")
_BROKEN = Refusal(500, "Something went wrong here.")
_DENIED = Refusal(403, "This connection is not allowed.")
_SHOWN = 100
_CODES = {403: "FORBIDDEN", 500: "INTERNAL", 503: "UNAVAILABLE"}


async def attach(
    websocket: WebSocket, listener: Listener, *, headers: Iterable[Header] = (), seldom: bool = False
) -> None:
    """Accept a socket that awaits it; from here it calls `listener`, and the request is over.

    When the peer has gone meanwhile nothing happens: `listener` is never called. With `seldom` the log tells of it as of
    one that is refused: once a minute of all of these.
    """
    await websocket.receive()
    accept = {"type": "websocket.accept", "headers": list(headers), "listener": listener, "seldom": seldom}
    try:
        await websocket.send(accept)
    except ClientDisconnected:
        _log.debug("socket gone before its handshake was done")


def upgrade(registry: Sockets, denied: Mapping[str, str] | None = None) -> type[asyncio.Protocol]:
    """Make the class for `uvicorn.Config(ws=…)` whose sockets are counted, and bounded, by `registry`.

    `denied` are headers that every answer has which opens no socket, unless it says otherwise itself.
    """
    guarding = tuple((name.lower().encode(), value.encode()) for name, value in (denied or {}).items())

    class Counted(Upgrade):
        sockets = registry
        denied = guarding

    return Counted


class Upgrade(asyncio.Protocol):
    """One handshake. It stays in uvicorn's connections until lost or until its `Frames` take its place there."""

    sockets: ClassVar[Sockets]
    denied: ClassVar[tuple[Header, ...]] = ()

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        self._config, self._server, self._state = config, server_state, app_state
        self._connections = cast("set[asyncio.Protocol]", server_state.connections)
        self._transport: asyncio.Transport
        self._request: Request
        self._early = b""
        self._frames: Frames | None = None
        self._asked = self._told = False
        self._over = asyncio.Event()
        self._denial: tuple[int, list[Header], bytearray] = (500, [], bytearray())
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take the transport; uvicorn calls it."""
        self._transport = cast("asyncio.Transport", transport)
        self._connections.add(self)

    def data_received(self, data: bytes) -> None:
        """Take the request; what comes after an answer that denied it is left unread."""
        if self._asked:
            return
        self._asked = True
        self._transport.pause_reading()  # until Frames are in place
        self._early = _unparsed(self._transport)
        self._request = parse(data)
        if refused := refusal(self._request) or self._no_room():
            self._refuse(refused)
        else:
            self.sockets.add(self)
            task = asyncio.get_running_loop().create_task(self._handshake())
            self._server.tasks.add(task)
            task.add_done_callback(self._server.tasks.discard)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - the transport's signature
        """End before there were frames; the transport calls it."""
        self._over.set()
        self._forget()
        if self._timer is not None:
            self._timer.cancel()

    def shutdown(self) -> None:
        """Give up because the server stops; uvicorn calls it."""
        if not self._over.is_set():
            self._refuse(_LEAVING)

    def _no_room(self) -> Refusal | None:
        if self.sockets.leaving:
            return _LEAVING
        return _FULL if self.sockets.full else None

    async def _handshake(self) -> None:
        """Let the app decide, and answer where it does not."""
        try:
            await self._config.loaded_app(self._scope(), self._receive, self._send)
        except ClientDisconnected:
            _log.debug("socket gone before its handshake was done")
        except Exception as error:  # noqa: BLE001 - the outermost frame of a request, as in any ASGI server
            _log.exception("socket handshake failed", error)
            if self._frames is not None:
                self._frames.close(1011)
        finally:
            if not self._over.is_set():
                self._refuse(_BROKEN)

    def _scope(self) -> Scope:
        """Build what the app sees, alike to uvicorn's own."""
        request, root = self._request, self._config.root_path
        return {
            "type": "websocket",
            "asgi": {"version": self._config.asgi_version, "spec_version": "2.4"},
            "http_version": "1.1",
            "scheme": "wss" if is_ssl(self._transport) else "ws",
            "server": get_local_addr(self._transport),
            "client": get_remote_addr(self._transport),
            "root_path": root,
            "path": root + unquote(request.path.decode("ascii")),
            "raw_path": root.encode("ascii") + request.path,
            "query_string": request.query,
            "headers": list(request.headers),
            "subprotocols": [token.decode("latin-1") for token in request.tokens(b"sec-websocket-protocol")],
            "state": self._state.copy(),
            "extensions": {"websocket.http.response": {}},
        }

    async def _receive(self) -> Message:
        if not self._told:
            self._told = True
            return {"type": "websocket.connect"}
        await self._over.wait()
        return {"type": "websocket.disconnect", "code": 1006}

    async def _send(self, message: Message) -> None:
        if self._over.is_set():
            raise ClientDisconnected
        match message["type"]:
            case "websocket.accept":
                self._accept(message)
            case "websocket.close":
                self._refuse(_DENIED)
            case "websocket.http.response.start":
                self._denial = message["status"], list(message.get("headers", ())), bytearray()
            case "websocket.http.response.body":
                self._deny(message)
            case unknown:
                raise RuntimeError(f"a handshake takes no {unknown}")

    def _accept(self, message: Message) -> None:
        listener: Listener = message["listener"]  # KeyError: accepted without `attach`
        if self._transport.is_closing():
            raise ClientDisconnected
        if self.sockets.leaving:
            self._refuse(_LEAVING)
            return
        headers = [
            (b"upgrade", b"websocket"),
            (b"connection", b"Upgrade"),
            (b"sec-websocket-accept", self._request.proof),
        ]
        if subprotocol := message.get("subprotocol"):
            headers.append((b"sec-websocket-protocol", subprotocol.encode("latin-1")))
        self._head(101, [*headers, *message.get("headers", ())], seldom=message.get("seldom", False))
        lost = functools.partial(_lost, self._connections, self.sockets)
        self._frames = Frames(self._transport, listener, turn=self.sockets.turn, lost=lost)
        self._over.set()
        self._forget()
        self._connections.add(self._frames)
        self.sockets.add(self._frames)
        self._frames.start(self._early)

    def _deny(self, message: Message) -> None:
        status, headers, body = self._denial
        body += message.get("body", b"")
        if not message.get("more_body", False):
            self._answer(status, headers, bytes(body))

    def _refuse(self, refused: Refusal) -> None:
        """Answer in the words of the HTTP interface (docs/architecture.md)."""
        code = _CODES.get(refused.status, "BAD_REQUEST")
        body = json.dumps({"error": code, "message": refused.message}).encode()
        self._answer(refused.status, [(b"content-type", b"application/json"), *refused.headers], body)

    def _answer(self, status: int, headers: list[Header], body: bytes) -> None:
        """Answer with anything but frames, and part: half-closed, as closing on unread bytes would lose the answer."""
        self._over.set()
        self.sockets.discard(self)
        if self._transport.is_closing():
            return
        kept = [header for header in headers if header[0].lower() not in _OURS]
        said = {name.lower() for name, _ in kept}
        kept += [header for header in self.denied if header[0] not in said]
        self._head(status, [*kept, (b"content-length", b"%d" % len(body)), (b"connection", b"close")])
        self._transport.write(body)
        if not self._transport.can_write_eof():
            self._transport.close()
            return
        self._transport.write_eof()
        self._transport.resume_reading()
        self._timer = asyncio.get_running_loop().call_later(LINGER_S, self._transport.abort)

    def _head(self, status: int, headers: list[Header], *, seldom: bool = True) -> None:
        every = [*self._server.default_headers, *headers]
        if any(byte in value for _, value in every for byte in (b"\r", b"\n", b"\0")):
            raise ValueError("a header's value is more than one line")
        fields = b"".join(b"%s: %s\r\n" % header for header in every)
        self._transport.write(b"HTTP/1.1 %d %s\r\n%s\r\n" % (status, _phrase(status), fields))
        if not seldom or self.sockets.seldom.now(str(status)):
            path = self._request.path[:_SHOWN].decode("ascii", "replace")
            _log.info("socket handshake", path=path, status=status, sockets=len(self.sockets))

    def _forget(self) -> None:
        _lost(self._connections, self.sockets, self)


def _lost(connections: set[asyncio.Protocol], sockets: Sockets, connection: asyncio.Protocol) -> None:
    connections.discard(connection)
    sockets.discard(connection)


def _phrase(status: int) -> bytes:
    try:
        return http.HTTPStatus(status).phrase.encode()
    except ValueError:
        return b""


def _unparsed(transport: asyncio.Transport) -> bytes:
    """Give what the peer sent behind its handshake without waiting for the answer; uvicorn does not pass it on."""
    http_side = transport.get_protocol()
    return http_side.conn.trailing_data[0] if isinstance(http_side, H11Protocol) else b""
