"""Becomes another program that ends when the one that started it does: `leash.py PARENT PROGRAM ARGUMENT…`.

Run as a script of its own, between fork and exec, since only the child itself can ask for this.
"""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1
"""prctl(2), Linux; elsewhere an orphan stays until it is stopped."""


def main(parent: int, command: list[str]) -> None:
    """Ask to be killed when `parent` ends, and become `command`.

    Killing is safe at any moment (docs/architecture.md, rules 1 and 6), and the one signal that is always obeyed.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        sys.exit("whoever started this is gone")
    os.execv(command[0], command)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
