"""Work that concerns every group of the store, done in each by itself: a node of a Cluster that is away delays no other.

On a single store, which is one group, it is done as if it were called.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection

from wire.store import StoreError


class Apart:
    """Does one thing in every group, again and again, side by side; in one group it is under way once at most."""

    def __init__(
        self, groups: Collection[int], work: Callable[[int], Awaitable[None]], tasks: asyncio.TaskGroup
    ) -> None:
        """Do `work` in these groups, within `tasks`."""
        self._groups = groups
        self._work = work
        self._tasks = tasks
        self._under_way: dict[int, asyncio.Task[StoreError | None]] = {}

    async def once(self) -> None:
        """Do it in every group where it is not under way still, and wait until it is done in one.

        Raises:
            StoreError: it was done in none.
        """
        for group in self._groups:
            if group not in self._under_way:
                self._under_way[group] = self._tasks.create_task(self._do(group))
        waiting = set(self._under_way.values())
        errors: list[StoreError | None] = []
        while waiting:
            done, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            errors = [task.result() for task in done]
            if None in errors:
                return
        raise errors[0] or StoreError("no group of the store answers")

    async def _do(self, group: int) -> StoreError | None:
        try:
            await self._work(group)
        except StoreError as error:
            return error
        finally:
            del self._under_way[group]
        return None
