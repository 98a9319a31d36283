"""What all services count of a real race, read from outside as Prometheus does."""

import asyncio
import re
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.counted import Samples, of, scraped
from tests.e2e.conftest import SETTINGS
from tests.e2e.meeting import racing, verdicts
from tests.friend import Friend, open_table
from tests.stack import Stack, free_port, make_stack, running, store

PAGE = (Path(__file__).parents[2] / "docs" / "metrics.md").read_text()
SLIDES = 5
WAIT_S = 15


@dataclass
class Measured:
    """A stack, and where each of its services shows what it counts."""

    stack: Stack
    at: dict[str, str]

    async def read(self) -> dict[str, Samples]:
        found = await asyncio.gather(*(asyncio.to_thread(scraped, each) for each in self.at.values()))
        return dict(zip(self.at, found, strict=True))

    async def until(self, holds: Callable[[dict[str, Samples]], bool]) -> None:
        async with asyncio.timeout(WAIT_S):
            while not holds(await self.read()):
                await asyncio.sleep(0.1)


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Measured]:
    folder = tmp_path_factory.mktemp("measured")
    with store(folder) as port:
        stack = make_stack(f"redis://127.0.0.1:{port}/0", folder, **SETTINGS)
        at = {service.module: f"127.0.0.1:{free_port()}" for service in stack.services}
        for service in stack.services:
            listen = {"TILERACE_METRICS_LISTEN": at[service.module]}
            service.environment = {**service.environment, **listen}
        with running(stack):
            yield Measured(stack, at)


def grown(before: Samples, after: Samples, name: str, **labels: str) -> float:
    return of(after, name, **labels) - before.get((name, frozenset(labels.items())), 0.0)


CALLS = (
    *(("game_service", call) for call in ("commit", "deal", "read", "time")),
    *(("table_service", call) for call in ("commit", "sweep", "settle", "read", "time")),
)


async def slid(ann: Friend) -> None:
    """Slide some times, send the last slide again, and one that is not the board's next."""
    direction = ""
    for _ in range(SLIDES):
        direction = ann.useful() or "up"
        assert (await ann.slide(direction))["type"] == "board"
    again = await ann.ask("slide", race=1, n=ann.board["n"], direction=direction)
    assert (again["type"], again["slide"]) == ("board", None)
    assert await ann.refused("slide", race=1, n=ann.board["n"] + 5, direction="up") == "SLIDE_OUT_OF_ORDER"


def called(before: dict[str, Samples], now: dict[str, Samples], who: str, call: str) -> bool:
    """Tell whether a service has asked the store for something since; some of it it asks once a second."""
    return grown(before[who], now[who], "tilerace_store_call_seconds_count", call=call) > 0


async def test_a_race_of_two_moves_what_it_should(measured: Measured) -> None:
    before = await measured.read()
    async with racing(measured.stack.base, 2) as (ann, bo):
        await slid(ann)
        await ann.do("resign", race=1)
        await verdicts([ann, bo])
    await measured.until(lambda now: of(now["web_gateway"], "tilerace_sockets") == 0)
    await measured.until(lambda now: all(called(before, now, who, call) for who, call in CALLS))
    after = await measured.read()

    def gateway(name: str, **labels: str) -> float:
        return grown(before["web_gateway"], after["web_gateway"], name, **labels)

    def game(name: str, **labels: str) -> float:
        return grown(before["game_service"], after["game_service"], name, **labels)

    def table(name: str, **labels: str) -> float:
        return grown(before["table_service"], after["table_service"], name, **labels)

    answered = SLIDES + 2
    outcomes = ("applied", "repeated", "refused")
    assert [gateway("tilerace_slides_total", outcome=each) for each in outcomes] == [SLIDES, 1, 1]
    assert gateway("tilerace_refusals_total", of="slide", code="SLIDE_OUT_OF_ORDER") == 1
    assert gateway("tilerace_resyncs_total", why="overtaken") == 1
    assert gateway("tilerace_slide_seconds_count") == gateway("tilerace_link_seconds_count") == answered
    assert 0 < gateway("tilerace_link_seconds_sum") <= gateway("tilerace_slide_seconds_sum")
    for command in ("sit", "ready", "start"):
        assert gateway("tilerace_command_seconds_count", of=command) == 1
    assert gateway("tilerace_http_requests_total", route="open_table", status="201") == 1
    assert gateway("tilerace_http_requests_total", route="socket", status="101") == 2
    assert gateway("tilerace_sockets_closed_total", code="1000") == 2

    assert game("tilerace_slide_apply_seconds_count") == answered
    assert 0 < game("tilerace_slide_apply_seconds_sum") <= gateway("tilerace_link_seconds_sum")
    assert game("tilerace_duplicates_total") == 1
    assert game("tilerace_commits_total", outcome="made") > SLIDES
    assert game("tilerace_commit_size_sum") >= game("tilerace_commits_total", outcome="made")
    assert table("tilerace_sweeps_total") > 0
    for samples in after.values():
        assert of(samples, "tilerace_event_loop_lag_seconds_count") > 0


async def test_gauges_show_a_race_while_it_runs_and_its_end(measured: Measured) -> None:
    def shown(now: dict[str, Samples]) -> list[float]:
        gateway, game, table = now["web_gateway"], now["game_service"], now["table_service"]
        return [
            of(gateway, "tilerace_sockets"),
            of(gateway, "tilerace_streams", to="game"),
            of(gateway, "tilerace_streams", to="table"),
            of(game, "tilerace_links"),
            of(game, "tilerace_races_running"),
            of(table, "tilerace_watchers_streams"),
            of(table, "tilerace_tables", phase="racing"),
            of(game, "tilerace_store_silent"),
        ]

    async with racing(measured.stack.base, 2) as (ann, bo):
        await measured.until(lambda now: shown(now) == [2, 1, 1, 1, 1, 1, 1, 0])
        await ann.do("resign", race=1)
        await verdicts([ann, bo])
        await measured.until(lambda now: shown(now) == [2, 1, 1, 1, 0, 1, 0, 0])
        await measured.until(lambda now: of(now["table_service"], "tilerace_tables", phase="finished") == 1)


async def test_one_who_opens_a_table_and_never_comes_is_a_lease_that_ran_out(measured: Measured) -> None:
    before = (await measured.read())["table_service"]
    await open_table(measured.stack.base, name="Ann")
    await measured.until(
        lambda now: grown(before, now["table_service"], "tilerace_leases_expired_total") == 1
    )


async def test_nothing_that_is_counted_names_anybody_or_anything(measured: Measured) -> None:
    table, cookie = await open_table(measured.stack.base, name="Zebulon")
    async with (
        Friend.at(measured.stack.base, table, cookie) as ann,
        Friend.at(measured.stack.base, table) as bo,
    ):
        await bo.sits("Quillon")
        await bo.do("ready", ready=True)
        await ann.do("start")
        await bo.until_racing()
        await bo.send_text('{"type": "Quillon"}')
        await bo.do("resign", race=1)
        await verdicts([ann, bo])
        seed = ann.latest["reveal"]["seed"]
    for address in measured.at.values():
        shown = await asyncio.to_thread(_text, address)
        for never in (table, "Zebulon", "Quillon", seed, cookie.partition("=")[2]):
            assert never not in shown


def test_the_page_lists_what_each_service_shows_and_nothing_else(measured: Measured) -> None:
    sections = dict(re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL))
    common, kept = sections.pop("Every service"), sections.pop("game-service and table-service: the store")
    for module, address in measured.at.items():
        own = sections.pop(module.replace("_", "-"))
        listed = common + own + ("" if module == "web_gateway" else kept)
        shown = re.findall(r"^# TYPE (tilerace_\w+) (\w+)$", _text(address), re.MULTILINE)
        assert sorted(shown) == sorted(re.findall(r"^\| `(\w+)` \| (\w+) \|", listed, re.MULTILINE))
    assert not sections


def _text(address: str) -> str:
    with urllib.request.urlopen(f"http://{address}/metrics", timeout=10) as answer:
        return str(answer.read().decode())
