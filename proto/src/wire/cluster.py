"""A Cluster: which node holds each bucket, and commands sent there (docs/architecture.md, rule 12).

Sixteen slots of a Cluster are of interest here, those of the buckets. A node that does not hold a bucket, not yet or not
any more, says so and carries nothing out: such a command certainly did not run, and is sent again, to where the answer
points, for AGAIN_FOR_S at most. Where no answer came nothing is sent again, as on a single store; but who holds what is
asked anew, so that whoever tries again finds a replica that took over.
"""

import asyncio
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from redis.crc import key_slot
from redis.exceptions import (
    AskError,
    ClusterDownError,
    MovedError,
    RedisError,
    TryAgainError,
)
from redis.exceptions import (
    ConnectionError as RedisConnectionError,
)
from redis.exceptions import (
    TimeoutError as RedisTimeoutError,
)

from wire import keys
from wire.node import talking, time_of, url_of
from wire.pipe import Answered, Argument, Pipe, Reply

AGAIN_FOR_S = 2.0
"""For how long a command that no node carries out is sent again: a slot that is handed over is soon somebody's."""
AGAIN_S = 0.03
TOLD_S = 1.0
"""How long a node may take to tell who holds what, before another is asked."""
FRESH_S = 0.1
"""For how long what was told is not asked again."""

_SLOTS = tuple(key_slot(keys.tag(bucket).encode()) for bucket in range(keys.BUCKETS))
_NOT_RUN = (AskError, TryAgainError, ClusterDownError)
"""Answers of a node that carried nothing out, as another holds the bucket, or none yet; MOVED is an AskError."""
_WHO_HOLDS_WHAT = (("TIME",), ("CLUSTER", "SLOTS"), ("CLUSTER", "INFO"))
_NO_ANSWER = (RedisConnectionError, RedisTimeoutError, OSError)


class _Told(NamedTuple):
    """What a node told: its TIME in milliseconds, the URL of each bucket's primary, those of all nodes.

    One that does not see most of the primaries is cut off, and tells what was.
    """

    now: int
    holders: dict[int, str]
    nodes: list[str]
    sees_most: bool


class Cluster:
    """The nodes of a Cluster; `learn` is to be called before anything is sent, and once a second from then on."""

    def __init__(self, url: str) -> None:
        """Begin with one node's URL, be it a primary or a replica."""
        self._url = url
        self._nodes = [url]
        self._holders: dict[int, str] = {}
        self._pipes: dict[str, Pipe] = {}
        self._learning = asyncio.Lock()
        self._learned = -FRESH_S

    def holder(self, bucket: int) -> str:
        """Give the URL of the node that holds a bucket.

        Raises:
            ClusterDownError: as far as is known, none does.
        """
        try:
            return self._holders[bucket]
        except KeyError:
            raise ClusterDownError(f"no node holds bucket {bucket}") from None

    async def send(self, bucket: int, *command: Argument) -> Reply:
        """Send one command to the node that holds a bucket.

        Raises:
            RedisError: whatever the node answers, or that it does not.
        """
        try:
            return await self._pipe(self.holder(bucket)).ask(*command)
        except _NOT_RUN as error:
            (found,) = await self._send_again(bucket, [command], [error])
            if isinstance(found, RedisError):
                raise found from error
            return found
        except _NO_ANSWER:
            await self._learn_again()
            raise

    async def send_all(self, bucket: int, commands: Sequence[Sequence[Argument]]) -> list[Answered]:
        """Send commands to the node that holds a bucket, in one write; their replies in order.

        Raises:
            RedisError: it does not answer.
        """
        try:
            found = await self._pipeline(self.holder(bucket), commands, asking=False)
        except ClusterDownError as error:
            found = [error] * len(commands)
        except _NO_ANSWER:
            await self._learn_again()
            raise
        if not any(isinstance(reply, _NOT_RUN) for reply in found):
            return found
        return await self._send_again(bucket, commands, found)

    async def learn(self) -> int:
        """Ask one node after the other who holds what, until one tells; give its TIME, in milliseconds.

        Raises:
            ConnectionError: none does.
        """
        async with self._learning:
            return await self._learn()

    async def aclose(self) -> None:
        """Close every connection."""
        await self._close(list(self._pipes))

    async def _send_again(
        self, bucket: int, commands: Sequence[Sequence[Argument]], found: Sequence[Answered]
    ) -> list[Answered]:
        """Send again what was not carried out, for a while; `found` are the replies so far."""
        replies = list(found)
        end, is_first = time.monotonic() + AGAIN_FOR_S, True
        while left := [at for at, reply in enumerate(replies) if isinstance(reply, _NOT_RUN)]:
            if time.monotonic() > end:
                break
            asked = await self._follow(bucket, replies[left[0]], at_once=is_first)
            is_first = False
            try:
                again = await self._pipeline(
                    asked or self.holder(bucket), [commands[at] for at in left], asking=asked is not None
                )
            except ClusterDownError as error:
                again = [error] * len(left)
            except _NO_ANSWER:
                await self._learn_again()
                raise
            for at, reply in zip(left, again, strict=True):
                replies[at] = reply
        return replies

    async def _follow(self, bucket: int, answer: object, *, at_once: bool) -> str | None:
        """Do as an answer says that points elsewhere; give the URL of the node to be asked out of turn, if one is."""
        if not at_once or not isinstance(answer, AskError):
            await asyncio.sleep(AGAIN_S)
        match answer:
            case MovedError():
                self._holders[bucket] = self._url_at(answer.host, answer.port, self._url)
            case AskError():
                return self._url_at(answer.host, answer.port, self._url)
            case ClusterDownError():
                await self._learn_again()
        return None

    async def _pipeline(
        self, url: str, commands: Sequence[Sequence[Argument]], *, asking: bool
    ) -> list[Answered]:
        if not asking:
            return await self._pipe(url).ask_all(commands)
        out_of_turn = [each for command in commands for each in (("ASKING",), command)]
        return (await self._pipe(url).ask_all(out_of_turn))[1::2]

    async def _learn_again(self) -> None:
        """Learn anew, unless somebody just did; where nobody tells, what was known stays."""
        async with self._learning:
            if time.monotonic() - self._learned >= FRESH_S:
                try:
                    await self._learn()
                except RedisConnectionError:
                    self._learned = time.monotonic()

    async def _learn(self) -> int:
        """Believe the first node that sees most of the others; where none does, the first that tells anything."""
        doubtful: _Told | None = None
        for url in [*self._nodes, self._url]:
            told = await self._told_by(url)
            # Another is asked first each time, as each may be wrong for a moment.
            self._nodes = [*(each for each in self._nodes if each != url), url]
            if told is not None and told.sees_most:
                return await self._take(told)
            doubtful = doubtful or told
        if doubtful is None:
            raise RedisConnectionError("no node of the Cluster tells who holds what")
        return await self._take(doubtful)

    async def _told_by(self, url: str) -> _Told | None:
        try:
            async with asyncio.timeout(TOLD_S):
                with talking():
                    clock, slots, info = await self._pipe(url).ask_all(_WHO_HOLDS_WHAT)
            now = time_of(clock)
        except (RedisError, OSError):
            return None
        holders: dict[int, str] = {}
        nodes: dict[str, None] = {}
        for first, last, urls in self._ranges(slots, url):
            nodes.update(dict.fromkeys(urls))
            holders |= {bucket: urls[0] for bucket, slot in enumerate(_SLOTS) if first <= slot <= last}
        sees_most = isinstance(info, bytes) and b"cluster_state:ok" in info
        return _Told(now, holders, list(nodes), sees_most) if holders else None

    async def _take(self, told: _Told) -> int:
        former = set(self._holders.values())
        self._holders = told.holders
        self._nodes = [
            *(url for url in told.nodes if url not in self._nodes),
            *(url for url in self._nodes if url in told.nodes),
        ]
        # What one still waits for that holds nothing any more, dead perhaps, it will not answer.
        await self._close(
            (former - set(told.holders.values())) | (self._pipes.keys() - {*told.nodes, self._url})
        )
        self._learned = time.monotonic()
        return told.now

    async def _close(self, urls: Iterable[str]) -> None:
        for url in urls:
            pipe = self._pipes.pop(url, None)
            if pipe is not None:
                await pipe.aclose()

    def _pipe(self, url: str) -> Pipe:
        pipe = self._pipes.get(url)
        if pipe is None:
            pipe = self._pipes[url] = Pipe(url)
        return pipe

    def _ranges(self, slots: Answered, told_by: str) -> Iterator[tuple[int, int, list[str]]]:
        """Read CLUSTER SLOTS (https://valkey.io/commands/cluster-slots/): primary first, then its replicas."""
        for each in slots if isinstance(slots, list) else []:
            match each:
                case [int(first), int(last), *members]:
                    yield (
                        first,
                        last,
                        [
                            self._url_at(host.decode() if isinstance(host, bytes) else "", port, told_by)
                            for host, port in (member[:2] for member in members if isinstance(member, list))
                            if isinstance(port, int)
                        ],
                    )

    def _url_at(self, host: str, port: int, told_by: str) -> str:
        """Give the URL of a node; one that names no host means that of whoever told."""
        return url_of(told_by, host if host not in {"", "?"} else None, port)


__all__ = ["Cluster"]
