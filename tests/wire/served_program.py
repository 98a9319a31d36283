"""A program that serves nothing but health and reflection, for tests that need a process."""

import sys

import grpc

from wire import log
from wire.serving import Served, main, serve
from wire.settings import Environment


class StoreLost(Exception):
    """Stands for any error that a service names as fatal."""


async def drain() -> None:
    log.events("served_program").info("peers told")


def add_nothing(server: grpc.aio.Server) -> None:
    assert server


async def run(env: Environment) -> None:
    match env.text("TILERACE_DATA", ""):
        case "lost":
            raise StoreLost("The store is lost.")
        case "lost together":
            raise ExceptionGroup("both", [ExceptionGroup("one", [StoreLost("The store is lost.")])])
        case "crash":
            raise ValueError(env.text("TILERACE_BUILD", ""))
        case _:
            listen = env.address("TILERACE_GAME_LISTEN", "127.0.0.1:0")
            await serve(
                Served(add=add_nothing, names=(), drain=drain), listen, setting="TILERACE_GAME_LISTEN"
            )


if __name__ == "__main__":
    sys.exit(main(run, service="served-program", fatal=(StoreLost,)))
