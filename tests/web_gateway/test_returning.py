"""Who had a seat comes back to it, whatever others behind the same address have used up."""

import pytest
from tests.web_gateway.desk import BO, TABLE, Desk, news

from web_gateway import returning
from web_gateway.accounts import Accounts, Notable
from web_gateway.askers import Asker
from web_gateway.gateway import Gateway
from web_gateway.limits import OF_ADDRESS, What
from web_gateway.returning import LASTS_S, Returning
from web_gateway.settings import Settings
from wire.ids import BrowserHash
from wire.settings import Environment


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def browser(number: int) -> BrowserHash:
    return BrowserHash(bytes([number]) * 32)


@pytest.mark.parametrize("seated", [0, 7])
async def test_a_browser_whose_socket_closes_may_return_where_it_had_a_seat(seated: int) -> None:
    desk = Desk()
    socket, _ = desk.opens(7)
    desk.tables.heard(news(1, seated=seated), pushed=True)
    socket.closed(1006)
    assert desk.returning.may_return(BO, TABLE) is bool(seated)


def test_who_left_too_long_ago_is_forgotten() -> None:
    clock = Clock()
    those = Returning(monotonic=clock)
    those.left(BO, TABLE)
    clock.now += LASTS_S - 1
    still = those.may_return(BO, TABLE)
    clock.now += 1
    assert (still, those.may_return(BO, TABLE)) == (True, False)


def test_no_more_are_remembered_than_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(returning, "MOST", 2)
    those = Returning()
    for number in (1, 2, 1, 3):
        those.left(browser(number), TABLE)
    assert [those.may_return(browser(number), TABLE) for number in (1, 2, 3)] == [True, False, True]


async def test_nobody_behind_the_same_address_keeps_who_had_a_seat_from_it() -> None:
    gateway = Gateway(Settings.from_env(Environment({})))
    address = Accounts("address", OF_ADDRESS, notable=Notable(), monotonic=Clock()).of(b"a school")
    while address.allows(What.REQUESTS):
        pass
    asker = Asker(None, address)
    gateway.returning.left(BO, TABLE)
    assert await gateway.seats(BO, TABLE, asker=asker)
    assert not await gateway.seats(browser(1), TABLE, asker=asker)
