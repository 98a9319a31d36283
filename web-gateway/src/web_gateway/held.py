"""Long answers that wait to be read: whoever asks for many and reads none is not to fill the memory."""

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

MOST_BYTES = 64 * 1024 * 1024
"""How many bytes of long answers wait at once, of all who asked; a race of a thousand slides each is some 0.1 MB."""


class Held:
    """Counts what waits to be read."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        """Begin with nothing."""
        self.most_bytes = most_bytes
        self.bytes = 0

    def answer(self, response: Response, *, instead: Response) -> Response:
        """Have an answer sent and count it until it is read; where there is no room, another one `instead`."""
        return _Counted(self, response, instead)


class _Counted(Response):
    def __init__(self, held: Held, response: Response, instead: Response) -> None:
        self._held, self._response, self._instead = held, response, instead
        self.status_code, self.raw_headers, self.background = response.status_code, response.raw_headers, None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = self._response.body
        if self._held.bytes + len(body) > self._held.most_bytes:
            await self._instead(scope, receive, send)
            return
        self._held.bytes += len(body)
        try:
            start = {"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers}
            await send(start)
            await send({"type": "http.response.body", "body": body, "more_body": True})
            # The server takes a body at once; only what is sent behind it waits until that is read.
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        finally:
            self._held.bytes -= len(body)
