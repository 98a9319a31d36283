"""Which of a browser's sockets holds its seat: the one that sat while it lives, else the newest."""

import asyncio

import pytest
from tests.web_gateway.desk import Desk, news
from tests.web_gateway.replica import until

from web_gateway import socket as sockets

OLDER, NEWER, NEWEST = 7, 8, 9


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sockets, "CLAIM_S", 0.05)


async def test_a_tab_that_sits_down_is_given_a_number_as_if_it_were_the_newest() -> None:
    desk = Desk()
    older, wire = desk.opens(OLDER)
    desk.tables.heard(news(1), pushed=True)
    desk.tables.heard(news(2, seated=OLDER), pushed=False)
    assert desk.told == ["connect", "number"]
    desk.tables.heard(news(3, seated=NEWEST), pushed=True)
    older.connected(NEWEST)
    assert (wire.code, wire.sent[-1]["you"]["seat"]) == (0, 2)
    desk.tables.heard(news(4, seated=NEWEST + 1), pushed=True)
    assert (wire.code, wire.kinds[-1]) == (4001, "moved")


async def test_a_number_that_a_break_brought_again_is_not_the_new_one() -> None:
    desk = Desk()
    older, wire = desk.opens(OLDER)
    desk.tables.heard(news(1), pushed=True)
    desk.tables.heard(news(2, seated=OLDER), pushed=True)
    older.connected(OLDER)
    desk.tables.heard(news(3, seated=NEWEST), pushed=True)
    assert (older.renumbering, wire.code) == (True, 0)


async def test_a_newer_tab_is_told_that_it_moved_where_the_older_one_that_sat_comes_forward() -> None:
    desk = Desk()
    _, wire = desk.opens(NEWER)
    desk.tables.heard(news(1), pushed=True)
    desk.tables.heard(news(2, seated=OLDER), pushed=True)
    assert (wire.code, wire.kinds) == (0, ["table"])
    desk.tables.heard(news(3, seated=NEWEST), pushed=True)
    assert (wire.code, wire.kinds[-1]) == (4001, "moved")


@pytest.mark.parametrize("sat", ["before it was greeted", "after it was greeted"])
async def test_a_newer_tab_takes_the_seat_over_from_an_older_one_that_sat_and_does_not_come_forward(
    sat: str,
) -> None:
    desk = Desk()
    _, wire = desk.opens(NEWER)
    if sat == "after it was greeted":
        desk.tables.heard(news(1), pushed=True)
    desk.tables.heard(news(2, seated=OLDER), pushed=True)
    await until(lambda: desk.told[1:] == ["hold"])
    desk.tables.heard(news(3, seated=NEWER), pushed=True)
    assert (wire.code, wire.sent[-1]["you"]["seat"]) == (0, 2)


async def test_a_tab_that_closed_takes_nothing_over() -> None:
    desk = Desk()
    newer, _ = desk.opens(NEWER)
    desk.tables.heard(news(1), pushed=True)
    desk.tables.heard(news(2, seated=OLDER), pushed=True)
    newer.closed(1001)
    await asyncio.sleep(2 * sockets.CLAIM_S)
    assert desk.told == ["connect", "disconnect"]


async def test_a_seat_that_is_given_to_a_tab_that_has_closed_is_away_at_once() -> None:
    desk = Desk()
    async with asyncio.TaskGroup() as desk.tasks:
        older, _ = desk.opens(OLDER)
        desk.tables.heard(news(1), pushed=True)
        older.text('{"type":"sit","name":"Bo"}')
        older.closed(1001)
        desk.answer.set_result(news(2, seated=OLDER))
    assert desk.told == ["connect", "disconnect"] * 2
