"""A peer that writes frames byte by byte as a test wants them, right or wrong."""

import asyncio
from types import TracebackType
from typing import Self

from tests.web_gateway.seam.served import WAIT_S

TEXT, BINARY, CLOSE, PING, PONG = 0x81, 0x82, 0x88, 0x89, 0x8A
FIRST_TEXT, MIDDLE, LAST = 0x01, 0x00, 0x80
MASK = b"\x5a\x00\xc3\x11"
KEY, PROOF = b"dGhlIHNhbXBsZSBub25jZQ==", b"s3pPLMBiTxaQ9kYGzzhZRbK+xOo="  # the example of RFC 6455 §1.3

Fields = dict[bytes, bytes]


def masked(first: int, payload: bytes = b"", *, width: int | None = None) -> bytes:
    """Build a client's frame; `width` is how many bytes its longer length takes, the shortest form left out."""
    size = len(payload)
    if width is None:
        width = 0 if size < 126 else 2 if size < 65536 else 8
    head = bytes((first, 0x80 | {0: size, 2: 126, 8: 127}[width])) + (size.to_bytes(width) if width else b"")
    return head + MASK + bytes(byte ^ MASK[at % 4] for at, byte in enumerate(payload))


def handshake(path: str = "/socket/echo", *, method: str = "GET", **fields: str | None) -> bytes:
    """Build a handshake; a field given as None is left out, others replace or add (with - for _)."""
    every: dict[str, str | None] = {
        "Host": "here",
        "Upgrade": "websocket",
        "Connection": "Upgrade",
        "Sec-WebSocket-Key": KEY.decode(),
        "Sec-WebSocket-Version": "13",
    }
    known = {name.lower(): name for name in every}
    for name, value in fields.items():
        dashed = name.replace("_", "-")
        every[known.get(dashed.lower(), dashed)] = value
    lines = [f"{name}: {value}" for name, value in every.items() if value is not None]
    return "\r\n".join([f"{method} {path} HTTP/1.1", *lines, "", ""]).encode("latin-1")


class Peer:
    """A connection; use it as a context. Whatever it waits for must come in time."""

    def __init__(self, port: int) -> None:
        self._port = port
        self.reader: asyncio.StreamReader
        self.writer: asyncio.StreamWriter

    async def __aenter__(self) -> Self:
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self._port)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.writer.transport.abort()

    async def answer(self) -> tuple[int, Fields, bytes]:
        """Read an HTTP answer: status, headers in lower case, body."""
        async with asyncio.timeout(WAIT_S):
            line, *lines = (await self.reader.readuntil(b"\r\n\r\n")).removesuffix(b"\r\n\r\n").split(b"\r\n")
            fields = {name.lower(): value for name, value in (line.split(b": ", 1) for line in lines)}
            return (
                int(line.split(b" ")[1]),
                fields,
                await self.reader.readexactly(int(fields.get(b"content-length", 0))),
            )

    async def ask(self, request: bytes) -> tuple[int, Fields, bytes]:
        """Write an HTTP request and read its answer."""
        self.writer.write(request)
        return await self.answer()

    async def open(self, kind: str = "echo", *, early: bytes = b"") -> Self:
        """Shake hands, with frames behind the request if there are any."""
        status, fields, _ = await self.ask(handshake(f"/socket/{kind}") + early)
        assert (status, fields[b"sec-websocket-accept"]) == (101, PROOF)
        return self

    def send(self, first: int, payload: bytes = b"", *, width: int | None = None) -> None:
        """Write one frame."""
        self.writer.write(masked(first, payload, width=width))

    async def frame(self) -> tuple[int, bytes]:
        """Read one frame: its first byte and its payload."""
        async with asyncio.timeout(WAIT_S):
            first, size = await self.reader.readexactly(2)
            if size > 125:
                size = int.from_bytes(await self.reader.readexactly(2 if size == 126 else 8))
            return first, await self.reader.readexactly(size)

    async def ending(self) -> int:
        """Read what is left, up to the close frame, of which the code is given (0 if it has none), and the end."""
        while (read := await self.frame())[0] != CLOSE:
            pass
        await self.end()
        return int.from_bytes(read[1])

    async def end(self) -> None:
        """See the connection end, with nothing more sent."""
        async with asyncio.timeout(WAIT_S):
            assert await self.reader.read() == b""
