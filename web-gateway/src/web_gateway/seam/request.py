"""A handshake's request, as uvicorn hands it over, and what RFC 6455 §4.2.1 wants of it. No I/O."""

import base64
import binascii
import hashlib
from dataclasses import dataclass

Header = tuple[bytes, bytes]

_MAGIC = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a request is no handshake: an HTTP status, words for a person, headers that the status needs."""

    status: int
    message: str
    headers: tuple[Header, ...] = ()


@dataclass(frozen=True, slots=True)
class Request:
    """A request's head: `path` still percent-encoded, header names in lower case, in their order."""

    method: bytes
    path: bytes
    query: bytes
    headers: tuple[Header, ...]

    def values(self, name: bytes) -> list[bytes]:
        """Give the values of all headers of this name."""
        return [value for known, value in self.headers if known == name]

    def tokens(self, name: bytes) -> list[bytes]:
        """Give the comma-separated parts of all headers of this name, in their order."""
        parts = (part.strip() for value in self.values(name) for part in value.split(b","))
        return [part for part in parts if part]

    @property
    def proof(self) -> bytes:
        """What the server answers to the key (RFC 6455 §4.2.2)."""
        return base64.b64encode(hashlib.sha1(self.values(b"sec-websocket-key")[0] + _MAGIC).digest())  # noqa: S324


def parse(head: bytes) -> Request:
    r"""Read the head of a request that an HTTP parser has already accepted.

    >>> parse(b"GET /t?x=1 HTTP/1.1\r\nHost: a\r\n\r\n").query
    b'x=1'
    """
    line, *lines = head.split(b"\r\n\r\n", 1)[0].split(b"\r\n")
    method, target = line.split(b" ")[:2]
    path, _, query = target.partition(b"?")
    return Request(method, path, query, tuple(_header(line) for line in lines))


def refusal(request: Request) -> Refusal | None:
    """Say why the request is no handshake; None if it is one."""
    if request.method != b"GET":
        return Refusal(405, "A WebSocket begins with GET.", ((b"allow", b"GET"),))
    if request.values(b"sec-websocket-version") != [b"13"]:
        return Refusal(
            400, "Only version 13 of WebSocket is spoken here.", ((b"sec-websocket-version", b"13"),)
        )
    if not (_has(request, b"connection", b"upgrade") and _has(request, b"upgrade", b"websocket")):
        return Refusal(400, "The request asks for no upgrade to WebSocket.")
    if len(request.values(b"host")) != 1:
        return Refusal(400, "The request names no host.")
    if not _is_key(request.values(b"sec-websocket-key")):
        return Refusal(400, "The request's key is not one of 16 bytes.")
    if request.values(b"content-length") not in ([], [b"0"]) or request.values(b"transfer-encoding"):
        return Refusal(400, "A handshake has no body.")
    return None


def _header(line: bytes) -> Header:
    name, _, value = line.partition(b":")
    return name.lower(), value.strip(b" \t")


def _has(request: Request, name: bytes, token: bytes) -> bool:
    return token in (part.lower() for part in request.tokens(name))


def _is_key(keys: list[bytes]) -> bool:
    try:
        return len(keys) == 1 and len(base64.b64decode(keys[0], validate=True)) == 16
    except binascii.Error:
        return False
