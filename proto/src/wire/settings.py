"""Settings: TILERACE_* variables read once, at the start, each with a working default.

A value nobody can use and a name nobody knows stop the start with one sentence. Each service has a frozen `Settings`
whose `from_env` takes an `Environment`; nothing else reads the environment.
"""

import ipaddress
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import NamedTuple, Self
from urllib.parse import urlsplit

PREFIX = "TILERACE_"

KNOWN = frozenset(
    PREFIX + name
    for name in (
        # whoever runs it sets these
        "HOST", "PORT", "PUBLIC_URL", "DATA", "REDIS_URL", "FSYNC", "LOG", "BUILD",
        # where services listen, and where they find each other
        "LISTEN", "GAME_LISTEN", "TABLE_LISTEN", "METRICS_LISTEN", "GAME_TARGET", "TABLE_TARGET",
        # times that tests shorten
        "GRACE_MS", "PING_MS", "COUNTDOWN_MS", "CLOCKS_S",
        # who may ask for how much
        "PROXIES", "LIMITS", "MOST_TABLES",
    )
)  # fmt: skip
"""Every variable that any part of the project reads; a service passes over those of the others."""


Network = ipaddress.IPv4Network | ipaddress.IPv6Network


class SettingsError(ValueError):
    """A setting cannot be used; the words name it, its value, and what would do."""


class Address(NamedTuple):
    """A host, by name or number, and a port; an IPv6 host is held without its brackets.

    >>> str(Address("::1", 8000))
    '[::1]:8000'
    """

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


class Environment:
    """Reads typed settings from variables; an empty value counts as none.

    >>> Environment({"TILERACE_PORT": "8080"}).integer("TILERACE_PORT", 8000, least=1, most=65535)
    8080

    Every getter raises SettingsError for a value it cannot use, and KeyError for a name missing in `KNOWN`, which is
    a slip of ours.
    """

    def __init__(self, variables: Mapping[str, str]) -> None:
        """Take a copy of the TILERACE_* variables.

        Raises:
            SettingsError: one of them is not known.
        """
        self._values = {name: value.strip() for name, value in variables.items() if name.startswith(PREFIX)}
        self.used: set[str] = set()
        for name in sorted(self._values.keys() - KNOWN):
            raise SettingsError(_unknown(name))

    def text(self, name: str, default: str) -> str:
        """Read a text as it stands."""
        if name not in KNOWN:
            raise KeyError(name)
        self.used.add(name)
        return self._values.get(name) or default

    def choice(self, name: str, default: str, *, options: Collection[str]) -> str:
        """Read one of a few words."""
        value = self.text(name, default)
        if value not in options:
            raise _refused(name, value, f"one of {', '.join(sorted(options))}")
        return value

    def integer(self, name: str, default: int, *, least: int, most: int) -> int:
        """Read a whole number from `least` to `most`."""
        value = self.text(name, str(default))
        number = _whole(value)
        if number is None or not least <= number <= most:
            raise _refused(name, value, f"a whole number from {least} to {most}")
        return number

    def integers(self, name: str, default: Collection[int], *, least: int, most: int) -> tuple[int, ...]:
        """Read whole numbers set apart by commas, at least one; repeated ones count once."""
        value = self.text(name, ",".join(map(str, default)))
        numbers = [_whole(part.strip()) for part in value.split(",")]
        allowed = [number for number in numbers if number is not None and least <= number <= most]
        if len(allowed) < len(numbers):
            raise _refused(name, value, f"whole numbers from {least} to {most} set apart by commas")
        return tuple(dict.fromkeys(allowed))

    def address(self, name: str, default: str) -> Address:
        """Read `host:port` to listen on; port 0 takes any free one, and `:port` means every address of the host."""
        value = self.text(name, default)
        address = _address(value, least_port=0)
        if address is None:
            raise _refused(name, value, "host:port, such as 127.0.0.1:8000 or [::1]:8000")
        return address if address.host else Address("0.0.0.0", address.port)

    def optional_address(self, name: str) -> Address | None:
        """Read `host:port` as `address` does; None where it is not set."""
        return self.address(name, "") if self.text(name, "") else None

    def target(self, name: str, default: str) -> tuple[Address, ...]:
        """Read where a service is found: `host:port`, or several set apart by commas; a host may be many by DNS."""
        value = self.text(name, default)
        addresses = [_address(part.strip(), least_port=1) for part in value.split(",")]
        found = tuple(dict.fromkeys(address for address in addresses if address is not None and address.host))
        if len(found) < len(set(addresses)):
            raise _refused(name, value, "host:port, or several set apart by commas")
        return found

    def networks(self, name: str, default: str) -> tuple[Network, ...]:
        """Read addresses and networks such as `10.0.0.0/8`, set apart by commas."""
        value = self.text(name, default)
        parts = [part.strip() for part in value.split(",")]
        found = tuple(network for network in map(_network, parts) if network is not None)
        if len(found) < len(parts):
            raise _refused(name, value, "addresses or networks such as 10.0.0.0/8, set apart by commas")
        return found

    def url(self, name: str, default: str, *, schemes: Collection[str], secret: bool = False) -> str:
        """Read an address such as `https://host`, of one of the schemes; the default may be empty, for none.

        Args:
            name: the variable.
            default: what counts where it is not set.
            schemes: what it may begin with.
            secret: whether it may hold a password, so that nothing of it is ever shown.

        Raises:
            SettingsError: user and password, if any, are not shown in its words.
        """
        value = self.text(name, default)
        if not value or _is_url(value, schemes):
            return value
        wanted = f"an address that begins with {'://, '.join(schemes)}://"
        if secret:
            raise SettingsError(
                f"{name} must be {wanted}, with / ? # @ of a password as %2F %3F %23 %40; its value is not shown."
            )
        raise _refused(name, _without_user(value), wanted)

    def site(self, name: str) -> str:
        """Read the address of a whole site, as `https://host`, without a slash at its end; empty where none is set.

        Raises:
            SettingsError: user and password, if any, are not shown in its words.
        """
        value = self.url(name, "", schemes=("http", "https"))
        if value and not _is_site(value):
            wanted = "an address that begins with http://, https:// and ends with its host or port"
            raise _refused(name, _without_user(value), wanted)
        return value.rstrip("/")


@dataclass(frozen=True, slots=True, kw_only=True)
class Timings:
    """Times that every service must agree on, shorter in tests (docs/rules.md §4)."""

    grace_ms: int = 60_000
    """How long an away seat is kept."""
    ping_ms: int = 10_000
    """How often a socket is pinged."""
    countdown_ms: int = 3_000
    """From Start until the boards come alive."""
    clocks_s: tuple[int, ...] = (60, 120, 180, 300, 600, 900)
    """The clocks on offer, in seconds."""

    @property
    def away_ms(self) -> int:
        """How long after its last answer a seat is away: two missed pings (docs/architecture.md, rule 10)."""
        return 2 * self.ping_ms

    @classmethod
    def from_env(cls, env: Environment) -> Self:
        """Read the times from TILERACE_GRACE_MS, _PING_MS, _COUNTDOWN_MS and _CLOCKS_S.

        Raises:
            SettingsError: one of them cannot be used.
        """
        return cls(
            grace_ms=env.integer("TILERACE_GRACE_MS", cls().grace_ms, least=1, most=3_600_000),
            ping_ms=env.integer("TILERACE_PING_MS", cls().ping_ms, least=10, most=60_000),
            countdown_ms=env.integer("TILERACE_COUNTDOWN_MS", cls().countdown_ms, least=0, most=60_000),
            clocks_s=env.integers("TILERACE_CLOCKS_S", cls().clocks_s, least=1, most=86_400),
        )


def _refused(name: str, value: str, allowed: str) -> SettingsError:
    return SettingsError(f"{name} is {value!r}, but must be {allowed}.")


def _is_site(url: str) -> bool:
    parts = urlsplit(url)
    try:
        (parts.hostname or "").encode("idna")
    except UnicodeError:
        return False
    return "@" not in parts.netloc and parts.path in {"", "/"} and not set(url) & set("?#")


def _without_user(url: str) -> str:
    return re.sub(r"^(.*?//)?.*@", r"\1…@", url)


def _unknown(name: str) -> str:
    near = get_close_matches(name, sorted(KNOWN), n=1, cutoff=0.0)
    return f"{name} is no setting of tilerace; did you mean {near[0]}?"


def _whole(text: str) -> int | None:
    return int(text) if re.fullmatch(r"-?[0-9]{1,18}", text) else None


def _address(text: str, *, least_port: int) -> Address | None:
    parts = re.fullmatch(r"(?:\[([0-9A-Fa-f:.%\w]+)\]|([^\s:/\[\]]*)):([0-9]{1,5})", text)
    if parts is None or not least_port <= int(parts[3]) <= 65_535:
        return None
    return Address(parts[1] or parts[2], int(parts[3]))


def _network(text: str) -> Network | None:
    try:
        return ipaddress.ip_network(text)
    except ValueError:
        return None


def _is_url(text: str, schemes: Collection[str]) -> bool:
    if not text.isprintable():  # urlsplit passes over controls, others do not
        return False
    try:
        parts = urlsplit(text)
        _port: int | None = parts.port
    except ValueError:
        return False
    # Behind the host an @ is that of a password that was not quoted, and what stands before it no host.
    has_stray_at = "@" in parts.path + parts.query + parts.fragment
    has_place = bool(parts.hostname or (parts.scheme == "unix" and parts.path))
    return parts.scheme in schemes and has_place and not has_stray_at


__all__ = ["KNOWN", "PREFIX", "Address", "Environment", "Network", "SettingsError", "Timings"]
