"""Who asks: the address that a request comes from, and its browser, with what both may still ask for.

A request that a proxy passes on comes from the proxy's address; whom it came from the proxy says in X-Forwarded-For. As
anybody may write that, it is believed only from proxies that the settings list, and only as far as these go.
"""

import ipaddress
import time
from collections.abc import Iterator, Sequence
from functools import partial

from starlette.requests import HTTPConnection

from web_gateway.accounts import Account, Accounts, Bucket, Monotonic, Notable
from web_gateway.limits import OF_ADDRESS, OF_BROWSER, What
from wire.ids import BrowserHash
from wire.log import events
from wire.refusal import Refusal, Refused
from wire.seldom import Seldom
from wire.settings import Network

MOST_HOPS = 16
"""How many proxies a request may have come through."""
IPV6_HOME = 64
"""How many bits of an IPv6 address are one home's or one machine's, which has all addresses that begin so (RFC 6177)."""
IPV6_SITE = 48
"""How many are a site's, which may have 65,536 such to itself, or give them to as many customers."""
HOMES = 16
"""How many homes' worth all addresses of one site may ask for."""
_TRANSLATED = ipaddress.IPv6Network("64:ff9b::/96")
"""Where a network of IPv6 alone has all of IPv4 (RFC 6052, section 2.1)."""
_FORWARDED_FOR = "x-forwarded-for"
_LOG = events("web_gateway")

IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address


class Asker:
    """Who asks, with its accounts: of a browser that is known, and of its address, as one and as one of a site's."""

    __slots__ = ("_address", "_browser")

    def __init__(self, browser: Account | None, *address: Account) -> None:
        """Ask for these accounts; those of an address are none where it has no limits."""
        self._browser, self._address = browser, address

    def allows(self, what: What) -> bool:
        """Tell whether it may ask for one more, and count it if so."""
        return (self._browser is None or self._browser.allows(what)) and self.address_allows(what)

    def buckets(self, what: What) -> tuple[Bucket, ...]:
        """Give the buckets of one limit, for whoever asks for it again and again."""
        return tuple(account.bucket(what) for account in self._accounts())

    def address_allows(self, what: What) -> bool:
        """Tell whether the address may ask for one more, whatever the browser does, and count it if so."""
        return all(account.allows(what) for account in self._address)

    def has_spent(self, what: What) -> bool:
        """Tell whether one more would be refused."""
        return any(account.has_spent(what) for account in self._accounts())

    def ask(self, what: What) -> None:
        """Count one more.

        Raises:
            Refused: TOO_MANY_REQUESTS.
        """
        if not self.allows(what):
            raise Refused(Refusal.TOO_MANY_REQUESTS)

    def browser_may_open(self) -> bool:
        """Tell whether the browser may open one more socket, and count that if so."""
        return self._browser is None or _may_open(self._browser)

    def address_may_open(self) -> bool:
        """Tell whether the address may open one more socket, and count that if so."""
        return all(map(_may_open, self._address))

    def opened(self) -> None:
        """Count a socket of its own."""
        for account in self._accounts():
            account.opened()

    def closed(self) -> None:
        """Count it no longer."""
        for account in self._accounts():
            account.closed()

    def _accounts(self) -> Iterator[Account]:
        if self._browser is not None:
            yield self._browser
        yield from self._address


class Askers:
    """Tells who asks."""

    def __init__(
        self, proxies: Sequence[Network], *, times: int, monotonic: Monotonic = time.monotonic
    ) -> None:
        """Believe these proxies; an address may ask `times` as often as usual, 0 for as often as it likes."""
        self.notable = Notable()
        account_for = partial(Accounts, notable=self.notable, monotonic=monotonic)
        self.browsers = account_for("browser", OF_BROWSER)
        self._addresses = account_for("address", OF_ADDRESS.times(times))
        self._sites = account_for("site", OF_ADDRESS.times(times * HOMES))
        self._has_limits = times > 0
        self._proxies = tuple(proxies)
        self._seldom = Seldom(every_s=600.0)

    def of(self, connection: HTTPConnection, browser: BrowserHash | None) -> Asker:
        """Tell who asks; `browser` is None for one that came without a cookie, whose next request is another's."""
        return Asker(
            None if browser is None else self.browsers.of(browser),
            *(self._of_address(self.home_of(connection)) if self._has_limits else ()),
        )

    def home_of(self, connection: HTTPConnection) -> bytes:
        """Give the address that a request comes from, as bytes, of IPv6 the home."""
        peer = _address("" if connection.client is None else connection.client.host)
        if peer is None:
            return b""
        if self._is_proxy(peer):
            return _home(self._first(connection.headers.getlist(_FORWARDED_FOR), peer))
        if peer.is_private and _FORWARDED_FOR in connection.headers:
            self._tell_unlisted(peer)
        return _home(peer)

    def _first(self, forwarded: Sequence[str], peer: IPAddress) -> IPAddress:
        """Go back from proxy to proxy, and give the first address that is none's, or the farthest that is known."""
        reached = peer
        for hop in reversed(",".join(forwarded).rsplit(",", MOST_HOPS)[-MOST_HOPS:]):
            before = _address(hop.strip())
            if before is None:
                break
            reached = before
            if not self._is_proxy(reached):
                break
        return reached

    def _is_proxy(self, address: IPAddress) -> bool:
        return any(address in network for network in self._proxies)

    def _tell_unlisted(self, proxy: IPAddress) -> None:
        if self._seldom.now(""):
            _LOG.warning(
                "a proxy that is not listed passes requests on", proxy=str(proxy), setting="TILERACE_PROXIES"
            )

    def tidy(self) -> None:
        """Forget who has nothing to remember."""
        for accounts in (self.browsers, self._addresses, self._sites):
            accounts.tidy()

    def _of_address(self, home: bytes) -> Iterator[Account]:
        yield self._addresses.of(home)
        if len(home) == IPV6_HOME // 8:
            yield self._sites.of(home[: IPV6_SITE // 8])


def _may_open(account: Account) -> bool:
    return not account.is_full and account.allows(What.SOCKETS)


def _address(text: str) -> IPAddress | None:
    """Read an address, with a port or without; one of IPv4 written as IPv6 is one of IPv4."""
    host = text
    if text.startswith("["):
        host = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        host = text.partition(":")[0]
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return None
    if address in _TRANSLATED:
        return ipaddress.IPv4Address(address.packed[-4:])
    return getattr(address, "ipv4_mapped", None) or address


def _home(address: IPAddress) -> bytes:
    packed = address.packed
    return packed[: IPV6_HOME // 8] if address.version == 6 else packed
