"""Who a browser is: a secret in its cookie, of which only the hash leaves the gateway (docs/architecture.md, rule 9).

Over https the cookie's name begins with `__Host-`, so that no other host of the domain can plant one (RFC 6265bis,
section 4.1.3.2). The name before that is still read and set beside it, for releases that know no other
(docs/decisions/0014).
"""

import base64
import binascii
import re
from collections.abc import Iterator
from dataclasses import dataclass

from wire.ids import SECRET_BYTES, BrowserHash, BrowserSecret, browser_hash, new_secret

COOKIE = "tilerace"
GUARDED = f"__Host-{COOKIE}"
"""The cookie's name over https."""
LASTS_S = 400 * 24 * 3600
"""400 days, the most that browsers keep a cookie (RFC 6265bis, section 5.5)."""

_SHAPE = re.compile(r"[A-Za-z0-9_-]{22}")


@dataclass(frozen=True, slots=True)
class Identity:
    """A browser: the hash of its secret, and the values of the Set-Cookie headers by which it learns its secret.

    One that is `fresh` came without a secret; where it keeps no cookies, its next request is another's.
    """

    browser: BrowserHash
    set_cookies: tuple[str, ...] = ()
    fresh: bool = False


def identify(cookies: str | None, *, secure: bool) -> Identity:
    """Read who asks from a Cookie header; a browser without a secret, or with a malformed one, gets one.

    `secure` is whether the public address is https.
    """
    return _guarded(cookies or "") if secure else _plain(cookies or "")


def _plain(cookies: str) -> Identity:
    secret = next(_secrets(cookies, COOKIE), None)
    if secret is not None:
        return Identity(browser_hash(secret))
    return _fresh(COOKIE, secure=False)


def _guarded(cookies: str) -> Identity:
    """Read the guarded cookie; where there is none, one under the old name is believed if no two of them disagree."""
    secret = next(_secrets(cookies, GUARDED), None)
    if secret is not None:
        return Identity(browser_hash(secret))
    old = set(_secrets(cookies, COOKIE))
    if len(old) == 1:
        known = old.pop()
        return Identity(browser_hash(known), (_set_cookie(GUARDED, known, secure=True),))
    return _fresh(GUARDED, COOKIE, secure=True)


def _fresh(*names: str, secure: bool) -> Identity:
    secret = new_secret()
    return Identity(
        browser_hash(secret), tuple(_set_cookie(name, secret, secure=secure) for name in names), fresh=True
    )


def _secrets(cookies: str, name: str) -> Iterator[BrowserSecret]:
    """Find the well-formed secrets in cookies of a name.

    Ports of one host share their cookies, so those of other programs are passed over whatever their shape;
    http.cookies would give up at the first that it cannot read.
    """
    for cookie in cookies.split(";"):
        called, _, value = cookie.strip().partition("=")
        if called == name and _SHAPE.fullmatch(value):
            secret = _decoded(value)
            if secret is not None:
                yield secret


def _decoded(value: str) -> BrowserSecret | None:
    try:
        secret = base64.urlsafe_b64decode(value + "==")
    except (binascii.Error, ValueError):
        return None
    return BrowserSecret(secret) if len(secret) == SECRET_BYTES and _text(secret) == value else None


def _text(secret: bytes) -> str:
    return base64.urlsafe_b64encode(secret).rstrip(b"=").decode()


def _set_cookie(name: str, secret: BrowserSecret, *, secure: bool) -> str:
    ending = "; Secure" if secure else ""
    return f"{name}={_text(secret)}; Path=/; Max-Age={LASTS_S}; HttpOnly; SameSite=Lax{ending}"
