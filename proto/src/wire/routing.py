"""Which replica serves what: rendezvous hashing over the addresses of a service (docs/architecture.md, "Routing").

All sockets of a race meet in one replica, whichever gateway they are on, and when replicas come or go only those
races move that must. It is a matter of speed alone: if two replicas ever serve one race, commits keep it right.
"""

import asyncio
import hashlib
import socket
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import TypeVar

import grpc

Answer = TypeVar("Answer")

AVOID_S = 5.0
"""How long a replica that failed is avoided."""
RESOLVE_S = 3.0
DEADLINE_S = 3.0
"""How long one try of a call may take."""
PATIENCE_S = 1.2
"""How long a call looks for a replica where none can be reached: one that is back is connected to within a second."""
_PAUSE_S = 0.1
# A server that stops ends calls under way with CANCELLED; a cancellation of our own is no AioRpcError. One that says in
# words that it is UNAVAILABLE has lost its store, and perhaps only the answer of it: another may tell.
_TRY_ANOTHER = (
    grpc.StatusCode.UNAVAILABLE,
    grpc.StatusCode.DEADLINE_EXCEEDED,
    grpc.StatusCode.CANCELLED,
)


def choose(key: str, addresses: Iterable[str]) -> list[str]:
    """Order addresses by preference for a key; the same for everyone who knows the same addresses.

    >>> choose("K7QM2XWP.1", ["a:1", "b:1"]) == choose("K7QM2XWP.1", ["b:1", "a:1"])
    True
    """
    return sorted(set(addresses), key=lambda address: _weight(key, address), reverse=True)


def _weight(key: str, address: str) -> bytes:
    return hashlib.blake2b(f"{key} {address}".encode(), digest_size=8).digest()


class Replicas:
    """The replicas of a service: their addresses, resolved again and again, and which of them to avoid.

    `targets` are `host:port`; a name stands for all its addresses, so one headless Service names every replica.
    """

    def __init__(self, targets: Sequence[str], *, monotonic: Callable[[], float] = time.monotonic) -> None:
        """Begin with the targets as they are, until they are resolved."""
        self._targets = tuple(targets)
        self._monotonic = monotonic
        self._avoided: dict[str, float] = {}
        self.addresses: tuple[str, ...] = self._targets

    def avoid(self, address: str) -> None:
        """Prefer others to this address for some seconds."""
        self._avoided[address] = self._monotonic() + AVOID_S

    def preferred(self, key: str) -> list[str]:
        """Order the addresses by preference for a key, those to avoid last, and of these the one that failed last."""
        now = self._monotonic()
        return sorted(
            choose(key, self.addresses), key=lambda address: max(now, self._avoided.get(address, now))
        )

    async def resolve(self) -> bool:
        """Look the targets up; tell whether the addresses changed. Where a look-up fails, the old ones stay."""
        found: list[str] = []
        for target in self._targets:
            try:
                found += await _look_up(target)
            except (OSError, UnicodeError):
                return False
        changed = set(found) != set(self.addresses)
        if changed:
            self.addresses = tuple(dict.fromkeys(found))
            self._avoided = {at: until for at, until in self._avoided.items() if at in self.addresses}
        return changed

    async def keep_resolving(self, on_change: Callable[[], None]) -> None:
        """Resolve every few seconds until cancelled, and tell when the addresses changed."""
        while True:
            if await self.resolve():
                on_change()
            await asyncio.sleep(RESOLVE_S)

    async def call(
        self,
        key: str,
        attempt: Callable[[str], Awaitable[Answer]],
        *,
        tries: int = 2,
        deadline_s: float = DEADLINE_S,
    ) -> Answer:
        """Call the preferred replica, and once more another one where no answer came, or the answer is UNAVAILABLE.

        Where none of them can be reached, it is tried again for a little while: one may have died before another that
        was started again is connected. `attempt` makes one call to an address; it must be safe to make many times
        (docs/architecture.md, rule 4).

        Raises:
            grpc.aio.AioRpcError: what the last try ended with.
            TimeoutError: the last try took longer than the deadline.
        """
        patient_until = self._monotonic() + PATIENCE_S
        while True:
            try:
                return await self._call_once(key, attempt, tries=tries, deadline_s=deadline_s)
            except grpc.aio.AioRpcError as error:
                if not _is_unreachable(error) or self._monotonic() > patient_until:
                    raise
            await asyncio.sleep(_PAUSE_S)

    async def _call_once(
        self, key: str, attempt: Callable[[str], Awaitable[Answer]], *, tries: int, deadline_s: float
    ) -> Answer:
        order = self.preferred(key)
        order += order[:1] * max(0, tries - len(order))
        for address in order[: tries - 1]:
            try:
                async with asyncio.timeout(deadline_s):
                    return await attempt(address)
            except grpc.aio.AioRpcError as error:
                if error.code() not in _TRY_ANOTHER:
                    raise
                self.avoid(address)
            except TimeoutError:
                self.avoid(address)
        async with asyncio.timeout(deadline_s):
            return await attempt(order[tries - 1])


def _is_unreachable(error: grpc.aio.AioRpcError) -> bool:
    """Tell a replica that is not there from one that is, and says that it cannot do something."""
    answered = any(name == "grpc-status-details-bin" for name, _ in error.trailing_metadata() or ())
    return error.code() is grpc.StatusCode.UNAVAILABLE and not answered


async def _look_up(target: str) -> list[str]:
    host, _, port = target.rpartition(":")
    bare = host.strip("[]")
    found = await asyncio.get_running_loop().getaddrinfo(bare, port, type=socket.SOCK_STREAM)
    # a name with addresses of both kinds, such as localhost, would make two replicas of one
    kind = min((entry[0] for entry in found), key=lambda family: family != socket.AF_INET)
    addresses = {str(entry[4][0]) for entry in found if entry[0] == kind}
    return sorted(f"[{address}]:{port}" if ":" in address else f"{address}:{port}" for address in addresses)
