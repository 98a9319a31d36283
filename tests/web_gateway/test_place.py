"""What a socket is sent of its race: in order when it connects, and only the latest when it reads slowly."""

from typing import Any, cast

import msgspec
import pytest

from tilerace.game.v1 import game_pb2
from tilerace.table.v1 import table_pb2
from web_gateway.attachment import Attachment
from web_gateway.feeds import Follower, RaceFeed
from web_gateway.frames.server import Re
from web_gateway.links import Links
from web_gateway.place import Place
from web_gateway.seam.frames import Frames
from wire.clock import StoreClock
from wire.ids import BrowserHash, RaceId, TableId
from wire.refusal import Refusal

ANN, WATCHER = BrowserHash(b"a" * 32), BrowserHash(b"w" * 32)
TABLE = TableId("K7QM2XWP")


class Wire:
    """A socket's frames, which are read or not."""

    def __init__(self) -> None:
        self.writable = True
        self.sent: list[dict[str, Any]] = []

    def send(self, payload: bytes) -> None:
        self.sent.append(msgspec.json.decode(payload))

    def send_frame(self, framed: bytes) -> None:
        self.send(framed[framed.index(b"{") :])

    @property
    def told(self) -> list[object]:
        return [frame["version"] if frame["type"] == "race" else frame["type"] for frame in self.sent]


class Races:
    """The Links, of which nothing is needed here but that they follow and attach."""

    def __init__(self) -> None:
        self.feed = RaceFeed(RaceId("K7QM2XWP.1"))
        self.attached: list[Attachment] = []

    def follow(self, race: RaceId, follower: Follower) -> RaceFeed:
        if race != self.feed.race:
            self.feed = RaceFeed(race)
        self.feed.followers.add(follower)
        return self.feed

    def unfollow(self, feed: RaceFeed, follower: Follower) -> None:
        feed.followers.discard(follower)

    def attach(self, _feed: RaceFeed, attachment: Attachment) -> None:
        self.attached.append(attachment)

    def detach(self, attachment: Attachment) -> None:
        self.attached.remove(attachment)


class Tab:
    """A socket with a place."""

    def __init__(self, races: Races, browser: BrowserHash) -> None:
        self.table, self.browser, self.connection = TABLE, browser, 7
        self.wire = Wire()
        self.fell_behind = False
        self.place = Place(self, cast("Frames", self.wire), links=cast("Links", races), clock=StoreClock())

    def raced(self, framed: bytes) -> None:
        self.fell_behind = not self.place.raced(framed)

    def revealed(self) -> None:
        self.place.go_on()

    def barred(self) -> None:
        self.place.go_on()

    def attached(self, payload: bytes) -> None:
        self.place.boarded(payload)

    def tell(self, payload: bytes) -> None:
        self.wire.send(payload)

    def done(self, re: Re) -> None:
        self.wire.sent.append({"type": "done", "re": re})

    def restart(self) -> None:
        self.wire.sent.append({"type": "bye"})

    def moved(self) -> None:
        self.wire.sent.append({"type": "moved"})

    def too_much(self) -> None:
        self.wire.sent.append({"type": "too much"})


def table(number: int | None, commitment: str = "c0ffee") -> table_pb2.TableNews:
    news = table_pb2.TableNews(table=table_pb2.Table(table=TABLE, version=1))
    if number is not None:
        news.table.race.number, news.table.race.commitment = number, commitment
        news.racers.add(seat=1, browser=ANN)
    return news


def heard(races: Races, version: int) -> None:
    races.feed.heard(game_pb2.RaceNews(race=races.feed.race, version=version), now=1)


def board(races: Races) -> None:
    races.attached[-1].attached(game_pb2.Attached(handle=1, seat=1, slides=0, cells=bytes(16)))


def reveal(races: Races) -> None:
    races.feed.revealed(game_pb2.Reveal(race=races.feed.race, seed=bytes(32)))


@pytest.fixture
def races() -> Races:
    return Races()


def test_the_race_comes_before_the_board_and_that_before_the_reveal(races: Races) -> None:
    ann = Tab(races, ANN)
    ann.place.tabled(table(1))
    reveal(races)
    board(races)
    assert ann.wire.told == []
    heard(races, 4)
    assert ann.wire.told == [4, "board", "reveal"]


def test_the_reveal_waits_for_the_board_of_a_racer_but_not_of_a_watcher(races: Races) -> None:
    heard(races, 4)
    reveal(races)
    ann, watcher = Tab(races, ANN), Tab(races, WATCHER)
    for tab in (ann, watcher):
        tab.place.tabled(table(1))
    assert watcher.wire.told == [4, "reveal"]
    assert ann.wire.told == [4]
    board(races)
    assert ann.wire.told == [4, "board", "reveal"]


def test_the_reveal_does_not_wait_for_a_board_that_will_not_come(races: Races) -> None:
    heard(races, 4)
    reveal(races)
    ann = Tab(races, ANN)
    ann.place.tabled(table(1))
    races.attached[-1].bar(Refusal.NOT_A_RACER)
    assert ann.wire.told == [4, "reveal"]


def test_nothing_is_followed_before_the_race_is_dealt(races: Races) -> None:
    ann = Tab(races, ANN)
    ann.place.tabled(table(1, commitment=""))
    assert (races.attached, races.feed.followers) == ([], set())
    assert ann.place.attachment is not None
    ann.place.tabled(table(1))
    assert races.attached == [ann.place.attachment]


def test_a_slow_reader_is_sent_only_the_latest_news(races: Races) -> None:
    watcher = Tab(races, WATCHER)
    watcher.place.tabled(table(1))
    heard(races, 1)
    watcher.wire.writable = False
    for version in range(2, 50):
        heard(races, version)
    assert watcher.wire.told == [1]
    assert watcher.place.behind
    watcher.place.catch_up()
    assert watcher.wire.told == [1, 49]


def test_the_next_race_is_followed_and_the_last_one_let_go(races: Races) -> None:
    ann = Tab(races, ANN)
    ann.place.tabled(table(1))
    heard(races, 1)
    first, attachment = races.feed, ann.place.attachment
    assert attachment is not None
    ann.place.tabled(table(2))
    assert first.followers == set()
    assert races.feed.race == "K7QM2XWP.2"
    assert ann.place.attachment is not attachment
    heard(races, 1)
    assert [frame["race"] for frame in ann.wire.sent] == [1, 2]
    ann.place.tabled(table(None))
    assert (races.attached, races.feed.followers) == ([], set())


def test_older_news_than_is_known_starts_the_sockets_afresh(races: Races) -> None:
    watcher = Tab(races, WATCHER)
    watcher.place.tabled(table(1))
    heard(races, 5)
    heard(races, 5)
    heard(races, 4)
    assert watcher.wire.told == [5, "bye"]


def test_a_reveal_is_forgotten_where_the_store_fell_back(races: Races) -> None:
    before, after = Tab(races, WATCHER), Tab(races, WATCHER)
    before.place.tabled(table(1))
    heard(races, 5)
    reveal(races)
    heard(races, 4)
    assert before.wire.told == [5, "reveal", "bye"]
    heard(races, 4)
    after.place.tabled(table(1))
    assert after.wire.told == [4]


def test_a_socket_that_is_not_read_when_its_table_goes_on_is_sent_the_next_race_once_it_is() -> None:
    races = Races()
    first, slow = Tab(races, WATCHER), Tab(races, ANN)
    first.place.tabled(table(1))
    heard(races, 1)
    slow.wire.writable = False
    slow.place.tabled(table(1))
    board(races)
    assert slow.wire.told == []
    assert slow.fell_behind
    slow.wire.writable = True
    slow.place.catch_up()
    assert slow.wire.told == [1, "board"]
