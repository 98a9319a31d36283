"""The make that runs us: GNU make passes on SIGTERM, but a SIGINT or SIGHUP sent to it alone it does not.

A Ctrl-C reaches the whole process group, and make then waits for us as it should. Told to stop by `kill -INT`, it waits
for us just the same, and we would never hear of it; and killed, it leaves us behind.
"""

import asyncio
import os
import signal
from pathlib import Path

LOOK_S = 0.25
NAMES = ("make", "gmake")
STOPPING = (1 << (signal.SIGINT - 1)) | (1 << (signal.SIGHUP - 1))
"""A signal is blocked while its handler runs, and make's handler runs until we have ended (proc(5), SigBlk)."""


async def maker_stopped() -> None:
    """Return once the make that started us is stopping or gone; never, if there is none or it cannot be watched."""
    maker = os.getppid()
    if _read(maker, "comm").strip() not in NAMES:
        await asyncio.Event().wait()
    while True:
        if os.getppid() != maker or _blocked(maker) & STOPPING:
            return
        await asyncio.sleep(LOOK_S)


def _blocked(process: int) -> int:
    fields = dict(line.split(":", 1) for line in _read(process, "status").splitlines())
    return int(fields.get("SigBlk", "0"), 16)


def _read(process: int, name: str) -> str:
    try:
        return Path(f"/proc/{process}/{name}").read_text()
    except OSError:
        return ""
