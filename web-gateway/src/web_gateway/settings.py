"""The settings of web-gateway."""

from dataclasses import dataclass
from typing import Self

from wire import wiring
from wire.settings import Address, Environment, Network, Timings

LISTEN, GAME, TABLE = "TILERACE_LISTEN", "TILERACE_GAME_TARGET", "TILERACE_TABLE_TARGET"
PUBLIC_URL = "TILERACE_PUBLIC_URL"
PROXIES = "127.0.0.0/8,::1"
"""This machine's own, behind which nobody else can be."""
MOST_TIMES = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Where web-gateway listens, where it finds the services, and what address friends are given.

    `public_url` has no slash at its end; empty where none is set. `build` is empty unless whoever built it named it.
    `proxies` are believed when they say whom a request comes from; one address may ask `limits` times as often as usual,
    0 for as often as it likes.
    """

    listen: Address
    game: tuple[Address, ...]
    table: tuple[Address, ...]
    public_url: str
    build: str
    timings: Timings
    proxies: tuple[Network, ...]
    limits: int

    @classmethod
    def from_env(cls, env: Environment) -> Self:
        """Read them.

        Raises:
            SettingsError: one of them cannot be used.
        """
        listen = env.address(LISTEN, "127.0.0.1:8000")
        game = env.target(GAME, "127.0.0.1:8101")
        table = env.target(TABLE, "127.0.0.1:8102")
        wiring.check(env, LISTEN, listen, {GAME: game, TABLE: table})
        return cls(
            listen=listen,
            game=game,
            table=table,
            public_url=env.site(PUBLIC_URL),
            build=env.text("TILERACE_BUILD", ""),
            timings=Timings.from_env(env),
            proxies=env.networks("TILERACE_PROXIES", PROXIES),
            limits=env.integer("TILERACE_LIMITS", 1, least=0, most=MOST_TIMES),
        )

    @property
    def secure(self) -> bool:
        """Whether browsers come over https, so that the cookie may say so."""
        return self.public_url.startswith("https://")
