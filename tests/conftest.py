"""What tests of every part share: a real Valkey, started once and emptied for each test that asks for it."""

import secrets
import time
from collections.abc import Iterator

import pytest
import redis
from hypothesis import HealthCheck, settings
from tests.stack import store

ALONE_S = 10.0

# Properties are judged by what they find and never by how long a busy machine took for it.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--seed",
        type=int,
        default=secrets.randbelow(10**6),
        help="what the tests of faults make their choices from",
    )
    parser.addoption(
        "--minutes", type=float, default=0.0, help="how long the soak goes on; at least one round"
    )


def pytest_report_header(config: pytest.Config) -> str:
    return f"seed: {config.getoption('--seed')}"


@pytest.fixture(scope="session")
def store_port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    with store(tmp_path_factory.mktemp("valkey")) as port:
        yield port


@pytest.fixture
def store_url(store_port: int) -> str:
    with redis.Redis(port=store_port) as client:
        wait_until_alone(client)
        client.flushall()
    return f"redis://127.0.0.1:{store_port}/0"


def wait_until_alone(client: redis.Redis) -> None:
    """See that nobody else is at work in a store: another's services would take on a test's tables by their times."""
    end = time.monotonic() + ALONE_S
    while len(others := client.client_list()) > 1:
        assert time.monotonic() < end, f"others are at work in this test's store: {others}"
        time.sleep(0.02)
