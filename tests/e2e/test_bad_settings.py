"""What a process is told that it cannot use stops it at once, in one line; a password is never told."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
import redis
from tests.e2e.conftest import SETTINGS
from tests.e2e.meeting import racing, verdicts
from tests.friend import call, open_table
from tests.stack import Valkey, make_stack, running

import game_service.settings
import table_service.settings
from wire.settings import Environment

ASK_THE_STORE = ("game_service", "table_service")
SERVICES = (*ASK_THE_STORE, "web_gateway")
HIDDEN, OTHER = "hidden-7f3a", "secret-c0de"
LINKS = {
    f"{service}_{name}": value
    for service in ("STORE", "GAME_SERVICE", "TABLE_SERVICE", "WEB_GATEWAY", "KUBERNETES")
    for name, value in {
        "SERVICE_HOST": "10.96.0.7",
        "SERVICE_PORT": "6379",
        "PORT": "tcp://10.96.0.7:6379",
        "PORT_6379_TCP": "tcp://10.96.0.7:6379",
        "PORT_6379_TCP_ADDR": "10.96.0.7",
    }.items()
}
"""What Kubernetes tells a pod of the Services in its namespace, by their names."""


def told(module: str, variables: Mapping[str, str]) -> tuple[int, str]:
    """Run a service that ends by itself; give its exit code and all that it wrote."""
    ended = subprocess.run(
        [sys.executable, "-m", module],
        env={"PATH": os.environ["PATH"], "TILERACE_LOG": "json", **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=30,
        check=False,
    )
    return ended.returncode, ended.stdout


@pytest.mark.parametrize("module", ASK_THE_STORE)
@pytest.mark.parametrize(
    "url",
    [
        f"redis://tilerace:{HIDDEN}",
        f"http://tilerace:{HIDDEN}@store:6379/0",
        f"tilerace:{HIDDEN}@store:6379",
        f"redis://tilerace:{HIDDEN}@store:port/0",
        f"redis://tilerace:1/{HIDDEN}@store:6379/0",
        f"redis://127.0.0.1:1/0?password={HIDDEN}&no_such=1",
        f"redis://tilerace:{HIDDEN}@127.0.0.1:1/0?socket_timeout=soon",
    ],
)
def test_an_address_of_the_store_that_cannot_be_used_stops_the_start_and_is_not_shown(
    module: str, url: str
) -> None:
    code, words = told(module, {"TILERACE_REDIS_URL": url})
    assert (code, words.count("\n")) == (1, 1)
    assert words.startswith("TILERACE_REDIS_URL ")
    assert HIDDEN not in words


@pytest.mark.parametrize("module", ASK_THE_STORE)
@pytest.mark.parametrize("user", ["", "tilerace"])
def test_a_password_that_the_store_does_not_know_stops_the_start_and_is_not_shown(
    module: str, user: str, tmp_path: Path
) -> None:
    valkey = Valkey(tmp_path, options=("--requirepass", OTHER))
    try:
        valkey.start()
        url = valkey.url.replace("//", f"//{user}:{HIDDEN}@")
        code, words = told(module, {"TILERACE_REDIS_URL": url})
    finally:
        valkey.stop()
    assert (code, words.count("\n")) == (1, 1)
    assert "check TILERACE_REDIS_URL" in words
    assert HIDDEN not in words
    assert OTHER not in words


@pytest.mark.parametrize("module", SERVICES)
@pytest.mark.parametrize(
    ("name", "value"),
    [("TILERACE_METRICS_LISTEN", "9100"), ("TILERACE_LOG", "xml"), ("TILERACE_REDIS_PASSWORD", HIDDEN)],
)
def test_a_setting_that_no_service_can_use_stops_each_in_one_line(module: str, name: str, value: str) -> None:
    code, words = told(module, {name: value})
    assert (code, words.count("\n")) == (1, 1)
    assert name in words
    assert HIDDEN not in words


async def test_a_password_is_in_no_log_whatever_becomes_of_the_store(tmp_path: Path) -> None:
    valkey = Valkey(tmp_path, options=("--requirepass", HIDDEN))
    try:
        valkey.start()
        stack = make_stack(valkey.url.replace("//", f"//:{HIDDEN}@"), tmp_path, **SETTINGS)
        with running(stack):
            async with racing(stack.base, 2) as (ann, bo):
                await ann.do("resign", race=1)
                await verdicts([ann, bo])
            with redis.Redis(port=valkey.port, password=HIDDEN) as client:
                client.config_set("requirepass", OTHER)
                client.client_kill_filter(_type="normal", skipme=True)
            assert call(stack.base, "/api/tables", method="POST").status == 503
            valkey.kill()
            assert call(stack.base, "/api/tables", method="POST").status == 503
            await asyncio.sleep(0.5)
        assert "a call was not answered by the store" in stack.logs
        assert HIDDEN not in stack.logs
        assert OTHER not in stack.logs
    finally:
        valkey.stop()


@pytest.mark.parametrize("settings", [game_service.settings.Settings, table_service.settings.Settings])
def test_settings_that_are_shown_do_not_show_a_password(
    settings: type[game_service.settings.Settings] | type[table_service.settings.Settings],
) -> None:
    env = Environment({"TILERACE_REDIS_URL": f"redis://tilerace:{HIDDEN}@store:6379/0"})
    read = settings.from_env(env)
    assert HIDDEN in read.redis_url
    assert HIDDEN not in repr(read)


async def test_what_kubernetes_tells_of_other_services_does_no_harm(store_url: str, tmp_path: Path) -> None:
    stack = make_stack(store_url, tmp_path, **SETTINGS)
    for service in stack.services:
        service.environment = {**LINKS, **service.environment}
    with running(stack):
        table, _ = await open_table(stack.base)
        assert call(stack.base, f"/api/tables/{table}").status == 200
