"""What askers have spent at all gateways, added up in a real store."""

import asyncio
import time
from collections.abc import AsyncIterator

import pytest

from table_service.limits import MOST, Limits
from tilerace.table.v1 import table_pb2
from wire import keys
from wire.refusal import Refused
from wire.store import Store

ONE, TWO = b"1" * 16, b"2" * 16
KEY = b"k" * 16
SECOND_US = 1_000_000
ROUNDING_S = 0.01
"""By how much the store's clock may differ from ours meanwhile."""


@pytest.fixture
async def store(store_url: str) -> AsyncIterator[Store]:
    store = await Store.connect(store_url)
    yield store
    await store.aclose()


@pytest.fixture
def limits(store: Store) -> Limits:
    return Limits(store)


async def spend(limits: Limits, gateway: bytes, spent: int, key: bytes = KEY) -> float:
    """Tell of what was spent of a limit of one a second, ten at once; give the seconds until all is back."""
    told = table_pb2.Spent(key=key, each_us=SECOND_US, burst=10, spent=spent)
    answer = await limits.share(table_pb2.ShareLimitsRequest(gateway=gateway, spent=[told]))
    return answer.shared[0].short_us / SECOND_US


async def hold(limits: Limits, gateway: bytes, sockets: int) -> int:
    told = table_pb2.Spent(key=KEY, open=sockets)
    answer = await limits.share(table_pb2.ShareLimitsRequest(gateway=gateway, spent=[told]))
    return answer.shared[0].elsewhere


async def test_what_two_gateways_tell_is_added_up(limits: Limits) -> None:
    began = time.monotonic()
    assert await spend(limits, ONE, 3) == 3
    sums = [await spend(limits, TWO, 2), await spend(limits, ONE, 0)]
    came_back = time.monotonic() - began
    assert all(5 - came_back - ROUNDING_S <= each <= 5 for each in sums)


async def test_limits_of_different_keys_have_nothing_to_do_with_each_other(limits: Limits) -> None:
    await spend(limits, ONE, 3)
    assert await spend(limits, ONE, 1, key=b"o" * 16) == 1


async def test_nobody_owes_for_ever(limits: Limits) -> None:
    assert await spend(limits, ONE, 1_000) == 20


async def test_what_has_come_back_is_gone_from_the_store(limits: Limits, store: Store) -> None:
    told = table_pb2.Spent(key=KEY, each_us=1_000, burst=10, spent=5)
    await limits.share(table_pb2.ShareLimitsRequest(gateway=ONE, spent=[told]))
    await asyncio.sleep(0.1)
    assert await store.read([("GET", keys.limit_key(KEY))]) == [None]


async def test_open_sockets_of_other_gateways_are_told(limits: Limits) -> None:
    assert await hold(limits, ONE, 30) == 0
    assert await hold(limits, TWO, 12) == 30
    assert await hold(limits, ONE, 31) == 12


async def test_sockets_of_a_gateway_that_is_gone_count_no_more(
    limits: Limits, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("table_service.limits.GATEWAY_LIVES_MS", 50)
    await hold(limits, ONE, 30)
    monkeypatch.undo()
    await hold(limits, TWO, 12)
    await asyncio.sleep(0.1)
    assert await hold(limits, b"3" * 16, 1) == 12


async def test_sockets_told_before_the_stores_clock_went_back_count_no_more(
    limits: Limits, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("table_service.limits.GATEWAY_LIVES_MS", 3_600_000)
    await hold(limits, ONE, 30)
    monkeypatch.undo()
    assert await hold(limits, TWO, 12) == 0
    assert await hold(limits, ONE, 31) == 12


async def test_many_limits_are_answered_in_order(limits: Limits) -> None:
    told = [
        table_pb2.Spent(key=number.to_bytes(16, "little"), each_us=SECOND_US, burst=1_000, spent=number)
        for number in range(1, 200)
    ]
    answer = await limits.share(table_pb2.ShareLimitsRequest(gateway=ONE, spent=told))
    assert [shared.short_us // SECOND_US for shared in answer.shared] == list(range(1, 200))


@pytest.mark.parametrize(
    "request_",
    [
        table_pb2.ShareLimitsRequest(gateway=b"short"),
        table_pb2.ShareLimitsRequest(gateway=ONE, spent=[table_pb2.Spent(key=b"short")]),
        table_pb2.ShareLimitsRequest(gateway=ONE, spent=[table_pb2.Spent(key=KEY, spent=-1)]),
        table_pb2.ShareLimitsRequest(gateway=ONE, spent=[table_pb2.Spent(key=KEY, each_us=1 << 60)]),
        table_pb2.ShareLimitsRequest(gateway=ONE, spent=[table_pb2.Spent(key=KEY, open=1 << 40)]),
        table_pb2.ShareLimitsRequest(gateway=ONE, spent=[table_pb2.Spent(key=KEY)] * (MOST + 1)),
    ],
)
async def test_what_no_gateway_tells_is_refused(
    limits: Limits, request_: table_pb2.ShareLimitsRequest
) -> None:
    with pytest.raises(Refused, match="as a gateway of ours"):
        await limits.share(request_)
