"""A running stack whose gateway is tested from outside; waits are made short by settings."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import redis
from tests.stack import Stack, make_stack, running

SETTINGS = {"grace_ms": "1200", "ping_ms": "500", "countdown_ms": "400", "clocks_s": "2,180"}


@pytest.fixture(scope="session")
def stack(store_port: int, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    with redis.Redis(port=store_port) as client:
        client.flushall()
    folder: Path = tmp_path_factory.mktemp("gateway")
    with running(make_stack(f"redis://127.0.0.1:{store_port}/0", folder, **SETTINGS)) as stack:
        yield stack


@pytest.fixture
def base(stack: Stack) -> str:
    return stack.base
