"""Work in every group of the store: one that does not answer delays no other, and none that answers is a failure."""

import asyncio
from collections import Counter

import pytest

from wire.apart import Apart
from wire.store import StoreError


async def test_what_hangs_in_one_group_holds_up_no_other_and_is_not_begun_again() -> None:
    begun, let_go = Counter[int](), asyncio.Event()

    async def work(group: int) -> None:
        begun[group] += 1
        if group == 1:
            await let_go.wait()
        if group == 2:
            raise StoreError("group 2 does not answer")

    async with asyncio.TaskGroup() as tasks:
        apart = Apart(range(3), work, tasks)
        for _ in range(3):
            await apart.once()
            await asyncio.sleep(0)
        assert begun == {0: 3, 1: 1, 2: 3}
        let_go.set()


async def test_what_is_done_in_no_group_has_failed() -> None:
    async def work(group: int) -> None:
        raise StoreError(f"group {group} does not answer")

    async with asyncio.TaskGroup() as tasks:
        with pytest.raises(StoreError, match="does not answer"):
            await Apart(range(2), work, tasks).once()
