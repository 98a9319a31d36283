"""What a person at the terminal reads."""

import contextlib


def say(words: str) -> None:
    """Print a line at once; a terminal that is gone is no reason to stop."""
    with contextlib.suppress(OSError):
        print(words, flush=True)
