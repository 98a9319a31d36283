"""How a race stands is told to one who slides with the next answer, and soon in any case."""

from typing import cast

import pytest
from tests.web_gateway.desk import BO, Desk, Wire, news
from tests.web_gateway.test_place import Races

import web_gateway.attachment
from tilerace.game.v1 import game_pb2
from web_gateway.attachment import SLIDING_S
from web_gateway.links import Links
from web_gateway.socket import Socket
from wire.slides import APPLIED, AnswerRecord

CELLS = bytes([1, 1] + [0] * 14)


class RacingDesk(Desk):
    """A desk whose table races, and that knows who fell behind."""

    def __init__(self) -> None:
        super().__init__()
        self.races = Races()
        self.links = cast("Links", self.races)  # type: ignore[assignment]  # a desk has none
        self.behind: set[Socket] = set()

    def fell_behind(self, socket: Socket) -> None:
        self.behind.add(socket)

    def races_with_bo(self) -> tuple[Socket, Wire]:
        """Open a socket of Bo's, who races."""
        socket, wire = self.opens()
        table = news(2, seated=7)
        table.table.race.number, table.table.race.commitment = 1, "c0ffee"
        table.racers.add(seat=2, browser=BO)
        self.tables.heard(table, pushed=True)
        self.heard(1)
        attachment = self.races.attached[0]
        attachment.begin(Sent(), 1)
        attachment.attached(game_pb2.Attached(handle=1, seat=2, slides=0, cells=CELLS))
        wire.sent.clear()
        return socket, wire

    def heard(self, version: int) -> None:
        """Hear how the race stands."""
        self.races.feed.heard(game_pb2.RaceNews(race=self.races.feed.race, version=version), now=1)


class Sent:
    """A stream that takes what is sent."""

    def slide(self, handle: int, n: int, direction: int) -> None:
        """Take a slide."""

    def act(self, handle: int, call: int, action: "game_pb2.Action.ValueType") -> None:
        """Take an act."""


def answer(n: int) -> tuple[AnswerRecord, bytes]:
    return (1, n, APPLIED, 2, n, 0, 0, CELLS, 0, 5, 1, 0), b""


@pytest.fixture
async def desk() -> RacingDesk:
    return RacingDesk()


async def test_news_is_sent_at_once_where_no_answer_is_due(desk: RacingDesk) -> None:
    _, wire = desk.races_with_bo()
    desk.heard(2)
    assert (wire.kinds, desk.behind) == (["race"], set())


async def test_the_latest_news_is_sent_with_the_answer_that_is_due(desk: RacingDesk) -> None:
    socket, wire = desk.races_with_bo()
    socket.text('{"type":"slide","id":1,"race":1,"n":1,"direction":"left"}')
    desk.heard(2)
    desk.heard(3)
    assert wire.sent == []
    desk.races.attached[0].answered(*answer(1))
    assert [(frame["type"], frame.get("version")) for frame in wire.sent] == [("race", 3), ("board", None)]


async def test_news_waits_for_the_next_answer_only_while_a_racer_slides(
    desk: RacingDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 1000.0
    monkeypatch.setattr(web_gateway.attachment, "monotonic", lambda: now)
    socket, wire = desk.races_with_bo()
    socket.text('{"type":"slide","id":1,"race":1,"n":1,"direction":"left"}')
    desk.races.attached[0].answered(*answer(1))
    desk.heard(2)
    assert wire.kinds == ["board"]
    now += SLIDING_S
    desk.heard(3)
    assert wire.kinds == ["board", "race"]
    assert socket.catch_up()
    assert wire.kinds == ["board", "race"]


async def test_news_that_is_kept_is_sent_soon_though_no_answer_comes(desk: RacingDesk) -> None:
    socket, wire = desk.races_with_bo()
    socket.text('{"type":"slide","id":1,"race":1,"n":1,"direction":"left"}')
    desk.heard(2)
    assert desk.behind == {socket}
    assert socket.catch_up()
    assert wire.kinds == ["race"]


async def test_what_a_slow_reader_has_not_been_sent_waits_for_it_also_when_answers_come(
    desk: RacingDesk,
) -> None:
    socket, wire = desk.races_with_bo()
    socket.text('{"type":"slide","id":1,"race":1,"n":1,"direction":"left"}')
    wire.writable = False
    desk.heard(2)
    desk.races.attached[0].answered(*answer(1))
    assert wire.kinds == ["board"]
    wire.writable = True
    assert socket.catch_up()
    assert wire.kinds == ["board", "race"]
