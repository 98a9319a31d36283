"""The settings of game-service."""

from dataclasses import dataclass, field
from typing import Self

from wire import store_url, wiring
from wire.settings import Address, Environment

LISTEN = "TILERACE_GAME_LISTEN"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Where game-service listens, and its store."""

    listen: Address
    redis_url: str = field(repr=False)

    @classmethod
    def from_env(cls, env: Environment) -> Self:
        """Read them.

        Raises:
            SettingsError: one of them cannot be used.
        """
        listen = env.address(LISTEN, "127.0.0.1:8101")
        wiring.check(env, LISTEN, listen, {})
        return cls(
            listen=listen,
            redis_url=store_url.read(env),
        )
