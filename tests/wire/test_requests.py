"""Requests: an id goes along with a call, and stands in what its other end logs."""

import asyncio
import io
import json
import logging
from collections.abc import AsyncIterator, Iterator

import grpc
import pytest

from wire import log, requests
from wire.serving import Served, channel, running
from wire.settings import Address, Environment

METHOD = "/tilerace.test.v1.TestService/Say"


@pytest.fixture
def lines() -> Iterator[io.StringIO]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    stream = io.StringIO()
    log.set_up(Environment({"TILERACE_LOG": "json"}), stream)
    yield stream
    root.handlers[:] = handlers
    root.setLevel(level)
    logging.captureWarnings(capture=False)


async def say(_request: bytes, _context: "grpc.aio.ServicerContext[bytes, bytes]") -> bytes:
    log.events("test").info("said")
    return b""


def add(server: grpc.aio.Server) -> None:
    handlers: dict[str, grpc.RpcMethodHandler[bytes, bytes]] = {
        "Say": grpc.unary_unary_rpc_method_handler(say)
    }
    service, _, _ = METHOD.removeprefix("/").partition("/")
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(service, handlers),))


@pytest.fixture
async def opened() -> AsyncIterator[grpc.aio.Channel]:
    served = Served(add=add, names=())
    async with (
        running(served, Address("127.0.0.1", 0), setting="TEST") as port,
        channel(f"127.0.0.1:{port}") as opened,
    ):
        yield opened


async def call(opened: grpc.aio.Channel, metadata: tuple[tuple[str, str], ...]) -> None:
    await opened.unary_unary(METHOD, bytes, bytes)(b"", metadata=metadata, timeout=15)


async def test_both_ends_of_a_call_log_the_same_request(opened: grpc.aio.Channel, lines: io.StringIO) -> None:
    with log.about(request="0123456789abcdef"):
        await call(opened, requests.metadata())
    assert json.loads(lines.getvalue())["request"] == "0123456789abcdef"


async def test_calls_at_the_same_time_keep_their_requests_apart(
    opened: grpc.aio.Channel, lines: io.StringIO
) -> None:
    async def as_request(number: int) -> None:
        with log.about(request=f"request-{number}"):
            await call(opened, requests.metadata())

    await asyncio.gather(*(as_request(number) for number in range(8)))
    told = {json.loads(line)["request"] for line in lines.getvalue().splitlines()}
    assert told == {f"request-{number}" for number in range(8)}


@pytest.mark.parametrize("told", [(), ((requests.HEADER, "two words"),), ((requests.HEADER, "x" * 65),)])
async def test_a_call_without_a_sane_request_logs_none(
    opened: grpc.aio.Channel, lines: io.StringIO, told: tuple[tuple[str, str], ...]
) -> None:
    await call(opened, told)
    assert "request" not in json.loads(lines.getvalue())


def test_nothing_goes_along_where_nobody_asked_for_anything() -> None:
    assert requests.metadata() == ()


def test_a_new_id_is_sane_and_another_one_each_time() -> None:
    one, other = requests.new_request(), requests.new_request()
    assert one != other
    assert requests.sane(one) == one


@pytest.mark.parametrize("text", [None, "", "short", "a\nb12345678", "x" * 65, "sp ace-1234", b"bytes-1234"])
def test_what_may_not_stand_in_a_log_is_no_id(text: str | bytes | None) -> None:
    assert requests.sane(text) is None
