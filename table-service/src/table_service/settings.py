"""What table-service can be told at its start."""

from dataclasses import dataclass, field
from typing import Self

from wire import store_url, wiring
from wire.settings import Address, Environment, Timings

LISTEN, GAME = "TILERACE_TABLE_LISTEN", "TILERACE_GAME_TARGET"
EXPIRE_MS = 24 * 3600 * 1000
"""How long a table is kept after its last visit."""
MOST_TABLES = 200_000
GATEWAY_LIVES_MS = 3_000
"""How long a gateway counts as there after it was heard; it is heard every second."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Where to listen, the store, where game-service is found, and the times that all services agree on.

    `most_tables` is about how many tables the store may hold before new ones are refused.
    """

    listen: Address
    redis_url: str = field(repr=False)
    game_target: tuple[Address, ...]
    timings: Timings
    most_tables: int

    @classmethod
    def from_env(cls, env: Environment) -> Self:
        """Read the settings.

        Raises:
            SettingsError: one cannot be used.
        """
        listen, game = env.address(LISTEN, "127.0.0.1:8102"), env.target(GAME, "127.0.0.1:8101")
        wiring.check(env, LISTEN, listen, {GAME: game})
        return cls(
            listen=listen,
            redis_url=store_url.read(env),
            game_target=game,
            timings=Timings.from_env(env),
            most_tables=env.integer("TILERACE_MOST_TABLES", MOST_TABLES, least=1, most=100_000_000),
        )
