"""One channel an address: opened when first asked for, closed once the address is gone."""

import asyncio
from collections.abc import Collection

import grpc

from wire.serving import channel

GRACE_S = 5.0
"""How long calls under way to an address that is gone may take."""


class Channels:
    """The channels of one service's replicas; goes with the `Replicas` that choose among them."""

    def __init__(self) -> None:
        """Begin with none."""
        self._open: dict[str, grpc.aio.Channel] = {}

    def to(self, address: str) -> grpc.aio.Channel:
        """Give the channel to an address."""
        if address not in self._open:
            self._open[address] = channel(address)
        return self._open[address]

    async def keep(self, addresses: Collection[str]) -> None:
        """Close the channels to all other addresses; calls under way there have some seconds to end."""
        gone = [self._open.pop(address) for address in self._open.keys() - set(addresses)]
        await asyncio.gather(*(each.close(GRACE_S) for each in gone))

    async def aclose(self) -> None:
        """Close every channel at once."""
        gone = [self._open.pop(address) for address in list(self._open)]
        await asyncio.gather(*(each.close() for each in gone))
