"""Natural batching: everything queued goes out as one message, in order, within bounds."""

import asyncio

import pytest

from wire import batching
from wire.batching import AT_ONCE, Outbox, Overflow


async def test_all_that_is_queued_goes_out_as_one_message() -> None:
    outbox: Outbox[int] = Outbox(10)
    written: list[list[int]] = []

    async def write(items: list[int]) -> None:
        written.append(items)

    for number in range(5):
        outbox.put(number)
    outbox.close()
    await outbox.run(write)
    assert written == [[0, 1, 2, 3, 4]]


@pytest.mark.parametrize("paced", [False, True])
async def test_what_comes_while_writing_goes_out_next_and_in_order(paced: bool) -> None:  # noqa: FBT001
    outbox: Outbox[int] = Outbox(2000, paced=paced)
    written: list[list[int]] = []

    async def write(items: list[int]) -> None:
        written.append(items)
        await asyncio.sleep(0.001)

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(outbox.run(write))
        for number in range(1500):
            outbox.put(number)
            if number % 100 == 0:
                await asyncio.sleep(0.001)
        outbox.close()
    assert [item for items in written for item in items] == list(range(1500))
    assert len(written) < 100


@pytest.mark.parametrize(("beside", "apart_s"), [(1, 0.05), (3, 0.15), (9, 0.2)])
async def test_where_many_come_one_by_one_messages_are_few(
    monkeypatch: pytest.MonkeyPatch, beside: int, apart_s: float
) -> None:
    monkeypatch.setattr(batching, "FULL", 1.0)
    monkeypatch.setattr(batching, "MOST_PACE_S", 0.05)
    monkeypatch.setattr(batching, "MOST_WAIT_S", 0.2)
    monkeypatch.setattr(batching, "WINDOW_S", 0.0)
    loop = asyncio.get_running_loop()
    outbox: Outbox[int] = Outbox(100, paced=True)
    outbox.beside = beside
    written: list[tuple[float, list[int]]] = []

    async def write(items: list[int]) -> None:
        written.append((loop.time(), items))

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(outbox.run(write))
        outbox.put(0)
        while not written:
            await asyncio.sleep(0)
        for number in range(1, 20):
            outbox.put(number)
            await asyncio.sleep(0)
        assert [items for _, items in written] == [[0]]
        while len(written) < 2:
            await asyncio.sleep(0.001)
        outbox.close()
    assert [items for _, items in written] == [[0], list(range(1, 20))]
    assert written[1][0] - written[0][0] >= apart_s - 0.001


async def test_where_few_come_each_goes_at_once() -> None:
    outbox: Outbox[int] = Outbox(100, paced=True)
    written: list[list[int]] = []

    async def write(items: list[int]) -> None:
        written.append(items)

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(outbox.run(write))
        for number in range(3):
            outbox.put(number)
            for _ in range(5):
                await asyncio.sleep(0)
        assert written == [[0], [1], [2]]
        outbox.close()


async def test_what_may_wait_goes_with_what_comes_next_or_by_itself_a_moment_later() -> None:
    outbox: Outbox[str] = Outbox(100)
    written: list[list[str]] = []

    async def write(items: list[str]) -> None:
        written.append(items)

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(outbox.run(write))
        outbox.put("news", may_wait=True)
        for _ in range(5):
            await asyncio.sleep(0)
        assert written == []
        outbox.put("answer")
        while not written:
            await asyncio.sleep(0)
        outbox.put("more news", may_wait=True)
        while len(written) < 2:
            await asyncio.sleep(0.001)
        outbox.put("last news", may_wait=True)
        outbox.close()
    assert written == [["news", "answer"], ["more news"], ["last news"]]


async def test_a_message_holds_a_bounded_number_of_items_also_at_the_end() -> None:
    outbox: Outbox[int] = Outbox(10_000)
    written: list[list[int]] = []

    async def write(items: list[int]) -> None:
        written.append(items)

    for number in range(10_000):
        outbox.put(number)
    outbox.close()
    await outbox.run(write)
    assert [len(items) for items in written] == [AT_ONCE, AT_ONCE, 10_000 - 2 * AT_ONCE]
    assert [item for items in written for item in items] == list(range(10_000))


async def test_a_cancelled_writer_leaves_what_it_had_not_begun_to_write() -> None:
    outbox: Outbox[int] = Outbox(10)
    outbox.put(1)
    begun = asyncio.Event()

    async def write(_items: list[int]) -> None:
        begun.set()
        await asyncio.Event().wait()

    writer = asyncio.create_task(outbox.run(write))
    await begun.wait()
    outbox.put(2)
    writer.cancel()
    with pytest.raises(asyncio.CancelledError):
        await writer
    assert len(outbox) == 1


async def test_a_full_queue_says_so_and_keeps_what_it_has() -> None:
    outbox: Outbox[int] = Outbox(2)
    outbox.put(1)
    outbox.put(2)
    with pytest.raises(Overflow, match="too slow"):
        outbox.put(3)
    assert len(outbox) == 2


async def test_what_is_put_after_the_end_is_dropped() -> None:
    outbox: Outbox[int] = Outbox(2)
    outbox.close()
    outbox.put(1)
    assert len(outbox) == 0


async def test_an_error_of_the_stream_ends_the_writer() -> None:
    outbox: Outbox[int] = Outbox(2)
    outbox.put(1)

    async def write(items: list[int]) -> None:
        raise ConnectionError(items)

    with pytest.raises(ConnectionError):
        await outbox.run(write)
