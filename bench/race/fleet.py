"""A fleet: the services started by hand on a store, several of each where asked for, as a cluster of machines has them."""

import contextlib
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from bench.race.servers import Server, listens, says_ready, until
from tests.stack import Service, Valkey, free_port

Stores = Callable[[], AbstractContextManager[Sequence[Valkey]]]


@contextlib.contextmanager
def fleet(run_stores: Stores, *, replicas: int) -> Iterator[Server]:
    """Run so many of each service within the block; clients may connect to any of the gateways."""
    games, tables, gateways = ([free_port() for _ in range(replicas)] for _ in range(3))
    with tempfile.TemporaryDirectory() as folder, run_stores() as stores:
        url = stores[0].url
        started = [
            *(game_service(Path(folder), port, url) for port in games),
            *(_table_service(Path(folder), port, url, games) for port in tables),
            *(_gateway(Path(folder), port, games, tables) for port in gateways),
        ]
        with running(started):
            for service, port in zip(started, [*games, *tables, *gateways], strict=True):
                _wait(service, port, is_gateway=port in gateways)
            pids = [*map(pid_of, started), *map(pid_of, stores)]
            yield Server(tuple(gateways), tuple(pids))


@contextlib.contextmanager
def running(services: Sequence[Service]) -> Iterator[None]:
    """Run services within the block."""
    with contextlib.ExitStack() as stops:
        for service in services:
            stops.callback(service.end)
            service.start()
        yield


def game_service(folder: Path, port: int, url: str) -> Service:
    """Describe a game-service."""
    environment = {"TILERACE_GAME_LISTEN": f"127.0.0.1:{port}", "TILERACE_REDIS_URL": url}
    return Service("game_service", environment, folder / f"game-{port}.log")


def wait_for_port(service: Service, port: int) -> None:
    """Wait until a service listens."""
    _wait(service, port, is_gateway=False)


def pid_of(process: Service | Valkey) -> int:
    """Give the process id of what was started.

    Raises:
        RuntimeError: it was not.
    """
    if process.process is None:
        raise RuntimeError("not started")
    return process.process.pid


def _table_service(folder: Path, port: int, url: str, games: Sequence[int]) -> Service:
    environment = {
        "TILERACE_TABLE_LISTEN": f"127.0.0.1:{port}",
        "TILERACE_REDIS_URL": url,
        "TILERACE_GAME_TARGET": _target(games),
        "TILERACE_COUNTDOWN_MS": "600",
    }
    return Service("table_service", environment, folder / f"table-{port}.log")


def _gateway(folder: Path, port: int, games: Sequence[int], tables: Sequence[int]) -> Service:
    environment = {
        "TILERACE_LISTEN": f"127.0.0.1:{port}",
        "TILERACE_GAME_TARGET": _target(games),
        "TILERACE_TABLE_TARGET": _target(tables),
        "TILERACE_COUNTDOWN_MS": "600",
    }
    return Service("web_gateway", environment, folder / f"gateway-{port}.log")


def _target(ports: Sequence[int]) -> str:
    return ",".join(f"127.0.0.1:{port}" for port in ports)


def _wait(service: Service, port: int, *, is_gateway: bool) -> None:
    process = service.process
    if process is None:
        raise RuntimeError("not started")
    until(lambda: says_ready(port) if is_gateway else listens(port), process, service.log)
