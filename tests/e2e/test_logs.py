"""Logs: whatever fails is told of by every service that had a part in it, under the same request."""

import asyncio
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.e2e.conftest import SETTINGS
from tests.e2e.meeting import gathered, racing
from tests.friend import Friend, call
from tests.stack import Service, Stack, Valkey, make_stack, running

STORE_AWAY = "a call was not answered by the store"
GAME_AWAY = "game-service could not do what was asked of a race"
REFUSED = "a call was refused for now"


@dataclass
class Fragile:
    """A stack whose parts may be killed."""

    stack: Stack
    store: Valkey

    def told(self, service: Service, event: str) -> list[dict[str, Any]]:
        """Give what a service logged of an event."""
        lines = [json.loads(line) for line in service.log.read_text().splitlines()]
        return [line for line in lines if line["event"] == event]


@pytest.fixture
def fragile(tmp_path: Path) -> Iterator[Fragile]:
    valkey = Valkey(tmp_path)
    try:
        valkey.start()
        with running(make_stack(valkey.url, tmp_path, **SETTINGS)) as stack:
            yield Fragile(stack, valkey)
    finally:
        valkey.stop()


async def told_by_both(fragile: Fragile, ann: Friend, event: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Have a command refused until gateway and table-service tell of the same one: where this machine is slow, a call is
    given up before table-service knows what is wrong.
    """
    stack = fragile.stack
    async with asyncio.timeout(60):
        while True:
            assert await ann.refused("rename", name="Zebulon") == "UNAVAILABLE"
            theirs = {line.get("request"): line for line in fragile.told(stack.table, event)}
            for line in fragile.told(stack.gateway, REFUSED):
                if line["of"] == "rename" and line["request"] in theirs:
                    return line, theirs[line["request"]]


async def test_a_command_that_fails_for_want_of_the_store_is_one_request_in_both_logs(
    fragile: Fragile,
) -> None:
    async with gathered(fragile.stack.base, 1) as (ann,):
        fragile.store.kill()
        ours, theirs = await told_by_both(fragile, ann, STORE_AWAY)
    assert ours["table"] == theirs["table"] == ann.table_id
    assert len(ours["request"]) == 32
    assert "Zebulon" not in fragile.stack.logs


async def test_a_command_that_fails_for_want_of_game_service_is_one_request_in_both_logs(
    fragile: Fragile,
) -> None:
    async with racing(fragile.stack.base, 2) as (ann, _):
        fragile.stack.game.kill()
        ours, theirs = await told_by_both(fragile, ann, GAME_AWAY)
    assert ours["table"] == theirs["table"] == ann.table_id
    assert theirs["race"] == f"{ann.table_id}.1"


async def test_an_http_request_that_fails_is_found_by_the_id_in_its_answer(fragile: Fragile) -> None:
    stack = fragile.stack
    async with gathered(stack.base, 1) as (ann,):
        fragile.store.kill()
        path = f"/api/tables/{ann.table_id}"
        answer = call(stack.base, path)
        asked = call(stack.base, f"{path}/races/1/replay", headers={"X-Request-Id": "trace-0123456789"})
    assert (answer.status, asked.status) == (503, 503)
    assert asked.headers["x-request-id"] == "trace-0123456789"
    shown = {
        line["request"] for line in fragile.told(stack.table, STORE_AWAY) if line["table"] == ann.table_id
    }
    assert answer.headers["x-request-id"] in shown
    (replay,) = fragile.told(stack.game, STORE_AWAY)
    assert (replay["request"], replay["race"]) == ("trace-0123456789", f"{ann.table_id}.1")
    ours = {(line["request"], line["of"]) for line in fragile.told(stack.gateway, REFUSED)}
    assert ours == {(answer.headers["x-request-id"], "show_table"), ("trace-0123456789", "replay")}


@pytest.mark.parametrize("asked", ["two words", "short", "x" * 65, "semi;colon-123"])
def test_an_id_that_may_not_stand_in_a_log_is_not_taken(base: str, asked: str) -> None:
    given = call(base, "/healthz", headers={"X-Request-Id": asked}).headers["x-request-id"]
    assert given != asked
    assert len(given) == 32


@pytest.mark.parametrize("path", ["/", "/nothing", "/api/tables", "/api/tables/none", "/readyz"])
def test_every_answer_has_an_id(base: str, path: str) -> None:
    one, other = (call(base, path).headers["x-request-id"] for _ in range(2))
    assert one != other
