"""A browser is known by its cookie, of which only the hash leaves the gateway."""

import hashlib
import re
from base64 import urlsafe_b64decode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from web_gateway.identity import identify


def cookie_of(set_cookie: str) -> str:
    return set_cookie.partition(";")[0]


def test_a_new_browser_gets_a_secret_of_128_bits_for_400_days() -> None:
    fresh = identify(None, secure=False)
    assert fresh.set_cookie is not None
    value = re.fullmatch(
        r"tilerace=([A-Za-z0-9_-]{22}); Path=/; Max-Age=34560000; HttpOnly; SameSite=Lax", fresh.set_cookie
    )
    assert value is not None
    secret = urlsafe_b64decode(value[1] + "==")
    assert len(secret) == 16
    assert fresh.browser == hashlib.sha256(secret).digest()


def test_under_https_the_cookie_is_secure() -> None:
    assert (identify(None, secure=True).set_cookie or "").endswith("; Secure")


def test_no_two_browsers_get_the_same() -> None:
    assert identify(None, secure=False).browser != identify(None, secure=False).browser


def test_a_browser_that_comes_back_is_the_same_and_gets_no_new_cookie() -> None:
    fresh = identify(None, secure=False)
    again = identify(f"theme=dark; {cookie_of(fresh.set_cookie or '')}; x=1", secure=False)
    assert (again.browser, again.set_cookie) == (fresh.browser, None)


@pytest.mark.parametrize(
    "cookies",
    ["", "tilerace=", "tilerace=short", "tilerace=" + "A" * 21, "tilerace=" + "A" * 23, "tilerace=" + "é" * 22,
     "tilerace=" + "A" * 21 + "B", "tilerace", ";;;", "=", 'tilerace="' + "A" * 22, "other=" + "A" * 22],
)  # fmt: skip
def test_a_malformed_cookie_makes_a_new_browser(cookies: str) -> None:
    assert identify(cookies, secure=False).set_cookie is not None


@given(st.text(max_size=80))
def test_any_cookie_header_makes_some_browser(cookies: str) -> None:
    assert len(identify(cookies, secure=False).browser) == 32
