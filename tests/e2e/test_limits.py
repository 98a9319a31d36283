"""What one address and one browser may ask a running stack for, and what all of them may."""

import asyncio
import contextlib
import dataclasses
import itertools
import json
import secrets
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest
from tests.friend import Answered, Frame, Friend, call, open_table
from tests.stack import Service, Stack, free_port, make_stack, running, store
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from web_gateway.limits import OF_ADDRESS, OF_BROWSER, What
from web_gateway.socket import LATER, UNKNOWN

TRIES = int(OF_ADDRESS.paces[What.TRIES].burst)
AGAIN = 20
"""How often something is looked at that another try may have come back for meanwhile."""
WAIT_S = 30.0
FROM_FAR = {"limits": "1", "countdown_ms": "300"}
_NUMBERS = itertools.count(1)


@pytest.fixture(scope="module")
def far(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """A stack that is asked through a proxy on this machine, so that a test can ask from any address."""
    folder = tmp_path_factory.mktemp("far")
    with (
        store(folder) as port,
        running(make_stack(f"redis://127.0.0.1:{port}/0", folder, **FROM_FAR)) as stack,
    ):
        yield stack


@pytest.fixture
def address() -> str:
    """An address that nobody else asks from."""
    return f"198.51.100.{next(_NUMBERS)}"


def asked(base: str, path: str, address: str, *, method: str = "GET", cookie: str | None = None) -> Answered:
    return call(base, path, method=method, cookie=cookie, headers={"x-forwarded-for": address})


def opened(base: str, address: str, number: int, *, cookie: str | None = None) -> list[int]:
    """Try to open tables; give the statuses."""
    return [asked(base, "/api/tables", address, method="POST", cookie=cookie).status for _ in range(number)]


def passing(ask: Callable[[int], Answered], *, burst: int, status: int) -> int:
    """Ask until one is refused, as meanwhile some come back; give how many were answered with `status`."""
    passed = 0
    while (answer := ask(passed)).status == status:
        passed += 1
        assert passed < 4 * burst
    assert (answer.status, answer.body["error"]) == (429, "TOO_MANY_REQUESTS")
    assert "Too much was asked" in answer.body["message"]
    assert answer.headers["retry-after"]
    return passed


def unknown() -> str:
    return f"/api/tables/{secrets.token_hex(4).upper()}"


def socket(base: str, table: str, address: str, cookie: str | None = None) -> connect:
    headers = {"x-forwarded-for": address} | ({"cookie": cookie} if cookie else {})
    return connect(
        base.replace("http", "ws", 1) + f"/api/tables/{table}/socket", additional_headers=headers, proxy=None
    )


async def ending(base: str, table: str, address: str, cookie: str | None = None) -> int:
    """Open a socket until it shows the table, or is closed; give the code it is closed with, after words, else 0."""
    told: list[Frame] = []
    async with socket(base, table, address, cookie) as ws:
        with contextlib.suppress(ConnectionClosed):
            while not told or told[-1]["type"] != "table":
                told.append(json.loads(await ws.recv()))
            return 0
    assert ws.close_code is not None
    assert told[-1]["code"] == {UNKNOWN: "TABLE_UNKNOWN", LATER: "TOO_MANY_REQUESTS"}[ws.close_code]
    assert told[-1]["message"]
    return ws.close_code


@contextlib.asynccontextmanager
async def held(
    base: str, table: str, address: str, number: int, cookie: str | None = None
) -> AsyncIterator[None]:
    sockets = [await socket(base, table, address, cookie) for _ in range(number)]
    try:
        yield
    finally:
        for each in sockets:
            each.transport.abort()


def test_an_address_opens_so_many_tables_at_once(far: Stack, address: str) -> None:
    burst = int(OF_ADDRESS.paces[What.TABLES].burst)
    opens = passing(lambda _: asked(far.base, "/api/tables", address, method="POST"), burst=burst, status=201)
    assert opens >= burst
    assert opened(far.base, "192.0.2.77", 1) == [201]


def test_a_browser_opens_so_many_tables_from_wherever_it_is(far: Stack) -> None:
    burst = int(OF_BROWSER.paces[What.TABLES].burst)
    cookie = asked(far.base, "/", "192.0.2.1").cookie
    opens = passing(
        lambda number: asked(
            far.base, "/api/tables", f"2001:db8:{number:x}::1", method="POST", cookie=cookie
        ),
        burst=burst,
        status=201,
    )
    assert opens >= burst


def spend_tries(base: str, address: str) -> int:
    """Try ids until one is refused; give how many were told to be no table's."""
    return passing(lambda _: asked(base, unknown(), address), burst=TRIES, status=404)


def test_to_who_tries_ids_what_is_there_looks_like_what_is_not(far: Stack, address: str) -> None:
    answer = asked(far.base, "/api/tables", "192.0.2.78", method="POST")
    there, cookie = f"/api/tables/{answer.body['table']}", answer.cookie
    assert asked(far.base, there, address).status == 200
    assert spend_tries(far.base, address) >= TRIES
    for _ in range(AGAIN):
        spend_tries(far.base, address)
        told = [_told(asked(far.base, path, address)) for path in (there, unknown())]
        if told[0] == told[1]:
            break
    assert (told[0], told[0][0]) == (told[1], 429)
    assert asked(far.base, there, address, cookie=cookie).status == 200


def _told(answer: Answered) -> tuple[int, object, set[str]]:
    return answer.status, answer.body, set(answer.headers) - {"set-cookie"}


def test_a_link_with_a_dot_behind_it_is_tried_no_sooner_than_the_table_is_asked_for(
    far: Stack, address: str
) -> None:
    for _ in range(TRIES + 1):
        assert asked(far.base, f"/t/{secrets.token_hex(4)}.", address).status == 200
    assert asked(far.base, unknown(), address).status == 404


def test_replays_are_tried_like_tables(far: Stack, address: str) -> None:
    replay = "/races/1/replay"
    spend_tries(far.base, address)
    statuses = [asked(far.base, unknown() + replay, address).status for _ in range(AGAIN)]
    assert 429 in statuses
    assert asked(far.base, unknown() + replay, "192.0.2.79").status == 404


async def test_who_tried_too_many_ids_comes_to_no_table_by_a_socket_but_to_its_own(
    far: Stack, address: str
) -> None:
    table, cookie = await open_table(far.base)
    for _ in range(AGAIN):
        spend_tries(far.base, address)
        codes = [await ending(far.base, each, address) for each in (table, unknown().rpartition("/")[2])]
        if codes == [LATER, LATER]:
            break
    assert codes == [LATER, LATER]
    assert await ending(far.base, table, address, cookie) == 0


async def test_sockets_of_tables_that_are_not_there_count_as_tries(far: Stack, address: str) -> None:
    tried = 0
    while (code := await ending(far.base, unknown().rpartition("/")[2], address)) == UNKNOWN:
        tried += 1
        assert tried < 5 * TRIES
    assert code == LATER
    assert tried >= TRIES


async def test_a_browser_has_so_many_sockets_open(far: Stack, address: str) -> None:
    table, _ = await open_table(far.base)
    cookie = asked(far.base, "/", address).cookie
    async with held(far.base, table, address, OF_BROWSER.sockets, cookie):
        assert await ending(far.base, table, "192.0.2.9", cookie) == LATER
        assert await ending(far.base, table, address) == 0
    async with asyncio.timeout(WAIT_S):
        while await ending(far.base, table, address, cookie) != 0:
            await asyncio.sleep(0.5)


async def test_a_socket_that_came_without_a_cookie_has_a_browsers_limits(far: Stack, address: str) -> None:
    burst = int(OF_BROWSER.paces[What.OFFERS].burst)
    table, _ = await open_table(far.base)
    told: list[Frame] = []
    async with socket(far.base, table, address) as ws:
        while not told or told[-1]["type"] != "table":
            told.append(json.loads(await ws.recv()))
        for _ in range(2 * burst):
            await ws.send(json.dumps({"type": "offer", "race": 1}))
        while sum(frame["type"] == "refused" for frame in told) < 2 * burst:
            told.append(json.loads(await ws.recv()))
    codes = [frame["code"] for frame in told if frame["type"] == "refused"]
    assert codes[:burst] == ["RACE_NOT_RUNNING"] * burst
    assert "TOO_MANY_REQUESTS" in codes[burst:]


def test_requests_have_a_limit_too(far: Stack, address: str) -> None:
    burst = int(OF_BROWSER.paces[What.REQUESTS].burst)
    cookie = asked(far.base, "/", address).cookie
    path = "/api/tables/" + asked(far.base, "/api/tables", "192.0.2.81", method="POST").body["table"]
    assert passing(lambda _: asked(far.base, path, address, cookie=cookie), burst=burst, status=200) >= burst


@pytest.mark.parametrize(("path", "status"), [("qr.svg", 200), ("races/0/replay", 404)])
def test_what_takes_work_to_make_is_made_so_many_times_at_once(
    far: Stack, address: str, path: str, status: int
) -> None:
    burst = int(OF_BROWSER.paces[What.DRAWN].burst)
    answer = asked(far.base, "/api/tables", address, method="POST")
    whole, cookie = f"/api/tables/{answer.body['table']}/{path}", answer.cookie
    assert (
        passing(lambda _: asked(far.base, whole, address, cookie=cookie), burst=burst, status=status) >= burst
    )


def test_nobody_is_believed_who_is_not_listed(tmp_path: Path) -> None:
    burst = int(OF_ADDRESS.paces[What.TABLES].burst)
    settings = FROM_FAR | {"proxies": "192.0.2.1"}
    with (
        store(tmp_path) as port,
        running(make_stack(f"redis://127.0.0.1:{port}/0", tmp_path, **settings)) as stack,
    ):
        opens = passing(
            lambda number: asked(stack.base, "/api/tables", f"2001:db8:{number:x}::1", method="POST"),
            burst=burst,
            status=201,
        )
    assert opens >= burst


@pytest.fixture
def two_gateways(tmp_path: Path) -> Iterator[tuple[str, str]]:
    with (
        store(tmp_path) as port,
        running(make_stack(f"redis://127.0.0.1:{port}/0", tmp_path, **FROM_FAR)) as stack,
    ):
        other = free_port()
        second = Service(
            "web_gateway",
            dict(stack.gateway.environment) | {"TILERACE_LISTEN": f"127.0.0.1:{other}"},
            tmp_path / "second.log",
        )
        both = dataclasses.replace(stack, gateway=second, port=other)
        try:
            second.start()
            both.wait_ready()
            yield stack.base, both.base
        finally:
            second.stop()


async def test_what_was_asked_of_one_gateway_counts_at_another(
    two_gateways: tuple[str, str], address: str
) -> None:
    one, two = two_gateways
    burst = int(OF_ADDRESS.paces[What.TABLES].burst)
    passing(lambda _: asked(one, "/api/tables", address, method="POST"), burst=burst, status=201)
    opened(two, address, burst // 2)
    async with asyncio.timeout(WAIT_S):
        while opened(two, address, 1) != [429]:
            await asyncio.sleep(0.5)
    assert opened(two, "192.0.2.80", 1) == [201]


async def test_sockets_at_one_gateway_count_at_another(two_gateways: tuple[str, str], address: str) -> None:
    one, two = two_gateways
    table, _ = await open_table(one)
    cookie = asked(one, "/", address).cookie
    half = OF_BROWSER.sockets // 2
    async with held(one, table, address, half, cookie), held(two, table, address, half, cookie):
        async with asyncio.timeout(WAIT_S):
            while await ending(two, table, address, cookie) != LATER:
                await asyncio.sleep(0.5)


async def test_a_full_house_refuses_tables_and_goes_on_with_races(tmp_path: Path) -> None:
    settings = FROM_FAR | {"most_tables": "3"}
    with (
        store(tmp_path) as port,
        running(make_stack(f"redis://127.0.0.1:{port}/0", tmp_path, **settings)) as stack,
    ):
        table, cookie = await open_table(stack.base)
        async with Friend.at(stack.base, table, cookie=cookie) as ann, Friend.at(stack.base, table) as bo:
            await bo.sits()
            async with asyncio.timeout(WAIT_S):
                while (answer := call(stack.base, "/api/tables", method="POST")).status == 201:
                    await asyncio.sleep(0.5)
            assert (answer.status, answer.body["error"]) == (503, "UNAVAILABLE")
            assert "no room for another table" in answer.body["message"]
            await bo.do("ready", ready=True)
            await ann.do("start")
            await ann.until_racing()
