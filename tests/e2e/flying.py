"""A client with several slides in flight, by the rules that docs/socket.md and docs/architecture.md, rule 4 give it."""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field

from tests.friend import Frame, Friend

MOST_IN_FLIGHT = 8
NOT_NOW = {"SLIDE_OUT_OF_ORDER", "UNAVAILABLE"}


@dataclass
class Flown:
    """One slide frame that is not answered: its number, its direction and the id it went out with last."""

    n: int
    direction: str
    sent: str = ""


@dataclass
class Flight:
    """Makes each key land once or be useless.

    A slide that changes nothing leaves its number free, and those behind it are refused; they are numbered anew and
    sent before newer keys, once everything that was sent earlier is answered.
    """

    friend: Friend
    keys: deque[str] = field(default_factory=deque)
    in_flight: deque[Flown] = field(default_factory=deque)
    landed: list[str] = field(default_factory=list)
    useless: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    most_in_flight: int = 0
    _behind: list[str] = field(default_factory=list)
    _settling: bool = False

    def press(self, keys: Iterable[str]) -> None:
        self.keys.extend(keys)

    async def fill(self) -> None:
        """Send as many keys as may be in flight."""
        while self.keys and not self._settling and len(self.in_flight) < MOST_IN_FLIGHT:
            n = (self.in_flight[-1].n if self.in_flight else self.friend.board["n"]) + 1
            self.in_flight.append(Flown(n, self.keys.popleft()))
            await self._send(self.in_flight[-1])
        self.most_in_flight = max(self.most_in_flight, len(self.in_flight))

    async def land(self) -> None:
        """Go on until every key has landed or was useless."""
        while self.keys or self.in_flight:
            await self.fill()
            assert await self.answer(), f"closed with {self.friend.closed}"

    async def answer(self) -> bool:
        """Take the answer to the oldest slide in flight; False where the socket closed before it."""
        oldest, answers = self.in_flight[0], self.friend.answers
        await self.friend.until(lambda: oldest.sent in answers or self.friend.closed is not None)
        if oldest.sent not in answers:
            return False
        (answer,) = answers[oldest.sent]
        self.in_flight.popleft()
        self._judge(oldest.direction, answer)
        if self._settling and not self.in_flight:
            # The snapshot behind the last refusal comes with it; its number says where to go on.
            self.keys.extendleft(reversed(self._behind))
            self._behind, self._settling = [], False
        return True

    async def again(self) -> None:
        """After a reconnect, send again what was not answered, as it was."""
        for each in self.in_flight:
            await self._send(each)

    def _judge(self, direction: str, answer: Frame) -> None:
        if answer["type"] == "board":
            self.landed.append(direction)
            return
        self.refused.append(answer["code"])
        if answer["code"] == "SLIDE_CHANGES_NOTHING":
            self.useless.append(direction)
        else:
            assert answer["code"] in NOT_NOW, answer
            self._behind.append(direction)
        self._settling = True

    async def _send(self, flown: Flown) -> None:
        flown.sent = await self.friend.send(
            "slide", race=self.friend.number, n=flown.n, direction=flown.direction
        )
