"""The link that friends are given."""

import pytest

from web_gateway.reach import Addresses
from wire.settings import Address

LOOPBACK = Addresses(Address("127.0.0.1", 8000), "")
LAN = Addresses(Address("192.168.1.7", 8000), "")
EVERYWHERE = Addresses(Address("0.0.0.0", 8000), "")
PUBLIC = Addresses(Address("0.0.0.0", 8000), "https://race.example.org")


def test_the_public_address_is_given_where_one_is_set() -> None:
    assert PUBLIC.link("/t/K7QM2XWP", "10.0.0.5:8000") == ("https://race.example.org/t/K7QM2XWP", "public")


@pytest.mark.parametrize("host", ["localhost:8000", "127.0.0.1:8000", "[::1]:8000", None])
def test_on_loopback_only_this_machine_is_reached(host: str | None) -> None:
    link, reach = LOOPBACK.link("/t/K7QM2XWP", host)
    assert reach == "loopback"
    assert link == f"http://{host or '127.0.0.1:8000'}/t/K7QM2XWP"


def test_the_host_somebody_came_by_is_given_to_friends() -> None:
    assert EVERYWHERE.link("/t/K7QM2XWP", "den.local:8000") == ("http://den.local:8000/t/K7QM2XWP", "network")


@pytest.mark.parametrize("host", ["localhost:8000", "evil host", "a" * 300, 'x"><script>', "a@b", "a/b", ""])
def test_a_host_that_friends_cannot_use_gives_way_to_the_networks(host: str) -> None:
    assert LAN.link("/t/K7QM2XWP", host) == ("http://192.168.1.7:8000/t/K7QM2XWP", "network")
