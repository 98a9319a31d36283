"""News of commits: sharded channels, one for tables and one for races in each bucket (docs/architecture.md, rule 8).

News is a hint. Whoever listens reads again when told, and everything once a second, so that a lost message costs a
second at most; a connection that died, silently too, is noticed by its pings and made anew.
"""

import asyncio
from collections.abc import Callable, Sequence

from redis.asyncio.client import PubSub
from redis.exceptions import RedisError

from wire.node import client_of, talking
from wire.store import Store, StoreError

PING_S = 1.0
SILENT_S = 3.0

_MOST_DIGITS = 19
CLOCKS_LINE = b"!"
"""A line of the tables' news: look at the clocks."""

OnNews = Callable[[int, bytes], None]
OnGap = Callable[[], None]


def payload(changes: Sequence[tuple[str, int]]) -> bytes:
    """Write a batch's news: a line of id and version for each change.

    >>> payload([("K7QM2XWP.1", 7)])
    b'K7QM2XWP.1 7'
    """
    return "\n".join(f"{name} {version}" for name, version in changes).encode()


def read(news: bytes) -> list[tuple[str, int]]:
    r"""Read a batch's news, leaving out lines of another release.

    >>> read(b"K7QM2XWP.1 7\n!")
    [('K7QM2XWP.1', 7)]
    """
    found = []
    for line in news.decode(errors="replace").split("\n"):
        name, _, version = line.partition(" ")
        if version.isascii() and version.isdigit() and len(version) <= _MOST_DIGITS:
            found.append((name, int(version)))
    return found


async def listen(
    store: Store, channel: Callable[[int], str], *, buckets: Sequence[int], on_news: OnNews, on_gap: OnGap
) -> None:
    """Call `on_news(bucket, payload)` for every message until cancelled, `on_gap()` whenever some may have been missed.

    `channel` is `keys.races_channel` or `keys.tables_channel`. In a Cluster each bucket is listened to on its node.
    """
    groups: dict[int, list[int]] = {}
    for bucket in buckets:
        groups.setdefault(store.group(bucket), []).append(bucket)
    async with asyncio.TaskGroup() as tasks:
        for members in groups.values():
            channels = {channel(bucket).encode(): bucket for bucket in members}
            tasks.create_task(_listen_for_ever(store, channels, on_news=on_news, on_gap=on_gap))


async def _listen_for_ever(
    store: Store, channels: dict[bytes, int], *, on_news: OnNews, on_gap: OnGap
) -> None:
    while True:
        try:
            await _listen_once(store, channels, on_news=on_news, on_gap=on_gap)
        except (RedisError, OSError, StoreError):
            await asyncio.sleep(PING_S / 4)


async def _listen_once(store: Store, channels: dict[bytes, int], *, on_news: OnNews, on_gap: OnGap) -> None:
    bucket = next(iter(channels.values()))
    holder = store.holder(bucket)
    client = client_of(holder)
    pubsub = client.pubsub()
    try:
        with talking():
            await pubsub.ssubscribe(*channels)
        await _receive(
            pubsub, channels, on_news=on_news, on_gap=on_gap, holds=lambda: store.holder(bucket) == holder
        )
    finally:
        with talking():
            await pubsub.aclose()
            await client.aclose()


async def _receive(
    pubsub: PubSub,
    channels: dict[bytes, int],
    *,
    on_news: OnNews,
    on_gap: OnGap,
    holds: Callable[[], bool],
) -> None:
    """Receive for as long as the node answers and holds the channels."""
    loop = asyncio.get_running_loop()
    heard = loop.time()
    while loop.time() - heard < SILENT_S and holds():
        with talking():
            message = await pubsub.get_message(timeout=PING_S)
            if message is None:
                await pubsub.ping()
        if message is None:
            continue
        heard = loop.time()
        match message["type"]:
            case "smessage":
                on_news(channels[message["channel"]], message["data"])
            case "ssubscribe":
                on_gap()
            case "sunsubscribe":
                return  # by the node: another holds the channels now
            case _:
                pass
