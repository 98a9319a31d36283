"""What is measured, as processes: tilerace as `make play` starts it, and the peers under node."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from bench.race import processes

ROOT = Path(__file__).parents[2]
NODE = ROOT / ".venv" / "bin" / "node"
PEERS = ROOT / "bench" / "peers"
START_S = 60.0


@dataclass(frozen=True, slots=True)
class Server:
    """What runs: its port, and the processes that do its work."""

    port: int
    pids: tuple[int, ...]

    def cpu_s(self) -> float:
        """Give the seconds on a processor that it has used so far."""
        return processes.cpu_s(self.pids)

    def cpu_by_name(self) -> dict[str, float]:
        """Give the same, process by process."""
        return {processes.name(pid): processes.cpu_s([pid]) for pid in self.pids}

    def memory_kib(self) -> int:
        """Give the KiB of memory that it takes now."""
        return processes.memory_kib(self.pids)


def free_port() -> int:
    """Find a port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextlib.contextmanager
def tilerace(data: Path, *, fsync: str = "always") -> Iterator[Server]:
    """Run `make play` within the block, its store in a folder of its own."""
    port = free_port()
    environment = {
        "TILERACE_PORT": str(port),
        "TILERACE_DATA": str(data),
        "TILERACE_FSYNC": fsync,
        "TILERACE_COUNTDOWN_MS": "600",
        "TILERACE_LOG": "json",
    }
    with _run([sys.executable, "-m", "play"], environment, cwd=ROOT) as leader:
        _wait(f"http://127.0.0.1:{port}/readyz", leader)
        pids = [pid for pid in processes.family(leader.pid) if pid != leader.pid]
        yield Server(port, tuple(pids))


@contextlib.contextmanager
def peer(program: str, *words: str) -> Iterator[Server]:
    """Run one of the peers within the block."""
    port = free_port()
    with _run([str(NODE), program, str(port), *words], {"NODE_ENV": "production"}, cwd=PEERS) as leader:
        _wait_for_port(port, leader)
        yield Server(port, tuple(processes.family(leader.pid)))


@contextlib.contextmanager
def _run(command: list[str], more: Mapping[str, str], *, cwd: Path) -> Iterator[subprocess.Popen[bytes]]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("TILERACE_")}
    process = subprocess.Popen(  # noqa: S603  programs of our own
        command,
        env={**environment, **more},
        cwd=cwd,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
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


def _wait(url: str, process: subprocess.Popen[bytes]) -> None:
    def is_there() -> bool:
        with contextlib.suppress(OSError), urllib.request.urlopen(url, timeout=2) as answer:  # noqa: S310  our own
            return bool(answer.status == 200)
        return False

    _until(is_there, process)


def _wait_for_port(port: int, process: subprocess.Popen[bytes]) -> None:
    def is_there() -> bool:
        with contextlib.suppress(OSError):
            socket.create_connection(("127.0.0.1", port), 1).close()
            return True
        return False

    _until(is_there, process)


def _until(holds, process: subprocess.Popen[bytes]) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001
    end = time.monotonic() + START_S
    while not holds():
        if process.poll() is not None or time.monotonic() > end:
            raise RuntimeError(f"{process.args!r} did not start")
        time.sleep(0.05)
