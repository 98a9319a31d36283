"""The store: a Redis or Valkey, or a Cluster of them, in which every change is one script.

No library retries by itself here (docs/architecture.md, rule 4): a script whose reply was lost has perhaps run, and only
who sent it can tell, by reading what is there. So `run` sends once; the one exception is a script the store does not
know yet, which certainly did not run.

Errors:

    StoreError
    ├── OutcomeUnknown   the connection broke or the answer did not come: it ran, or it did not
    └── StoreRefused     the store answered with an error: it did not run, or not to its end
        └── WrongType    a key holds what no service of ours writes there
"""

import asyncio
import contextlib
import hashlib
import ssl
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Self

from redis.asyncio import Redis
from redis.exceptions import (
    AuthenticationError,
    InvalidResponse,
    NoPermissionError,
    NoScriptError,
    RedisError,
    ResponseError,
)
from redis.exceptions import (
    ConnectionError as RedisConnectionError,
)
from redis.exceptions import (
    TimeoutError as RedisTimeoutError,
)

from wire import keys, store_url
from wire.clock import StoreClock
from wire.cluster import Cluster
from wire.fences import Fences
from wire.log import events
from wire.node import client_of, section, talking, time_of
from wire.pipe import Answered, Argument, Pipe, Reply
from wire.store_metrics import CALL_SECONDS, ERRORS, SILENT

SILENT_S = 3.0
"""After how long without any answer a replica says that it does not reach the store."""
REACH_S = 1.0
TELL_EVERY_S = 30.0

_LOG = events("wire.store")


class StoreError(Exception):
    """The store did not do what it was asked."""


class OutcomeUnknown(StoreError):
    """No answer came: what was asked has run or has not; read what is there to tell."""


class StoreRefused(StoreError):
    """The store answered with an error, such as out of memory or read only."""


class WrongType(StoreRefused):
    """A key holds what no service of ours writes there; nothing was done with it, and others are as good as ever."""


@dataclass(frozen=True, slots=True)
class Script:
    """A Lua script, known to the store by the SHA-1 of its text; `call` is what its calls are counted as."""

    text: str
    call: str = "script"
    sha: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "sha", hashlib.sha1(self.text.encode(), usedforsecurity=False).hexdigest())


class Store:
    """A connection to the store; make one with `reach` or `connect`, and have `keep_time` run beside it."""

    def __init__(self, client: Redis, *, url: str, cluster: Cluster | None = None) -> None:
        """Hold a client that is connected: to the store, or to the node of a Cluster that was named."""
        self.client = client
        self.url = url
        self._pipe = Pipe(url)
        self.clock = StoreClock()
        self._cluster = cluster
        self._fences = Fences()
        self._heard = time.monotonic()
        self._silence_told = False

    @property
    def silent(self) -> bool:
        """Whether it has answered nothing lately, though `keep_time` asks once a second."""
        return time.monotonic() - self._heard > SILENT_S

    @classmethod
    async def connect(cls, url: str) -> Self:
        """Connect to `redis://…`, `rediss://…` or `unix://…`, a single store or any node of a Cluster.

        Raises:
            StoreError: it cannot be reached, or refuses us; the words say what to do.
        """
        client = _client(url)
        try:
            is_cluster = "cluster_enabled:1" in await section(client, "cluster")
            store = cls(client, url=url, cluster=Cluster(url) if is_cluster else None)
            await store.hear_time()
        except (AuthenticationError, NoPermissionError) as error:
            await client.aclose()
            raise StoreRefused(
                f"The store refuses our user or password ({error}); check TILERACE_REDIS_URL."
            ) from error
        except (RedisError, OSError) as error:
            await client.aclose()
            raise _not_reached(url, error) from error
        return store

    @classmethod
    async def reach(cls, url: str, *, every_s: float = REACH_S) -> Self:
        """Connect, as `connect` does, and wait for a store that is away: it may be starting just as we are.

        Raises:
            StoreRefused: it refuses us, which waiting would not mend.
        """
        told = -TELL_EVERY_S
        while True:
            try:
                store = await cls.connect(url)
            except StoreRefused:
                raise
            except StoreError as error:
                SILENT.set(1)
                if time.monotonic() - told >= TELL_EVERY_S:
                    told = time.monotonic()
                    _LOG.warning("waiting for the store", why=str(error))
            else:
                store_url.tell_what_is_open(url)
                await store.tell_of_no_file()
                return store
            await asyncio.sleep(every_s)

    async def tell_of_no_file(self) -> None:
        """Tell where it keeps no file that it appends to: what was acknowledged is lost with it then (rule 6)."""
        with contextlib.suppress(RedisError, OSError):
            if "aof_enabled:0" in await section(self.client, "persistence"):
                _LOG.warning("the store keeps no append-only file")

    async def aclose(self) -> None:
        """Close every connection."""
        await self.client.aclose()
        await self._pipe.aclose()
        if self._cluster is not None:
            await self._cluster.aclose()
        await self._fences.aclose()

    def group(self, bucket: int) -> int:
        """Give what a bucket's commits may share a script call with: all on a single store, its own in a Cluster."""
        return 0 if self._cluster is None else bucket

    async def run(self, script: Script, script_keys: Sequence[str], arguments: Sequence[Argument]) -> Reply:
        """Run a script once. In a Cluster all keys must be of one bucket.

        Raises:
            OutcomeUnknown: no answer came.
            StoreRefused: the store answered with an error.
        """
        try:
            with self._asking(script.call):
                try:
                    return await self._eval("EVALSHA", script.sha, script_keys, arguments)
                except NoScriptError:
                    # Not loaded first: what was forgotten once may be forgotten again in between.
                    return await self._eval("EVAL", script.text, script_keys, arguments)
        except (RedisError, OSError) as error:
            raise _counted(error) from error

    async def read(self, commands: Sequence[Sequence[Argument]]) -> list[Reply]:
        """Run reading commands, a tuple each, in one write, in a Cluster one a bucket; their replies in order.

        Raises:
            OutcomeUnknown: no answer came.
            StoreRefused: the store answered one of them with an error.
        """
        replies: list[Reply] = []
        for reply in await self.read_apart(commands):
            if isinstance(reply, WrongType):
                raise reply
            replies.append(reply)
        return replies

    async def read_apart(self, commands: Sequence[Sequence[Argument]]) -> list[Reply | WrongType]:
        """Run commands like `read`, each by itself where a key is not what it should be: one such spoils no other.

        Raises:
            OutcomeUnknown: no answer came.
            StoreRefused: the store answered one of them with another error.
        """
        if not commands:
            return []
        try:
            with self._asking("read"):
                return [_apart(reply) for reply in await self._pipeline(commands)]
        except (RedisError, OSError) as error:
            raise _counted(error) from error

    async def _pipeline(self, commands: Sequence[Sequence[Argument]]) -> list[Answered]:
        if self._cluster is not None:
            return await _in_buckets(self._cluster, commands)
        return await self._pipe.ask_all(commands)

    async def hear_time(self) -> None:
        """Ask the store for its TIME and tell the clock; in a Cluster learn who holds what, too."""
        with self._asking("time"):
            if self._cluster is None:
                now = time_of(await self._pipe.ask("TIME"))
            else:
                now = await self._cluster.learn()
        self.clock.heard(now)

    async def keep_time(self, *, every_s: float = 1.0) -> None:
        """Ask for the TIME again and again, until cancelled; a store that is away is asked again."""
        SILENT.set_function(lambda: float(self.silent))
        while True:
            await asyncio.sleep(every_s)
            try:
                await self.hear_time()
            except (RedisError, OSError) as error:
                _counted(error)
                self._tell_silence()

    async def durable(self, bucket: int) -> bool:
        """Wait until all that was committed so far is synced, and on a replica where there is one.

        Returns:
            Whether it is known to be so; False where the store is configured to sync later, or did not answer.
        """
        try:
            with talking():
                return await self._fences.durable(self.holder(bucket), bucket)
        except (RedisError, OSError):
            return False

    async def _eval(
        self, command: str, script: str, script_keys: Sequence[str], arguments: Sequence[Argument]
    ) -> Reply:
        whole = (command, script, len(script_keys), *script_keys, *arguments)
        if self._cluster is not None:
            return await self._cluster.send(keys.bucket_of_key(script_keys[0]), *whole)
        return await self._pipe.ask(*whole)

    @contextlib.contextmanager
    def _asking(self, call: str) -> Iterator[None]:
        asked = time.monotonic()
        with talking():
            yield
        self._heard = time.monotonic()
        CALL_SECONDS[call].add(self._heard - asked)
        if self._silence_told:
            self._silence_told = False
            _LOG.info("the store answers again")

    def _tell_silence(self) -> None:
        if self.silent and not self._silence_told:
            self._silence_told = True
            _LOG.warning("the store does not answer", seconds=int(time.monotonic() - self._heard))

    def holder(self, bucket: int) -> str:
        """Give the URL of the node that holds a bucket.

        Raises:
            RedisError: in a Cluster none does.
        """
        return self.url if self._cluster is None else self._cluster.holder(bucket)


async def _in_buckets(cluster: Cluster, commands: Sequence[Sequence[Argument]]) -> list[Answered]:
    """Send each bucket's commands to the node that holds it, to all of them at once; the replies in order."""
    parts: dict[int, list[int]] = {}
    for at, command in enumerate(commands):
        parts.setdefault(keys.bucket_of_key(command[1]), []).append(at)
    found = await asyncio.gather(
        *(cluster.send_all(bucket, [commands[at] for at in part]) for bucket, part in parts.items()),
        return_exceptions=True,
    )
    replies: list[Answered] = [None] * len(commands)
    for part, answers in zip(parts.values(), found, strict=True):
        if isinstance(answers, BaseException):
            raise answers
        for at, answer in zip(part, answers, strict=True):
            replies[at] = answer
    return replies


def _client(url: str) -> Redis:
    try:
        return client_of(url)
    except (RedisError, TypeError, ValueError) as error:
        raise StoreRefused(f"TILERACE_REDIS_URL has an option that cannot be used ({error}).") from error


def _not_reached(url: str, error: RedisError | OSError) -> StoreError:
    """Say why there is no connection; a certificate that is not believed is a refusal, which waiting does not mend."""
    at = f"The store at {_shown(url)}"
    wrong = _first(error, ssl.SSLCertVerificationError)
    if isinstance(wrong, ssl.SSLCertVerificationError):
        why = wrong.verify_message
        return StoreRefused(
            f"{at} is not believed to be it: {why}; check its certificate, and ssl_ca_certs of TILERACE_REDIS_URL."
        )
    if _first(error, ssl.SSLError) is not None:
        why = f"no TLS can be agreed on: {error}"
    elif url.startswith("rediss:") and isinstance(error, RedisTimeoutError):
        why = f"{error}; one that speaks no TLS begins with redis://"
    elif url.startswith("redis:") and isinstance(
        error, InvalidResponse | RedisConnectionError | ResponseError
    ):
        why = f"{error}; one that speaks TLS begins with rediss://"
    else:
        why = str(error)
    return StoreError(f"{at} cannot be reached ({why}); check that it runs and TILERACE_REDIS_URL.")


def _first(error: BaseException | None, kind: type[Exception]) -> BaseException | None:
    """Find the first error of a kind among one and what led to it."""
    while error is not None and not isinstance(error, kind):
        error = error.__cause__ or error.__context__
    return error


def _counted(error: RedisError | OSError) -> StoreError:
    """Count an error of the client library, and name it as ours."""
    if isinstance(error, RedisConnectionError | RedisTimeoutError | OSError):
        ERRORS.labels("unknown").inc()
        return OutcomeUnknown(str(error))
    ERRORS.labels("refused").inc()
    return StoreRefused(str(error))


def _apart(reply: Answered) -> Reply | WrongType:
    if not isinstance(reply, RedisError):
        return reply
    if "WRONGTYPE" in str(reply):
        ERRORS.labels("wrong_type").inc()
        return WrongType(str(reply))
    raise reply


def _shown(url: str) -> str:
    """Give the address without user and password, which may stand among its options, too."""
    scheme, _, rest = url.partition("://")
    return f"{scheme}://{rest.partition('?')[0].rpartition('@')[2]}"


__all__ = [
    "Argument",
    "OutcomeUnknown",
    "Reply",
    "Script",
    "Store",
    "StoreError",
    "StoreRefused",
    "WrongType",
]
