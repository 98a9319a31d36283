"""Every breach of RFC 6455 closes the socket with its code, which the peer can still read."""

import pytest
from tests.web_gateway.seam.peer import (
    BINARY,
    CLOSE,
    FIRST_TEXT,
    LAST,
    MASK,
    MIDDLE,
    PING,
    PONG,
    TEXT,
    Peer,
    masked,
)
from tests.web_gateway.seam.served import Served

from web_gateway.seam import LIMIT

BROKEN: dict[str, tuple[int, bytes]] = {
    "a text that is not masked": (1002, b"\x81\x02hi"),
    "a ping that is not masked": (1002, b"\x89\x00"),
    "the first reserved bit": (1002, masked(TEXT | 0x40, b"hi")),
    "the second reserved bit": (1002, masked(TEXT | 0x20, b"hi")),
    "the third reserved bit": (1002, masked(TEXT | 0x10, b"hi")),
    "a reserved bit in a ping": (1002, masked(PING | 0x40)),
    "a reserved bit in a long text": (1002, masked(TEXT | 0x40, b"x" * 200)),
    **{
        f"the unknown opcode {code}": (1002, masked(0x80 | code))
        for code in (3, 4, 5, 6, 7, 11, 12, 13, 14, 15)
    },
    "a fragmented ping": (1002, masked(PING & 0x7F, b"hi")),
    "a fragmented pong": (1002, masked(PONG & 0x7F, b"hi")),
    "a fragmented close": (1002, masked(CLOSE & 0x7F, b"\x03\xe8")),
    "a ping of 126 bytes": (1002, masked(PING, b"x" * 126)),
    "a pong of 5000 bytes": (1002, masked(PONG, b"x" * 5000)),
    "a close of 126 bytes": (1002, masked(CLOSE, b"\x03\xe8" + b"x" * 124)),
    "a short ping in the longer form": (1002, masked(PING, b"x", width=2)),
    "going on with nothing begun": (1002, masked(MIDDLE, b"hi")),
    "ending what was not begun": (1002, masked(LAST, b"hi")),
    "a text within a text": (1002, masked(FIRST_TEXT, b"a") + masked(TEXT, b"b")),
    "beginning twice": (1002, masked(FIRST_TEXT, b"a") + masked(FIRST_TEXT, b"b")),
    "binary within a text": (1002, masked(FIRST_TEXT, b"a") + masked(BINARY, b"b")),
    "half a close code": (1002, masked(CLOSE, b"\x03")),
    **{
        f"the close code {code}": (1002, masked(CLOSE, code.to_bytes(2)))
        for code in (0, 999, 1004, 1005, 1006, 1015, 1016, 2000, 2999, 5000, 65535)
    },
    "a close reason that is not UTF-8": (1007, masked(CLOSE, b"\x03\xe8\xff")),
    "a binary message": (1003, masked(BINARY, b"hi")),
    "the beginning of a binary message": (1003, masked(BINARY & 0x7F, b"hi")),
    "text that is not UTF-8": (1007, masked(TEXT, b"\xff\xfe")),
    "text with a surrogate": (1007, masked(TEXT, b"\xed\xa0\x80")),
    "text that ends within a character": (1007, masked(TEXT, "é".encode()[:1])),
    "fragments that are not UTF-8": (1007, masked(FIRST_TEXT, b"\xc3") + masked(LAST, b"a")),
    "one byte too many in one frame": (1009, masked(TEXT, b"x" * (LIMIT + 1))),
    "one byte too many over fragments": (1009, masked(FIRST_TEXT, b"x" * LIMIT) + masked(LAST, b"x")),
    "too much over fragments without end": (1009, masked(FIRST_TEXT, b"x") + masked(MIDDLE, b"x" * 1000) * 5),
    "a length of 70000": (1009, masked(TEXT, b"x" * 70_000)),
    "only the head of a huge text": (1009, b"\x81\xff" + (1 << 62).to_bytes(8) + MASK),
    "only the head of the hugest text": (1009, b"\x81\xff" + b"\xff" * 8 + MASK),
}

SENDABLE = [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999, 4000, 4999]


@pytest.mark.parametrize(("code", "sent"), BROKEN.values(), ids=BROKEN.keys())
async def test_a_breach_is_closed_with_its_code(served: Served, code: int, sent: bytes) -> None:
    async with Peer(served.port) as peer:
        await peer.open()
        peer.writer.write(sent)
        assert await peer.ending() == code
    listener = await served.listener()
    assert await listener.ending() == code
    assert listener.texts == []


@pytest.mark.parametrize("code", SENDABLE)
async def test_every_close_code_that_may_be_sent_is_taken(served: Served, code: int) -> None:
    async with Peer(served.port) as peer:
        await peer.open()
        peer.send(CLOSE, code.to_bytes(2) + "güle güle".encode())
        assert await peer.ending() == code


async def test_texts_before_a_breach_are_taken_and_those_behind_it_are_not(served: Served) -> None:
    async with Peer(served.port) as peer:
        await peer.open()
        peer.writer.write(masked(TEXT, b"before") + masked(BINARY) + masked(TEXT, b"behind") * 100)
        assert await peer.frame() == (TEXT, b"before")
        assert await peer.ending() == 1003
    assert (await served.listener()).texts == ["before"]


async def test_a_peer_that_goes_on_writing_still_reads_its_close_code(served: Served) -> None:
    async with Peer(served.port) as peer:
        await peer.open()
        for _ in range(30):
            peer.send(TEXT, b"x" * 60_000)
            await peer.writer.drain()
        assert await peer.ending() == 1009


async def test_a_breach_behind_the_peer_s_close_changes_nothing(served: Served) -> None:
    async with Peer(served.port) as peer:
        await peer.open()
        peer.writer.write(masked(CLOSE, b"\x03\xe8") + masked(BINARY) + masked(TEXT, b"behind"))
        assert await peer.ending() == 1000
    listener = await served.listener()
    assert (await listener.ending(), listener.texts) == (1000, [])


@pytest.mark.parametrize("kind", ["break", "break-at-once"])
async def test_a_listener_s_error_closes_its_own_socket_only(
    served: Served, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with Peer(served.port) as friend, Peer(served.port) as peer:
        await friend.open()
        await peer.open(kind)
        peer.send(TEXT, b"hi")
        assert await peer.ending() == 1011
        assert await (await served.listener()).ending() == 1011
        friend.send(TEXT, b"still here")
        assert await friend.frame() == (TEXT, b"still here")
    assert [record.getMessage() for record in caplog.records if record.exc_info] == ["socket listener failed"]
