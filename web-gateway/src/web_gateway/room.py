"""How many connections this process may hold: each is an open file, and the system allows only so many."""

import resource
from typing import NamedTuple

from wire.log import events

MOST_SOCKETS = 20_000
"""How many sockets one process holds at most."""
SHARE = 5
"""For so many sockets there may be one connection that is none: a page's, a request's, one that says nothing."""
SPARE = 2_304
"""Files for all else: 256 for streams and what is served, 2,048 for those that the system accepts in one go."""
FEW = 2_000
"""Below how many sockets it is worth a word."""
_LOG = events("web_gateway")


class Room(NamedTuple):
    """How many sockets fit, and how many connections that are none, callers, beside them."""

    sockets: int
    callers: int


def make_room(most: int = MOST_SOCKETS) -> Room:
    """Have as many files allowed as may be, up to what `most` sockets need; give what fits."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = most + most // SHARE + SPARE
    allowed = wanted if hard == resource.RLIM_INFINITY else min(hard, wanted)
    if soft != resource.RLIM_INFINITY and soft < allowed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))
    if allowed == wanted:
        return Room(most, most // SHARE)
    callers = max(allowed - SPARE, allowed // 2) // (SHARE + 1)
    room = Room(callers * SHARE, callers)
    if room.sockets < FEW:
        _LOG.warning("few files may be open; allow more (ulimit -n) for more sockets", sockets=room.sockets)
    return room
