"""A real uvicorn with the seam on a free port, and listeners that record what they are told."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket

from web_gateway.door import Callers, door
from web_gateway.seam import Frames, Sockets, attach, upgrade

WAIT_S = 10.0
LARGE = 16 * 1024 * 1024
"""More than the kernel takes for whoever does not read."""
Told = tuple[str, str | int]


@dataclass
class Recorder:
    """A listener that echoes every text and keeps what it was told, in order."""

    frames: Frames = field(init=False)
    told: list[Told] = field(default_factory=list)

    def opened(self, frames: Frames) -> None:
        self.frames = frames
        self.told.append(("opened", 0))

    def text(self, message: str) -> None:
        self.told.append(("text", message))
        self.frames.send(message.encode())

    def pong(self) -> None:
        self.told.append(("pong", 0))

    def leaving(self) -> None:
        self.frames.send(b"bye")

    def closed(self, code: int) -> None:
        self.told.append(("closed", code))

    @property
    def texts(self) -> list[str]:
        return [str(value) for kind, value in self.told if kind == "text"]

    async def ending(self) -> int:
        """Give the code it was closed with, once it was."""
        await until(lambda: self.told[-1][0] == "closed")
        return int(self.told[-1][1])


class Greeter(Recorder):
    def opened(self, frames: Frames) -> None:
        super().opened(frames)
        frames.send(b"hello")


class Breaking(Recorder):
    def text(self, message: str) -> None:
        raise RuntimeError(message)


class BreakingAtOnce(Recorder):
    def opened(self, frames: Frames) -> None:
        super().opened(frames)
        raise RuntimeError("opened")


class BreakingAtTheEnd(Recorder):
    def leaving(self) -> None:
        raise RuntimeError("leaving")


class Closing(Recorder):
    def text(self, message: str) -> None:
        self.told.append(("text", message))
        self.frames.close(4001)
        self.frames.send(b"too late")


LISTENERS: dict[str, Callable[[], Recorder]] = {
    "echo": Recorder,
    "greet": Greeter,
    "break": Breaking,
    "break-at-once": BreakingAtOnce,
    "break-at-the-end": BreakingAtTheEnd,
    "close": Closing,
}


@dataclass
class Served:
    """The server, its sockets, and the listeners attached so far, in order."""

    server: uvicorn.Server
    sockets: Sockets
    listeners: list[Recorder]
    gate: asyncio.Event
    callers: Callers

    @property
    def port(self) -> int:
        port: int = self.server.servers[0].sockets[0].getsockname()[1]
        return port

    async def listener(self) -> Recorder:
        """Give the one attached last, once there is one."""
        await until(lambda: bool(self.listeners))
        return self.listeners[-1]


async def until(holds: Callable[[], bool]) -> None:
    """Wait for something that no event tells."""
    async with asyncio.timeout(WAIT_S):
        while not holds():
            await asyncio.sleep(0.005)


def app(listeners: list[Recorder], gate: asyncio.Event) -> Starlette:
    async def attached(websocket: WebSocket) -> None:
        listener = LISTENERS[websocket.path_params["kind"]]()
        listeners.append(listener)
        await attach(websocket, listener, headers=[(b"set-cookie", b"seen=1")])

    async def gated(websocket: WebSocket) -> None:
        await gate.wait()
        listeners.append(Recorder())
        await attach(websocket, listeners[-1])

    async def subprotocol(websocket: WebSocket) -> None:
        await websocket.receive()
        listeners.append(Recorder())
        chosen = websocket.scope["subprotocols"][-1]
        await websocket.send({"type": "websocket.accept", "subprotocol": chosen, "listener": listeners[-1]})

    async def denied(websocket: WebSocket) -> None:
        answer = JSONResponse({"error": "TABLE_UNKNOWN"}, 404, {"x-why": "gone"})
        await websocket.send_denial_response(answer)

    async def shown(websocket: WebSocket) -> None:
        scope = websocket.scope
        told = {name: scope[name] for name in ("path", "root_path", "scheme", "subprotocols", "type")}
        told |= {name: scope[name].decode() for name in ("raw_path", "query_string")}
        headers = [[name.decode("latin-1"), value.decode("latin-1")] for name, value in scope["headers"]]
        await websocket.send_denial_response(JSONResponse(told | {"headers": headers}, 418))

    async def refused(websocket: WebSocket) -> None:
        await websocket.close()

    async def broken(websocket: WebSocket) -> None:
        raise RuntimeError(websocket.url.path)

    async def mute(websocket: WebSocket) -> None:
        await websocket.receive()

    async def plainly_accepted(websocket: WebSocket) -> None:
        await websocket.accept()

    async def split_header(websocket: WebSocket) -> None:
        await attach(websocket, Recorder(), headers=[(b"x-name", b"a\r\nset-cookie: b")])

    async def page(request: Request) -> PlainTextResponse:
        return PlainTextResponse(f"{request.method} a page\n")

    async def large(request: Request) -> PlainTextResponse:
        return PlainTextResponse("x" * int(request.query_params.get("size", LARGE)))

    async def body(request: Request) -> PlainTextResponse:
        return PlainTextResponse((await request.body()).decode())

    async def waiting(_: Request) -> Response:
        await gate.wait()
        return PlainTextResponse("at last\n")

    ends = [gated, subprotocol, denied, shown, refused, broken, mute, plainly_accepted, split_header]
    return Starlette(
        routes=[
            Route("/", page),
            Route("/large", large),
            Route("/body", body, methods=["POST"]),
            Route("/waiting", waiting),
            WebSocketRoute("/socket/{kind}", attached),
            WebSocketRoute("/shown/{rest:path}", shown),
            *(WebSocketRoute(f"/{end.__name__}", end) for end in ends),
        ]
    )


@contextlib.asynccontextmanager
async def serving(*, limit: int = 100, callers: int = 100, root_path: str = "") -> AsyncIterator[Served]:
    """Serve on a free port of 127.0.0.1, on the running loop."""
    sockets, listeners, gate = Sockets(limit=limit), list[Recorder](), asyncio.Event()
    among = Callers(most=callers)
    config = uvicorn.Config(
        app(listeners, gate),
        port=0,
        http=door(among),
        ws=upgrade(sockets),
        log_config=None,
        lifespan="off",
        root_path=root_path,
    )
    config.load()
    server = uvicorn.Server(config)
    server.lifespan = config.lifespan_class(config)
    await server.startup()
    try:
        yield Served(server, sockets, listeners, gate, among)
    finally:
        for listening in server.servers:
            listening.close()
        for frames in sockets:
            frames.abort()
        for connection in list(server.server_state.connections):
            connection.transport.close() if hasattr(connection, "transport") else connection.shutdown()
        await until(lambda: not server.server_state.connections and not server.server_state.tasks)
