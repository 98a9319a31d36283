"""What askers have spent here is told to the other gateways, and what they have spent there is heard: through the store.

Only of those who spend much, once a second: ordinary players are never told of, and cost nothing. Until it is heard a
gateway goes by what it knows itself, so that an outage of ours refuses nobody.
"""

import asyncio
import hashlib
import secrets
from typing import Protocol

from tilerace.table.v1 import table_pb2
from web_gateway.accounts import KEY_BYTES, Account, Bucket
from web_gateway.askers import Askers
from wire.log import events
from wire.refusal import Refused
from wire.seldom import Seldom

EVERY_S = 1.0
TIDY_EVERY = 10
"""How many rounds there are between two in which idle accounts are forgotten."""
MOST = 1_000
"""How many limits of askers are told of in one round."""
_LOG = events("web_gateway")
_SECOND_US = 1_000_000


class Sharer(Protocol):
    """Where it is told: table-service."""

    async def share_limits(self, request: table_pb2.ShareLimitsRequest) -> table_pb2.ShareLimitsResponse:
        """Tell, and hear; raises Refused."""


class Sharing:
    """Tells and hears; have `run` run beside the gateway."""

    def __init__(self, askers: Askers, sharer: Sharer) -> None:
        """Share these askers' accounts."""
        self._askers, self._sharer = askers, sharer
        self._gateway = secrets.token_bytes(KEY_BYTES)
        self._seldom = Seldom()

    async def run(self, *, every_s: float = EVERY_S) -> None:
        """Share once a second until cancelled."""
        rounds = 0
        while True:
            await asyncio.sleep(every_s)
            try:
                await self.share()
            except Refused as refused:
                if self._seldom.now("share"):
                    _LOG.warning("limits are not shared between gateways for now", code=refused.refusal.value)
            rounds += 1
            if rounds % TIDY_EVERY == 0:
                self._askers.tidy()

    async def share(self) -> None:
        """Tell what is notable, and hear of the same.

        Raises:
            Refused: UNAVAILABLE, where it was not told.
        """
        notable = self._askers.notable
        notable.buckets.intersection_update([bucket for bucket in notable.buckets if bucket.is_notable])
        buckets = list(notable.buckets)[: MOST - min(len(notable.crowds), MOST // 2)]
        crowds = list(notable.crowds)[: MOST - len(buckets)]
        if not buckets and not crowds:
            return
        spent = [*map(_spent, buckets), *map(_open, crowds)]
        answer = await self._sharer.share_limits(
            table_pb2.ShareLimitsRequest(gateway=self._gateway, spent=spent)
        )
        for bucket, shared in zip(buckets, answer.shared, strict=False):
            bucket.heard(shared.short_us / _SECOND_US)
        for crowd, shared in zip(crowds, answer.shared[len(buckets) :], strict=False):
            if crowd in self._askers.notable.crowds:  # one that shrank meanwhile would hear of it no more
                crowd.elsewhere = shared.elsewhere


def _spent(bucket: Bucket) -> table_pb2.Spent:
    return table_pb2.Spent(
        key=_key(bucket.account, bucket.what.value),
        each_us=int(_SECOND_US / bucket.limit.a_second),
        burst=int(bucket.limit.burst),
        spent=bucket.take_spent(),
    )


def _open(crowd: Account) -> table_pb2.Spent:
    return table_pb2.Spent(key=_key(crowd, "open"), open=crowd.sockets)


def _key(account: Account, what: str) -> bytes:
    return hashlib.sha256(account.key + what.encode()).digest()[:KEY_BYTES]
