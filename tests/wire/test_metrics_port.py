"""The port of metrics answers one question, soon, and whoever asks another or none is sent away."""

import contextlib
import socket
import time
from collections.abc import Callable, Iterator

import pytest
from prometheus_client import Counter

from wire import metrics_port
from wire.settings import Address

SEEN = Counter("tilerace_test_port_seen", "What this test has seen.")
WAIT_S = 10.0
ASK = b"GET /metrics HTTP/1.1\r\nHost: here\r\n\r\n"


@pytest.fixture
def port() -> Iterator[int]:
    with metrics_port.serving(Address("127.0.0.1", 0)) as port:
        yield port


def talk(port: int, said: bytes) -> bytes:
    """Say something, and read until the end."""
    with (
        socket.create_connection(("127.0.0.1", port), timeout=WAIT_S) as line,
        contextlib.suppress(ConnectionError),
    ):
        line.sendall(said)
        return b"".join(iter(lambda: line.recv(65536), b""))
    return b""


def soon(holds: Callable[[], bool]) -> bool:
    """Wait for something that nothing tells of."""
    end = time.monotonic() + WAIT_S
    while not (held := holds()) and time.monotonic() < end:
        time.sleep(0.01)
    return held


def test_metrics_are_answered_and_the_connection_is_closed(port: int) -> None:
    head, _, body = talk(port, ASK).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200 ")
    assert b"\r\nconnection: close" in head
    assert f"\r\ncontent-length: {len(body)}\r\n".encode() in head
    assert b"tilerace_test_port_seen_total" in body


@pytest.mark.parametrize(
    "path", ["/", "/metrics/", "/metric", "//metrics", "/METRICS", "http://a/metrics", "*", ""]
)
def test_no_other_path_is_there(port: int, path: str) -> None:
    assert talk(port, ASK.replace(b"/metrics", path.encode())).startswith(b"HTTP/1.1 404 ")


@pytest.mark.parametrize("method", ["HEAD", "POST", "PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT", "get"])
def test_no_other_method_is_understood(port: int, method: str) -> None:
    answer = talk(port, ASK.replace(b"GET", method.encode()))
    assert answer.startswith(b"HTTP/1.1 405 ")
    assert b"\r\nallow: GET\r\n" in answer


@pytest.mark.parametrize("rubbish", [b"\r\n\r\n", b"\0" * 100 + b"\r\n\r\n", b"\xff \xff\r\n\r\n"])
def test_rubbish_is_no_page(port: int, rubbish: bytes) -> None:
    assert talk(port, rubbish).startswith(b"HTTP/1.1 404 ")


def test_a_request_that_is_too_large_is_cut_off(port: int) -> None:
    assert talk(port, ASK[:-2] + b"x: " + b"y" * 10 * metrics_port.HEAD_BYTES) == b""
    assert talk(port, ASK).startswith(b"HTTP/1.1 200 ")


@pytest.mark.parametrize("said", [b"", b"GET /met", ASK[:-2]])
def test_a_request_that_does_not_end_is_cut_off(monkeypatch: pytest.MonkeyPatch, said: bytes) -> None:
    monkeypatch.setattr(metrics_port, "ANSWER_S", 0.2)
    with metrics_port.serving(Address("127.0.0.1", 0)) as port:
        assert talk(port, said) == b""


def test_more_connections_than_are_taken_are_closed_and_then_there_is_room_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(metrics_port, "MOST", 2)
    with metrics_port.serving(Address("127.0.0.1", 0)) as port:
        with contextlib.ExitStack() as stack:
            for _ in range(2):
                stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=WAIT_S)).send(b"G")
            assert soon(lambda: not talk(port, ASK))  # once the server has seen both
        assert soon(lambda: talk(port, ASK).startswith(b"HTTP/1.1 200 "))


def test_it_ends_though_somebody_is_connected() -> None:
    with contextlib.ExitStack() as stack:
        with metrics_port.serving(Address("127.0.0.1", 0)) as port:
            line = stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=WAIT_S))
            line.sendall(b"GET")
            assert talk(port, ASK)
        assert line.recv(1) == b""
