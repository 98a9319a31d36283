"""Requests that two programs in a row might read differently, or that are too large, are refused; all others pass."""

import asyncio
import contextlib

import pytest
from tests.web_gateway.seam.peer import Peer, handshake
from tests.web_gateway.seam.served import Served

from web_gateway.strict import MOST_HEAD, MOST_HEADERS, MOST_TARGET

LINE, HOST = b"GET / HTTP/1.1\r\n", b"Host: here\r\n"
POST = b"POST /body HTTP/1.1\r\nHost: here\r\n"
CHUNKS = b"5\r\nhello\r\n0\r\n\r\n"
REFUSED: dict[str, bytes] = {
    "a length beside chunks": POST + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n" + CHUNKS,
    "chunks beside a length": POST + b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n" + CHUNKS,
    "chunks in HTTP/1.0": POST.replace(b"1.1", b"1.0") + b"Transfer-Encoding: chunked\r\n\r\n" + CHUNKS,
    "chunks twice": POST + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n" + CHUNKS,
    "chunks by another name": POST + b"Transfer-Encoding: xchunked\r\n\r\n" + CHUNKS,
    "chunks of what is packed": POST + b"Transfer-Encoding: gzip, chunked\r\n\r\n" + CHUNKS,
    "two lengths": POST + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
    "two lengths in a line": POST + b"Content-Length: 5, 6\r\n\r\nhello",
    "a length with a sign": POST + b"Content-Length: +5\r\n\r\nhello",
    "a length below nothing": POST + b"Content-Length: -5\r\n\r\nhello",
    "a length in sixteens": POST + b"Content-Length: 0x5\r\n\r\nhello",
    "a length with a gap": POST + b"Content-Length: 0 5\r\n\r\nhello",
    "a folded header": LINE + HOST + b"x-a: b\r\n c\r\n\r\n",
    "a header folded by a tab": LINE + HOST + b"x-a: b\r\n\tc\r\n\r\n",
    "a folded length": POST + b"Content-Length:\r\n 5\r\n\r\nhello",
    "a line that ends in LF": LINE + b"Host: here\n\r\n",
    "all lines in LF": b"GET / HTTP/1.1\nHost: here\n\n",
    "a head that ends in LF": LINE + HOST + b"\n",
    "a bare CR in a header": LINE + HOST + b"x-a: b\rx-c: d\r\n\r\n",
    "a bare CR for a line's end": LINE + b"Host: here\r\r\n\r\n",
    "a NUL in a header": LINE + HOST + b"x-a: b\0c\r\n\r\n",
    "a gap before the colon": POST + b"Content-Length : 5\r\n\r\nhello",
    "two hosts": LINE + HOST + b"Host: there\r\n\r\n",
    "the same host twice": LINE + HOST + HOST + b"\r\n",
    "no host": LINE + b"\r\n",
    "no header's name": LINE + HOST + b": b\r\n\r\n",
    "no version": b"GET /\r\n" + HOST + b"\r\n",
    "a gap in the target": b"GET /a b HTTP/1.1\r\n" + HOST + b"\r\n",
    "no target": b"GET  HTTP/1.1\r\n" + HOST + b"\r\n",
    "a gap first": b" " + LINE + HOST + b"\r\n",
    "HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "TLS": bytes.fromhex("16030100a5010000a10303"),
    "rubbish": b"\0\xff" * 100,
    "too many headers": LINE + HOST + b"x-a: b\r\n" * MOST_HEADERS + b"\r\n",
    "too long a target": b"GET /" + b"a" * MOST_TARGET + b" HTTP/1.1\r\n" + HOST + b"\r\n",
    "too large a head": LINE + HOST + b"x-a: " + b"b" * MOST_HEAD + b"\r\n\r\n",
    "too large a head without end": LINE + HOST + b"x-a: " + b"b" * MOST_HEAD,
    "too long a line of a chunk": POST + b"Transfer-Encoding: chunked\r\n\r\n5;" + b"a" * 2 * MOST_HEAD,
    "a chunk of no size": POST + b"Transfer-Encoding: chunked\r\n\r\nx\r\n",
    "a chunk that is longer": POST + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello!\r\n0\r\n\r\n",
    "chunks that end in LF": POST + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\n",
    "chunks with a trailer that ends in LF": POST + b"Transfer-Encoding: chunked\r\n\r\n0\r\nx-a: b\n\n",
    "chunks with a folded trailer": POST + b"Transfer-Encoding: chunked\r\n\r\n0\r\nx-a: b\r\n c\r\n\r\n",
    "a socket with a folded header": handshake().replace(b"Host: here", b"Host: here\r\n there"),
}  # fmt: skip
TAKEN: dict[str, bytes] = {
    "a browser's": LINE + HOST + b"User-Agent: a\r\nAccept: */*;q=0.1, text/html\r\nCookie: a=b; c=d\r\n\r\n",
    "as many headers as may be": LINE + HOST + b"x-a: b\r\n" * (MOST_HEADERS - 1) + b"\r\n",
    "as long a target as may be": b"GET /?" + b"a" * (MOST_TARGET - 2) + b" HTTP/1.1\r\n" + HOST + b"\r\n",
    "an empty header": LINE + HOST + b"x-a:\r\n\r\n",
    "a body with bare line ends": POST + b"Content-Length: 5\r\n\r\na\n b\r",
    "chunks": POST + b"Transfer-Encoding: chunked\r\n\r\n" + CHUNKS,
    "chunks with a trailer": POST + b"Transfer-Encoding: chunked\r\n\r\n0\r\nx-a: b\r\n\r\n",
    "HTTP/1.0": LINE.replace(b"1.1", b"1.0") + b"\r\n",
}  # fmt: skip


@pytest.mark.parametrize("request_", REFUSED.values(), ids=REFUSED)
async def test_a_request_that_might_be_read_in_two_ways_or_is_too_large_is_refused(
    served: Served, request_: bytes
) -> None:
    async with Peer(served.port) as peer:
        peer.writer.write(request_)
        status, fields, body = await peer.answer()
        assert (status, fields[b"connection"]) == (400, b"close")
        assert body.startswith(b'{"error": "BAD_REQUEST"')
        with contextlib.suppress(ConnectionError):
            await peer.end()
    assert served.listeners == []


@pytest.mark.parametrize("request_", REFUSED.values(), ids=REFUSED)
async def test_it_is_refused_as_well_where_it_comes_byte_by_byte(served: Served, request_: bytes) -> None:
    async with Peer(served.port) as peer, asyncio.TaskGroup() as tasks:
        answer = tasks.create_task(peer.answer())
        for piece in [*(request_[at : at + 1] for at in range(len(request_[:300]))), request_[300:]]:
            peer.writer.write(piece)
            await asyncio.sleep(0)  # so that the server reads
            if answer.done():
                break
        assert (await answer)[0] == 400


@pytest.mark.parametrize("request_", TAKEN.values(), ids=TAKEN)
async def test_every_other_request_is_taken(served: Served, request_: bytes) -> None:
    async with Peer(served.port) as peer:
        assert (await peer.ask(request_))[0] == 200
