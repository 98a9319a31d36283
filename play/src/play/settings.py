"""The settings of `make play`: what whoever runs it may choose, read once."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from wire import store_url
from wire.settings import PREFIX, Address, Environment, SettingsError, Timings

PASSED_ON = (
    "LOG",
    "BUILD",
    "PUBLIC_URL",
    "GRACE_MS",
    "PING_MS",
    "COUNTDOWN_MS",
    "CLOCKS_S",
    "PROXIES",
    "LIMITS",
    "MOST_TABLES",
)
OURS = ("LISTEN", "GAME_LISTEN", "TABLE_LISTEN", "GAME_TARGET", "TABLE_TARGET")
PORT, DATA, FSYNC = 8048, ".data", "always"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What `make play` goes by."""

    listen: Address
    """Where the page is served: TILERACE_HOST and TILERACE_PORT."""
    public_url: str
    """The address friends use, if it is another one; else empty."""
    data: Path
    """Where the embedded store keeps the tables."""
    redis_url: str = field(repr=False)
    """An outside store; empty for the embedded one."""
    fsync: str
    """When the embedded store syncs its file: always, or everysec (docs/architecture.md, rule 6)."""
    environment: Mapping[str, str]
    """What every service is started with, besides where to listen and whom to call."""

    @classmethod
    def from_env(cls, variables: Mapping[str, str]) -> Self:
        """Read the settings from all of the environment's variables.

        Raises:
            SettingsError: one is unknown, malformed, or set by `make play` itself.
        """
        env = Environment(variables)
        for name in OURS:
            if env.text(PREFIX + name, ""):
                raise SettingsError(
                    f"{PREFIX}{name} is chosen by make play itself; set TILERACE_HOST and TILERACE_PORT instead."
                )
        if env.text("TILERACE_METRICS_LISTEN", ""):
            raise SettingsError(
                "TILERACE_METRICS_LISTEN is for a service run by itself; those of make play could not share it."
            )
        if env.text("TILERACE_FSYNC", "") and env.text("TILERACE_REDIS_URL", ""):
            raise SettingsError(
                "TILERACE_FSYNC is of the embedded store, and TILERACE_REDIS_URL names another; leave one out."
            )
        Timings.from_env(env)
        env.choice("TILERACE_LOG", "text", options=("json", "text"))
        return cls(
            listen=Address(
                env.text("TILERACE_HOST", "127.0.0.1").strip("[]"),
                env.integer("TILERACE_PORT", PORT, least=1, most=65_535),
            ),
            public_url=env.site("TILERACE_PUBLIC_URL"),
            data=Path(env.text("TILERACE_DATA", DATA)).expanduser().absolute(),
            redis_url=store_url.read(env, default=""),
            fsync=env.choice("TILERACE_FSYNC", FSYNC, options=("always", "everysec")),
            environment=_for_services(variables),
        )


def _for_services(variables: Mapping[str, str]) -> Mapping[str, str]:
    passed_on = {PREFIX + name for name in PASSED_ON}
    # A person reads along, also where the output goes through a pipe.
    return {f"{PREFIX}LOG": "text"} | {
        name: value for name, value in variables.items() if not name.startswith(PREFIX) or name in passed_on
    }
