"""Friends who race again and again at one table; each race is told apart from the last, and checked."""

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from typing import Self

from tests.e2e.replaying import ask_replay, made_again
from tests.faults.history import Witness, check
from tests.faults.slides import IN_FLIGHT
from tests.friend import Frame, Friend, open_table

NAMES = ("Ann", "Bo", "Cy", "Di")
TOO_FAST_S = 0.1


@dataclass(eq=False)
class Sprinter(Friend):
    """One at the table; `made` are the directions that are known to be made in the race that is on."""

    made: list[str] = field(default_factory=list)
    connections: list[int] = field(default_factory=list)
    """How many frames were heard before each connection."""
    _before: tuple[int, int] = (0, 0)

    async def connect(self) -> Self:
        """Connect, and hear of the table."""
        self.connections.append(len(self.received))
        return await super().connect()

    def line_up(self) -> None:
        """Remember what was sent and heard before a race."""
        self.made, self._before = [], (len(self.sent), len(self.received))

    async def makes(self, direction: str) -> Frame:
        """Make one slide, later where it is too fast; give the answer."""
        while True:
            answer = await self.slide(direction)
            if answer["type"] == "board":
                self.made.append(direction)
            elif answer["code"] == "TOO_FAST":
                await asyncio.sleep(TOO_FAST_S)
                continue
            return answer

    async def makes_all(self, directions: Sequence[str]) -> None:
        """Make slides that are known to change the board, as many in flight as a client may have."""
        first = self.board["n"] + 1
        for start in range(0, len(directions), IN_FLIGHT):
            sent = [
                await self.send("slide", race=self.number, n=first + start + index, direction=direction)
                for index, direction in enumerate(directions[start : start + IN_FLIGHT])
            ]
            await self.until(lambda sent=sent: sent[-1] in self.answers)  # type: ignore[misc]
            answers = [self.answers[each][0] for each in sent]
            assert [each["type"] for each in answers] == ["board"] * len(sent), answers
        self.made += directions

    def witness(self, *, raced: bool) -> Witness:
        """Give what was sent and heard since the race began."""
        sent, received = self._before
        return Witness(
            name=f"the friend in seat {self.table['you']['seat']}" if raced else "the watcher",
            sent=self.sent[sent:],
            received=self.received[received:],
            connections=(0, *(at - received for at in self.connections if at > received)),
            made=self.made if raced else None,
        )


@dataclass
class Heats:
    """One table's friends, spread over the gateways, and one who watches; `number` is the race that is on."""

    friends: list[Sprinter]
    watcher: Sprinter
    number: int = 0

    @property
    def everyone(self) -> list[Sprinter]:
        return [*self.friends, self.watcher]

    async def start(self) -> None:
        """Have the host press Start, or any friend Play again where a race has been; wait for the boards."""
        for each in self.everyone:
            each.line_up()
        if self.number == 0:
            await self.friends[0].do("start")
        else:
            await self.friends[self.number % len(self.friends)].do("play_again", race=self.number)
        self.number += 1
        for friend in self.friends:
            await friend.until(
                lambda friend=friend: (  # type: ignore[misc]
                    friend.phase("racing")
                    and friend.number == self.number
                    and friend.latest.get("board", {}).get("race") == self.number
                )
            )

    async def over(self) -> Frame:
        """Wait for the end, and see that it is one verdict for all and by the rules; give the replay."""
        verdicts = [await self._verdict_for(each) for each in self.everyone]
        answer = await ask_replay(self.friends[0], self.number)
        assert answer.status == 200, answer
        replay: Frame = answer.body
        assert verdicts == [replay["verdict"]] * len(verdicts)
        by_the_rules = made_again(replay).verdict
        assert by_the_rules is not None, "by its log the race is not over"
        told = replay["verdict"]
        assert (told["winner"], told["tied"]) == (by_the_rules.winner, list(by_the_rules.tied))
        assert told["reason"] == by_the_rules.reason.name
        return replay

    def check(self, replay: Frame) -> None:
        """See that nothing of the race that is over was lost, doubled, changed or given away."""
        check(replay, [each.witness(raced=each is not self.watcher) for each in self.everyone])

    async def _verdict_for(self, each: Sprinter) -> Frame:
        await each.until(
            lambda: (
                each.table["race"] is not None
                and each.number == self.number
                and each.phase("finished")
                and each.latest.get("reveal", {}).get("race") == self.number
                and each.race["race"] == self.number
                and each.race["verdict"] is not None
            )
        )
        found: Frame = each.race["verdict"]
        return found


@contextlib.asynccontextmanager
async def meeting(
    bases: Sequence[str],
    rng: random.Random,
    size: int,
    *,
    where: Callable[[str], bool] | None = None,
    **rules: int | None,
) -> AsyncIterator[Heats]:
    """Seat friends at a new table, each at another gateway than the one before, all ready; one more watches.

    The table is one whose id `where` wants.
    """
    chosen: dict[str, int | None] = {"target": None, "clock_s": None}
    table, cookie = await open_table(rng.choice(bases), where=where, name=NAMES[0], rules=chosen | rules)
    async with contextlib.AsyncExitStack() as sockets:
        friends: list[Sprinter] = []
        for index, name in enumerate(NAMES[:size]):
            base = bases[index % len(bases)]
            friend = await sockets.enter_async_context(
                Sprinter.at(base, table, cookie if index == 0 else None)
            )
            if index:
                await friend.sits(name)
                await friend.do("ready", ready=True)
            friends.append(friend)
        watcher = await sockets.enter_async_context(Sprinter.at(rng.choice(bases), table))
        yield Heats(friends, watcher)
