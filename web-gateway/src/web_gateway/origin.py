"""Whether a request comes from a page of ours, by what browsers say of it in Origin, Sec-Fetch-Site and Host."""

import ipaddress
import re
from collections.abc import Sequence
from typing import NamedTuple

from starlette.datastructures import Headers

ASKING = frozenset({"GET", "HEAD", "OPTIONS"})
"""Methods that change nothing; any other is checked."""
_ADDRESS = re.compile(r"(https?)://(\[[0-9a-f:.]{2,45}\]|[^\s/?#@:\[\]\\]{1,253})(?::([0-9]{1,5}))?")
_MOST_PORT = 65_535
_PORTS = {"http": 80, "https": 443}
_OUR_OWN_SITE = (["same-origin"], ["none"])
_AT_HOME = ("local", "lan", "home", "internal", "localdomain", "localhost", "home.arpa")
"""What names end in that nobody can have but on one's own network."""


class Origin(NamedTuple):
    """Where a page is from."""

    scheme: str
    host: str
    port: int


def origin_of(address: str) -> Origin | None:
    """Read an origin as browsers write it, None where it is none: no path, no user, nothing behind it.

    >>> origin_of("https://Race.example.org")
    Origin(scheme='https', host='race.example.org', port=443)
    >>> origin_of("http://race.example.org@evil.example") is None
    True
    """
    parts = _ADDRESS.fullmatch(address.lower())
    if parts is None:
        return None
    scheme, host, port = parts.groups()
    found = Origin(scheme, host, int(port or _PORTS[scheme]))
    return found if found.port <= _MOST_PORT and (host[0] != "[" or _number_of(host[1:-1])) else None


class Origins:
    """Which pages are ours: those of the public address, and those of the host that is asked, by a name of ours."""

    def __init__(self, public_url: str) -> None:
        """Take the public address, empty where none is set."""
        self._public = None if not public_url else origin_of(_as_browsers_write(public_url))

    def is_ours(self, headers: Headers) -> bool:
        """Tell whether a page of ours asks, or no page at all.

        Several Origin headers, one that is none (`null`), and another host, port or kind of name are a foreign page's.
        Where there is none, a browser that says so asks for our own page; whoever says nothing is no browser.
        """
        origins = headers.getlist("origin")
        if not origins:
            site = headers.getlist("sec-fetch-site")
            return not site or site in _OUR_OWN_SITE
        asking = origin_of(origins[0]) if len(origins) == 1 else None
        return asking is not None and (
            asking == self._public or self._is_of_host(asking, headers.getlist("host"))
        )

    @staticmethod
    def is_embedded(headers: Headers) -> bool:
        """Tell whether a page of another site has its reader's browser ask, for a picture or in a frame, say.

        Whoever follows a link there asks for themselves.
        """
        site = headers.getlist("sec-fetch-site")
        return bool(site) and site not in _OUR_OWN_SITE and headers.getlist("sec-fetch-dest") != ["document"]

    def _is_of_host(self, asking: Origin, hosts: Sequence[str]) -> bool:
        """Tell whether a page is of the host that it asks; with a public address, only by a name no stranger can have.

        A stranger's name that leads here makes the stranger's page one of this host (DNS rebinding).
        """
        asked = origin_of(f"{asking.scheme}://{hosts[0]}") if len(hosts) == 1 else None
        if asking != asked or self._public is None:
            return asking == asked
        if asking.host == self._public.host:
            return asking.scheme == self._public.scheme
        return _is_at_home(asking.host)


def _is_at_home(host: str) -> bool:
    if "." not in host or host.endswith(tuple(f".{ending}" for ending in _AT_HOME)):
        return True
    return host[0] == "[" or _number_of(host) is not None


def _number_of(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def _as_browsers_write(address: str) -> str:
    """Write the host's letters beyond ASCII as browsers do (IDNA)."""
    scheme, _, host = address.partition("://")
    return f"{scheme}://{host if host.isascii() else host.encode('idna').decode()}"
