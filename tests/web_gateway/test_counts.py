"""How many watch: told to all now and then, however many come and go."""

import pytest
from tests.web_gateway.desk import Desk, Wire, news
from tests.web_gateway.replica import until

from tilerace.table.v1 import table_pb2
from web_gateway import tables

SOON_S, NEVER_S = 0.02, 3_600.0


def watched_by(number: int) -> table_pb2.TableNews:
    told = news(1)
    told.table.watchers = number
    return told


def counts(wire: Wire) -> list[int]:
    return [frame["watchers"] for frame in wire.sent if frame["type"] == "table"]


async def test_whoever_comes_and_goes_is_not_told_of_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "COUNT_S", NEVER_S)
    desk = Desk()
    _, first = desk.opens()
    desk.tables.heard(watched_by(1), pushed=True)
    _, second = desk.opens()
    for number in (2, 1, 2):
        desk.tables.heard(watched_by(number), pushed=True)
    assert (counts(first), counts(second)) == ([1], [2])


async def test_how_many_watch_is_told_in_a_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "COUNT_S", SOON_S)
    desk = Desk()
    _, wire = desk.opens()
    for number in (1, 2, 3):
        desk.tables.heard(watched_by(number), pushed=True)
    await until(lambda: counts(wire) == [1, 3])


async def test_what_else_changes_is_told_at_once_with_how_many_watch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "COUNT_S", NEVER_S)
    desk = Desk()
    _, wire = desk.opens()
    desk.tables.heard(watched_by(1), pushed=True)
    changed = watched_by(2)
    changed.table.host = 2
    desk.tables.heard(changed, pushed=True)
    assert counts(wire) == [1, 2]


def versions(wire: Wire) -> list[int]:
    return [frame["version"] for frame in wire.sent if frame["type"] == "table"]


async def test_where_many_watch_they_are_told_of_changes_in_a_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "FEW", 1)
    monkeypatch.setattr(tables, "COUNT_S", SOON_S)
    desk = Desk()
    wires = [desk.opens()[1] for _ in range(2)]
    for version in (1, 2, 3, 4):
        desk.tables.heard(news(version), pushed=True)
    assert [versions(wire) for wire in wires] == [[1], [1]]
    await until(lambda: [versions(wire) for wire in wires] == [[1, 4], [1, 4]])


async def test_where_many_watch_who_sits_is_told_at_once_and_so_is_who_sat(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tables, "FEW", 0)
    monkeypatch.setattr(tables, "COUNT_S", NEVER_S)
    desk = Desk()
    _, wire = desk.opens()
    for told in (news(1), news(2), news(3, seated=7), news(4, seated=7), news(5), news(6)):
        desk.tables.heard(told, pushed=True)
    assert versions(wire) == [1, 3, 4, 5]
