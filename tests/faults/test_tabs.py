"""Two tabs of one browser: the newest holds the seat, the older is told, and no key of its lands any more."""

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field

import pytest
from tests.faults.figures import Figures
from tests.faults.fleet import Fleet, sailing
from tests.faults.history import Witness, check
from tests.faults.party import Party, racing
from tests.faults.racer import Racer, careful
from tests.faults.slides import Slides
from tests.friend import Frame
from tests.proxy import Weather

TAKEOVERS = 50
TOLD_S = 1
MOVED = 4001


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    """Give a fleet whose gateways know but one replica each: what a tab sent may be late in another process, too."""
    with sailing(tmp_path_factory.mktemp("fleet"), apart=True) as fleet:
        yield fleet


@dataclass
class Reign:
    """A connection's time in the seat: `first` is how many slides there were before, None where it never had it."""

    slides: Slides
    first: int | None = None


@dataclass
class Tab(Racer):
    """One of a browser's tabs."""

    reigns: list[Reign] = field(default_factory=list)
    _life: "asyncio.Task[None] | None" = None

    async def tapped(self, base: str) -> None:
        """Open it, or come back to it: it forgets the keys that it had, and presses new ones."""
        await self.end()
        self.base, self._stopped = base, False
        self.races.pop(1, None)
        self.reigns.append(Reign(self.slides))
        await self.connect()
        self._life = asyncio.create_task(self.live(keys_a_second=25.0))

    async def until_it_holds(self) -> None:
        """Wait until its board is there."""
        await self.until(lambda: "board" in self.latest or self.closed is not None)
        assert self.closed is None, f"the newest tab was closed with {self.closed}"

    async def _take(self, frame: Frame) -> None:
        if frame["type"] == "board" and self.reigns[-1].first is None:
            self.reigns[-1].first = frame["n"]
        await super()._take(frame)

    async def end(self) -> None:
        """Press no more keys."""
        self.stop()
        if self._life is not None:
            await self._life


@contextlib.asynccontextmanager
async def tabs_of(racer: Racer, rng: random.Random) -> AsyncIterator[list[Tab]]:
    """Have two tabs of a racer's browser in its place."""
    racer.stop()
    two = [
        Tab(
            base=racer.base,
            table_id=racer.table_id,
            cookie=racer.cookie,
            bases=racer.bases,
            rng=random.Random(rng.random()),
            choose=careful,
            pressing=True,
        )
        for _ in range(2)
    ]
    try:
        yield two
    finally:
        for tab in two:
            await tab.end()
            await tab.close()


async def test_the_newest_tab_holds_the_seat_and_no_key_of_an_older_one_lands(
    fleet: Fleet, rng: random.Random, figures: Figures
) -> None:
    async with (
        racing(fleet.bases, rng, size=2, choose=careful) as party,
        tabs_of(party.racers[1], rng) as tabs,
        late(fleet),
    ):
        party.racers[0].pressing = True
        newer, older = tabs
        await newer.tapped(rng.choice(fleet.bases))
        await newer.until_it_holds()
        for _ in range(TAKEOVERS):
            newer, older = older, newer
            begun = asyncio.get_running_loop().time()
            await newer.tapped(rng.choice(fleet.bases))
            await until_moved(older)
            took = asyncio.get_running_loop().time() - begun
            figures.note("another tab takes a seat over: the older one is told", took, promised=TOLD_S)
            await newer.until_it_holds()
            await newer.until_acked()
            await asyncio.sleep(rng.uniform(0, 0.1))
        await checked(party, newer, older)


async def test_of_two_tabs_that_come_back_at_once_one_holds_the_seat(
    fleet: Fleet, rng: random.Random
) -> None:
    async with (
        racing(fleet.bases, rng, size=2, choose=careful) as party,
        tabs_of(party.racers[1], rng) as tabs,
    ):
        for _ in range(10):
            for tab in tabs:
                await tab.end()
                await tab.close()
            bases = rng.sample(fleet.bases, 2)
            await asyncio.gather(*(tab.tapped(base) for tab, base in zip(tabs, bases, strict=True)))
            await until_one_moved(tabs)
            newer, older = sorted(tabs, key=lambda tab: tab.closed is not None)
            await newer.until_it_holds()
            await newer.until_acked()
            await until_moved(older)
        await checked(party, newer, older)


@contextlib.asynccontextmanager
async def late(fleet: Fleet) -> AsyncIterator[None]:
    """Have what gateways send to game-service come late: keys of the older tab are on their way when the newer is there."""
    for line in fleet.game_lines:
        line.weather(up=Weather(delay_s=0.03, jitter_s=0.03))
    try:
        yield
    finally:
        fleet.calm()


async def until_one_moved(tabs: list[Tab]) -> None:
    """Wait until one of two tabs is told that another is here now."""
    waits = {asyncio.create_task(until_moved(tab)) for tab in tabs}
    moved, still = await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    for wait in still:
        wait.cancel()
    await asyncio.gather(*moved)


async def until_moved(tab: Tab) -> None:
    """Wait until a tab is told that another is here now."""
    await tab.until(lambda: tab.closed is not None)
    assert tab.closed == MOVED, f"the older tab was closed with {tab.closed}"
    assert tab.received[-1]["type"] == "moved"


def is_anothers(frame: Frame) -> bool:
    """Tell the answer to a slide that had been made when it was asked for first."""
    return frame["type"] == "board" and frame["re"] is not None and frame["slide"] is None


async def checked(party: Party, newer: Tab, older: Tab) -> None:
    """End the race, have both tabs hear of it, and hold every key against the log."""
    host = party.racers[0]
    await host.settled()
    await newer.settled()
    await newer.do("resign", race=1)
    await newer.until_over()
    await host.until_over()
    await older.tapped(older.base)
    await older.until_over()
    replay = await party.replay()
    witnesses = [each for each in party.witnesses() if each.name == "racer 1"]
    witnesses += [
        Witness(
            name=f"the {name} tab",
            sent=tuple(tab.sent),
            received=tuple(tab.received),
            connections=tuple(tab.connections),
        )
        for name, tab in (("newer", newer), ("older", older))
    ]
    check(replay, witnesses, apart=True)
    for tab in (newer, older):
        assert not any(map(is_anothers, tab.received)), (
            "a key of the older tab landed in the newer one's place"
        )
    made = [word for _, word in replay["seats"][1]["slides"]]
    reigns = sorted(
        ((reign.first, reign.slides.made[reign.first :], reign.slides.under_way)
         for reign in [*newer.reigns, *older.reigns] if reign.first is not None),
        key=lambda reign: (reign[0], len(reign[1])),
    )  # fmt: skip
    ends = [*(first for first, _, _ in reigns[1:]), len(made)]
    for (first, known, under_way), end in zip(reigns, ends, strict=True):
        landed, pressed = made[first:end], [*known, *under_way]
        assert landed == pressed[: len(landed)], f"{landed} landed, and {pressed} were pressed"
        assert len(landed) >= len(known), f"{known} were told to be made, and {landed} landed"
