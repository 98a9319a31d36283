"""HTTP/1.1 as h11 reads it, without what two programs in a row might read differently. No I/O.

h11 takes a few shapes that RFC 9112 lets a server refuse: lines that end in a bare LF, folded header lines, a length
beside a transfer coding. A proxy in front may see one request where we see two, and hand its own user the answer to
another's. Nobody's browser sends them.
"""

import re

import h11

MOST_HEAD = 16 * 1024
"""Bytes that a request's line and headers, or a chunk's line, may have."""
MOST_HEADERS = 64
"""How many headers a request may have; browsers send some twenty, proxies add ten."""
MOST_TARGET = 2 * 1024
"""Bytes that a request's target may have."""

_AMBIGUOUS = re.compile(rb"(?<!\r)\n|\r(?!\n|\Z)|\n[ \t]")
_Event = h11.Event | type[h11.NEED_DATA] | type[h11.PAUSED]


class Strict(h11.Connection):
    """A server's side of one connection; `requests` is how many came in whole, `is_head` whether the one at hand is HEAD."""

    def __init__(self) -> None:
        super().__init__(h11.SERVER, MOST_HEAD)
        self.requests = 0
        self.is_head = False

    def next_event(self) -> _Event:
        """Give what came next, as h11 does.

        Raises:
            RemoteProtocolError: it is no request, or none that all would read alike.
        """
        coming = self.trailing_data[0]
        if self.their_state is h11.IDLE:
            self.is_head = False
            _check_lines(coming)
        event = super().next_event()
        if isinstance(event, h11.Request):
            self.is_head = event.method == b"HEAD"
            _check(event)
        elif isinstance(event, h11.EndOfMessage):
            self.requests += 1
            # What ends a body of chunks: the last one's line, and lines like those of a head.
            if _AMBIGUOUS.search(coming[: len(coming) - len(self.trailing_data[0])]):
                raise h11.RemoteProtocolError(
                    "a line behind the body ends, or goes on, in another way than by CRLF"
                )
        return event


def _check_lines(coming: bytes) -> None:
    """See that a head, as far as it has come, has lines that all read alike."""
    head = coming.partition(b"\r\n\r\n")[0]
    if len(head) > MOST_HEAD:
        raise h11.RemoteProtocolError("the head is too large", error_status_hint=431)
    if _AMBIGUOUS.search(head):
        raise h11.RemoteProtocolError("a line of the head ends, or goes on, in another way than by CRLF")


def _check(request: h11.Request) -> None:
    if len(request.headers) > MOST_HEADERS or len(request.target) > MOST_TARGET:
        raise h11.RemoteProtocolError("the head is too large", error_status_hint=431)
    if request.http_version not in (b"1.1", b"1.0"):
        raise h11.RemoteProtocolError("it is of another version", error_status_hint=505)
    names = {name for name, _ in request.headers}
    if b"transfer-encoding" in names and (b"content-length" in names or request.http_version != b"1.1"):
        raise h11.RemoteProtocolError("the body's length is told in two ways")
