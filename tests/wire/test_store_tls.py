"""A store that speaks TLS is believed by its certificate alone, by every connection that there is to it."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import redis.asyncio
from redis.exceptions import ConnectionError as RedisConnectionError
from tests.cluster.nodes import PRIMARIES, SLOTS, Node, until
from tests.stack import Valkey, free_port
from tests.tls import HERE, Papers, tunnel

from wire import keys, news, node
from wire.fences import Fences
from wire.pipe import Pipe
from wire.store import Script, Store, StoreError, StoreRefused

USER, WORD = "racer", "hidden-7f3a"
SET = Script("return redis.call('SET', KEYS[1], ARGV[1])")


@pytest.fixture(scope="module")
def papers(tmp_path_factory: pytest.TempPathFactory) -> Papers:
    return Papers.made(tmp_path_factory.mktemp("papers"))


@pytest.fixture(scope="module")
def valkey(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Valkey]:
    users = ("--user", "default", "off", "--user", USER, "on", f">{WORD}", "~*", "&*", "+@all")
    found = Valkey(tmp_path_factory.mktemp("store"), options=users)
    try:
        found.start()
        yield found
    finally:
        found.stop()


@contextlib.contextmanager
def in_front_of(valkey: Valkey, papers: Papers, **how: bool | str) -> Iterator[str]:
    """Put TLS in front of a store; give its address, without options."""
    with tunnel(papers.server(**how), valkey.port) as port:  # type: ignore[arg-type]  # what tests vary
        yield f"rediss://{USER}:{WORD}@{HERE}:{port}/0"


@contextlib.asynccontextmanager
async def connected(url: str) -> AsyncIterator[Store]:
    store = await Store.connect(url)
    try:
        yield store
    finally:
        await store.aclose()


async def test_a_store_is_believed_by_an_authority_of_ones_own(valkey: Valkey, papers: Papers) -> None:
    with in_front_of(valkey, papers) as url:
        async with connected(f"{url}?ssl_ca_certs={papers.ca}") as store:
            assert await store.run(SET, ["{b00}:x"], [1]) == b"OK"
            assert await store.durable(0)


async def test_a_client_shows_its_certificate(valkey: Valkey, papers: Papers) -> None:
    with in_front_of(valkey, papers, asks_for_client=True) as url:
        trusting = f"{url}?ssl_ca_certs={papers.ca}"
        async with connected(f"{trusting}&ssl_certfile={papers.client}") as store:
            assert await store.run(SET, ["{b00}:x"], [1]) == b"OK"
        # In TLS 1.3 a client is done before the server judges it: the alert, an end or a reset, whichever comes first.
        with pytest.raises(StoreError, match="cannot be reached"):
            await Store.connect(trusting)


@pytest.mark.parametrize(
    ("how", "why"),
    [
        ({"expired": True}, "certificate has expired"),
        ({"name": "other.test"}, f"IP address mismatch, certificate is not valid for '{HERE}'"),
    ],
)
async def test_an_expired_certificate_or_anothers_is_refused_in_words(
    valkey: Valkey, papers: Papers, how: dict[str, bool | str], why: str
) -> None:
    with in_front_of(valkey, papers, **how) as url:
        with pytest.raises(StoreRefused) as told:
            await Store.connect(f"{url}?ssl_ca_certs={papers.ca}")
        assert why in str(told.value)
        assert "check its certificate, and ssl_ca_certs of TILERACE_REDIS_URL" in str(told.value)
        assert WORD not in str(told.value)


@pytest.mark.parametrize("believed", ["the system's", "another's"])
async def test_a_certificate_of_an_unknown_authority_is_refused_in_words(
    valkey: Valkey, papers: Papers, tmp_path: Path, believed: str
) -> None:
    other = Papers.made(tmp_path)
    with in_front_of(valkey, papers) as url:
        with pytest.raises(StoreRefused) as told:
            await Store.connect(url if believed == "the system's" else f"{url}?ssl_ca_certs={other.ca}")
        assert "unable to get local issuer certificate" in str(told.value)
        assert WORD not in str(told.value)


async def test_each_kind_of_connection_refuses_anothers_certificate(valkey: Valkey, papers: Papers) -> None:
    with in_front_of(valkey, papers, name="other.test") as url:
        whole = f"{url}?ssl_ca_certs={papers.ca}"
        client = node.client_of(whole)
        for ask in (
            lambda: Pipe(whole).ask("PING"),
            lambda: Fences().durable(whole, 0),
            client.ping,
            client.pubsub().subscribe,
        ):
            with pytest.raises(RedisConnectionError):
                await ask()
        await client.aclose()


async def test_who_speaks_no_tls_to_a_store_that_does_is_told_so(valkey: Valkey, papers: Papers) -> None:
    with in_front_of(valkey, papers) as url, pytest.raises(StoreError) as told:
        await Store.connect(url.replace("rediss:", "redis:"))
    assert "one that speaks TLS begins with rediss://" in str(told.value)
    assert WORD not in str(told.value)


async def test_who_speaks_tls_to_a_store_that_does_not_is_told_so(valkey: Valkey, papers: Papers) -> None:
    with pytest.raises(StoreError) as told:
        await Store.connect(f"rediss://{USER}:{WORD}@{HERE}:{valkey.port}/0?ssl_ca_certs={papers.ca}")
    assert "one that speaks no TLS begins with redis://" in str(told.value)
    assert WORD not in str(told.value)


async def test_a_store_elsewhere_that_is_spoken_to_in_clear_is_warned_of_at_the_start(
    valkey: Valkey, caplog: pytest.LogCaptureFixture
) -> None:
    elsewhere = (
        f"redis://{USER}:{WORD}@127.1:{valkey.port}/0"  # the same machine, in a way that does not look it
    )
    await (await Store.reach(elsewhere)).aclose()
    assert "the store is spoken to in clear" in caplog.messages
    assert WORD not in caplog.text


async def test_news_come_over_tls(valkey: Valkey, papers: Papers) -> None:
    with in_front_of(valkey, papers) as url:
        async with connected(f"{url}?ssl_ca_certs={papers.ca}") as store, asyncio.TaskGroup() as tasks:
            heard: asyncio.Queue[bytes] = asyncio.Queue()
            listens = asyncio.Event()
            listening = tasks.create_task(
                news.listen(
                    store,
                    keys.races_channel,
                    buckets=[3],
                    on_news=lambda _, told: heard.put_nowait(told),
                    on_gap=listens.set,
                )
            )
            async with asyncio.timeout(10):
                await listens.wait()
                await store.client.execute_command("SPUBLISH", keys.races_channel(3), b"told")
                assert await heard.get() == b"told"
            listening.cancel()


async def test_a_cluster_is_spoken_to_over_tls_node_by_node(papers: Papers, tmp_path: Path) -> None:
    with cluster(papers, tmp_path) as (nodes, ports):
        async with connected(f"rediss://{HERE}:{ports[0]}/0?ssl_ca_certs={papers.ca}") as store:
            for bucket in range(keys.BUCKETS):
                assert await store.run(SET, [f"{keys.tag(bucket)}:x"], [bucket]) == b"OK"
                assert await store.durable(bucket)
            assert {store.holder(bucket) for bucket in range(keys.BUCKETS)} == {
                f"rediss://{HERE}:{port}/0?ssl_ca_certs={papers.ca}" for port in ports
            }
        for each in nodes:
            async with redis.asyncio.Redis(port=each.port) as client:
                assert await client.dbsize() > 0


@contextlib.contextmanager
def cluster(papers: Papers, folder: Path) -> Iterator[tuple[list[Node], list[int]]]:
    """Run primaries, each behind a tunnel whose port it names as its own; give both."""
    with contextlib.ExitStack() as stack:
        nodes, ports = [], [free_port() for _ in range(PRIMARIES)]
        for number, port in enumerate(ports):
            (folder / f"node-{number}").mkdir()
            each = Node(folder / f"node-{number}")
            each.options = (*each.options, "--cluster-announce-port", str(port))
            stack.callback(each.stop)
            each.start()
            stack.enter_context(tunnel(papers.server(), each.port, port=port))
            nodes.append(each)
        for number, each in enumerate(nodes):
            nodes[0].ask("CLUSTER", "MEET", HERE, each.port, each.bus) if number else None
            start, end = (SLOTS * edge // PRIMARIES for edge in (number, number + 1))
            each.ask("CLUSTER", "ADDSLOTSRANGE", start, end - 1)
        until(lambda: all(map(_is_whole, nodes)), "the nodes were never one Cluster")
        yield nodes, ports


def _is_whole(each: Node) -> bool:
    info = each.tell("CLUSTER", "INFO")
    return "cluster_state:ok" in info and f"cluster_known_nodes:{PRIMARIES}" in info
