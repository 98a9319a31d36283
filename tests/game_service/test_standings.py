"""How followers hear of standings by themselves: folded, at ticks that races share, and each change once."""

import asyncio

import pytest
from tests.game_service.racing import RACE, WAIT_S, a_deal

from game_service import standings as module
from game_service.outbox import Item, Outbox
from game_service.records import Snapshot, dealt_record, pack
from game_service.running import Running
from game_service.standings import Standings
from tilerace.game.v1 import game_pb2
from wire.ids import RaceId


@pytest.fixture(autouse=True)
def _folded_for_longer_than_a_machine_stands_still(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "FOLD_S", 0.5)


class Told(Outbox):
    """What a stream would be told."""

    def __init__(self) -> None:
        super().__init__()
        self.said: list[tuple[str, int]] = []
        self.more = asyncio.Event()

    def tell(self, item: Item, *, may_wait: bool = False) -> None:  # noqa: ARG002  all is told here at once
        assert isinstance(item, game_pb2.LinkEvent)
        self.said.append((item.news.race, item.news.version))
        self.more.set()

    async def until(self, count: int) -> None:
        async with asyncio.timeout(WAIT_S):
            while len(self.said) < count:
                self.more.clear()
                await self.more.wait()


def followed(race: str, told: Told) -> Running:
    running = Running(RaceId(race))
    advance(running, 1)
    running.follow(told)
    return running


def advance(running: Running, version: int) -> None:
    record = dealt_record(a_deal(), 1_000)
    running.loaded(a_deal(), Snapshot(version, 2_000 + version, 0, record, pack(record)))


def change(standings: Standings, running: Running, version: int) -> None:
    assert running.known is not None
    before = running.known.record.race
    advance(running, version)
    standings.changed(running, before)


async def test_what_changes_soon_after_it_was_told_is_told_once_and_as_it_is_then() -> None:
    told, standings = Told(), Standings()
    one, two = followed(RACE, told), followed("K7QM2XWP.2", told)
    for version in (2, 3, 4):
        for running in (one, two):
            change(standings, running, version)
    assert told.said == [(one.race, 2), (two.race, 2)]
    await told.until(4)
    assert told.said[2:] == [(one.race, 4), (two.race, 4)]


async def test_a_race_that_is_told_at_once_is_not_told_again_at_its_tick() -> None:
    told, standings = Told(), Standings()
    one, two = followed(RACE, told), followed("K7QM2XWP.2", told)
    for running in (one, two):
        change(standings, running, 2)
        change(standings, running, 3)
    standings.tell(one)
    await told.until(4)
    assert told.said[2:] == [(one.race, 3), (two.race, 3)]


async def test_a_race_that_left_memory_is_told_of_no_more() -> None:
    told, standings = Told(), Standings()
    one, two = followed(RACE, told), followed("K7QM2XWP.2", told)
    for running in (one, two):
        change(standings, running, 2)
        change(standings, running, 3)
    standings.forget(one)
    await told.until(3)
    assert told.said[2:] == [(two.race, 3)]
