"""Whether what was committed is durable: synced, and on a replica where there is one (docs/architecture.md, rule 6).

It is waited for on connections of their own, after a write there: WAIT stalls the connection that it is sent on, and
answers for that connection's own last write only. So write and wait go out at once, and nobody else on the same one.
"""

from collections.abc import Sequence

from redis.exceptions import RedisError

from wire import keys
from wire.pipe import Answered, Pipe, Reply

DURABLE_MS = 2_000


class Fences:
    """Waits at any node; connections that nobody waits on are kept for the next."""

    def __init__(self) -> None:
        """Begin with no connection."""
        self._idle: dict[str, list[Pipe]] = {}

    async def durable(self, url: str, bucket: int) -> bool:
        """Wait until all that was committed so far in a bucket, which this node holds, is durable.

        Returns:
            Whether it is known to be so; False where the store is configured to sync later.

        Raises:
            RedisError: the node did not answer, or holds it no more.
        """
        idle = self._idle.setdefault(url, [])
        pipe = idle.pop() if idle else Pipe(url)
        try:
            durable = await _fenced(pipe, bucket)
        except BaseException:
            # An answer may still be under way on it.
            await pipe.aclose()
            raise
        idle.append(pipe)
        return durable

    async def aclose(self) -> None:
        """Close every connection."""
        for pipes in self._idle.values():
            for pipe in pipes:
                await pipe.aclose()


async def _fenced(pipe: Pipe, bucket: int) -> bool:
    persistence, replication = _all(await pipe.ask_all([("INFO", "persistence"), ("INFO", "replication")]))
    local = int(b"aof_enabled:1" in _bytes(persistence))
    replicas = int(b"connected_slaves:0" not in _bytes(replication))
    fence = [
        ("SET", f"{keys.tag(bucket)}:fence", 1),
        ("WAITAOF", local, 0, DURABLE_MS),
        ("WAIT", replicas, DURABLE_MS),
    ]
    match _all(await pipe.ask_all(fence)):
        case [_, [int(synced), *_], int(copied)]:
            return local + replicas > 0 and synced >= local and copied >= replicas
        case _:
            return False


def _all(replies: Sequence[Answered]) -> list[Reply]:
    """Give replies of which none is an error."""
    found: list[Reply] = []
    for reply in replies:
        if isinstance(reply, RedisError):
            raise reply
        found.append(reply)
    return found


def _bytes(reply: Reply) -> bytes:
    return reply if isinstance(reply, bytes) else b""
