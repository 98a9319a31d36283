"""Metrics, on a port of their own."""

import asyncio
import socket
import time
import urllib.request
from collections.abc import Callable

import pytest
from prometheus_client import REGISTRY, Counter

from wire import metrics
from wire.settings import Environment, SettingsError

SEEN = Counter("tilerace_test_seen", "What this test has seen.")
LAGS = "tilerace_event_loop_lag_seconds"


def test_what_is_counted_is_served_where_the_setting_says() -> None:
    SEEN.inc(3)
    env = Environment({metrics.LISTEN: "127.0.0.1:0", "TILERACE_BUILD": "r7"})
    with metrics.served(env, service="test-service") as port:
        assert port
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=15) as answer:
            lines = answer.read().decode().splitlines()
    assert "tilerace_test_seen_total 3.0" in lines
    assert 'tilerace_build_info{release="r7",service="test-service"} 1.0' in lines
    assert any(line.startswith("process_cpu_seconds_total") for line in lines)
    assert not any("_created" in line for line in lines)


def test_what_is_counted_is_shown_by_no_page() -> None:
    with (
        metrics.served(Environment({metrics.LISTEN: "127.0.0.1:0"}), service="test-service") as port,
        urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=15) as answer,
    ):
        headers = {name.lower(): value for name, value in answer.headers.items()}
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["content-security-policy"] == "default-src 'none'; frame-ancestors 'none'"
    assert headers["cross-origin-resource-policy"] == "same-origin"


def test_nothing_is_served_unless_a_setting_says_where() -> None:
    with metrics.served(Environment({}), service="test-service") as port:
        assert port is None


def test_a_port_that_is_taken_is_told_in_one_sentence() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        with (
            pytest.raises(
                SettingsError, match=r"TILERACE_METRICS_LISTEN is .* another program listens there"
            ),
            metrics.served(Environment({metrics.LISTEN: address}), service="test-service"),
        ):
            pass


async def test_a_loop_that_is_held_up_is_seen_to_be_late() -> None:
    late_before = late(0.1)
    watching = asyncio.create_task(metrics.watch_loop(every_s=0.01))
    await asyncio.sleep(0)
    time.sleep(0.2)  # noqa: ASYNC251  holding the loop up is what is tested
    await until(lambda: late(0.1) > late_before)
    watching.cancel()


async def test_a_look_that_fails_is_not_the_last() -> None:
    looks = 0

    def look() -> None:
        nonlocal looks
        looks += 1
        raise ZeroDivisionError

    looking = asyncio.create_task(metrics.keep_looking(look, every_s=0.001))
    await until(lambda: looks >= 2)
    assert not looking.done()
    looking.cancel()


def late(seconds: float) -> float:
    """Give how often the loop was later than that."""
    count = REGISTRY.get_sample_value(f"{LAGS}_count")
    in_time = REGISTRY.get_sample_value(f"{LAGS}_bucket", {"le": str(seconds)})
    assert count is not None
    assert in_time is not None
    return count - in_time


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(10):
        while not holds():
            await asyncio.sleep(0.005)
