"""Who asks: which address a request comes from, and whom a proxy is believed."""

import ipaddress

import pytest
from starlette.requests import HTTPConnection

from web_gateway.askers import HOMES, MOST_HOPS, Askers
from web_gateway.limits import OF_ADDRESS, What
from web_gateway.settings import Settings
from wire.ids import BrowserHash
from wire.refusal import Refused
from wire.settings import Environment, Network, SettingsError

ANN = BrowserHash(bytes(32))


def proxies(*networks: str) -> tuple[Network, ...]:
    return tuple(ipaddress.ip_network(network) for network in networks)


def asked(peer: str | None, **headers: str) -> HTTPConnection:
    raw = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return HTTPConnection(
        {"type": "http", "client": None if peer is None else (peer, 40_000), "headers": raw}
    )


def packed(address: str) -> bytes:
    return ipaddress.ip_address(address).packed


def still(*, times: int) -> Askers:
    """Give askers whose clock stands, so that nothing comes back."""
    return Askers((), times=times, monotonic=lambda: 1.0)


def home(peer: str | None, *networks: str, **headers: str) -> bytes | None:
    return Askers(proxies(*networks), times=1).home_of(asked(peer, **headers))


def test_a_request_comes_from_its_connections_address() -> None:
    assert home("203.0.113.7") == packed("203.0.113.7")


def test_this_machine_itself_is_limited_too_as_a_tunnel_may_end_here() -> None:
    assert home("127.0.0.1") == packed("127.0.0.1")


def test_nobody_is_believed_who_is_not_listed() -> None:
    assert home("203.0.113.7", "10.0.0.0/8", x_forwarded_for="198.51.100.1") == packed("203.0.113.7")


def test_a_listed_proxy_is_believed() -> None:
    assert home("10.1.2.3", "10.0.0.0/8", x_forwarded_for="198.51.100.1") == packed("198.51.100.1")


def test_what_a_client_wrote_itself_stands_before_what_the_proxy_added_and_is_not_believed() -> None:
    forged = "192.0.2.1, 10.9.9.9, 198.51.100.1"
    assert home("10.1.2.3", "10.0.0.0/8", x_forwarded_for=forged) == packed("198.51.100.1")


def test_one_goes_back_through_all_proxies_that_are_listed() -> None:
    chain = "192.0.2.1, 198.51.100.1, 10.2.0.1, 10.2.0.2"
    assert home("10.1.2.3", "10.0.0.0/8", x_forwarded_for=chain) == packed("198.51.100.1")


def test_several_headers_are_one_list() -> None:
    request = HTTPConnection(
        {
            "type": "http",
            "client": ("10.1.2.3", 1),
            "headers": [(b"x-forwarded-for", b"192.0.2.1"), (b"x-forwarded-for", b"198.51.100.1")],
        }
    )
    assert Askers(proxies("10.0.0.0/8"), times=1).home_of(request) == packed("198.51.100.1")


@pytest.mark.parametrize("said", ["", "unknown", "_hidden", "203.0.113.7, nonsense", "999.1.1.1", ","])
def test_where_a_proxy_says_nothing_that_can_be_read_the_request_is_its_own(said: str) -> None:
    assert home("10.1.2.3", "10.0.0.0/8", x_forwarded_for=said) == packed("10.1.2.3")


@pytest.mark.parametrize(
    "said",
    [
        "198.51.100.1:1234",
        "::ffff:198.51.100.1",
        "[::ffff:198.51.100.1]:80",
        "64:ff9b::198.51.100.1",
        "64:FF9B::c633:6401",
    ],
)
def test_an_address_is_read_however_it_is_written(said: str) -> None:
    assert home("10.1.2.3", "10.0.0.0/8", x_forwarded_for=said) == packed("198.51.100.1")


def test_an_ipv4_peer_of_an_ipv6_socket_is_one_of_ipv4() -> None:
    assert home("::ffff:10.1.2.3", "10.0.0.0/8", x_forwarded_for="198.51.100.1") == packed("198.51.100.1")


def test_all_addresses_of_one_ipv6_home_are_one() -> None:
    assert home("2001:db8:1:2::1") == home("2001:db8:1:2:ffff::9%eth0") == packed("2001:db8:1:2::")[:8]
    assert home("2001:db8:1:2::1") != home("2001:db8:1:3::1")


def test_all_homes_of_one_ipv6_site_have_what_sixteen_may_have() -> None:
    askers = still(times=1)
    burst = int(OF_ADDRESS.paces[What.TABLES].burst)
    allowed = 0
    for home_number in range(2 * HOMES):
        asker = askers.of(asked(f"2001:db8:1:{home_number:x}::1"), None)
        spent = sum(asker.allows(What.TABLES) for _ in range(burst + 1))
        assert spent <= burst
        allowed += spent
    assert allowed == HOMES * burst
    assert askers.of(asked("2001:db8:2:1::1"), None).allows(What.TABLES)


def test_sockets_of_one_ipv6_site_are_counted_together() -> None:
    askers = still(times=1)
    for number in range(HOMES * OF_ADDRESS.sockets):
        askers.of(asked(f"2001:db8:1:{number % 500:x}::1"), None).opened()
    assert not askers.of(asked("2001:db8:1:ffff::1"), None).address_may_open()
    assert askers.of(asked("2001:db8:2:ffff::1"), None).address_may_open()


def test_a_list_without_end_is_read_to_a_bound() -> None:
    chain = ", ".join(["10.0.0.1"] * 5_000)
    assert home("10.1.2.3", "10.0.0.0/8", x_forwarded_for=f"192.0.2.1, {chain}") == packed("10.0.0.1")
    within = ", ".join(["10.0.0.1"] * (MOST_HOPS - 1))
    assert home("10.1.2.3", "10.0.0.0/8", x_forwarded_for=f"192.0.2.1, {within}") == packed("192.0.2.1")


def test_a_peer_without_an_address_is_limited_too() -> None:
    assert home(None) == b""


def test_an_asker_spends_of_its_browser_and_of_its_address() -> None:
    askers = still(times=1)
    asker = askers.of(asked("203.0.113.7"), ANN)
    while asker.allows(What.TABLES):
        pass
    with pytest.raises(Refused, match="Too much was asked"):
        asker.ask(What.TABLES)
    assert asker.has_spent(What.TABLES)
    assert askers.of(asked("203.0.113.7"), None).allows(What.TABLES)
    assert not askers.of(asked("198.51.100.1"), ANN).allows(What.TABLES)


def test_browsers_without_a_cookie_share_their_addresss_limits() -> None:
    askers = still(times=1)
    burst = int(OF_ADDRESS.paces[What.TABLES].burst)
    allowed = [askers.of(asked("203.0.113.7"), None).allows(What.TABLES) for _ in range(burst + 1)]
    assert allowed == [True] * burst + [False]


def test_an_address_may_be_let_ask_more_often_or_as_often_as_it_likes() -> None:
    burst = int(OF_ADDRESS.paces[What.TABLES].burst)
    thrice, free = (still(times=times).of(asked("203.0.113.7"), None) for times in (3, 0))
    assert [thrice.allows(What.TABLES) for _ in range(3 * burst + 1)] == [True] * 3 * burst + [False]
    assert all(free.allows(What.TABLES) for _ in range(10 * burst))


def test_sockets_are_counted_until_they_close() -> None:
    askers = still(times=1)
    asker = askers.of(asked("203.0.113.7"), None)
    for _ in range(OF_ADDRESS.sockets):
        asker.opened()
    assert not asker.address_may_open()
    asker.closed()
    assert asker.address_may_open()
    assert asker.browser_may_open()


def test_proxies_are_this_machines_own_unless_others_are_listed() -> None:
    assert Settings.from_env(Environment({})).proxies == proxies("127.0.0.0/8", "::1")
    env = Environment({"TILERACE_PROXIES": "10.0.0.0/8, 2001:db8::/32,192.0.2.1"})
    assert Settings.from_env(env).proxies == proxies("10.0.0.0/8", "2001:db8::/32", "192.0.2.1/32")


@pytest.mark.parametrize("text", ["10.0.0.1/8", "everybody", "10.0.0.0/8,,", "10.0.0.0/33"])
def test_what_is_no_network_is_refused(text: str) -> None:
    with pytest.raises(SettingsError, match=r"TILERACE_PROXIES is .* such as 10\.0\.0\.0/8"):
        Settings.from_env(Environment({"TILERACE_PROXIES": text}))


def test_a_proxy_that_is_not_listed_is_told_of_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    home("10.1.2.3", "192.0.2.1", x_forwarded_for="198.51.100.1")
    assert "a proxy that is not listed passes requests on" in caplog.text
    caplog.clear()
    home("9.9.9.9", "192.0.2.1", x_forwarded_for="198.51.100.1")
    assert "passes requests on" not in caplog.text
