# ruff: noqa: INP001 - run as a module of the folder
"""What a call of the store takes of a service's processor: over our shared connection, and by the client library.

    .venv/bin/python -m bench.store [CALLS]

A call is a script with so many arguments of 300 bytes, as a commit of so many races is; the store writes no file.
"""

import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import uvloop
from tests.stack import Valkey

from wire.node import client_of
from wire.pipe import Argument, Pipe

SCRIPT = "return #ARGV"
ARGUMENT = bytes(300)
SIZES = (1, 12, 64)
ROUNDS = 5

Ask = Callable[..., Awaitable[object]]


async def cost_us(ask: Ask, command: tuple[Argument, ...], calls: int) -> float:
    """Give microseconds of this process a call."""
    began = time.process_time()
    for _ in range(calls):
        await ask(*command)
    return 1e6 * (time.process_time() - began) / calls


async def measure(url: str, calls: int) -> None:
    """Measure both in turn, and print the best of each."""
    pipe, client = Pipe(url), client_of(url)
    ways: dict[str, Ask] = {"shared connection": pipe.ask, "client library": client.execute_command}
    for size in SIZES:
        command: tuple[Argument, ...] = ("EVAL", SCRIPT, 0, *[ARGUMENT] * size)
        best = dict.fromkeys(ways, float("inf"))
        for _ in range(ROUNDS):
            for name, ask in ways.items():
                best[name] = min(best[name], await cost_us(ask, command, calls))
        told = ", ".join(f"{name} {us:.0f} µs" for name, us in best.items())
        sys.stdout.write(f"a call of {size}: {told}\n")
    await pipe.aclose()
    await client.aclose()


def main(calls: int) -> None:
    """Have a store for as long as it is measured."""
    with tempfile.TemporaryDirectory() as folder:
        valkey = Valkey(Path(folder), options=("--appendonly", "no"))
        try:
            valkey.start()
            uvloop.run(measure(valkey.url, calls))
        finally:
            valkey.stop()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000)
