"""Friends who meet at a table and race: what most tests begin with."""

import contextlib
from collections.abc import AsyncIterator

from tests.friend import Friend, open_table

NAMES = ("Ann", "Bo", "Cy", "Di")


@contextlib.asynccontextmanager
async def gathered(base: str, size: int, **rules: int | None) -> AsyncIterator[list[Friend]]:
    """Seat `size` friends at a new table, all ready, in seats 1 to `size`; the first is the host."""
    chosen: dict[str, int | None] = {"target": None, "clock_s": None}
    table, cookie = await open_table(base, name=NAMES[0], rules=chosen | rules)
    async with contextlib.AsyncExitStack() as sockets:
        friends = [await sockets.enter_async_context(Friend.at(base, table, cookie))]
        for name in NAMES[1:size]:
            friend: Friend = await sockets.enter_async_context(Friend.at(base, table))
            await friend.sits(name)
            await friend.do("ready", ready=True)
            friends.append(friend)
        yield friends


@contextlib.asynccontextmanager
async def racing(base: str, size: int, **rules: int | None) -> AsyncIterator[list[Friend]]:
    """Have `size` friends race; all boards are alive."""
    async with gathered(base, size, **rules) as friends:
        await started(friends)
        yield friends


async def started(friends: list[Friend]) -> None:
    """Have the host press Start and wait until everyone's board is alive."""
    await friends[0].do("start")
    for friend in friends:
        await friend.until_racing()


async def verdicts(friends: list[Friend]) -> dict[str, object]:
    """Wait until it is over for everyone; give the verdict, which is the same for all."""
    found = [await friend.until_over() for friend in friends]
    assert all(verdict == found[0] for verdict in found)
    return found[0]
