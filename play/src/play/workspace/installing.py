"""Running the programs that install things: one `make` at a time, and gone when it is stopped."""

import contextlib
import fcntl
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import FrameType


class Failed(Exception):
    """Something could not be made ready; the words say what, and what to do."""


def say(words: str) -> None:
    """Tell what is being done."""
    print(words, flush=True)


def stops_on_signals() -> None:
    """Have SIGTERM, SIGHUP and SIGINT end us by an exception, so that `run` can end what it started."""
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, _stop)


def _stop(number: int, _frame: FrameType | None) -> None:
    sys.exit(128 + number)


def run(command: Sequence[str | Path], otherwise: str, *, cwd: Path | None = None) -> None:
    """Run a program to its end.

    Raises:
        Failed: it could not be started or ended with an error; the words are `otherwise`.
    """
    try:
        # A group of its own, so that a build started by pip ends with pip.
        process = subprocess.Popen(
            [str(part) for part in command], cwd=cwd, stdin=subprocess.DEVNULL, start_new_session=True
        )
    except OSError as error:
        raise Failed(f"{otherwise} ({error})") from error
    try:
        code = process.wait()
    except BaseException:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        raise
    if code:
        raise Failed(otherwise)


@contextlib.contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Hold off every other `make` that would install into the same workspace at the same time."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("Waiting for another make to finish setting up …")
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def may_use_apt() -> bool:
    """Tell whether packages of the distribution can be installed without asking anyone: Debian's kind, as root."""
    return shutil.which("apt-get") is not None and os.geteuid() == 0


def apt_install(packages: str, otherwise: str) -> None:
    """Install packages of the distribution, set apart by blanks.

    Raises:
        Failed: one of them is not to be had; the words are `otherwise`.
    """
    run(["apt-get", "update", "-qq"], otherwise)
    quiet = [
        "env",
        "DEBIAN_FRONTEND=noninteractive",
        "apt-get",
        "install",
        "-y",
        "-qq",
        "--no-install-recommends",
    ]
    run([*quiet, *packages.split()], otherwise)
