"""Everything twice: a store, two replicas of each service, and a line before each that may be made a bad one.

clients ─▶ doors ─▶ gateways ─▶ game_lines ─▶ games ─▶ store_lines ─▶ store
                        └─────▶ table_lines ─▶ tables ─▶ store_lines ─┘
"""

import contextlib
import signal
import socket
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import redis
from tests.faults.lines import Between, Lines
from tests.stack import Service, Valkey, free_port

SETTINGS = {"grace_ms": "20000", "ping_ms": "2000", "countdown_ms": "600", "clocks_s": "2,4,6,180"}
"""Short, but for leases that outlast the seconds in which a gateway finds that a replica hangs, as those by default do."""
START_S = 30.0


@dataclass
class Fleet:
    """A store, and two of each service; the lines before them are plain until a test makes them bad."""

    lines: Lines
    store: Valkey
    folder: Path
    settings: Mapping[str, str]
    apart: bool = False
    """Whether each gateway knows but one replica of each service, its own, so that both serve the same tables."""
    games: list[Service] = field(default_factory=list)
    tables: list[Service] = field(default_factory=list)
    gateways: list[Service] = field(default_factory=list)
    game_lines: list[Between] = field(default_factory=list)
    table_lines: list[Between] = field(default_factory=list)
    doors: list[Between] = field(default_factory=list)
    store_lines: dict[str, Between] = field(default_factory=dict)
    """By the name of the service that talks over it, such as game-0."""
    ports: list[int] = field(default_factory=list)
    """The gateways' own."""

    def __post_init__(self) -> None:
        for number in (0, 1):
            self._describe_game(number)
        for number in (0, 1):
            self._describe_table(number)
        for number in (0, 1):
            self._describe_gateway(number)

    @property
    def bases(self) -> list[str]:
        """The gateways' addresses, as one on this machine calls them."""
        return [f"http://127.0.0.1:{port}" for port in self.ports]

    @property
    def far_bases(self) -> list[str]:
        """The gateways' addresses, as one calls them who comes through the doors."""
        return [door.proxy.base for door in self.doors]

    @property
    def services(self) -> list[Service]:
        return [*self.games, *self.tables, *self.gateways]

    @property
    def logs(self) -> str:
        return "\n".join(service.log.read_text() for service in self.services)

    def client(self) -> redis.Redis:
        """Give a client of the store, past all lines."""
        return redis.Redis(port=self.store.port)

    def now(self) -> int:
        """Ask for the store's time, in milliseconds."""
        with self.client() as client:
            seconds, micros = client.time()
        return int(seconds) * 1000 + int(micros) // 1000

    def calm(self) -> None:
        """Make all lines plain again."""
        for line in (*self.game_lines, *self.table_lines, *self.doors, *self.store_lines.values()):
            line.calm()

    def start(self) -> None:
        for service in self.services:
            service.start()
        self.wait_ready()

    def restart(self, *services: Service) -> None:
        """Start services that have ended, and wait until all are ready."""
        for service in services:
            service.start()
        self.wait_ready()

    def kill_all(self) -> None:
        """End all services at once."""
        for service in self.services:
            service.signal(signal.SIGKILL)
        for service in self.services:
            assert service.process is not None
            service.process.wait(START_S)

    def wait_ready(self) -> None:
        """Wait until every process listens and the gateways are ready."""
        end = time.monotonic() + START_S
        while pending := [service for service in self.services if not self._is_ready(service)]:
            for service in self.services:
                if service.process is not None and service.process.poll() is not None:
                    raise RuntimeError(f"{service.module} ended:\n{service.log.read_text()[-3000:]}")
            if time.monotonic() > end:
                raise TimeoutError(f"not ready after {START_S} s: {[each.module for each in pending]}")
            time.sleep(0.05)

    def stop(self) -> None:
        with contextlib.ExitStack() as stops:
            for service in self.services:
                stops.callback(service.end)

    def _is_ready(self, service: Service) -> bool:
        if service in self.gateways:
            return _says_ready(self.bases[self.gateways.index(service)])
        return _listens(service.environment)

    def _environment(self, **more: str) -> dict[str, str]:
        return {f"TILERACE_{name.upper()}": value for name, value in {**self.settings, **more}.items()}

    def _store_line(self, name: str) -> str:
        self.store_lines[name] = self.lines.to(self.store.port)
        return f"redis://{self.store_lines[name].at}/0"

    def _describe_game(self, number: int) -> None:
        name, port = f"game-{number}", free_port()
        self.game_lines.append(self.lines.to(port))
        environment = self._environment(game_listen=f"127.0.0.1:{port}", redis_url=self._store_line(name))
        self.games.append(Service("game_service", environment, self.folder / f"{name}.log"))

    def _describe_table(self, number: int) -> None:
        name, port = f"table-{number}", free_port()
        self.table_lines.append(self.lines.to(port))
        environment = self._environment(
            table_listen=f"127.0.0.1:{port}",
            redis_url=self._store_line(name),
            game_target=self._game_target(),
        )
        self.tables.append(Service("table_service", environment, self.folder / f"{name}.log"))

    def _describe_gateway(self, number: int) -> None:
        port = free_port()
        self.ports.append(port)
        self.doors.append(self.lines.to(port))
        environment = self._environment(
            listen=f"127.0.0.1:{port}",
            game_target=self.game_lines[number].at if self.apart else self._game_target(),
            table_target=self.table_lines[number].at if self.apart else self._table_target(),
        )
        self.gateways.append(Service("web_gateway", environment, self.folder / f"gateway-{number}.log"))

    def _table_target(self) -> str:
        return ",".join(line.at for line in self.table_lines)

    def _game_target(self) -> str:
        return ",".join(line.at for line in self.game_lines)


@contextlib.contextmanager
def sailing(
    folder: Path,
    *,
    apart: bool = False,
    fsync: str = "always",
    prepare: Callable[[Fleet], None] | None = None,
    **settings: str,
) -> Iterator[Fleet]:
    """Run a store and a fleet within the block; `settings` are further TILERACE_* variables.

    `prepare` may change the services before they start.
    """
    (folder / "store").mkdir()
    store = Valkey(folder / "store", fsync=fsync)
    with Lines() as lines:
        fleet = Fleet(lines, store, folder, SETTINGS | settings, apart=apart)
        try:
            if prepare is not None:
                prepare(fleet)
            store.start()
            fleet.start()
            yield fleet
        finally:
            fleet.stop()
            fleet.store.stop()


def _listens(environment: Mapping[str, str]) -> bool:
    at = next(
        at for name, at in environment.items() if name in {"TILERACE_GAME_LISTEN", "TILERACE_TABLE_LISTEN"}
    )
    host, _, port = at.rpartition(":")
    try:
        socket.create_connection((host, int(port)), 1).close()
    except OSError:
        return False
    return True


def _says_ready(base: str) -> bool:
    try:
        with urllib.request.urlopen(f"{base}/readyz", timeout=2) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False
