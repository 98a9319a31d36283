"""A racer who never gives up: presses keys at a pace, comes back after every break, and remembers all frames."""

import asyncio
import contextlib
import json
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from tests.faults.slides import Key, Sending, Slides
from tests.friend import Frame, Friend
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from engine import Direction

WORDS = tuple(direction.name.lower() for direction in Direction)
ANSWER_S = 6.0
"""After how long without an answer a connection is taken for dead."""
FEW = 3
"""How many keys one presses ahead who waits for the board."""
FIRST_RETRY_S, LONGEST_RETRY_S = 0.8, 4.0
FINAL = {4001, 4404, 1008, 1009}
"""Close codes after which a client does not come back by itself."""


@dataclass
class Racer(Friend):
    """One browser at a table; `bases` are the gateways it tries in turn, from `base` on.

    `connections` are the numbers of frames received before each of its connections, `acks` the loop's times of each
    answered slide, `waits` the seconds that each of those took.
    """

    bases: Sequence[str] = ()
    rng: random.Random = field(default_factory=random.Random)
    races: dict[int, Slides] = field(default_factory=dict)
    connections: list[int] = field(default_factory=list)
    acks: list[float] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)
    pressing: bool = False
    away: bool = False
    """Whether its page stays closed once the connection is gone."""
    copies: int = 1
    """How many times each slide frame is sent; more than once, in any order."""
    choose: Callable[["Racer"], str | None] | None = None
    _failures: int = 0
    _retry_s: float | None = None
    _stopped: bool = False

    @property
    def slides(self) -> Slides:
        """The keys of the race that is on."""
        race = self.latest.get("table", {}).get("race")
        return self.slides_of(1 if race is None else race["number"])

    def slides_of(self, race: int) -> Slides:
        return self.races.setdefault(race, Slides(copies=self.copies))

    async def connect(self) -> "Racer":
        """Connect, and hear of the table."""
        self.connections.append(len(self.received))
        self.latest.pop("board", None)
        await super().connect()
        return self

    async def live(self, *, keys_a_second: float) -> None:
        """Press keys while `pressing`, send what may be sent, and come back whenever the connection breaks."""
        async with asyncio.TaskGroup() as tasks:
            beside = tasks.create_task(self._press(keys_a_second))
            while not self._stopped:
                await self._pump()
                await asyncio.sleep(0.004)
            beside.cancel()

    def stop(self) -> None:
        self._stopped = True

    async def settled(self, *, seconds: float = 30.0) -> None:
        """Press no more, and wait until every key has landed, was useless, or came too late."""
        self.pressing = False
        await self.until(lambda: self.slides.idle or self.slides.over, seconds=seconds)

    async def until_acked(self, *, since: float | None = None, seconds: float = 30.0) -> float:
        """Wait for the next answered slide; give the seconds it took from `since`, or from now."""
        begun = asyncio.get_running_loop().time() if since is None else since
        await self.until(lambda: bool(self.acks) and self.acks[-1] > begun, seconds=seconds)
        return next(at for at in self.acks if at > begun) - begun

    async def _press(self, keys_a_second: float) -> None:
        while True:
            await asyncio.sleep(self.rng.expovariate(keys_a_second))
            if self.pressing and not self.slides.over and len(self.slides.keys) < 64:
                key = self.rng.choice(WORDS) if self.choose is None else self.choose(self)
                if key is not None:
                    self.slides.press(key)

    async def _pump(self) -> None:
        if self.closed is not None:
            if not self.away:
                await self._come_back()
            return
        at = asyncio.get_running_loop().time()
        oldest = next(iter(self.slides.unanswered.values()), None)
        if oldest is not None and at - oldest.at > ANSWER_S:
            await self.drop()
            return
        frames = [self._frame(key, n, at) for key, n in self.slides.due(at) for _ in range(self.copies)]
        if self.copies > 1:
            self.rng.shuffle(frames)
        with contextlib.suppress(ConnectionClosed):
            for frame in frames:
                self.sent.append(frame)
                await self.send_text(json.dumps(frame))

    def _frame(self, key: Key, n: int, at: float) -> Frame:
        self._ids += 1
        re = f"slide-{self._ids}"
        self.slides.unanswered[re] = Sending(key, n, at)
        return {"type": "slide", "id": re, "race": self.number, "n": n, "direction": key.direction}

    async def _come_back(self) -> None:
        self.slides.disconnected()
        if self.closed in FINAL:
            self._stopped = True
            return
        longest = min(LONGEST_RETRY_S, FIRST_RETRY_S * 2**self._failures)
        wait_s = self._retry_s if self._retry_s is not None else longest * self.rng.uniform(1 / 8, 1)
        self._retry_s = None
        await asyncio.sleep(wait_s)
        if self._stopped:
            return
        self._failures += 1
        self.base = self.bases[(self.bases.index(self.base) + 1) % len(self.bases)]
        with contextlib.suppress(OSError, InvalidHandshake, TimeoutError, EOFError):
            async with asyncio.timeout(8):
                await self.connect()

    def _takes_back(self, frame: Frame) -> bool:
        """Tell whether a verdict that was told does not stand any more."""
        before = self.latest.get("race")
        return before is not None and before["race"] == frame["race"] and before["verdict"] is not None

    async def _take(self, frame: Frame) -> None:
        self._heard(frame)
        await super()._take(frame)

    def _heard(self, frame: Frame) -> None:
        at = asyncio.get_running_loop().time()
        re = frame.get("re")
        match frame["type"]:
            case "board":
                slides = self.slides_of(frame["race"])
                if re in slides.unanswered:
                    self.acks.append(at)
                    self.waits.append(at - slides.unanswered[re].at)
                slides.board_came(frame["n"], re)
            case "refused" if frame["of"] == "slide":
                self.slides.refused(frame["code"], re, at)
            case "table":
                self._failures = 0
            case "race" if frame["verdict"] is not None:
                self.slides_of(frame["race"]).over = True
            case "race" if self._takes_back(frame):
                self.slides_of(frame["race"]).over = False
            case "bye":
                self._retry_s = frame["retry_ms"] / 1000
            case _:
                pass


def careful(racer: Racer) -> str | None:
    """Choose a key that keeps the board alive: some hundred slides leave none stuck, as keys at random soon do."""
    return racer.careful() if "board" in racer.latest else None


def a_few_ahead(racer: Racer) -> str | None:
    """Choose by a board that is known, else at random: keys by a board of long ago are nearly all useless."""
    if racer.slides.idle:
        return careful(racer)
    return racer.rng.choice(WORDS) if len(racer.slides.keys) < FEW else None
