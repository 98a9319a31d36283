"""Addresses: the link to give to friends, and who can reach it."""

import ipaddress
import re
import socket

from web_gateway.frames.server import Reach
from web_gateway.origin import origin_of
from wire.settings import Address

_HOST = re.compile(r"(?:\[[0-9A-Fa-f:.]{2,45}\]|[A-Za-z0-9._-]{1,253})(?::[0-9]{1,5})?")
_FAR = ("192.0.2.1", 9)  # an address for documentation (RFC 5737): connecting a datagram socket sends nothing


class Addresses:
    """Where this gateway is reached: by its public address, else by the network's or this machine's."""

    def __init__(self, listen: Address, public_url: str) -> None:
        """Look once which address of this machine others on the network can reach."""
        self._listen = listen
        self._public_url = public_url
        self._network = _network_host(listen)

    def link(self, path: str, host: str | None) -> tuple[str, Reach]:
        """Give the address of a path for friends, and who can reach it; `host` is the request's Host header."""
        if self._public_url:
            return self._public_url + path, "public"
        if host is not None and _is_host(host) and not _is_here(_bare(host)):
            return f"http://{host}{path}", "network"
        if self._network is not None:
            return f"http://{Address(self._network, self._port(host))}{path}", "network"
        here = host if host is not None and _is_host(host) else str(self._listen)
        return f"http://{here}{path}", "loopback"

    def _port(self, host: str | None) -> int:
        """Give the port that the request came to, which is the one listened on unless that was any free one."""
        came_by = origin_of(f"http://{host}")
        return self._listen.port if self._listen.port or came_by is None else came_by.port


def _is_host(host: str) -> bool:
    """Tell whether a Host header is a host that addresses can be made of, with a port or without."""
    return _HOST.fullmatch(host) is not None and origin_of(f"http://{host}") is not None


def is_loopback(host: str) -> bool:
    """Tell whether a host, by name or number, is this machine for itself only.

    >>> is_loopback("localhost"), is_loopback("127.0.0.1"), is_loopback("192.168.1.7")
    (True, True, False)
    """
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _is_here(host: str) -> bool:
    """Tell whether a host leads anyone who opens it to their own machine, as 0.0.0.0 does too."""
    try:
        return is_loopback(host) or ipaddress.ip_address(host).is_unspecified
    except ValueError:
        return False


def _network_host(listen: Address) -> str | None:
    """Give the address of this machine that others on the network reach, or None where only itself can."""
    if is_loopback(listen.host):
        return None
    try:
        if not ipaddress.ip_address(listen.host).is_unspecified:
            return listen.host
    except ValueError:
        return listen.host
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(_FAR)
        except OSError:
            return None
        found = str(probe.getsockname()[0])
    return None if is_loopback(found) else found


def _bare(host: str) -> str:
    return host[1 : host.index("]")] if host.startswith("[") else host.partition(":")[0].lower()
