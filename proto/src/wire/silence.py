"""Noticing that the other end of a stream says nothing any more."""

import asyncio
from collections.abc import Callable

_PARTS = 5


async def until_silent(heard: Callable[[], float], seconds: float) -> None:
    """Wait until `heard`, which changes with all that comes, has stayed the same for so many seconds.

    The span is in parts, so that one in which this process stood still itself does not count for all.
    """
    last, parts = heard(), 0
    while parts < _PARTS:
        await asyncio.sleep(seconds / _PARTS)
        parts = parts + 1 if heard() == last else 0
        last = heard()
