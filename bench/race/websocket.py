"""A client's WebSocket on a plain socket, as cheap as can be: the generator must not be what is measured."""

import base64
import os
import socket
from dataclasses import dataclass, field

TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10
_FIN, _MASKED = 0x80, 0x80
_NO_MASK = bytes(4)
"""A mask of zeros leaves the bytes as they are, which the protocol allows a client that has no proxies to deceive."""


class Closed(Exception):
    """The server closed the connection."""


def frame(opcode: int, payload: bytes) -> bytes:
    """Write a client's frame.

    >>> frame(TEXT, b"hi").hex()
    '8182000000006869'
    """
    size = len(payload)
    if size < 126:
        return bytes((_FIN | opcode, _MASKED | size)) + _NO_MASK + payload
    return bytes((_FIN | opcode, _MASKED | 126)) + size.to_bytes(2) + _NO_MASK + payload


def connect(port: int, path: str, *, cookie: str = "") -> tuple[socket.socket, str]:
    """Open a socket; give it with the cookie that the answer sets, if it does.

    Raises:
        ConnectionError: the server did not agree.
    """
    sock = socket.create_connection(("127.0.0.1", port), 30)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    head = [
        f"GET {path} HTTP/1.1", f"Host: 127.0.0.1:{port}", "Upgrade: websocket", "Connection: Upgrade",
        f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}", "Sec-WebSocket-Version: 13",
    ]  # fmt: skip
    head += [f"Cookie: {cookie}"] if cookie else []
    sock.sendall(("\r\n".join(head) + "\r\n\r\n").encode())
    answer = b""
    while not answer.endswith(b"\r\n\r\n"):  # byte by byte: what follows is frames
        got = sock.recv(1)
        if not got:
            raise ConnectionError(f"no answer to the handshake: {answer!r}")
        answer += got
    status = answer.partition(b"\r\n")[0]
    if b" 101 " not in status:
        raise ConnectionError(f"the handshake was answered {status!r}")
    cookies = [line for line in answer.decode().split("\r\n") if line.lower().startswith("set-cookie:")]
    return sock, cookies[0].partition(":")[2].partition(";")[0].strip() if cookies else cookie


@dataclass(slots=True)
class Reader:
    """Takes what was received apart into messages."""

    rest: bytes = b""
    parts: list[bytes] = field(default_factory=list)

    def take(self, data: bytes) -> list[tuple[int, bytes]]:
        """Give the whole messages in what has come, as (opcode, payload); what is cut off waits for more.

        Raises:
            Closed: the server said so.
        """
        buffer = self.rest + data if self.rest else data
        at, end, messages = 0, len(buffer), []
        while end - at >= 2:
            first, size = buffer[at], buffer[at + 1]
            start = at + 2
            if size == 126:
                start, size = at + 4, int.from_bytes(buffer[at + 2 : at + 4])
            elif size == 127:
                start, size = at + 10, int.from_bytes(buffer[at + 2 : at + 10])
            if end < start + size:
                break
            payload, at = buffer[start : start + size], start + size
            opcode = first & 15
            if opcode == CLOSE:
                raise Closed(int.from_bytes(payload[:2]))
            if first & _FIN and not self.parts:
                messages.append((opcode, payload))
            else:
                self.parts.append(payload)
                if first & _FIN:
                    messages.append((TEXT, b"".join(self.parts)))
                    self.parts = []
        self.rest = buffer[at:]
        return messages
