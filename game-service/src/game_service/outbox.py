"""What a Link stream has yet to write, in order, with the answers to slides packed together."""

from collections.abc import Sequence

from tilerace.game.v1 import game_pb2
from wire.batching import Outbox as Batches
from wire.batching import Overflow

MOST_WAITING = 20_000
"""How many answers and events wait at most for a gateway that reads slowly, before its stream is dropped."""

Item = bytes | game_pb2.LinkEvent


class Outbox(Batches[Item]):
    """A Link stream's bounded queue; one that overflows is closed, and `overflown` tells."""

    def __init__(self, bound: int = MOST_WAITING) -> None:
        """Begin empty."""
        super().__init__(bound)
        self.overflown = False

    def tell(self, item: Item, *, may_wait: bool = False) -> None:
        """Queue an event, or the packed answer to a slide; one that may wait goes with what goes next."""
        try:
            self.put(item, may_wait=may_wait)
        except Overflow:
            self.overflown = True
            self.close()


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
