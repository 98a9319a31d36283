"""Limits told to other gateways: only of those who ask for much, and heard from them."""

import ipaddress

import pytest
from starlette.requests import HTTPConnection

from tilerace.table.v1 import table_pb2
from web_gateway.askers import Asker, Askers
from web_gateway.limits import OF_ADDRESS, What
from web_gateway.sharing import Sharing
from wire.refusal import Refusal, Refused

BURST = int(OF_ADDRESS.paces[What.TABLES].burst)


class Desk:
    """Stands where table-service does."""

    def __init__(self) -> None:
        self.told: list[table_pb2.ShareLimitsRequest] = []
        self.short_us = 0
        self.elsewhere = 0
        self.away = False

    async def share_limits(self, request: table_pb2.ShareLimitsRequest) -> table_pb2.ShareLimitsResponse:
        if self.away:
            raise Refused(Refusal.UNAVAILABLE)
        self.told.append(request)
        return table_pb2.ShareLimitsResponse(
            shared=[table_pb2.Shared(short_us=self.short_us, elsewhere=self.elsewhere) for _ in request.spent]
        )


@pytest.fixture
def askers() -> Askers:
    return Askers((), times=1, monotonic=lambda: 1.0)


def asker(askers: Askers) -> Asker:
    raw = {"type": "http", "client": ("203.0.113.7", 1), "headers": []}
    return askers.of(HTTPConnection(raw), None)


async def test_ordinary_players_are_not_told_of(askers: Askers) -> None:
    desk = Desk()
    assert all(asker(askers).allows(What.TABLES) for _ in range(5))
    asker(askers).opened()
    await Sharing(askers, desk).share()
    assert not desk.told


async def test_what_was_spent_is_told_once(askers: Askers) -> None:
    desk = Desk()
    sharing = Sharing(askers, desk)
    for _ in range(BURST // 2):
        asker(askers).allows(What.TABLES)
    desk.short_us = BURST // 2 * 1_000_000
    await sharing.share()
    await sharing.share()
    first, second = desk.told
    assert [(each.spent, each.burst, each.each_us) for each in first.spent] == [
        (BURST // 2, BURST, 1_000_000)
    ]
    assert [each.spent for each in second.spent] == [0]
    assert ipaddress.ip_address("203.0.113.7").packed not in first.SerializeToString()


async def test_what_was_spent_elsewhere_counts(askers: Askers) -> None:
    desk = Desk()
    for _ in range(BURST // 2):
        asker(askers).allows(What.TABLES)
    assert not asker(askers).has_spent(What.TABLES)
    desk.short_us = BURST * 1_000_000
    await Sharing(askers, desk).share()
    assert asker(askers).has_spent(What.TABLES)


async def test_sockets_that_are_open_elsewhere_count(askers: Askers) -> None:
    desk = Desk()
    for _ in range(OF_ADDRESS.sockets // 2):
        asker(askers).opened()
    assert asker(askers).address_may_open()
    desk.elsewhere = OF_ADDRESS.sockets // 2
    await Sharing(askers, desk).share()
    assert desk.told[0].spent[0].open == OF_ADDRESS.sockets // 2
    assert not asker(askers).address_may_open()


async def test_a_store_that_lost_what_was_spent_gives_nothing_back(askers: Askers) -> None:
    desk = Desk()
    sharing = Sharing(askers, desk)
    while not asker(askers).has_spent(What.TABLES):
        asker(askers).allows(What.TABLES)
    desk.away = True
    with pytest.raises(Refused):
        await sharing.share()
    desk.away, desk.short_us = False, 0
    await sharing.share()
    assert sum(asker(askers).allows(What.TABLES) for _ in range(BURST)) < BURST // 2


class Slow(Desk):
    """Has somebody close a socket before it answers."""

    def __init__(self, closing: Asker) -> None:
        super().__init__()
        self._closing = closing

    async def share_limits(self, request: table_pb2.ShareLimitsRequest) -> table_pb2.ShareLimitsResponse:
        self._closing.closed()
        return await super().share_limits(request)


async def test_who_has_few_sockets_left_by_the_answer_is_not_held_to_those_elsewhere_for_ever(
    askers: Askers,
) -> None:
    many = asker(askers)
    for _ in range(OF_ADDRESS.sockets // 4):
        many.opened()
    desk = Slow(many)
    desk.elsewhere = OF_ADDRESS.sockets
    await Sharing(askers, desk).share()
    assert many.address_may_open()


async def test_while_nobody_hears_a_gateway_goes_by_what_it_knows(askers: Askers) -> None:
    desk = Desk()
    desk.away = True
    for _ in range(BURST // 2):
        asker(askers).allows(What.TABLES)
    with pytest.raises(Refused):
        await Sharing(askers, desk).share()
    assert asker(askers).allows(What.TABLES)
