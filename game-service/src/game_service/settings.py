"""The settings of game-service."""

from dataclasses import dataclass, field
from typing import Self

from wire.settings import Address, Environment

LISTEN = "TILERACE_GAME_LISTEN"
REDIS_URL = "TILERACE_REDIS_URL"


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
        return cls(
            listen=env.address(LISTEN, "127.0.0.1:8101"),
            redis_url=env.url(
                REDIS_URL, "redis://127.0.0.1:6379/0", schemes=("redis", "rediss", "unix"), secret=True
            ),
        )
