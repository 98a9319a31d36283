"""web-gateway as a process: it says in one sentence why it cannot start, and stops cleanly."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from tests.stack import free_port
from tests.web_gateway.seam.peer import handshake


@contextmanager
def started(**settings: str) -> Iterator["subprocess.Popen[str]"]:
    environment = {f"TILERACE_{name}": value for name, value in settings.items()}
    process = subprocess.Popen(
        [sys.executable, "-m", "web_gateway"],
        env={"PATH": os.environ["PATH"], **environment},
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"LISTEN": "8000"}, "TILERACE_LISTEN is '8000', but must be host:port, such as 127.0.0.1:8000 or [::1]:8000."),
        ({"PUBLIC_URL": "race.example"}, "TILERACE_PUBLIC_URL is 'race.example', but must be an address that begins with http://, https://."),
        ({"PING_MS": "fast"}, "TILERACE_PING_MS is 'fast', but must be a whole number from 10 to 60000."),
        ({"LISTNE": "127.0.0.1:1"}, "TILERACE_LISTNE is no setting of tilerace; did you mean TILERACE_LISTEN?"),
    ],
)  # fmt: skip
def test_a_setting_nobody_can_use_stops_the_start_in_one_sentence(
    settings: dict[str, str], words: str
) -> None:
    with started(**settings) as process:
        _, said = process.communicate(timeout=30)
        assert (process.returncode, said) == (1, words + "\n")


def test_a_port_that_is_taken_stops_the_start_in_one_sentence() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        with started(LISTEN=address) as process:
            _, said = process.communicate(timeout=30)
    assert process.returncode == 1
    assert said.splitlines() == [
        f"TILERACE_LISTEN is '{address}', but another program listens there; stop it, or choose another port."
    ]


def test_without_services_it_says_why_it_reaches_none_and_says_so_once() -> None:
    nowhere, address = f"127.0.0.1:{free_port()}", f"127.0.0.1:{free_port()}"
    nobody = "no-such.invalid:8102"
    with started(LISTEN=address, GAME_TARGET=nowhere, TABLE_TARGET=nobody, LOG="json") as process:
        until_served(f"http://{address}/")
        time.sleep(3)
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=30)
    lines = [json.loads(line) for line in said.splitlines()]
    told = {line["event"]: line for line in lines if line["level"] != "info"}
    assert len([line for line in lines if line["level"] != "info"]) == 2
    assert told["no Link can be made"]["replica"] == nowhere
    assert "refused" in told["no Link can be made"]["why"].lower()
    assert "no-such.invalid" in told["no Watch can be made"]["why"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_without_services_it_serves_the_page_is_not_ready_and_stops_when_told(number: signal.Signals) -> None:
    nowhere, nobody, address = (f"127.0.0.1:{free_port()}" for _ in range(3))
    with started(LISTEN=address, GAME_TARGET=nowhere, TABLE_TARGET=nobody, LOG="json") as process:
        page = until_served(f"http://{address}/")
        assert page.startswith(b"<!doctype html>")
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(f"http://{address}/readyz", timeout=15)
        assert refused.value.code == 503
        refused.value.close()
        process.send_signal(number)
        _, said = process.communicate(timeout=15)
    assert process.returncode == 0
    assert '"event": "stopped"' in said
    assert "traceback" not in said


def test_rubbish_is_refused_and_fills_no_log() -> None:
    nowhere, nobody, address = (f"127.0.0.1:{free_port()}" for _ in range(3))
    breaks_off = b"POST /api/tables HTTP/1.1\r\nHost: here\r\nContent-Length: 9\r\n\r\n{"
    folded = b"GET / HTTP/1.1\r\nHost: here\r\n there\r\n\r\n"
    with started(LISTEN=address, GAME_TARGET=nowhere, TABLE_TARGET=nobody, LOG="json") as process:
        until_served(f"http://{address}/")
        refused = {said_to(address, folded) for _ in range(3)}
        assert {(said[:12], b"\r\nx-frame-options: DENY\r\n" in said) for said in refused} == {
            (b"HTTP/1.1 400", True)
        }
        assert [said_to(address, breaks_off) for _ in range(3)] == [b""] * 3
        until_served(f"http://{address}/")
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=30)
    events = [line["event"] for line in map(json.loads, said.splitlines()) if line["level"] != "info"]
    others = ("no Link can be made", "no Watch can be made")
    assert [event for event in events if event not in others] == ["Invalid HTTP request received."]


def test_sockets_that_are_refused_are_logged_once_a_minute_of_each_status() -> None:
    nowhere, nobody, address = (f"127.0.0.1:{free_port()}" for _ in range(3))
    with started(LISTEN=address, GAME_TARGET=nowhere, TABLE_TARGET=nobody, LOG="json") as process:
        until_served(f"http://{address}/")
        for path in ("/api/tables/none/socket", "/nowhere", "/"):
            said = [said_to(address, handshake(path)) for _ in range(3)]
            assert all(said)
        process.send_signal(signal.SIGTERM)
        _, told = process.communicate(timeout=30)
    lines = [line for line in map(json.loads, told.splitlines()) if line["event"] == "socket handshake"]
    assert [(line["path"], line["status"]) for line in lines] == [
        ("/api/tables/none/socket", 101),
        ("/nowhere", 403),
    ]


def said_to(address: str, request: bytes) -> bytes:
    """Send something, and no more, and read what is said to it."""
    host, _, port = address.rpartition(":")
    with socket.create_connection((host, int(port)), timeout=30) as connection:
        connection.sendall(request)
        connection.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: connection.recv(4096), b""))


def until_served(url: str) -> bytes:
    end = time.monotonic() + 30
    while True:
        try:
            with urllib.request.urlopen(url, timeout=15) as answer:
                return bytes(answer.read())
        except urllib.error.URLError:
            assert time.monotonic() < end
            time.sleep(0.05)
