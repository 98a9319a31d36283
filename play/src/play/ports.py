"""Free ports for what listens on the loopback only."""

import random
import socket
from collections.abc import Iterator

FIRST, LAST = 20_000, 29_999
"""Below what Linux and macOS give to outgoing connections, so that a child that starts again finds its port free."""
TRIES = 200


def free_ports() -> Iterator[int]:
    """Give ports, no two alike, that nobody listens on now.

    Raises:
        OSError: none was found.
    """
    for port in random.sample(range(FIRST, LAST + 1), TRIES):
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        yield port
    raise OSError("no free port was found on the loopback")
