"""What is measured, as processes: tilerace as `make play` starts it, and the peers under node."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from bench.race import processes
from bench.race.processes import NONE, Memory

ROOT = Path(__file__).parents[2]
NODE = ROOT / ".venv" / "bin" / "node"
PEERS = ROOT / "bench" / "peers"
START_S = 60.0
_LAST_WORDS = 3_000


@dataclass(frozen=True, slots=True)
class Server:
    """What runs: where it is connected to, and the processes that do its work."""

    ports: tuple[int, ...]
    pids: tuple[int, ...]

    def cpu_s(self) -> float:
        """Give the seconds on a processor that it has used so far."""
        return sum(map(processes.cpu_s, self.pids))

    def cpu_by_name(self) -> dict[str, float]:
        """Give the same by kind of process."""
        used = dict[str, float]()
        for pid in self.pids:
            kind = processes.name(pid)
            used[kind] = used.get(kind, 0.0) + processes.cpu_s(pid)
        return used

    def memory(self) -> Memory:
        """Give the memory that it takes now."""
        return processes.memory_of(self.pids)

    def memory_by_name(self) -> dict[str, Memory]:
        """Give the same by kind of process."""
        used = dict[str, Memory]()
        for pid in self.pids:
            kind = processes.name(pid)
            used[kind] = used.get(kind, NONE).and_also(processes.memory(pid))
        return used


def free_port() -> int:
    """Find a port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextlib.contextmanager
def tilerace(*, fsync: str = "always") -> Iterator[Server]:
    """Run `make play` within the block, with a store of its own."""
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        environment = {
            "TILERACE_PORT": str(port),
            "TILERACE_DATA": str(Path(folder) / "data"),
            "TILERACE_FSYNC": fsync,
            "TILERACE_COUNTDOWN_MS": "600",
            "TILERACE_LOG": "json",
            "TILERACE_LIMITS": "1000",  # all players come from this machine
        }
        log = Path(folder) / "log"
        with _run([sys.executable, "-m", "play"], environment, cwd=ROOT, log=log) as leader:
            until(lambda: says_ready(port), leader, log)
            pids = [pid for pid in processes.family(leader.pid) if pid != leader.pid]
            yield Server((port,), tuple(pids))


@contextlib.contextmanager
def peer(program: str, *words: str) -> Iterator[Server]:
    """Run one of the peers within the block."""
    port = free_port()
    command = [str(NODE), program, str(port), *words]
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        with _run(command, {"NODE_ENV": "production"}, cwd=PEERS, log=log) as leader:
            until(lambda: listens(port), leader, log)
            yield Server((port,), tuple(processes.family(leader.pid)))


def says_ready(port: int) -> bool:
    """Look whether a gateway says that it is ready."""
    with (
        contextlib.suppress(OSError),
        urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=2) as answer,
    ):
        return bool(answer.status == 200)
    return False


def listens(port: int) -> bool:
    """Look whether somebody listens."""
    with contextlib.suppress(OSError):
        socket.create_connection(("127.0.0.1", port), 1).close()
        return True
    return False


def until(holds: Callable[[], bool], process: subprocess.Popen[bytes], log: Path) -> None:
    """Wait until something holds of a process that writes a log.

    Raises:
        RuntimeError: the process ended, or it took too long; the words are its last.
    """
    end = time.monotonic() + START_S
    while not holds():
        if process.poll() is not None or time.monotonic() > end:
            raise RuntimeError(f"{process.args!r} did not start:\n{log.read_text()[-_LAST_WORDS:]}")
        time.sleep(0.05)


@contextlib.contextmanager
def _run(
    command: list[str], more: Mapping[str, str], *, cwd: Path, log: Path
) -> Iterator[subprocess.Popen[bytes]]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("TILERACE_")}
    with log.open("wb") as words:
        process = subprocess.Popen(  # noqa: S603  programs of our own
            command,
            env={**environment, **more},
            cwd=cwd,
            stdout=words,
            stderr=words,
            start_new_session=True,
        )
    try:
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
