"""What a peer that keeps to RFC 6455 may send, in whatever pieces it comes."""

import asyncio

import pytest
from tests.web_gateway.seam.peer import CLOSE, FIRST_TEXT, LAST, MIDDLE, PING, PONG, TEXT, Peer, masked
from tests.web_gateway.seam.served import Served

from web_gateway.seam import LIMIT, frame
from web_gateway.seam.frames import RARE_BURST


async def test_a_text_comes_back_from_its_listener(served: Served) -> None:
    async with Peer(served.port) as peer:
        await peer.open()
        peer.send(TEXT, "grüße 🎲".encode())
        assert await peer.frame() == (TEXT, "grüße 🎲".encode())


async def test_an_empty_text_is_a_message(served: Served) -> None:
    async with Peer(served.port) as peer:
        await peer.open()
        peer.send(TEXT)
        assert await peer.frame() == (TEXT, b"")


@pytest.mark.parametrize("size", [1, 125, 126, 127, 128, 4095, LIMIT])
async def test_a_text_of_any_size_up_to_the_limit_is_taken(served: Served, size: int) -> None:
    async with Peer(served.port) as peer:
        await peer.open()
        peer.send(TEXT, b"x" * size)
        assert await peer.frame() == (TEXT, b"x" * size)


@pytest.mark.parametrize(("size", "width"), [(5, 2), (5, 8), (200, 8), (LIMIT, 8)])
async def test_a_length_may_be_written_longer_than_needed(served: Served, size: int, width: int) -> None:
    async with Peer(served.port) as peer:
        await peer.open()
        peer.send(TEXT, b"x" * size, width=width)
        assert await peer.frame() == (TEXT, b"x" * size)


async def test_many_frames_in_one_packet_are_answered_in_order(served: Served) -> None:
    async with Peer(served.port) as peer:
        await peer.open()
        peer.writer.write(b"".join(masked(TEXT, b"%d" % number) for number in range(300)))
        assert [await peer.frame() for _ in range(300)] == [(TEXT, b"%d" % number) for number in range(300)]


@pytest.mark.parametrize("size", [3, 126, 700])
async def test_frames_may_come_byte_by_byte(served: Served, size: int) -> None:
    async with Peer(served.port) as peer:
        await peer.open()
        for byte in masked(TEXT, b"x" * size) + masked(PING, b"?"):
            peer.writer.write(bytes([byte]))
            await asyncio.sleep(0)
        assert [await peer.frame(), await peer.frame()] == [(TEXT, b"x" * size), (PONG, b"?")]


async def test_a_frame_may_be_cut_anywhere(served: Served) -> None:
    whole = masked(TEXT, b"a" * 130) + masked(TEXT, b"b")
    async with Peer(served.port) as peer:
        await peer.open()
        frames = (await served.listener()).frames
        for cut in range(1, len(whole)):
            frames.data_received(whole[:cut])
            frames.data_received(whole[cut:])
        assert (await served.listener()).texts == ["a" * 130, "b"] * (len(whole) - 1)


async def test_fragments_make_one_message_with_a_ping_answered_between(served: Served) -> None:
    async with Peer(served.port) as peer:
        await peer.open()
        peer.send(FIRST_TEXT, "ü".encode()[:1])
        peer.send(PING, b"now?")
        peer.send(MIDDLE, "ü".encode()[1:])
        peer.send(LAST, b"ber")
        assert [await peer.frame(), await peer.frame()] == [(PONG, b"now?"), (TEXT, "über".encode())]


async def test_fragments_may_fill_a_message_to_the_limit(served: Served) -> None:
    async with Peer(served.port) as peer:
        await peer.open()
        peer.send(FIRST_TEXT, b"a" * 4000)
        peer.send(LAST, b"b" * 96)
        assert await peer.frame() == (TEXT, b"a" * 4000 + b"b" * 96)


async def test_empty_fragments_take_no_memory(served: Served) -> None:
    async with Peer(served.port) as peer:
        await peer.open()
        peer.send(FIRST_TEXT, b"still ")
        peer.writer.write(masked(MIDDLE) * (RARE_BURST - 10))
        peer.send(PING)
        assert await peer.frame() == (PONG, b"")
        frames = (await served.listener()).frames
        assert (frames._parts, frames._rest) == (bytearray(b"still "), None)
        peer.send(LAST, b"here")
        assert await peer.frame() == (TEXT, b"still here")


async def test_what_is_kept_between_packets_is_less_than_one_frame(served: Served) -> None:
    async with Peer(served.port) as peer:
        await peer.open()
        peer.writer.write(masked(TEXT, b"x" * LIMIT) * 8 + masked(TEXT, b"y" * LIMIT)[:-1])
        for _ in range(8):
            await peer.frame()
        rest = (await served.listener()).frames._rest
        assert rest is not None
        assert len(rest) == LIMIT + 7


async def test_a_ping_is_answered_with_its_payload(served: Served) -> None:
    async with Peer(served.port) as peer:
        await peer.open()
        peer.send(PING, b"p" * 125)
        assert await peer.frame() == (PONG, b"p" * 125)


async def test_a_pong_is_told_to_the_listener(served: Served) -> None:
    async with Peer(served.port) as peer:
        await peer.open()
        (await served.listener()).frames.ping()
        assert await peer.frame() == (PING, b"")
        peer.send(PONG)
        peer.send(TEXT, b"after")
        await peer.frame()
        assert (await served.listener()).told == [("opened", 0), ("pong", 0), ("text", "after")]


async def test_any_bytes_move_the_time_the_peer_was_last_heard(served: Served) -> None:
    async with Peer(served.port) as peer:
        await peer.open()
        frames = (await served.listener()).frames
        opened = frames.last_heard
        await asyncio.sleep(0.02)
        peer.send(PING)
        await peer.frame()
        assert frames.last_heard > opened


async def test_what_the_listener_sends_on_opening_comes_first(served: Served) -> None:
    async with Peer(served.port) as peer:
        await peer.open("greet")
        peer.send(TEXT, b"hi")
        assert [await peer.frame(), await peer.frame()] == [(TEXT, b"hello"), (TEXT, b"hi")]


async def test_frames_sent_together_with_the_handshake_are_not_lost(served: Served) -> None:
    async with Peer(served.port) as peer:
        whole = masked(TEXT, b"early") + masked(TEXT, b"bird")
        await peer.open(early=whole[:-2])
        peer.writer.write(whole[-2:])
        assert [await peer.frame(), await peer.frame()] == [(TEXT, b"early"), (TEXT, b"bird")]


async def test_a_frame_built_once_goes_to_many_sockets(served: Served) -> None:
    async with Peer(served.port) as one, Peer(served.port) as other:
        await one.open()
        await other.open()
        news = frame(b"n" * 70_000)
        assert len(served.sockets) == 2
        for frames in served.sockets:
            frames._transport.set_write_buffer_limits(high=200_000)
            frames.send_frame(news[:3])
        assert [await one.reader.readexactly(3), await other.reader.readexactly(3)] == [news[:3], news[:3]]


async def test_the_peer_s_close_is_answered_with_its_code(served: Served) -> None:
    async with Peer(served.port) as peer:
        await peer.open()
        peer.send(CLOSE, (1001).to_bytes(2) + b"leaving")
        assert await peer.ending() == 1001
        assert await (await served.listener()).ending() == 1001


async def test_a_close_without_a_code_is_answered_without_one(served: Served) -> None:
    async with Peer(served.port) as peer:
        await peer.open()
        peer.send(CLOSE)
        assert await peer.ending() == 0
        assert await (await served.listener()).ending() == 1005


async def test_our_close_waits_for_the_peer_s_answer(served: Served) -> None:
    async with Peer(served.port) as peer:
        await peer.open("close")
        peer.send(TEXT, b"first")
        peer.send(TEXT, b"second")
        assert await peer.frame() == (CLOSE, (4001).to_bytes(2))
        peer.send(CLOSE, (4001).to_bytes(2))
        await peer.end()
        listener = await served.listener()
        assert await listener.ending() == 4001
        assert listener.texts == ["first"]


async def test_a_peer_that_does_not_answer_our_close_is_cut_off(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("web_gateway.seam.frames.LINGER_S", 0.05)
    async with Peer(served.port) as peer:
        await peer.open("close")
        peer.send(TEXT, b"first")
        assert await (await served.listener()).ending() == 4001
        assert await peer.ending() == 4001


async def test_a_peer_that_vanishes_is_told_as_1006_and_counted_no_longer(served: Served) -> None:
    async with Peer(served.port) as peer:
        await peer.open()
        assert len(served.sockets) == 1
    assert await (await served.listener()).ending() == 1006
    assert (len(served.sockets), len(served.server.server_state.connections)) == (0, 0)


async def test_sending_on_a_socket_that_is_gone_does_nothing(served: Served) -> None:
    async with Peer(served.port) as peer:
        await peer.open()
    listener = await served.listener()
    await listener.ending()
    listener.frames.send(b"anyone?")
    listener.frames.ping()
    listener.frames.close(1000)
    listener.frames.abort()
    assert (listener.frames.code, listener.frames.writable) == (1006, False)
    assert listener.told == [("opened", 0), ("closed", 1006)]
