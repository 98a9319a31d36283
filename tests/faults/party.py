"""A table of racers who race through whatever a test does, and whose history is checked in the end."""

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from tests.e2e.replaying import ask_replay
from tests.faults.history import Witness, check
from tests.faults.racer import Racer
from tests.friend import Frame, open_table

NAMES = ("Ann", "Bo", "Cy", "Di")
LAND_S = 40.0


@dataclass
class Party:
    """Racers at one table; the first is its host, and `watcher`, where there is one, only looks on."""

    racers: list[Racer]
    watcher: Racer | None = None
    number: int = 1
    rewound: bool = False
    """Whether the store was made to go back, so that what was told before may be more than what came of it."""
    apart: bool = False
    """Whether two replicas may have served the race, so that who came back to another one saw a little less at first."""
    _tasks: list["asyncio.Task[None]"] = field(default_factory=list)

    @property
    def everyone(self) -> list[Racer]:
        return [*self.racers, *([self.watcher] if self.watcher else [])]

    @property
    def acks(self) -> int:
        """How many slides have been answered with a board."""
        return sum(len(racer.acks) for racer in self.racers)

    @property
    def absences(self) -> list[Frame]:
        """Give the seats that anybody was ever told to be away, as they were told."""
        tables = [frame for each in self.everyone for frame in each.received if frame["type"] == "table"]
        return [seat for table in tables for seat in table["seats"] if seat["name"] and not seat["connected"]]

    def press(self) -> None:
        """Have everyone press keys."""
        for racer in self.racers:
            racer.pressing = True

    async def until_acked(self, *, since: float | None = None, seconds: float = 30.0) -> float:
        """Wait until every racer has had a slide answered; give the seconds that it took the slowest."""
        waits = [racer.until_acked(since=since, seconds=seconds) for racer in self.racers]
        return max(await asyncio.gather(*waits))

    async def until_back(self, *, seconds: float = 30.0) -> None:
        """Wait until everyone is connected and has seen the table."""
        for each in self.everyone:
            await each.until(partial(_is_here, each), seconds=seconds)

    async def settled(self) -> None:
        """Press no more, and wait until every key has landed or was useless."""
        await asyncio.gather(*(racer.settled(seconds=LAND_S) for racer in self.racers))

    async def end(self) -> Frame:
        """Let every key land, end the race by having all but the first resign, and check it; give its replay."""
        await self.settled()
        for racer in self.racers[1:]:
            await self._resign(racer)
        return await self.over()

    async def until_over(self, *, seconds: float = LAND_S) -> None:
        """Wait until everyone knows that the race is over."""
        for each in self.everyone:
            await each.until(partial(self._is_over_for, each), seconds=seconds)

    async def over(self, *, seconds: float = LAND_S) -> Frame:
        """Wait until everyone knows that the race is over, and check it; give its replay."""
        await self.until_over(seconds=seconds)
        replay = await self.replay()
        check(replay, self.witnesses(), rewound=self.rewound, apart=self.apart)
        return replay

    async def replay(self) -> Frame:
        answer = await ask_replay(self.racers[0], self.number)
        assert answer.status == 200, answer
        found: Frame = answer.body
        return found

    def witnesses(self) -> list[Witness]:
        """Give what each client sent and heard so far."""
        return [
            Witness(
                name=f"{'racer' if each in self.racers else 'watcher'} {index}",
                sent=tuple(each.sent),
                received=tuple(each.received),
                connections=tuple(each.connections),
                made=tuple(each.slides_of(self.number).made) if self._counts(each) else None,
                under_way=each.slides_of(self.number).under_way,
            )
            for index, each in enumerate(self.everyone, 1)
        ]

    def see_nobody_away(self) -> None:
        """See that no seat was ever shown as left."""
        for each in self.everyone:
            for frame in each.received:
                seats = frame["seats"] if frame["type"] == "table" else []
                away = [seat["seat"] for seat in seats if seat["name"] and not seat["connected"]]
                assert not away, f"seats {away} were shown as away"

    def _counts(self, each: Racer) -> bool:
        """Tell whether a racer's own count of slides is to be held against the log."""
        return each is not self.watcher

    def _is_over_for(self, each: Racer) -> bool:
        return (
            each.closed is None
            and each.phase("finished")
            and each.latest.get("race", {}).get("verdict") is not None
            and each.latest.get("reveal", {}).get("race") == self.number
        )

    async def _resign(self, racer: Racer) -> None:
        """Resign, again where the answer was lost, until one is out or it is over."""
        while not (self._has_verdict(racer) or self._is_out(racer)):
            await self.until_back()
            with contextlib.suppress(
                AssertionError
            ):  # the socket closed, or it was refused for now: ask again
                await racer.ask("resign", race=self.number)
            await asyncio.sleep(0.05)

    def _has_verdict(self, racer: Racer) -> bool:
        race = racer.latest.get("race", {})
        return race.get("race") == self.number and race["verdict"] is not None

    def _is_out(self, racer: Racer) -> bool:
        standings = racer.latest.get("race", {}).get("standings", [])
        seat = racer.table["you"]["seat"]
        return any(each["seat"] == seat and each["state"] == "out" for each in standings)


@contextlib.asynccontextmanager
async def racing(
    bases: Sequence[str],
    rng: random.Random,
    *,
    size: int = 2,
    keys_a_second: float = 15.0,
    watched: bool = False,
    choose: Callable[[Racer], str | None] | None = None,
    where: Callable[[str], bool] | None = None,
    **rules: int | None,
) -> AsyncIterator[Party]:
    """Have `size` racers race at a new table, spread over the gateways; nobody presses a key until told to."""
    async with gathered(
        bases,
        rng,
        size=size,
        keys_a_second=keys_a_second,
        watched=watched,
        choose=choose,
        where=where,
        **rules,
    ) as party:
        await start(party)
        yield party


@contextlib.asynccontextmanager
async def gathered(
    bases: Sequence[str],
    rng: random.Random,
    *,
    size: int = 2,
    keys_a_second: float = 15.0,
    watched: bool = False,
    choose: Callable[[Racer], str | None] | None = None,
    where: Callable[[str], bool] | None = None,
    **rules: int | None,
) -> AsyncIterator[Party]:
    """Have `size` racers at a new table, all seated and ready, before the start; one whose id `where` wants."""
    chosen: dict[str, int | None] = {"target": None, "clock_s": None}
    table, cookie = await open_table(bases[0], where=where, name=NAMES[0], rules=chosen | rules)
    racers = [
        Racer(
            base=bases[index % len(bases)],
            table_id=table,
            cookie=cookie if index == 0 else None,
            bases=bases,
            rng=random.Random(rng.random()),
            choose=choose,
        )
        for index in range(size + watched)
    ]
    party = Party(racers[:size], racers[size] if watched else None)
    try:
        for each in party.everyone:
            await each.connect()
        for racer, name in zip(party.racers[1:], NAMES[1:], strict=False):
            await racer.sits(name)
            await racer.do("ready", ready=True)
        async with asyncio.TaskGroup() as tasks:
            party._tasks = [
                tasks.create_task(each.live(keys_a_second=keys_a_second)) for each in party.everyone
            ]
            yield party
            for each in party.everyone:
                each.stop()
    except ExceptionGroup as group:
        # What failed in the block comes out as it is, however many parties are gathered at once.
        if len(group.exceptions) > 1:
            raise
        raise group.exceptions[0] from None
    finally:
        for each in party.everyone:
            await each.close()


def _is_here(each: Racer) -> bool:
    since = each.connections[-1]
    return each.closed is None and any(frame["type"] == "table" for frame in each.received[since:])


async def start(party: Party) -> None:
    """Have the host press Start, and wait until everyone's board is alive."""
    await party.racers[0].do("start")
    for racer in party.racers:
        await racer.until_racing()
