"""What a process must not leave behind when it crashes: its memory, with the seeds and secrets in it."""

import contextlib
import resource


def forbid() -> None:
    """Have the system write no image of this process where it crashes, nor any program that it starts from now on."""
    with contextlib.suppress(ValueError, OSError):  # none is allowed as it is
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
