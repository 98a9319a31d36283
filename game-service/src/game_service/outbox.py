"""What a Link stream has yet to write, in order, with the answers to slides packed together."""

from collections.abc import Awaitable, Callable, Sequence

from tilerace.game.v1 import game_pb2
from wire.batching import Outbox as Batches
from wire.batching import Overflow

MOST_WAITING = 20_000
"""How many answers and events wait at most for a gateway that reads slowly, before its stream is dropped."""

Item = bytes | game_pb2.LinkEvent
Write = Callable[[Sequence[Item]], Awaitable[None]]


class Outbox:
    """A Link stream's bounded queue; one that overflows is closed, and `overflown` tells."""

    def __init__(self, bound: int = MOST_WAITING) -> None:
        """Begin empty."""
        self._batches: Batches[Item] = Batches(bound, gather=True)
        self.overflown = False

    def answer(self, packed: bytes) -> None:
        """Queue the packed answer to a slide."""
        self._put(packed)

    def tell(self, event: game_pb2.LinkEvent) -> None:
        """Queue an event."""
        self._put(event)

    def close(self) -> None:
        """Take no more; what is queued is still written."""
        self._batches.close()

    async def run(self, write: Write) -> None:
        """Write what is queued, again and again, until closed."""
        await self._batches.run(write)

    def _put(self, item: Item) -> None:
        try:
            self._batches.put(item)
        except Overflow:
            self.overflown = True
            self._batches.close()


def response(items: Sequence[Item], now: int) -> game_pb2.LinkResponse:
    """Make one message of what was queued; neighbouring answers share one event. `now` is the store's clock in ms."""
    message = game_pb2.LinkResponse(now=now)
    answers: list[bytes] = []
    for item in items:
        if isinstance(item, bytes):
            answers.append(item)
            continue
        _flush(message, answers)
        message.events.append(item)
    _flush(message, answers)
    return message


def _flush(message: game_pb2.LinkResponse, answers: list[bytes]) -> None:
    if answers:
        message.events.add(answers=b"".join(answers))
        answers.clear()
