"""The address of the store: read whole, or refused in one sentence, before anything connects by it.

Everything that talks to a store does so by its URL, in a Cluster by that of each node with the same user and options
(`wire.node.url_of`). So TLS holds everywhere or nowhere: `rediss://`, with `ssl_ca_certs` for an authority of one's own,
`ssl_certfile` and `ssl_keyfile` for a certificate that the store asks for. Certificates and names are always verified.
"""

import os
import ssl
from collections.abc import Callable, Iterator, Mapping
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from redis.asyncio.connection import parse_url

from wire.log import events
from wire.settings import Environment, SettingsError

NAME = "TILERACE_REDIS_URL"
DEFAULT = "redis://127.0.0.1:6379/0"
SCHEMES = ("redis", "rediss", "unix")
_FILES = ("ssl_ca_certs", "ssl_certfile", "ssl_keyfile")
_LOG = events("wire.store")


def read(env: Environment, default: str = DEFAULT) -> str:
    """Read the address; the default may be empty, for none.

    Raises:
        SettingsError: it cannot be used, or is half of one; the words show no more of it than the files that it names.
    """
    url = env.url(NAME, default, schemes=SCHEMES, secret=True)
    for fault in _faults(url) if url else ():
        raise SettingsError(f"{NAME} {fault}.")
    return url


def tell_what_is_open(url: str) -> None:
    """Warn where the store is on another machine and anybody may read along, or in."""
    parts, options = urlsplit(url), parse_url(url)
    if parts.scheme == "unix" or _is_here(parts.hostname or ""):
        return
    if parts.scheme == "redis":
        _LOG.warning("the store is spoken to in clear", in_clear="password, names, boards, seeds")
    if "password" not in options and "ssl_certfile" not in options:
        _LOG.warning("the store is open to whoever reaches it")


def _faults(url: str) -> Iterator[str]:
    try:
        options: dict[str, Any] = dict(parse_url(url))
    except ValueError:
        yield "has an option that cannot be used; its value is not shown"
        return
    if "username" in options and not options.get("password"):
        yield "names a user without a password"
    path = options.get("path")
    if path is not None and not Path(path).parent.is_dir():
        yield f"names a socket in a folder that is not there, {Path(path).parent}"
    named = {name: value for name, value in options.items() if name.startswith("ssl_")}
    if named and urlsplit(url).scheme != "rediss":
        yield f"has {min(named)}, but asks for no TLS; that begins with rediss://"
    yield from _faults_of_tls(named)


def _faults_of_tls(named: Mapping[str, Any]) -> Iterator[str]:
    if named.get("ssl_cert_reqs", "required") != "required" or named.get("ssl_check_hostname") is False:
        yield "would believe any store; leave ssl_cert_reqs and ssl_check_hostname out, and name its authority by ssl_ca_certs"
    for option in _FILES:
        if option in named and not os.access(named[option], os.R_OK):
            yield f"names a file by {option} that cannot be read, {named[option]}"
    if "ssl_keyfile" in named and "ssl_certfile" not in named:
        yield "has ssl_keyfile without ssl_certfile"
    if "ssl_ca_certs" in named and not _loads(
        lambda: ssl.create_default_context(cafile=named["ssl_ca_certs"])
    ):
        yield "names a file by ssl_ca_certs that holds no certificate"
    if "ssl_certfile" in named and not _loads(lambda: _load_pair(named)):
        yield "names a certificate by ssl_certfile without its key, which stands there too or in ssl_keyfile"


def _load_pair(named: Mapping[str, Any]) -> None:
    # With a password of some kind, or OpenSSL would ask for one on the terminal.
    ssl.create_default_context().load_cert_chain(
        named["ssl_certfile"], named.get("ssl_keyfile"), password=lambda: str(named.get("ssl_password", ""))
    )


def _loads(load: Callable[[], object]) -> bool:
    try:
        load()
    except (OSError, ValueError):  # an SSLError is an OSError
        return False
    return True


def _is_here(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


__all__ = ["DEFAULT", "NAME", "SCHEMES", "read", "tell_what_is_open"]
