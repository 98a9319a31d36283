"""Two races of four at once: what befalls a replica, whichever of them it serves."""

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator, Sequence

from tests.faults.party import Party, racing
from tests.faults.racer import careful

KEYS_A_SECOND = 6.0


@contextlib.asynccontextmanager
async def two_racing(bases: Sequence[str], rng: random.Random) -> AsyncIterator[list[Party]]:
    """Have two parties of four race, everyone pressing keys and answered once."""
    async with contextlib.AsyncExitStack() as stack:
        parties = [
            await stack.enter_async_context(
                racing(bases, rng, size=4, keys_a_second=KEYS_A_SECOND, choose=careful)
            )
            for _ in range(2)
        ]
        for party in parties:
            party.press()
        await all_acked(parties)
        yield parties


async def all_acked(parties: Sequence[Party]) -> float:
    """Wait for the next answered slide of every racer; give the seconds that it took the slowest."""
    return max(await asyncio.gather(*(party.until_acked() for party in parties)))
