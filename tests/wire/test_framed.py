"""Messages over a connection of their own come whole and in order, and whoever is slow, silent or gone is no trouble."""

import asyncio
import contextlib
import struct
from collections.abc import AsyncIterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.stack import free_port
from tests.wire.streams import (
    MUCH,
    behind_lengths,
    pair,
    soon,
    until_taken,
    write_much,
)

from wire import framed
from wire.framed import Ended, Framed, connect
from wire.limits import MESSAGE_BYTES


class Transport(asyncio.Transport):
    """Nowhere to write to, for bytes that come as a test says."""

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        pass

    def abort(self) -> None:
        pass


@given(st.lists(st.binary(max_size=40), max_size=8), st.lists(st.integers(0, 400), max_size=12))
def test_messages_come_whole_and_in_order_however_their_bytes_are_cut(
    messages: list[bytes], cuts: list[int]
) -> None:
    async def take() -> list[bytes]:
        taken: list[bytes] = []
        end = Framed()
        end.connection_made(Transport())
        end.start(taken.append)
        data, at = behind_lengths(messages), 0
        for cut in [*sorted(cuts), len(data)]:
            end.data_received(data[at:cut])
            at = max(at, cut)
        return taken

    assert asyncio.run(take()) == messages


async def test_what_came_of_a_message_is_not_copied_again_with_each_piece_that_follows() -> None:
    taken: list[bytes] = []
    end = Framed()
    end.connection_made(Transport())
    end.start(taken.append)
    message = bytes(range(256)) * 16
    data = behind_lengths([message, b"next"])
    end.data_received(data[:10])
    held = end._unread
    for at in range(10, len(message)):
        end.data_received(data[at : at + 1])
        assert end._unread is held
    end.data_received(data[len(message) :])
    assert taken == [message, b"next"]


async def test_messages_that_came_before_there_was_anybody_to_take_them_are_taken_first() -> None:
    async with pair() as (here, there):
        await here.write(b"one")
        await here.write(b"two")
        taken: asyncio.Queue[bytes] = asyncio.Queue()
        await asyncio.sleep(0.05)
        there.start(taken.put_nowait)
        await here.write(b"three")
        assert [await soon(taken.get()) for _ in range(3)] == [b"one", b"two", b"three"]


async def test_a_message_that_is_too_long_ends_the_connection_before_it_is_read() -> None:
    async with pair() as (here, there):
        there.start(lambda _: None)
        here._transport.write(struct.pack("!I", MESSAGE_BYTES + 1))
        await soon(asyncio.wait([here.ended, there.ended]))
        assert isinstance(there.ended.exception(), ValueError)


async def test_what_the_taker_raises_ends_the_connection_and_is_kept() -> None:
    def take(_: bytes) -> None:
        raise KeyError("of ours")

    async with pair() as (here, there):
        there.start(take)
        await here.write(b"anything")
        await soon(asyncio.wait([here.ended]))
        assert isinstance(there.ended.exception(), KeyError)


async def test_nothing_is_written_to_a_connection_that_has_ended() -> None:
    async with pair() as (here, there):
        there.abort()
        await soon(asyncio.wait([here.ended]))
        with pytest.raises(Ended):
            await here.write(b"late")


async def test_who_writes_waits_for_a_reader_that_is_slow_and_goes_on_when_it_reads() -> None:
    async with pair() as (here, there):
        there._transport.pause_reading()
        taken: list[int] = []
        there.start(lambda message: taken.append(len(message)))
        writing = asyncio.create_task(write_much(here, 100))
        await asyncio.sleep(0.3)
        assert not writing.done()
        there._transport.resume_reading()
        await soon(writing)
        await until_taken(taken, 100)
        assert taken == [MUCH] * 100


async def test_who_waits_for_a_slow_reader_is_told_when_it_is_gone() -> None:
    async with pair() as (here, there):
        there._transport.pause_reading()
        writing = asyncio.create_task(write_much(here, 100))
        await asyncio.sleep(0.3)
        there.abort()
        with pytest.raises(Ended):
            await soon(writing)


async def test_what_was_written_arrives_after_the_writer_has_closed() -> None:
    async with pair() as (here, there):
        taken: list[int] = []
        there.start(lambda message: taken.append(len(message)))
        await here.write(bytes(MUCH))
        here.close()
        await soon(asyncio.wait([there.ended]))
        assert taken == [MUCH]


async def test_an_end_that_has_closed_does_not_wait_for_ever_for_one_that_takes_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with writing_to_one_that_takes_nothing(monkeypatch) as (here, _):
        here.close()


async def test_one_that_says_it_has_no_more_to_say_and_takes_nothing_is_not_waited_for_either(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with writing_to_one_that_takes_nothing(monkeypatch) as (_, there):
        there._transport.write_eof()


async def test_nobody_is_connected_to_where_nobody_listens() -> None:
    with pytest.raises(OSError, match=r"refused|Connect call failed"):
        await connect(f"127.0.0.1:{free_port()}")


@contextlib.asynccontextmanager
async def writing_to_one_that_takes_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> AsyncIterator[tuple[Framed, Framed]]:
    """Write within the block from one end to the other, which reads nothing, and see after it that the first gives up."""
    monkeypatch.setattr(framed, "FLUSH_S", 0.2)
    async with pair() as (here, there):
        there._transport.pause_reading()
        writing = asyncio.create_task(write_much(here, 100))
        await asyncio.sleep(0.3)
        yield here, there
        await soon(asyncio.wait([here.ended]))
        with pytest.raises(Ended):
            await soon(writing)
