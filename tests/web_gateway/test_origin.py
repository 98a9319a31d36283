"""Which pages may ask: those of this very host, by a name that no stranger can have."""

import pytest
from starlette.datastructures import Headers

from web_gateway.origin import Origins

ANYWHERE = Origins("")
PUBLIC = Origins("https://race.example.org")
PLAIN = Origins("http://race.example.org:8000")
SITES = ["same-origin", "same-site", "cross-site", "none"]


def headers(*origins: str, host: str = "den.local:8000", **others: str) -> Headers:
    fields = [("host", host), *(("origin", origin) for origin in origins)]
    fields += [(name.replace("_", "-"), value) for name, value in others.items()]
    return Headers(raw=[(name.encode(), value.encode("latin-1")) for name, value in fields])


@pytest.mark.parametrize(
    ("origin", "host"),
    [
        ("http://den.local:8000", "den.local:8000"),
        ("http://DEN.local:8000", "den.LOCAL:8000"),
        ("http://den.local", "den.local:80"),
        ("https://den.local", "den.local"),
        ("http://192.168.1.7:8000", "192.168.1.7:8000"),
        ("http://[::1]:8000", "[::1]:8000"),
        ("http://den.local.:8000", "den.local.:8000"),
        ("https://race.example.org", "race.example.org"),
    ],
)
def test_a_page_of_the_host_that_it_asks_is_ours(origin: str, host: str) -> None:
    assert ANYWHERE.is_ours(headers(origin, host=host))


@pytest.mark.parametrize(
    "origin",
    ["null", "", "file://", "http://", "http://den.local", "http://den.local:8001", "http://den.local.:8000",
     "http://other.den.local:8000", "http://den.local:8000.evil.example", "http://den.local:99999", "http://[",
     "http://den.local:8000/", "http://den.local:8000/a", "http://den.local:8000?a", "http://den.local:8000#a",
     "http://den.local:8000@evil.example", "http://evil.example@den.local:8000", "http://a:b@den.local:8000",
     "http://evil.example\\@den.local:8000", "http://den.local:8000 ", " http://den.local:8000", "den.local:8000",
     "http://den.local:8000, http://den.local:8000", "http://den.local:8000 http://evil.example",
     "ws://den.local:8000", "javascript:alert(1)", "chrome-extension://den.local:8000", "http://den.local\u00b7:8000",
     "http://[::1]:8000", "http://127.0.0.1:8000", "http://den.local:08000x", "http://[::1", "http://[:::]:8000", "http://[12345::]"],
)  # fmt: skip
def test_any_other_page_is_foreign(origin: str) -> None:
    assert not ANYWHERE.is_ours(headers(origin))


@pytest.mark.parametrize("first", ["http://den.local:8000", "http://evil.example"])
def test_two_origins_are_nobodys_even_if_they_agree(first: str) -> None:
    assert not ANYWHERE.is_ours(headers(first, "http://den.local:8000"))


@pytest.mark.parametrize("origins", [ANYWHERE, PUBLIC])
def test_who_says_nothing_of_a_page_is_no_browser(origins: Origins) -> None:
    assert origins.is_ours(headers())


@pytest.mark.parametrize("site", SITES)
def test_a_browser_that_names_no_origin_says_whose_page_asks(site: str) -> None:
    assert ANYWHERE.is_ours(headers(sec_fetch_site=site)) is (site in {"same-origin", "none"})


@pytest.mark.parametrize("site", SITES)
@pytest.mark.parametrize("dest", ["image", "iframe", "empty", "document"])
def test_a_page_of_another_site_embeds_nothing_of_ours_but_may_lead_to_it(site: str, dest: str) -> None:
    embedded = ANYWHERE.is_embedded(headers(sec_fetch_site=site, sec_fetch_dest=dest))
    assert embedded is (site in {"same-site", "cross-site"} and dest != "document")


def test_who_says_nothing_of_a_page_embeds_nothing() -> None:
    assert not ANYWHERE.is_embedded(headers())


def test_the_public_address_is_ours_behind_a_proxy_that_changes_the_host() -> None:
    assert PUBLIC.is_ours(headers("https://race.example.org", host="10.0.0.5:8000"))
    assert PUBLIC.is_ours(headers("https://RACE.example.org:443", host="gateway.internal"))


@pytest.mark.parametrize(
    "origin",
    [
        "http://race.example.org",
        "https://other.example.org",
        "https://example.org",
        "https://race.example.org.",
        "null",
    ],
)
def test_another_scheme_or_sibling_of_the_public_address_is_foreign(origin: str) -> None:
    host = origin.partition("//")[2]
    assert not PUBLIC.is_ours(headers(origin, host="race.example.org"))
    assert not PUBLIC.is_ours(headers(origin, host=host))


@pytest.mark.parametrize(
    "host", ["evil.example:8000", "race.example.org.evil.example", "192.168.1.7.nip.example"]
)
def test_a_strangers_name_that_leads_here_makes_no_page_ours(host: str) -> None:
    assert not PLAIN.is_ours(headers(f"http://{host}", host=host))


@pytest.mark.parametrize(
    "host",
    ["localhost:8000", "127.0.0.1:8000", "[::1]:8000", "192.168.1.7:8000", "den:8000", "den.local:8000", "den.lan",
     "gateway.home.arpa", "race.example.org:8000"],
)  # fmt: skip
def test_beside_the_public_address_the_names_of_ones_own_network_hold(host: str) -> None:
    assert PLAIN.is_ours(headers(f"http://{host}", host=host))


@pytest.mark.parametrize("host", ["localhost:8000", "127.0.0.1:8000", "den.local:8000"])
def test_whoever_runs_it_plays_on_their_own_machine_beside_a_tunnel_with_tls(host: str) -> None:
    assert PUBLIC.is_ours(headers(f"http://{host}", host=host))


def test_a_host_with_letters_of_its_language_is_known_as_browsers_write_it() -> None:
    assert Origins("https://rännen.example").is_ours(headers("https://xn--rnnen-gra.example"))


def test_a_request_for_two_hosts_is_for_none() -> None:
    raw = [(b"host", b"den.local"), (b"host", b"den.local"), (b"origin", b"http://den.local")]
    assert not ANYWHERE.is_ours(Headers(raw=raw))
    assert not ANYWHERE.is_ours(Headers(raw=raw[2:]))


def test_what_a_proxy_says_of_the_host_counts_for_nothing() -> None:
    forged = headers("http://evil.example", x_forwarded_host="evil.example", forwarded="host=evil.example")
    assert not ANYWHERE.is_ours(forged)
