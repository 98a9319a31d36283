"""How many sockets this process may hold: each is an open file, and the system allows only so many."""

import resource

from wire.log import events

MOST_SOCKETS = 20_000
"""How many sockets one process holds at most."""
SPARE = 256
"""Files for all else: streams, requests, what is served."""
FEW = 2_000
"""Below how many sockets it is worth a word."""
_LOG = events("web_gateway")


def make_room(most: int = MOST_SOCKETS) -> int:
    """Have as many files allowed as may be, up to what `most` sockets need; give how many fit."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = most + SPARE
    allowed = wanted if hard == resource.RLIM_INFINITY else min(hard, wanted)
    if soft != resource.RLIM_INFINITY and soft < allowed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))
    room = max(allowed - SPARE, allowed // 2)
    if room < FEW:
        _LOG.warning("few files may be open; allow more (ulimit -n) for more sockets", sockets=room)
    return room
