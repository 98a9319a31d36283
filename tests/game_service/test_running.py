"""A race in memory by itself: what is told to whom once the script has answered."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest
from msgspec.structs import replace
from tests.game_service.racing import RACE, a_deal, browser

from engine import Race, Seat
from game_service.commands import ActAsked, AttachAsked, Command, Handle, ResignAsked, RetireAsked, SlideAsked
from game_service.commits import Outcome, Result
from game_service.outbox import Item, Outbox
from game_service.records import Snapshot, dealt_record, pack
from game_service.running import Running
from tilerace.game.v1 import game_pb2
from wire.ids import BrowserHash, RaceId
from wire.refusal import Refusal, Refused

NOW = 200_000


@dataclass
class Told(Outbox):
    """What a stream would be told."""

    said: list[object] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    def tell(self, item: Item, *, may_wait: bool = False) -> None:  # noqa: ARG002  all is told here at once
        self.said.append(item)


def seated() -> tuple[Running, Handle, Told]:
    """Have a race of three in memory, and a socket attached to seat 1."""
    deal, told = a_deal(seats=(1, 2, 3)), Told()
    record = dealt_record(deal, 1_000)
    tracks = (replace(record.tracks[0], rank=(5, 1)), *record.tracks[1:])
    running = Running(RaceId(RACE))
    attached = replace(record, tracks=tracks)
    running.loaded(deal, Snapshot(2, 2_000, 0, attached, pack(attached)))
    handle = Handle(1, told, running, (5, 1), 0)
    running.handles = (handle,)
    return running, handle, told


@pytest.mark.parametrize(
    "beside",
    [
        lambda handle: SlideAsked(handle, 99, 0, 0.0),
        lambda handle: ActAsked(handle, game_pb2.ACTION_AGREE, 1),
        lambda handle: AttachAsked(handle, BrowserHash(browser(1))),
    ],
    ids=["a slide out of order", "an answer to no offer", "an attach"],
)
@pytest.mark.parametrize(
    ("outcome", "refusal"),
    [(Outcome.CONNECTED, Refusal.STILL_CONNECTED), (Outcome.GRACE, Refusal.GRACE_NOT_OVER)],
)
async def test_only_who_asked_to_race_on_without_somebody_is_refused_for_it(
    beside: Callable[[Handle], Command], outcome: Outcome, refusal: Refusal
) -> None:
    running, handle, told = seated()
    done: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
    running.ask(beside(handle))
    running.ask(RetireAsked(Seat(2), 1_500, 10, done))
    assert running.propose(NOW) is not None
    running.settle(Result(outcome, 2, NOW))
    assert told.said == []
    with pytest.raises(Refused) as refused:
        await done
    assert refused.value.refusal is refusal
    assert [type(each) for each in running.waiting] == [type(beside(handle))]


async def test_where_judging_meets_a_fault_of_ours_everyone_who_waits_hears_of_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    running, handle, told = seated()
    calls: list[asyncio.Future[bool]] = [asyncio.get_running_loop().create_future() for _ in range(2)]
    for done in calls:
        running.ask(ResignAsked(Seat(3), done))
    running.ask(SlideAsked(handle, 1, 0, 0.0))
    monkeypatch.setattr(Race, "resign", fail)
    with pytest.raises(ZeroDivisionError):
        running.propose(NOW)
    running.broken()
    for done in calls:
        with pytest.raises(Refused):
            await done
    assert handle.gone
    assert told.said
