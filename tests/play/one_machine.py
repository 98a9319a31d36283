"""`make play` as a process, seen from outside: what it says, what it started, and how it ends."""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import redis
from tests.stack import MANY_TIMES, free_port

T = TypeVar("T")

ROOT = Path(__file__).parents[2]
SUPERVISOR = (sys.executable, "-m", "play")
STARTED = "Ctrl-C stops it"
STORE = "valkey-server"
SERVICES = ("game_service", "table_service", "web_gateway")
WAIT_S = 30.0
STOP_S = 5.0
"""The product's own promise: all is stopped within five seconds."""


def environment(**settings: str) -> dict[str, str]:
    """Give the variables of this process with other TILERACE_* settings."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith("TILERACE_")}
    return (
        plain
        | {"TILERACE_LIMITS": MANY_TIMES}
        | {f"TILERACE_{name}": value for name, value in settings.items()}
    )


def eventually(look: Callable[[], T | None], what: str, *, seconds: float = WAIT_S) -> T:
    """Look until there is something to see."""
    end = time.monotonic() + seconds
    while True:
        if seen := look():
            return seen
        if time.monotonic() > end:
            raise AssertionError(f"after {seconds} s: {what}")
        time.sleep(0.02)


def session(leader: int) -> dict[int, str]:
    """Give the command lines of all processes that descend from a session's leader, zombies left out, by process id."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            state, _, _, of_session = (folder / "stat").read_text().rpartition(")")[2].split()[:4]
            if int(of_session) == leader and state != "Z":
                found[int(folder.name)] = (
                    (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode().strip()
                )
    return found


@dataclass
class OneMachine:
    """A `make play` in a session of its own."""

    process: subprocess.Popen[bytes]
    log: Path
    port: int

    @property
    def said(self) -> str:
        return self.log.read_text()

    def wait_started(self) -> None:
        def started() -> bool:
            assert self.process.poll() is None, self.said
            return STARTED in self.said

        eventually(started, "it has not started")

    def others(self) -> dict[int, str]:
        """Give all processes besides the first one."""
        return {
            number: line for number, line in session(self.process.pid).items() if number != self.process.pid
        }

    def find(self, name: str) -> int:
        """Give the process that is recognised by `name`; 0 while there is none."""
        # A child on its leash has not yet become what it is to be.
        found = [number for number, line in self.others().items() if name in line and "leash.py" not in line]
        return found[0] if found else 0

    def open_table(self) -> str:
        """Open a table, and give its id."""
        call = urllib.request.Request(f"http://127.0.0.1:{self.port}/api/tables", method="POST")
        with urllib.request.urlopen(call, timeout=5) as got:
            return str(json.load(got)["table"])

    def answer(self, path: str) -> int:
        """Give the status that the gateway answers with; 0 while it does not."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=5) as got:
                return int(got.status)
        except urllib.error.HTTPError as error:
            return error.code
        except OSError:
            return 0

    def store(self) -> "redis.Redis":
        """Connect to the embedded store, by the port that the process list shows."""
        # It shows the port once it has started.
        shown = re.compile(rf"{STORE} 127\.0\.0\.1:(\d+)")
        found = eventually(lambda: shown.search("\n".join(self.others().values())), "no store is shown")
        return redis.Redis(port=int(found[1]), decode_responses=True)

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Stop it as a user would, and give the exit code; it must not take longer than it promises."""
        self.process.send_signal(number)
        return self.process.wait(STOP_S)


@contextlib.contextmanager
def started(
    folder: Path, command: tuple[str, ...] = SUPERVISOR, /, *, until_ready: bool = True, **settings: str
) -> Iterator[OneMachine]:
    """Start it on a free port with its data in `folder`; whatever is left after the block is killed."""
    port = free_port()
    log = folder / f"{time.monotonic_ns()}.log"
    chosen = {"PORT": str(port), "DATA": str(folder / "data"), "LOG": "json"} | settings
    with log.open("wb") as out:
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            env=environment(**chosen),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            start_new_session=True,
        )
    machine = OneMachine(process, log, port)
    try:
        if until_ready:
            machine.wait_started()
        yield machine
    finally:
        for number in session(process.pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(number, signal.SIGKILL)
        process.wait(STOP_S)
