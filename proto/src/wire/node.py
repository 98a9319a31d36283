"""One node of the store, and how it is talked to: no library retries by itself, and everything has a deadline."""

import asyncio
import contextlib
from collections.abc import Iterator
from urllib.parse import urlsplit

from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import RedisError, ResponseError
from redis.maint_notifications import MaintNotificationsConfig

from wire.pipe import ANSWER_S, CONNECT_S, Answered

MOST_CONNECTIONS = 32
"""How many connections a client of one node has at most; past it, whoever asks waits its turn."""


def client_of(url: str) -> Redis:
    """Make a client of one node, for what is seldom asked or waited for; it connects when it is asked.

    Raises:
        RedisError, TypeError, ValueError: an option of the URL is not known, or has no value of its kind.
    """
    pool = BlockingConnectionPool.from_url(
        url,
        max_connections=MOST_CONNECTIONS,
        timeout=ANSWER_S,
        retry=Retry(NoBackoff(), 0),
        socket_timeout=ANSWER_S,
        socket_connect_timeout=CONNECT_S,
        protocol=2,
        maint_notifications_config=MaintNotificationsConfig(enabled=False),
    )
    pool.connection_class(**pool.connection_kwargs)  # which would else be told when it is first asked
    return Redis.from_pool(pool)


def url_of(url: str, host: str | None, port: int) -> str:
    """Give the URL of another node of the same Cluster, reached with the same user and options; None: the same host.

    >>> url_of("redis://user:word@one:6379/0", "::1", 6380)
    'redis://user:word@[::1]:6380/0'
    """
    parts = urlsplit(url)
    user, at, _ = parts.netloc.rpartition("@")
    name = parts.hostname or "" if host is None else host
    shown = f"[{name}]" if ":" in name else name
    return parts._replace(netloc=f"{user}{at}{shown}:{port}").geturl()


def time_of(answer: Answered) -> int:
    """Read the answer to TIME, in milliseconds.

    Raises:
        RedisError: it is an error, or none of TIME.

    >>> time_of([b"1700000000", b"123456"])
    1700000000123
    """
    match answer:
        case [bytes(seconds), bytes(micros)]:
            return int(seconds) * 1000 + int(micros) // 1000
        case RedisError():
            raise answer
        case _:
            raise ResponseError("TIME was answered in another shape")


async def section(client: Redis, name: str) -> str:
    """Read one section of INFO as it stands, past the library's reading of it."""
    info: dict[str, object] = await client.info(name)
    return "\n".join(f"{field}:{value}" for field, value in info.items())


@contextlib.contextmanager
def talking() -> Iterator[None]:
    """Talk to the store within the block, and nothing else; two faults below the client are made good.

    A cancellation that it lost is raised: before Python 3.12 asyncio.wait_for loses one that comes just when its work is
    done (https://github.com/python/cpython/issues/86296), and the client sends through it. And where a connection closed
    just before it is written to, uvloop raises a bare RuntimeError, which is a connection lost like any other.
    """
    try:
        yield
    except RuntimeError as error:
        if type(error) is not RuntimeError:
            raise
        raise RedisConnectionError(str(error)) from error
    finally:
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            raise asyncio.CancelledError
