"""The folder that holds the embedded store's data, for one `make play` at a time."""

import contextlib
import fcntl
import os
import time
from collections.abc import Iterator
from pathlib import Path

AFTERGLOW_S = 5.0
"""How long a store whose supervisor was killed is waited for."""
LOOK_S = 0.05


class DataInUse(Exception):
    """Another `make play` uses the folder; the words say which."""


class DataUnusable(Exception):
    """The folder cannot be made or written; the words say why."""


@contextlib.contextmanager
def held(folder: Path) -> Iterator[int]:
    """Hold the folder, making it where it is missing; gives the lock's descriptor.

    The store keeps that descriptor too, so that a folder whose supervisor was killed is free only once the store, which
    ends with it, has let go.

    Raises:
        DataInUse: someone else holds it.
        DataUnusable: it cannot be made or written.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise DataUnusable(
            f"TILERACE_DATA is {str(folder)!r}, but it cannot be used ({error.strerror}); name another folder."
        ) from error
    try:
        _lock(descriptor, folder)
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, str(os.getpid()).encode(), 0)
        yield descriptor
    finally:
        os.close(descriptor)


def _lock(descriptor: int, folder: Path) -> None:
    end = time.monotonic() + AFTERGLOW_S
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.pread(descriptor, 20, 0).decode(errors="replace")
            if _runs(holder) or time.monotonic() > end:
                raise DataInUse(
                    f"Another make play (process {holder or 'unknown'}) uses the data in {folder};"
                    " stop it, or set TILERACE_DATA to another folder."
                ) from None
            time.sleep(LOOK_S)
        else:
            return


def _runs(holder: str) -> bool:
    if not holder.isdecimal():
        return False
    try:
        os.kill(int(holder), 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
