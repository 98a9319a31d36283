"""Metrics, on a port of their own."""

import socket
import urllib.request

import pytest
from prometheus_client import Counter

from wire import metrics
from wire.settings import Environment, SettingsError

SEEN = Counter("tilerace_test_seen", "What this test has seen.")


def test_what_is_counted_is_served_where_the_setting_says() -> None:
    SEEN.inc(3)
    with metrics.served(Environment({metrics.LISTEN: "127.0.0.1:0"})) as port:
        assert port
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=5) as answer:
            lines = answer.read().decode().splitlines()
    assert "tilerace_test_seen_total 3.0" in lines
    assert any(line.startswith("process_cpu_seconds_total") for line in lines)


def test_nothing_is_served_unless_a_setting_says_where() -> None:
    with metrics.served(Environment({})) as port:
        assert port is None


def test_a_port_that_is_taken_is_told_in_one_sentence() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        with (
            pytest.raises(
                SettingsError, match=r"TILERACE_METRICS_LISTEN is .* another program listens there"
            ),
            metrics.served(Environment({metrics.LISTEN: address})),
        ):
            pass
