"""Who a browser is: a secret in its cookie, of which only the hash leaves the gateway (docs/architecture.md, rule 9)."""

import base64
import binascii
import re
from dataclasses import dataclass

from wire.ids import SECRET_BYTES, BrowserHash, BrowserSecret, browser_hash, new_secret

COOKIE = "tilerace"
LASTS_S = 400 * 24 * 3600
"""400 days, the most that browsers keep a cookie (RFC 6265bis, section 5.5)."""

_SHAPE = re.compile(r"[A-Za-z0-9_-]{22}")


@dataclass(frozen=True, slots=True)
class Identity:
    """A browser: the hash of its secret, and the Set-Cookie header's value where it is new or to be kept longer."""

    browser: BrowserHash
    set_cookie: str | None


def identify(cookies: str | None, *, secure: bool) -> Identity:
    """Read who asks from a Cookie header; a browser without a secret, or with a malformed one, gets one.

    `secure` is whether the public address is https.
    """
    secret = _secret(cookies or "")
    if secret is not None:
        return Identity(browser_hash(secret), None)
    fresh = new_secret()
    return Identity(browser_hash(fresh), _set_cookie(fresh, secure=secure))


def _secret(cookies: str) -> BrowserSecret | None:
    """Find the first well-formed secret.

    Ports of one host share their cookies, so those of other programs are passed over whatever their shape;
    http.cookies would give up at the first that it cannot read.
    """
    for cookie in cookies.split(";"):
        name, _, value = cookie.strip().partition("=")
        if name == COOKIE and _SHAPE.fullmatch(value):
            secret = _decoded(value)
            if secret is not None:
                return secret
    return None


def _decoded(value: str) -> BrowserSecret | None:
    try:
        secret = base64.urlsafe_b64decode(value + "==")
    except (binascii.Error, ValueError):
        return None
    return BrowserSecret(secret) if len(secret) == SECRET_BYTES and _text(secret) == value else None


def _text(secret: bytes) -> str:
    return base64.urlsafe_b64encode(secret).rstrip(b"=").decode()


def _set_cookie(secret: BrowserSecret, *, secure: bool) -> str:
    ending = "; Secure" if secure else ""
    return f"{COOKIE}={_text(secret)}; Path=/; Max-Age={LASTS_S}; HttpOnly; SameSite=Lax{ending}"
