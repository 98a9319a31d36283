"""How a service's process starts and ends: its words, its events and its exit code."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

PROGRAM = Path(__file__).with_name("served_program.py")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_drains_and_ends_the_process_with_code_0(number: signal.Signals) -> None:
    with started({"TILERACE_GAME_LISTEN": "127.0.0.1:0"}) as (process, lines):
        assert next(lines)["event"] == "listening"
        process.send_signal(number)
        events = [line["event"] for line in lines]
        code = process.wait(10)
    assert events == ["draining", "peers told", "stopped"]
    assert code == 0


def test_the_port_that_was_chosen_is_in_the_event_listening() -> None:
    with started({"TILERACE_GAME_LISTEN": "127.0.0.1:0"}) as (_, lines):
        port = next(lines)["port"]
        assert isinstance(port, int)
        socket.create_connection(("127.0.0.1", port), timeout=15).close()


def test_a_crash_leaves_no_image_of_the_memory() -> None:
    with started({"TILERACE_GAME_LISTEN": "127.0.0.1:0"}) as (process, lines):
        assert next(lines)["event"] == "listening"
        limits = Path(f"/proc/{process.pid}/limits").read_text()
    (core,) = [line.split() for line in limits.splitlines() if line.startswith("Max core file size")]
    assert core[-3:-1] == ["0", "0"]


@pytest.mark.parametrize(
    ("variables", "words"),
    [
        ({"TILERACE_GAME_LISTEN": "nowhere"}, "TILERACE_GAME_LISTEN is 'nowhere', but must be host:port"),
        ({"TILERACE_GAME_LISTN": ""}, "is no setting of tilerace; did you mean TILERACE_GAME_LISTEN?"),
        ({"TILERACE_GAME_LISTEN": "192.0.2.1:0"}, "this machine has no such address"),
        ({"TILERACE_DATA": "lost"}, "The store is lost."),
        ({"TILERACE_DATA": "lost together"}, "The store is lost."),
    ],
)
def test_what_stops_the_start_is_told_in_one_line_with_code_1(
    variables: Mapping[str, str], words: str
) -> None:
    ended = subprocess.run(
        command(), env=environment(variables), capture_output=True, text=True, timeout=20, check=False
    )
    assert ended.returncode == 1
    assert words in ended.stderr
    assert ended.stderr.count("\n") == 1


def test_a_crash_is_told_as_an_event_without_its_values() -> None:
    ended = subprocess.run(
        command(),
        env=environment({"TILERACE_DATA": "crash", "TILERACE_BUILD": "hidden-7f3a"}),
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )
    assert ended.returncode == 1
    assert json.loads(ended.stderr)["event"] == "crashed"
    assert "hidden-7f3a" not in ended.stderr


def command() -> list[str]:
    return [sys.executable, str(PROGRAM)]


def environment(variables: Mapping[str, str]) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "TILERACE_LOG": "json", **variables}


@contextlib.contextmanager
def started(
    variables: Mapping[str, str],
) -> Iterator[tuple[subprocess.Popen[str], Iterator[dict[str, object]]]]:
    """Start the program; what it writes comes as parsed lines, until it ends."""
    with subprocess.Popen(
        command(), env=environment(variables), stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        try:
            yield process, map(json.loads, process.stderr)
        finally:
            process.kill()
