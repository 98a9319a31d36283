"""A browser is known by its cookie, of which only the hash leaves the gateway."""

import hashlib
import re
from base64 import urlsafe_b64decode

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.requests import HTTPConnection

from web_gateway.api import Api
from web_gateway.gateway import Gateway
from web_gateway.identity import Identity, identify
from web_gateway.settings import Settings
from wire.settings import Environment

ONE, OTHER = "A" * 22, "B" * 21 + "A"


def cookies_of(who: Identity) -> str:
    """Give the Cookie header that a browser sends after these answers."""
    return "; ".join(cookie.partition(";")[0] for cookie in who.set_cookies)


def test_a_new_browser_gets_a_secret_of_128_bits_for_400_days() -> None:
    fresh = identify(None, secure=False)
    (set_cookie,) = fresh.set_cookies
    value = re.fullmatch(
        r"tilerace=([A-Za-z0-9_-]{22}); Path=/; Max-Age=34560000; HttpOnly; SameSite=Lax", set_cookie
    )
    assert value is not None
    secret = urlsafe_b64decode(value[1] + "==")
    assert len(secret) == 16
    assert fresh.browser == hashlib.sha256(secret).digest()


def test_under_https_the_cookie_is_secure_and_of_this_very_host() -> None:
    guarded, old = identify(None, secure=True).set_cookies
    shape = r"=([A-Za-z0-9_-]{22}); Path=/; Max-Age=34560000; HttpOnly; SameSite=Lax; Secure"
    one, other = re.fullmatch("__Host-tilerace" + shape, guarded), re.fullmatch("tilerace" + shape, old)
    assert one is not None
    assert other is not None
    assert one[1] == other[1]


def test_no_two_browsers_get_the_same() -> None:
    assert identify(None, secure=False).browser != identify(None, secure=False).browser


@pytest.mark.parametrize("secure", [False, True])
def test_a_browser_that_comes_back_is_the_same_and_gets_no_new_cookie(secure: bool) -> None:  # noqa: FBT001
    fresh = identify(None, secure=secure)
    again = identify(f"theme=dark; {cookies_of(fresh)}; x=1", secure=secure)
    assert again == Identity(fresh.browser)


@pytest.mark.parametrize(
    "cookies",
    ["", "tilerace=", "tilerace=short", "tilerace=" + "A" * 21, "tilerace=" + "A" * 23, "tilerace=" + "é" * 22,
     "tilerace=" + "A" * 21 + "B", "tilerace", ";;;", "=", 'tilerace="' + "A" * 22, "other=" + "A" * 22],
)  # fmt: skip
@pytest.mark.parametrize("prefix", ["", "__Host-"])
def test_a_malformed_cookie_makes_a_new_browser(prefix: str, cookies: str) -> None:
    secure = bool(prefix)
    assert len(identify(prefix + cookies, secure=secure).set_cookies) == 1 + secure


@given(st.text(max_size=80), st.booleans())
def test_any_cookie_header_makes_some_browser(cookies: str, secure: bool) -> None:  # noqa: FBT001
    assert len(identify(cookies, secure=secure).browser) == 32


@pytest.mark.parametrize("planted", [f"tilerace={OTHER}; ", f"tilerace={OTHER}; tilerace={ONE}; ", ""])
@pytest.mark.parametrize("after", [f"; tilerace={OTHER}", ""])
def test_a_cookie_that_a_sibling_host_planted_changes_nobody(planted: str, after: str) -> None:
    who = identify(f"{planted}__Host-tilerace={ONE}{after}", secure=True)
    assert who == Identity(identify(f"__Host-tilerace={ONE}", secure=True).browser)


def test_a_browser_of_the_release_before_keeps_who_it_is_and_gets_the_guarded_cookie() -> None:
    before = identify(f"tilerace={ONE}", secure=False)
    now = identify(f"tilerace={ONE}", secure=True)
    assert now.browser == before.browser
    (set_cookie,) = now.set_cookies
    assert set_cookie.startswith(f"__Host-tilerace={ONE}; Path=/;")


def test_a_browser_that_met_this_release_first_is_the_same_to_the_release_before() -> None:
    fresh = identify(None, secure=True)
    assert identify(cookies_of(fresh), secure=False) == Identity(fresh.browser)


def test_of_two_old_cookies_that_disagree_neither_is_believed() -> None:
    who = identify(f"tilerace={ONE}; tilerace={OTHER}", secure=True)
    both = {identify(f"tilerace={secret}", secure=True).browser for secret in (ONE, OTHER)}
    assert who.browser not in both
    assert len(who.set_cookies) == 2


def test_over_plain_http_the_guarded_name_is_nobodys() -> None:
    assert identify(f"__Host-tilerace={ONE}", secure=False).set_cookies


async def test_a_new_browser_is_the_same_one_for_a_whole_request() -> None:
    api = Api(Gateway(Settings.from_env(Environment({}))))
    first, second = (HTTPConnection({"type": "http", "client": None, "headers": []}) for _ in range(2))
    assert api.identify(first) is api.identify(first)
    assert api.identify(first).browser != api.identify(second).browser
