"""Whoever keeps the gateway waiting over HTTP is let go: in time, by size and by number; and nobody else is."""

import asyncio
import contextlib
import logging
import socket

import pytest
from prometheus_client import REGISTRY
from tests.web_gateway.seam.peer import TEXT, Peer
from tests.web_gateway.seam.served import LARGE, WAIT_S, Served, serving, until

from web_gateway import door
from web_gateway.door import KERNEL_BUFFER, MOST_BYTES, Door, Seldomly

SHORT_S, LONGER_S = 0.3, 1.0
GET = b"GET / HTTP/1.1\r\nHost: here\r\n\r\n"
POST = b"POST /body HTTP/1.1\r\nHost: here\r\nContent-Length: 5\r\n\r\n"


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(door, "REQUEST_S", SHORT_S)
    monkeypatch.setattr(door, "ANSWER_S", SHORT_S)


@pytest.fixture
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave enough time for those who are to stay, or to be answered first, whatever else this machine does."""
    monkeypatch.setattr(door, "REQUEST_S", LONGER_S)
    monkeypatch.setattr(door, "ANSWER_S", LONGER_S)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let only readers take their time."""
    monkeypatch.setattr(door, "REQUEST_S", SHORT_S)


@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize(
    "said",
    [
        b"",
        b"G",
        b"GET / HT",
        b"GET / HTTP/1.1\r\nHost: he",
        POST + b"hel",
        POST.replace(b" /body", b" /nowhere"),
    ],
    ids=[
        "nothing",
        "a letter",
        "half a line",
        "half the headers",
        "half a body",
        "half a body that nobody reads",
    ],
)
async def test_a_request_that_does_not_end_is_cut_off(served: Served, said: bytes) -> None:
    async with Peer(served.port) as peer:
        peer.writer.write(said)
        await ended(peer)
        assert len(served.callers) == 0


@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize("drip", [b"a", b"x-a: b\r\n"], ids=["a letter", "a header"])
async def test_a_request_that_drips_is_cut_off(served: Served, drip: bytes) -> None:
    async with Peer(served.port) as peer:
        peer.writer.write(b"GET / HTTP/1.1\r\nHost: here\r\nx-long: ")
        await dripping(peer, drip)


@pytest.mark.usefixtures("unhurried")
async def test_a_body_that_drips_after_its_answer_is_cut_off(served: Served) -> None:
    async with Peer(served.port) as peer:
        head = b"POST /nowhere HTTP/1.1\r\nHost: here\r\nContent-Length: 60000\r\n\r\n"
        assert (await peer.ask(head))[0] == 404
        await dripping(peer, b"a")


@pytest.mark.usefixtures("hurried")
async def test_chunks_that_drip_are_cut_off(served: Served) -> None:
    async with Peer(served.port) as peer:
        peer.writer.write(b"POST /body HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\n")
        await dripping(peer, b"1\r\na\r\n")


@pytest.mark.usefixtures("hurried")
async def test_an_answer_that_nobody_reads_is_cut_off(served: Served) -> None:
    async with Peer(served.port) as peer:
        peer.writer.write(b"GET /large HTTP/1.1\r\nHost: here\r\n\r\n")
        await until(lambda: len(served.callers) == 1)
        await until(lambda: len(served.callers) == 0)


@pytest.mark.usefixtures("impatient")
async def test_an_answer_that_is_read_slowly_arrives_whole(served: Served) -> None:
    size = (
        64 * KERNEL_BUFFER
    )  # a bounded kernel takes little at a time, and 16 MiB would take longer than a test may wait
    async with Peer(served.port) as peer:
        peer.writer.write(b"GET /large?size=%d HTTP/1.1\r\nHost: here\r\n\r\n" % size)
        await asyncio.sleep(3 * SHORT_S)
        (caller,) = served.server.server_state.connections
        assert isinstance(caller, Door)
        assert caller.transport.get_write_buffer_size() > 0
        assert len((await peer.answer())[2]) == size


@pytest.mark.usefixtures("impatient")
async def test_whoever_waits_for_an_answer_of_ours_is_not_cut_off(served: Served) -> None:
    async with Peer(served.port) as peer:
        peer.writer.write(b"GET /waiting HTTP/1.1\r\nHost: here\r\n\r\n")
        await asyncio.sleep(3 * SHORT_S)
        served.gate.set()
        assert (await peer.answer())[2] == b"at last\n"


@pytest.mark.usefixtures("unhurried")
async def test_a_socket_is_none_of_those_who_are_waited_for(served: Served) -> None:
    async with Peer(served.port) as peer:
        await peer.open()
        await asyncio.sleep(1.5 * LONGER_S)
        peer.send(TEXT, b"still here")
        assert await peer.frame() == (TEXT, b"still here")
        assert len(served.callers) == 0


@pytest.mark.usefixtures("unhurried")
async def test_each_request_on_a_connection_has_its_own_time(served: Served) -> None:
    async with Peer(served.port) as peer:
        for _ in range(15):
            await asyncio.sleep(LONGER_S / 10)
            assert (await peer.ask(POST + b"hello"))[2] == b"hello"


async def test_a_connection_that_is_kept_takes_any_number_of_requests(served: Served) -> None:
    async with Peer(served.port) as peer:
        for _ in range(2 * MOST_BYTES // len(POST)):
            assert (await peer.ask(POST + b"hello"))[2] == b"hello"


async def test_requests_behind_each_other_are_answered_in_order(served: Served) -> None:
    async with Peer(served.port) as peer:
        peer.writer.write(GET + POST + b"hello" + GET)
        assert [(await peer.answer())[2] for _ in range(3)] == [b"GET a page\n", b"hello", b"GET a page\n"]


@pytest.mark.parametrize(
    "framing", [b"Content-Length: 100000000", b"Transfer-Encoding: chunked"], ids=["one length", "chunks"]
)
async def test_too_much_of_one_request_is_cut_off(served: Served, framing: bytes) -> None:
    async with Peer(served.port) as peer:
        peer.writer.write(b"POST /nowhere HTTP/1.1\r\nHost: here\r\n" + framing + b"\r\n\r\n")
        await peer.answer()
        chunk = (b"1000\r\n" if framing.endswith(b"chunked") else b"") + b"x" * 4096 + b"\r\n"
        with contextlib.suppress(ConnectionError):
            for _ in range(MOST_BYTES // 4096 + 1):
                peer.writer.write(chunk)
                await peer.writer.drain()
        await ended(peer)


async def test_where_one_too_many_comes_the_one_waited_for_longest_goes() -> None:
    async with serving(callers=3) as served, contextlib.AsyncExitStack() as stack:
        peers = [await stack.enter_async_context(Peer(served.port)) for _ in range(2)]
        for peer in peers:
            peer.writer.write(b"GET / HT")
        await until(lambda: len(served.callers) == 2)
        answered = await stack.enter_async_context(Peer(served.port))
        assert (await answered.ask(GET))[0] == 200
        newest = await stack.enter_async_context(Peer(served.port))
        assert (await newest.ask(GET))[0] == 200
        await ended(peers[0])
        assert (await answered.ask(GET))[0] == 200


async def test_whoever_waits_for_an_answer_stays_while_others_are_waited_for() -> None:
    async with serving(callers=2) as served, contextlib.AsyncExitStack() as stack:
        waits = await stack.enter_async_context(Peer(served.port))
        waits.writer.write(b"GET /waiting HTTP/1.1\r\nHost: here\r\n\r\n")
        for _ in range(5):
            peer = await stack.enter_async_context(Peer(served.port))
            peer.writer.write(b"GET / HT")
        served.gate.set()
        assert (await waits.answer())[2] == b"at last\n"


async def test_no_crowd_of_half_open_connections_keeps_a_page_or_a_socket_out() -> None:
    async with serving(callers=20) as served, contextlib.AsyncExitStack() as stack:
        racer = await stack.enter_async_context(Peer(served.port))
        await racer.open()
        for number in range(200):
            peer = await stack.enter_async_context(Peer(served.port))
            peer.writer.write(b"GET / HT")
            if number % 20 == 0:
                async with Peer(served.port) as page, Peer(served.port) as another:
                    assert (await page.ask(GET))[0] == 200
                    await another.open()
                racer.send(TEXT, b"slide")
                assert await racer.frame() == (TEXT, b"slide")
        assert len(served.callers) <= 20


async def test_no_crowd_that_reads_no_answers_has_a_newcomer_cut_off() -> None:
    async with serving(callers=20) as served, contextlib.AsyncExitStack() as stack:
        for _ in range(20):
            peer = await stack.enter_async_context(Peer(served.port))
            peer.writer.write(
                b"GET /large HTTP/1.1\r\nHost: here\r\n\r\n" + GET
            )  # the second waits for the first
            await peer.reader.readexactly(1)
        newcomer = await stack.enter_async_context(Peer(served.port))
        newcomer.writer.write(b"GET / HT")
        for _ in range(5):
            another = await stack.enter_async_context(Peer(served.port))
            assert (await another.ask(GET))[0] == 200
        assert (await newcomer.ask(b"TP/1.1\r\nHost: here\r\n\r\n"))[0] == 200


async def test_an_answer_that_is_not_read_is_not_taken_by_the_kernel_beyond_a_bound(served: Served) -> None:
    with socket.socket() as peer:
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        peer.setblocking(False)
        await asyncio.get_running_loop().sock_connect(peer, ("127.0.0.1", served.port))
        await until(lambda: len(served.callers) == 1)
        (caller,) = served.server.server_state.connections
        assert isinstance(caller, Door)
        transport = caller.transport
        await asyncio.get_running_loop().sock_sendall(peer, b"GET /large HTTP/1.1\r\nHost: here\r\n\r\n")
        await until(lambda: transport.get_write_buffer_size() > 0)
        assert LARGE - transport.get_write_buffer_size() < 8 * KERNEL_BUFFER


async def test_the_bound_on_connections_is_none_on_sockets() -> None:
    async with serving(callers=2, limit=10) as served, contextlib.AsyncExitStack() as stack:
        sockets = [await (await stack.enter_async_context(Peer(served.port))).open() for _ in range(6)]
        for peer in sockets:
            peer.send(TEXT, b"x")
            assert await peer.frame() == (TEXT, b"x")


async def test_rubbish_behind_an_answered_request_ends_the_connection_alone(
    served: Served, caplog: pytest.LogCaptureFixture
) -> None:
    async with Peer(served.port) as peer:
        head = b"POST /nowhere HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\n"
        assert (await peer.ask(head))[0] == 404
        peer.writer.write(b"no chunk\r\n")
        await ended(peer)
    assert not [record for record in caplog.records if record.levelno > logging.WARNING]
    async with Peer(served.port) as another:
        assert (await another.ask(GET))[0] == 200


@pytest.mark.usefixtures("hurried")
async def test_what_is_cut_off_is_counted(served: Served) -> None:
    before = cut("late")
    async with Peer(served.port) as peer:
        await ended(peer)
    assert cut("late") == before + 1


def test_what_whoever_likes_can_have_logged_is_logged_once_a_minute() -> None:
    seldomly = Seldomly()
    warned, failed = (logging.WARNING, "a"), (logging.ERROR, "c")
    said = [warned, warned, (logging.WARNING, "b"), failed, failed]
    records = [logging.LogRecord("uvicorn.error", level, "", 0, words, None, None) for level, words in said]
    assert [seldomly.filter(record) for record in records] == [True, False, True, True, True]


async def dripping(peer: Peer, drip: bytes) -> None:
    """Send a little again and again until the connection is gone."""

    async def drips() -> None:
        with contextlib.suppress(ConnectionError):
            while True:
                peer.writer.write(drip)
                await peer.writer.drain()
                await asyncio.sleep(SHORT_S / 10)

    async with asyncio.TaskGroup() as tasks:
        dripped = tasks.create_task(drips())
        await ended(peer)
        dripped.cancel()


async def ended(peer: Peer) -> None:
    """See the connection end, whatever was said before."""
    async with asyncio.timeout(WAIT_S):
        with contextlib.suppress(ConnectionError):
            await peer.reader.read()


def cut(why: str) -> float:
    return REGISTRY.get_sample_value("tilerace_http_cut_total", {"why": why}) or 0.0
