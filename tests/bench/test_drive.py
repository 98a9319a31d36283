"""The generator's loop: closed and open, over sockets of which a thread is the other end."""

import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from bench.race.drive import Loop

SLIDE, ANSWER, REFUSED = b"s", b"a", b"r"
SPAN_S = 0.2


@dataclass(slots=True, eq=False)
class Simple:
    """A player with as many slides as it has left, each of one byte."""

    sock: socket.socket
    left: int = 10**9
    awaiting: bool = False
    gap_s: float = 0.0
    slides: int = 0

    @property
    def direction(self) -> int | None:
        return 0 if self.left else None

    def slide(self) -> bytes:
        assert not self.awaiting, "one slide at a time"
        self.awaiting = True
        self.left -= 1
        self.slides += 1
        return SLIDE

    def take(self, data: bytes) -> bool:
        self.awaiting = False
        return data == ANSWER


@pytest.fixture
def players() -> Iterator[list[Simple]]:
    """Give three players whose slides are answered at once."""
    pairs = [socket.socketpair() for _ in range(3)]
    threads = [threading.Thread(target=serve, args=(there, ANSWER)) for _, there in pairs]
    for thread in threads:
        thread.start()
    yield [Simple(here) for here, _ in pairs]
    for here, _ in pairs:
        here.close()
    for thread in threads:
        thread.join()


def serve(there: socket.socket, answer: bytes) -> None:
    """Answer every slide until the other end is gone."""
    with there:
        while there.recv(1):
            there.send(answer)


def test_closed_everybody_slides_again_and_again(players: list[Simple]) -> None:
    loop = Loop(players)
    load = loop.closed(SPAN_S)
    loop.close()
    assert all(player.slides > 1 for player in players)
    assert sum(player.slides for player in players) >= load.slides == load.latency.total > 0


def test_open_slides_are_as_many_as_fell_due_and_go_round(players: list[Simple]) -> None:
    loop = Loop(players)
    loop.open(SPAN_S, slides_a_second=300)
    loop.close()
    assert sum(player.slides for player in players) <= 300 * SPAN_S + 1
    assert max(player.slides for player in players) - min(player.slides for player in players) <= 1


def test_open_what_falls_due_while_a_race_is_over_falls_to_another(players: list[Simple]) -> None:
    players[0].left = players[1].left = 2
    loop = Loop(players)
    loop.open(SPAN_S, slides_a_second=300)
    loop.close()
    assert players[2].slides > 4
    assert players[0].slides == players[1].slides == 2


def test_one_who_rests_between_slides_makes_no_more_than_that_allows(players: list[Simple]) -> None:
    for player in players:
        player.gap_s = 10 * SPAN_S
    loop = Loop(players)
    loop.closed(SPAN_S)
    loop.close()
    assert [player.slides for player in players] == [1, 1, 1]


def test_what_is_under_way_at_the_end_of_a_span_is_awaited_and_counts_for_nothing(
    players: list[Simple],
) -> None:
    loop = Loop(players)
    first = loop.closed(SPAN_S)
    assert not any(player.awaiting for player in players)
    second = loop.closed(SPAN_S)
    loop.close()
    assert sum(player.slides for player in players) - (first.slides + second.slides) <= 2 * len(players)


def test_a_refused_slide_counts_for_nothing() -> None:
    here, there = socket.socketpair()
    thread = threading.Thread(target=serve, args=(there, REFUSED))
    thread.start()
    player = Simple(here, left=3)
    loop = Loop([player])
    load = loop.closed(SPAN_S)
    loop.close()
    thread.join()
    assert player.slides == 3
    assert load.slides == load.latency.total == 0


def test_one_who_only_holds_a_socket_is_heard_and_never_slides(players: list[Simple]) -> None:
    here, there = socket.socketpair()
    holder = Simple(here, awaiting=True)
    loop = Loop(players)
    loop.hold(holder)
    there.send(REFUSED)
    loop.idle(0)
    assert not holder.awaiting
    loop.close()
    there.close()
    assert holder.slides == 0


def test_a_socket_that_the_server_closes_ends_the_run() -> None:
    here, there = socket.socketpair()
    loop = Loop([Simple(here)])
    there.close()
    with pytest.raises(ConnectionError):
        loop.idle(1)
    loop.close()
