"""A store that is a Cluster: scripts run once and reads are answered wherever a bucket is, and wherever it goes."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable

import pytest
from tests.cluster.nodes import Node, Nodes
from tests.faults.figures import Figures

from wire import keys, news
from wire.store import OutcomeUnknown, Script, Store, StoreError, StoreRefused, WrongType

COUNT = Script("redis.call('GET', KEYS[2]); return redis.call('INCR', KEYS[1])")
EVERYWHERE = range(keys.BUCKETS)
BACK_S = 20.0


async def test_scripts_run_in_every_bucket_from_whichever_node_is_named(nodes: Nodes) -> None:
    for count, node in enumerate(nodes.all, 1):
        store = await Store.connect(node.url)
        counts = await asyncio.gather(*(_count(store, bucket, "all") for bucket in EVERYWHERE))
        assert counts == [count] * keys.BUCKETS
        await store.aclose()


async def test_what_is_read_of_many_buckets_comes_in_order(store: Store) -> None:
    await store.read([("SET", _key(bucket, "read"), bucket) for bucket in EVERYWHERE])
    wanted = [9, 3, 0, 3, 15]
    assert await store.read([("GET", _key(bucket, "read")) for bucket in wanted]) == [
        b"9",
        b"3",
        b"0",
        b"3",
        b"15",
    ]
    await store.read([("RPUSH", _key(3, "list"), 1)])
    wrong, right = await store.read_apart([("GET", _key(3, "list")), ("GET", _key(9, "read"))])
    assert isinstance(wrong, WrongType)
    assert right == b"9"


@pytest.mark.parametrize("move", [Nodes.move, Nodes.move_at_once])
async def test_while_a_bucket_moves_every_script_runs_once_and_none_is_refused(
    nodes: Nodes, store: Store, move: Callable[[Nodes, int, Node], None]
) -> None:
    bucket, name = 5, f"moved by {move.__name__}"
    await store.read([("SET", _key(bucket, f"{name} {number}"), b"x" * 1_000) for number in range(60)])
    async with _counting(store, bucket, name) as counts:
        for _ in range(2):
            source = nodes.holder(bucket)
            target = next(node for node in nodes.all if node.is_primary and node is not source)
            await asyncio.to_thread(move, nodes, bucket, target)
            await _until_more(counts)
    assert counts == list(range(1, len(counts) + 1))
    found = await store.read([("GET", _key(bucket, f"{name} {number}")) for number in range(60)])
    assert found == [b"x" * 1_000] * 60


async def test_while_a_primary_is_handed_over_every_script_runs_once(nodes: Nodes, store: Store) -> None:
    async with _counting(store, 5, "handed over") as counts:
        for _ in range(2):
            await asyncio.to_thread(nodes.hand_over, nodes.holder(5))
            await _until_more(counts)
            await asyncio.to_thread(nodes.until_whole)
    assert counts == list(range(1, len(counts) + 1))


async def test_when_a_primary_dies_its_replica_is_found_and_other_buckets_do_not_wait(
    nodes: Nodes, store: Store
) -> None:
    near, far = 0, 3
    assert nodes.holder(near) is not nodes.holder(far)
    keeping = asyncio.create_task(store.keep_time(every_s=0.2))
    async with _counting(store, far, "far away") as far_counts:
        dying = nodes.holder(near)
        dying.kill()
        with pytest.raises(OutcomeUnknown):
            await _count(store, near, "near")
        await _until_more(far_counts)
        assert dying.port == nodes.alive[0].slots()[near], "the replica took over too soon for this test"
        await _until_counts(store, near)
        assert await store.durable(near)
        assert not store.silent
    assert far_counts == list(range(1, len(far_counts) + 1))
    keeping.cancel()
    await asyncio.gather(keeping, return_exceptions=True)


async def test_buckets_that_no_node_holds_are_refused_in_words_and_others_go_on(
    nodes: Nodes, store: Store
) -> None:
    bucket, slot = 7, 13_866
    holder = nodes.holder(bucket)
    for node in nodes.alive:
        node.ask("CLUSTER", "DELSLOTS", slot)
    try:
        with pytest.raises(StoreRefused, match=r"(?i)slot|bucket"):
            await _count(store, bucket, "uncovered")
        await store.hear_time()
        with pytest.raises(StoreRefused, match=r"(?i)slot|bucket"):
            await store.read([("GET", _key(bucket, "uncovered"))])
        assert await _count(store, 3, "uncovered") == 1
    finally:
        holder.ask("CLUSTER", "ADDSLOTS", slot)


async def test_a_named_node_that_dies_is_needed_no_more(nodes: Nodes) -> None:
    named = nodes.replica_of(nodes.holder(0))
    store = await Store.connect(named.url)
    named.kill()
    await asyncio.to_thread(nodes.hand_over, nodes.holder(3))
    assert await _count(store, 0, "named") == 1
    assert await _count(store, 3, "named") == 1
    for _ in nodes.all:
        await store.hear_time()
    await store.aclose()


async def test_news_is_heard_on_after_its_bucket_moved_and_after_its_node_died(
    nodes: Nodes, figures: Figures
) -> None:
    store = await Store.connect(nodes.all[0].url)
    bucket, heard = 9, asyncio.Queue[bytes | None]()
    async with asyncio.TaskGroup() as tasks:
        beside = [
            tasks.create_task(store.keep_time()),
            tasks.create_task(
                news.listen(
                    store, keys.races_channel, buckets=[bucket],
                    on_news=lambda _, payload: heard.put_nowait(payload), on_gap=lambda: heard.put_nowait(None),
                )
            ),
        ]  # fmt: skip
        async with asyncio.timeout(BACK_S):
            assert await heard.get() is None
            source = nodes.holder(bucket)
            target = next(node for node in nodes.all if node.is_primary and node is not source)
            await asyncio.to_thread(nodes.move_at_once, bucket, target)
            await _see_gap(heard, figures, "its slot has moved")
            await _tell(store, bucket, b"A 1")
            assert await heard.get() == b"A 1"
            await asyncio.to_thread(nodes.kill, target)
            await _see_gap(heard, figures, "a replica has taken over")
            await _tell(store, bucket, b"A 2")
            assert await heard.get() == b"A 2"
        for task in beside:
            task.cancel()
    await store.aclose()


async def _see_gap(heard: "asyncio.Queue[bytes | None]", figures: Figures, after: str) -> None:
    begun = asyncio.get_running_loop().time()
    assert await heard.get() is None
    took = asyncio.get_running_loop().time() - begun
    figures.note(f"news of a bucket is heard again once {after}", took, promised=2)


async def _tell(store: Store, bucket: int, payload: bytes) -> None:
    await store.read([("SPUBLISH", keys.races_channel(bucket), payload)])


def _key(bucket: int, name: str) -> str:
    return f"{keys.tag(bucket)}:{name}"


async def _count(store: Store, bucket: int, name: str) -> object:
    return await store.run(COUNT, [_key(bucket, name), _key(bucket, "other")], [])


@contextlib.asynccontextmanager
async def _counting(store: Store, bucket: int, name: str) -> AsyncIterator[list[object]]:
    """Count without end in a bucket; an error fails the test."""
    counts: list[object] = []

    async def count_on() -> None:
        while True:
            counts.append(await _count(store, bucket, name))
            await asyncio.sleep(0.002)

    async with asyncio.TaskGroup() as tasks:
        counting = tasks.create_task(count_on())
        yield counts
        counting.cancel()


async def _until_more(counts: list[object]) -> None:
    before = len(counts)
    async with asyncio.timeout(BACK_S):
        while len(counts) < before + 10:
            await asyncio.sleep(0.01)


async def _until_counts(store: Store, bucket: int) -> None:
    async with asyncio.timeout(BACK_S):
        while True:
            with contextlib.suppress(StoreError):
                await _count(store, bucket, "near")
                return
            await asyncio.sleep(0.05)
