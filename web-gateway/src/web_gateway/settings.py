"""The settings of web-gateway."""

from dataclasses import dataclass
from typing import Self

from wire import wiring
from wire.settings import Address, Environment, Timings

LISTEN, GAME, TABLE = "TILERACE_LISTEN", "TILERACE_GAME_TARGET", "TILERACE_TABLE_TARGET"
PUBLIC_URL = "TILERACE_PUBLIC_URL"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Where web-gateway listens, where it finds the services, and what address friends are given.

    `public_url` has no slash at its end; empty where none is set. `build` is empty unless whoever built it named it.
    """

    listen: Address
    game: tuple[Address, ...]
    table: tuple[Address, ...]
    public_url: str
    build: str
    timings: Timings

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
        )

    @property
    def secure(self) -> bool:
        """Whether browsers come over https, so that the cookie may say so."""
        return self.public_url.startswith("https://")
