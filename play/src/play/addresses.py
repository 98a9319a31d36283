"""The addresses to tell whoever runs it: for this machine, and for friends on the network."""

import ipaddress
import shlex
import socket
from collections.abc import Iterator
from pathlib import Path

from play.settings import DATA, FSYNC, PASSED_ON, PORT, Settings
from wire.settings import PREFIX, Address


def told(settings: Settings) -> Iterator[str]:
    """Give the lines that say where the page is, and who can reach it."""
    listen = settings.listen
    yield f"tilerace is running: {_url(_here(listen))}"
    if settings.public_url:
        yield f"Friends open:        {settings.public_url}"
    elif _is_loopback(listen.host):
        yield f"Only this machine can reach it. To let friends on your network in: {_for_the_network(settings)}"
    elif (friends := _for_friends(listen)) is not None:
        yield f"Friends open:        {_url(friends)}"
    if not settings.redis_url:
        yield f"The tables are kept in {settings.data}."
    yield "Ctrl-C stops it; the tables stay."


def _for_the_network(settings: Settings) -> str:
    """Write the command that lets friends in, and otherwise does as this one does."""
    changed = {
        "PORT": str(settings.listen.port) if settings.listen.port != PORT else "",
        "DATA": str(settings.data) if settings.data != Path(DATA).absolute() else "",
        "FSYNC": settings.fsync if settings.fsync != FSYNC else "",
        **{name: settings.environment.get(PREFIX + name, "") for name in PASSED_ON if name != "LOG"},
    }
    given = [f" {PREFIX}{name}={shlex.quote(value)}" for name, value in changed.items() if value]
    if settings.redis_url:  # which may hold a password
        given.append(f" {PREFIX}REDIS_URL=…")
    return f"make play {PREFIX}HOST=0.0.0.0{''.join(given)}"


def _url(address: Address) -> str:
    return f"http://{address}/"


def _here(listen: Address) -> Address:
    return Address({"0.0.0.0": "127.0.0.1", "::": "::1"}.get(listen.host, listen.host), listen.port)


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _for_friends(listen: Address) -> Address | None:
    if listen.host not in {"0.0.0.0", "::"}:
        return listen
    own = _own_address()
    return None if own is None else Address(own, listen.port)


def _own_address() -> str | None:
    # Connecting a datagram socket sends nothing; it only asks which address would be used. 192.0.2.1 is nobody's
    # (RFC 5737).
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return None
        found: str = probe.getsockname()[0]
        return None if _is_loopback(found) else found
