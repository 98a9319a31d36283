"""Addresses that one service is told of fit together, or stop its start in one sentence."""

import re

import pytest

import game_service.settings
import table_service.settings
import web_gateway.settings
from wire.settings import Environment, SettingsError

Settings = (
    type[game_service.settings.Settings]
    | type[table_service.settings.Settings]
    | type[web_gateway.settings.Settings]
)
GAME, TABLE, WEB = (
    game_service.settings.Settings,
    table_service.settings.Settings,
    web_gateway.settings.Settings,
)


@pytest.mark.parametrize(
    ("settings", "variables", "words"),
    [
        (WEB, {"LISTEN": ":8000", "METRICS_LISTEN": "127.0.0.1:8000"}, "TILERACE_METRICS_LISTEN is '127.0.0.1:8000', where TILERACE_LISTEN is, too; choose another port."),
        (GAME, {"GAME_LISTEN": "127.0.0.1:9100", "METRICS_LISTEN": ":9100"}, "TILERACE_METRICS_LISTEN is '0.0.0.0:9100', where TILERACE_GAME_LISTEN is, too; choose another port."),
        (TABLE, {"METRICS_LISTEN": "127.0.0.1:8102"}, "TILERACE_METRICS_LISTEN is '127.0.0.1:8102', where TILERACE_TABLE_LISTEN is, too; choose another port."),
        (TABLE, {"GAME_TARGET": "127.0.0.1:8102"}, "TILERACE_GAME_TARGET is '127.0.0.1:8102', where this service itself listens (TILERACE_TABLE_LISTEN)."),
        (TABLE, {"TABLE_LISTEN": ":8101"}, "TILERACE_GAME_TARGET is '127.0.0.1:8101', where this service itself listens (TILERACE_TABLE_LISTEN)."),
        (WEB, {"TABLE_TARGET": "a:1,127.0.0.1:8000"}, "TILERACE_TABLE_TARGET is '127.0.0.1:8000', where this service itself listens (TILERACE_LISTEN)."),
        (WEB, {"GAME_TARGET": "a:1,b:1", "TABLE_TARGET": "b:1"}, "TILERACE_GAME_TARGET and TILERACE_TABLE_TARGET are both 'b:1'; each is a service of its own."),
    ],
)  # fmt: skip
def test_addresses_that_are_mixed_up_are_refused(
    settings: Settings, variables: dict[str, str], words: str
) -> None:
    env = Environment({f"TILERACE_{name}": value for name, value in variables.items()})
    with pytest.raises(SettingsError, match=f"^{re.escape(words)}$"):
        settings.from_env(env)


@pytest.mark.parametrize(
    ("settings", "variables"),
    [
        (WEB, {"LISTEN": "127.0.0.1:0", "METRICS_LISTEN": "127.0.0.1:0"}),
        (WEB, {"LISTEN": "127.0.0.1:9100", "METRICS_LISTEN": "127.0.0.2:9100"}),
        (WEB, {"LISTEN": ":8000", "GAME_TARGET": "game-service:8000", "TABLE_TARGET": "table-service:8000"}),
        (TABLE, {"TABLE_LISTEN": ":8101", "GAME_TARGET": "game-service:8101", "METRICS_LISTEN": ":9100"}),
        (GAME, {"METRICS_LISTEN": ":9100"}),
    ],
)
def test_addresses_of_different_places_are_taken(settings: Settings, variables: dict[str, str]) -> None:
    assert settings.from_env(Environment({f"TILERACE_{name}": value for name, value in variables.items()}))
