"""The WebSocket seam: under a Starlette app on uvicorn's port, a socket is plain calls, text in and bytes out.

    sockets = Sockets(limit=10_000)
    uvicorn.Config(app, ws=upgrade(sockets), ...)       # counts and bounds them
    tasks.create_task(Heartbeat(sockets, 10).run())     # one timer for all

    async def endpoint(websocket: WebSocket) -> None:   # a WebSocketRoute
        ...                                             # or: await websocket.send_denial_response(...)
        await attach(websocket, listener)               # ends the request; `listener.opened(frames)` was called

A `Listener` is told what comes; `Frames` is the socket to send on. `frame` builds a broadcast's bytes once, for
`Frames.send_frame`. Modules: `codec` bytes and rules, `frames` one socket, `request` and `handshake` how it begins,
`sockets` all of them, `turn` what they are sent together.
"""

from web_gateway.seam.codec import LIMIT, frame
from web_gateway.seam.frames import Frames, Listener
from web_gateway.seam.handshake import attach, upgrade
from web_gateway.seam.sockets import UNHEARD, Heartbeat, Sockets
from web_gateway.seam.turn import Turn

__all__ = [
    "LIMIT",
    "UNHEARD",
    "Frames",
    "Heartbeat",
    "Listener",
    "Sockets",
    "Turn",
    "attach",
    "frame",
    "upgrade",
]
