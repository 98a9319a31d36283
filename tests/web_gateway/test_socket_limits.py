"""What a socket may send how often."""

import json

import pytest
from tests.web_gateway.desk import Desk, Wire, news

from web_gateway.accounts import Account, Accounts, Notable
from web_gateway.askers import Asker
from web_gateway.limits import OF_ADDRESS, OF_BROWSER, Limits, What
from web_gateway.slide_paces import HANDS_BURST, SLIDES_BURST, SlidePaces
from web_gateway.socket import (
    FRAMES_BURST,
    LATER,
    POLICY,
    TOLD_OFF_BURST,
    UNKNOWN,
    Socket,
)

SLIDE = json.dumps({"type": "slide", "race": 1, "n": 1, "direction": "left"})
PING = json.dumps({"type": "ping", "t": 1})


class Still:
    """A clock that stands."""

    def __call__(self) -> float:
        return 1.0


@pytest.fixture
def browser() -> Account:
    return account("browser", OF_BROWSER)


@pytest.fixture
def address() -> Account:
    return account("address", OF_ADDRESS)


def account(kind: str, limits: Limits) -> Account:
    return Accounts(kind, limits, notable=Notable(), monotonic=Still()).of(b"someone")


@pytest.fixture
async def desk(monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.setattr("time.monotonic", Still())
    return Desk()


def at_table(desk: Desk) -> tuple[Socket, Wire]:
    socket, wire = desk.opens()
    desk.tables.heard(news(1), pushed=True)
    return socket, wire


def codes(wire: Wire) -> list[str]:
    return [frame["code"] for frame in wire.sent if frame["type"] == "refused"]


async def test_a_burst_of_slides_passes_and_no_more(desk: Desk) -> None:
    socket, wire = at_table(desk)
    for _ in range(int(SLIDES_BURST) + 3):
        socket.text(SLIDE)
    assert codes(wire) == ["RACE_NOT_RUNNING"] * int(SLIDES_BURST) + ["TOO_FAST"] * 3


async def test_slides_of_all_sockets_of_a_browser_are_counted_together(desk: Desk, browser: Account) -> None:
    desk.asker = Asker(browser)
    tabs = [at_table(desk) for _ in range(3)]
    for socket, _ in tabs:
        for _ in range(int(SLIDES_BURST)):
            socket.text(SLIDE)
    passed = sum(codes(wire).count("RACE_NOT_RUNNING") for _, wire in tabs)
    assert passed == OF_BROWSER.paces[What.SLIDES].burst
    assert "TOO_FAST" in codes(tabs[2][1])


async def test_a_racer_slides_on_whatever_others_behind_the_address_do(
    monkeypatch: pytest.MonkeyPatch, address: Account
) -> None:
    monkeypatch.setattr("time.monotonic", Still())
    while address.allows(What.SLIDES):
        pass
    paces = SlidePaces(Asker(None, address))
    assert not paces.allow(races=False)
    allowed = [paces.allow(races=True) for _ in range(int(HANDS_BURST) + 1)]
    assert allowed == [True] * int(HANDS_BURST) + [False]


async def test_frames_of_all_sockets_of_an_address_are_counted_together(desk: Desk, address: Account) -> None:
    desk.asker = Asker(None, address)
    burst, pongs = int(OF_ADDRESS.paces[What.FRAMES].burst), 0
    for _ in range(burst // int(FRAMES_BURST) + 2):
        socket, wire = at_table(desk)
        for _ in range(int(FRAMES_BURST)):
            socket.text(PING)
        pongs += wire.kinds.count("pong")
    assert pongs == burst


async def test_whoever_sends_malformed_frames_on_and_on_is_closed(desk: Desk) -> None:
    socket, wire = at_table(desk)
    for number in range(int(TOLD_OFF_BURST)):
        socket.text("{")
        if number % 8 == 0:
            socket.text(SLIDE)
    assert (wire.code, codes(wire).count("BAD_FRAME")) == (0, TOLD_OFF_BURST)
    socket.text("{")
    assert (wire.code, codes(wire).count("BAD_FRAME")) == (POLICY, TOLD_OFF_BURST)


async def test_malformed_frames_of_all_sockets_of_an_address_are_counted_together(
    desk: Desk, address: Account
) -> None:
    desk.asker = Asker(None, address)
    while address.allows(What.FRAMES):
        pass
    socket, wire = at_table(desk)
    socket.text("{")
    assert wire.code == POLICY


async def test_whoever_goes_on_and_on_is_closed(desk: Desk) -> None:
    socket, wire = at_table(desk)
    for _ in range(int(FRAMES_BURST + TOLD_OFF_BURST)):
        socket.text(PING)
    assert wire.code == 0
    socket.text(PING)
    assert wire.code == POLICY
    assert codes(wire) == ["TOO_FAST"] * int(TOLD_OFF_BURST)


@pytest.mark.parametrize(
    ("frame", "what"),
    [
        ({"type": "start"}, What.RACES),
        ({"type": "play_again", "race": 1}, What.RACES),
        ({"type": "offer", "race": 1}, What.OFFERS),
        ({"type": "sit", "name": "Bo"}, What.CHANGES),
        ({"type": "rename", "name": "Bo"}, What.CHANGES),
        ({"type": "ready", "ready": True}, What.CHANGES),
        ({"type": "rules", "target": None, "clock_s": None}, What.CHANGES),
        ({"type": "race_on_without", "race": 1, "seat": 2}, What.CHANGES),
    ],
)
async def test_races_offers_and_changes_of_a_table_are_limited_by_themselves(
    desk: Desk, browser: Account, frame: dict[str, object], what: What
) -> None:
    while browser.allows(what):
        pass
    desk.asker = Asker(browser)
    socket, wire = at_table(desk)
    socket.text(json.dumps({**frame, "id": 5}))
    (refused,) = [frame for frame in wire.sent if frame["type"] == "refused"]
    assert (refused["code"], refused["re"], refused["of"]) == ("TOO_MANY_REQUESTS", 5, frame["type"])
    assert refused["message"]


async def test_a_table_that_is_not_there_counts_as_tried(desk: Desk, browser: Account) -> None:
    burst = int(OF_BROWSER.paces[What.TRIES].burst)
    desk.asker = Asker(browser)
    for _ in range(burst):
        assert not browser.has_spent(What.TRIES)
        desk.opens()[0].gone()
    assert browser.has_spent(What.TRIES)


async def test_sockets_opened_all_at_once_tell_no_more_than_may_be_tried(
    desk: Desk, browser: Account
) -> None:
    desk.asker = Asker(browser)
    while browser.allows(What.TRIES):
        pass
    first, told_of_none = desk.opens()
    first.gone()
    _, told_of_one = desk.opens()
    desk.tables.heard(news(1), pushed=True)
    assert told_of_one.sent == told_of_none.sent
    assert codes(told_of_one) == ["TOO_MANY_REQUESTS"]
    assert told_of_one.code == told_of_none.code == LATER


async def test_a_table_that_goes_while_one_is_there_is_no_try(desk: Desk, browser: Account) -> None:
    desk.asker = Asker(browser)
    socket, wire = at_table(desk)
    while browser.allows(What.TRIES):
        pass
    socket.gone()
    assert (codes(wire), wire.code) == (["TABLE_UNKNOWN"], UNKNOWN)


async def test_a_socket_is_counted_while_it_is_open(desk: Desk, browser: Account) -> None:
    desk.asker = Asker(browser)
    socket, _ = at_table(desk)
    assert browser.sockets == 1
    socket.closed(1001)
    assert browser.sockets == 0
