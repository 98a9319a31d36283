"""The connection that all who ask share: answers in order, faults told to all who wait, nothing sent twice."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path

import pytest
from redis import exceptions as errors
from tests.stack import Valkey, free_port

from wire.pipe import Pipe, Reply

Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@pytest.fixture
async def pipe(store_url: str) -> AsyncIterator[Pipe]:
    made = Pipe(store_url)
    yield made
    await made.aclose()


@contextlib.contextmanager
def running(valkey: Valkey) -> Iterator[None]:
    try:
        valkey.start()
        yield
    finally:
        valkey.stop()


def field_of(info: Reply, name: str) -> bytes:
    """Find a field of INFO."""
    assert isinstance(info, bytes)
    return dict(line.split(b":", 1) for line in info.split(b"\r\n") if b":" in line)[name.encode()]


@contextlib.asynccontextmanager
async def store_of(serve: Serve, *, user: str = "", **times: float) -> AsyncIterator[Pipe]:
    """Have a store that does as `serve` says, and a pipe to it."""

    serving = asyncio.Queue[asyncio.Event]()

    async def serve_one(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        over = asyncio.Event()
        serving.put_nowait(over)
        with contextlib.suppress(OSError):
            await serve(reader, writer)
        writer.close()
        over.set()

    server = await asyncio.start_server(serve_one, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    made = Pipe(f"redis://{user}127.0.0.1:{port}", **times)
    try:
        yield made
    finally:
        await made.aclose()
        server.close()
        await server.wait_closed()
        while not serving.empty():
            await serving.get_nowait().wait()


async def test_many_who_ask_at_once_each_get_their_own_answer_over_one_connection(pipe: Pipe) -> None:
    before = await pipe.ask("INFO", "stats")
    answers = await asyncio.gather(*(pipe.ask("ECHO", f"number {number}") for number in range(500)))
    assert answers == [f"number {number}".encode() for number in range(500)]
    after = await pipe.ask("INFO", "stats")
    assert field_of(after, "total_connections_received") == field_of(before, "total_connections_received")


async def test_replies_of_many_commands_come_in_order_an_error_for_each_that_has_one(pipe: Pipe) -> None:
    replies = await pipe.ask_all(
        [("SET", "text", b"\x00\xff"), ("INCR", "text"), ("GET", "text"), ("MGET", "text", "none")]
    )
    assert replies[0] == b"OK"
    assert isinstance(replies[1], errors.ResponseError)
    assert replies[2:] == [b"\x00\xff", [b"\x00\xff", None]]


async def test_who_asks_for_nothing_is_answered_so_and_keeps_nobody_waiting(pipe: Pipe) -> None:
    assert await pipe.ask_all([]) == []
    assert await pipe.ask("PING") == b"PONG"


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("NOSCRIPT No matching script.", errors.NoScriptError),
        ("MOVED 3999 127.0.0.1:6381", errors.MovedError),
        ("ASK 3999 127.0.0.1:6381", errors.AskError),
        ("TRYAGAIN Multiple keys request", errors.TryAgainError),
        ("CLUSTERDOWN Hash slot not served", errors.ClusterDownError),
        ("OOM command not allowed", errors.OutOfMemoryError),
        ("READONLY You can't write", errors.ReadOnlyError),
        ("LOADING the dataset in memory", errors.BusyLoadingError),
        ("NOPERM this user has no permissions", errors.NoPermissionError),
        ("ERR anything else", errors.ResponseError),
    ],
)
async def test_an_error_is_told_by_its_kind(line: str, kind: type[Exception]) -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while await reader.read(4096):
            writer.write(f"-{line}\r\n".encode())

    async with store_of(serve) as pipe:
        with pytest.raises(kind) as caught:
            await pipe.ask("PING")
    if isinstance(caught.value, errors.AskError):
        assert (caught.value.slot_id, caught.value.host, caught.value.port) == (3999, "127.0.0.1", 6381)


async def test_a_connection_that_breaks_fails_all_who_wait_sends_nothing_again_and_is_made_anew() -> None:
    heard: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heard.append(await reader.read(4096))
        if len(heard) > 1:
            writer.write(b"+PONG\r\n")
            await reader.read()

    async with store_of(serve) as pipe:
        waiting = await asyncio.gather(*(pipe.ask("SET", name, 1) for name in "ab"), return_exceptions=True)
        assert [type(each) for each in waiting] == [errors.ConnectionError] * 2
        assert await pipe.ask("PING") == b"PONG"
    assert heard[1] == b"*1\r\n$4\r\nPING\r\n"


async def test_an_answer_that_does_not_come_is_given_up_with_the_connection() -> None:
    connections = 0

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal connections
        connections += 1
        await reader.read(4096)
        if connections > 1:
            writer.write(b"+PONG\r\n")
        await reader.read()

    async with store_of(serve, answer_s=0.1) as pipe:
        with pytest.raises(errors.TimeoutError):
            await pipe.ask("PING")
        assert await pipe.ask("PING") == b"PONG"
    assert connections == 2


async def test_one_who_gives_up_waiting_takes_no_answer_from_another() -> None:
    may_answer = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"second\r\n")
        await may_answer.wait()
        writer.write(b"+first\r\n+second\r\n")
        await reader.read()

    async with store_of(serve) as pipe:
        first = asyncio.create_task(pipe.ask("ECHO", "first"))
        second = asyncio.create_task(pipe.ask("ECHO", "second"))
        await asyncio.sleep(0)
        first.cancel()
        await asyncio.wait([first])
        may_answer.set()
        # The first never came to be written, or was answered to nobody.
        assert await second in {b"first", b"second"}
        assert first.cancelled()


async def test_one_who_gives_up_while_it_connects_does_not_keep_the_others_from_it(store_url: str) -> None:
    pipe = Pipe(store_url)
    first, second = (asyncio.create_task(pipe.ask("ECHO", name)) for name in ("first", "second"))
    await asyncio.sleep(0)
    first.cancel()
    assert await second == b"second"
    assert first.cancelled()
    await pipe.aclose()


@pytest.mark.parametrize("turns", [1, 2])
async def test_who_waits_for_a_connection_that_is_closed_while_it_is_made_is_told_that_it_is_lost(
    turns: int,
) -> None:
    async def let_nobody_in(reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
        await reader.read()

    async with store_of(let_nobody_in, user=":word@") as pipe:
        asking = asyncio.gather(pipe.ask("GET", "a"), pipe.ask("GET", "b"), return_exceptions=True)
        for _ in range(turns):  # after one of them it is about to be made, after two it has begun
            await asyncio.sleep(0)
        await pipe.aclose()
        found = await asking
    assert [type(error) for error in found] == [errors.ConnectionError] * 2


async def test_what_cannot_be_reached_and_what_does_not_let_us_in_in_time_is_told() -> None:
    with pytest.raises(errors.ConnectionError):
        await Pipe(f"redis://127.0.0.1:{free_port()}").ask("PING")

    async def serve(reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
        await reader.read()

    async with store_of(serve, user=":word@", connect_s=0.1) as pipe:
        with pytest.raises(errors.TimeoutError):
            await pipe.ask("PING")


async def test_what_is_no_answer_of_a_store_closes_the_connection() -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(4096)
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        await reader.read()

    async with store_of(serve) as pipe:
        with pytest.raises(errors.ConnectionError):
            await pipe.ask("PING")


async def test_user_password_and_number_of_the_database_are_told_first(tmp_path: Path) -> None:
    options = ("--user", "tilerace", "on", ">some/word", "~*", "&*", "+@all", "--requirepass", "another")
    valkey = Valkey(tmp_path, options=options)
    with running(valkey):
        url = f"redis://tilerace:some%2Fword@127.0.0.1:{valkey.port}"
        mine = Pipe(f"{url}/3")
        await mine.ask("SET", "where", "three")
        assert await mine.ask("GET", "where") == b"three"
        await mine.aclose()
        first = Pipe(f"{url}/0")
        assert await first.ask("GET", "where") is None
        await first.aclose()
        with pytest.raises(errors.AuthenticationError):
            await Pipe(f"redis://tilerace:another@127.0.0.1:{valkey.port}").ask("PING")


async def test_a_store_on_a_unix_socket_is_asked_like_any_other(tmp_path: Path) -> None:
    path = tmp_path / "store.sock"
    with running(Valkey(tmp_path, options=("--unixsocket", str(path)))):
        pipe = Pipe(f"unix://{path}")
        assert await pipe.ask("PING") == b"PONG"
        await pipe.aclose()
