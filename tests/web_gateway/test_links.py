"""Links that break, fall silent, drain or answer out of step lose no slide, and give each one answer, in order."""

import asyncio

import pytest
from tests.web_gateway.replica import BROWSER, CONNECTION, UNAVAILABLE, Gate, Racer, gate, until

from tilerace.game.v1 import game_pb2
from web_gateway import links
from web_gateway.attachment import Attachment
from web_gateway.room import MOST_SOCKETS
from web_gateway.waiting import MOST_ASKED, MOST_WAITING, Judged
from wire.ids import RaceId, TableId, race_id
from wire.refusal import Refusal, Refused
from wire.slides import REPEATED

LEFT = 2


def slides_of(told: list[tuple[int, ...]]) -> list[int]:
    return [slide[2] for slide in told]


async def test_slides_wait_for_the_attach_and_then_go_in_order() -> None:
    async with gate() as gateway:
        racer = Racer()
        attachment = gateway.attach(racer)
        for n in (1, 2, 3):
            attachment.slide(n, LEFT, f"s{n}")
        await until(lambda: gateway.first.of("attach"))
        await asyncio.sleep(0.05)
        assert gateway.first.of("slide") == []
        handle = await gateway.first.attaches()
        await until(lambda: len(gateway.first.of("slide")) == 3)
        assert gateway.first.of("slide") == [("slide", handle, n, LEFT) for n in (1, 2, 3)]
        assert gateway.first.of("attach") == [("attach", handle, CONNECTION, 1)]
        assert gateway.second.of("attach") == []


async def test_a_broken_links_unanswered_slides_and_acts_go_in_order_to_the_next_replica_after_a_new_attach() -> (
    None
):
    async with gate() as gateway:
        racer = Racer()
        attachment = gateway.attach(racer)
        handle = await gateway.first.attaches()
        attachment.slide(1, LEFT, "s1")
        attachment.slide(2, LEFT, "s2")
        attachment.act(game_pb2.ACTION_OFFER, "offer", "o")
        attachment.slide(3, LEFT, "s3")
        await until(lambda: len(gateway.first.of("slide")) == 3)
        await gateway.first.answers(handle, 1)
        await until(racer.answered)
        await gateway.first.stop()
        await until(lambda: gateway.second.of("attach"))
        await asyncio.sleep(0.05)
        assert gateway.second.of("slide") == gateway.second.of("act") == []
        again = await gateway.second.attaches(slides=1)
        await until(lambda: len(gateway.second.told) == 5)
        assert gateway.second.told[0] == ("subscribe",)
        assert gateway.second.told[1] == ("attach", again, CONNECTION, 2)
        assert gateway.second.told[2:] == [
            ("slide", again, 2, LEFT),
            ("act", again, game_pb2.ACTION_OFFER, 1),
            ("slide", again, 3, LEFT),
        ]
        await gateway.second.answers(again, 2, code=REPEATED)
        await gateway.second.tell(acted=game_pb2.Acted(handle=again, call=1))
        await gateway.second.answers(again, 3)
        await until(lambda: len(racer.answered()) == 4)
        assert racer.answered() == [
            ("board", "s1", None),
            ("board", "s2", None),
            ("done", "o", None),
            ("board", "s3", None),
        ]


async def test_a_replica_that_falls_silent_is_left_and_avoided() -> None:
    async with gate(ping_s=2.0) as gateway:
        racer = Racer()
        attachment = gateway.attach(racer)
        await gateway.first.attaches()
        gateway.first.pongs = False
        attachment.slide(1, LEFT, "s1")
        again = await gateway.second.attaches()
        await until(lambda: gateway.second.of("slide"))
        assert gateway.second.of("slide") == [("slide", again, 1, LEFT)]
        assert gateway.replicas.preferred("K7QM2XWP.1")[0] == gateway.second.address


async def test_a_replica_that_does_not_reach_the_store_is_left_with_what_is_in_flight() -> None:
    async with gate(ping_s=0.2) as gateway:
        attachment = gateway.attach(Racer())
        await gateway.first.attaches()
        attachment.slide(1, LEFT, "s1")
        await until(lambda: gateway.first.of("slide"))
        gateway.first.cut_off = True
        again = await gateway.second.attaches()
        await until(lambda: gateway.second.of("slide"))
        assert gateway.second.of("slide") == [("slide", again, 1, LEFT)]
        await gateway.second.answers(again, 1)
        gateway.first.cut_off = False
        await gateway.first.attaches(slides=1, times=2)


async def test_where_no_replica_reaches_the_store_races_stay() -> None:
    async with gate(ping_s=0.2) as gateway:
        gateway.first.cut_off = gateway.second.cut_off = True
        await until(lambda: all(link.cut_off for link in gateway.links._links.values()))
        attachment = gateway.attach(Racer())
        handle = await gateway.first.attaches()
        attachment.slide(1, LEFT, "s1")
        await until(lambda: gateway.first.of("slide"))
        await asyncio.sleep(0.5)
        assert gateway.second.of("attach") == []
        assert gateway.first.of("slide") == [("slide", handle, 1, LEFT)]
        assert gateway.links.ready


async def test_a_draining_replica_is_left_once_nothing_is_in_flight() -> None:
    async with gate() as gateway:
        racer = Racer()
        attachment = gateway.attach(racer)
        handle = await gateway.first.attaches()
        attachment.slide(1, LEFT, "s1")
        await until(lambda: gateway.first.of("slide"))
        await gateway.first.tell(draining=game_pb2.Draining())
        await asyncio.sleep(0.3)
        assert gateway.second.of("attach") == []
        await gateway.first.answers(handle, 1)
        again = await gateway.second.attaches(slides=1)
        assert gateway.first.of("detach") == [("detach",)]
        attachment.slide(2, LEFT, "s2")
        await until(lambda: gateway.second.of("slide"))
        assert gateway.second.of("slide") == [("slide", again, 2, LEFT)]
        assert racer.answered() == [("board", "s1", None)]


async def test_all_races_leave_a_draining_replica_however_many_they_are() -> None:
    many = 5 * links.LOOKED_AT_ONCE
    async with gate() as gateway:
        for number in range(1, many + 1):
            gateway.links.follow(RaceId(f"K7QM2XWP.{number}"), Racer())
        await until(lambda: len(gateway.first.of("subscribe") + gateway.second.of("subscribe")) == many)
        here = len(gateway.first.of("subscribe"))
        await gateway.first.tell(draining=game_pb2.Draining())
        await until(lambda: len(gateway.second.of("subscribe")) == many)
        # On another stream, which may be read a little later.
        await until(lambda: len(gateway.first.of("unsubscribe")) == here)


async def test_an_answer_out_of_step_makes_it_attach_anew_and_ask_again() -> None:
    async with gate() as gateway:
        racer = Racer()
        attachment = gateway.attach(racer)
        handle = await gateway.first.attaches()
        attachment.slide(1, LEFT, "s1")
        attachment.slide(2, LEFT, "s2")
        await until(lambda: len(gateway.first.of("slide")) == 2)
        await gateway.first.answers(handle, 2)
        again = await gateway.first.attaches(times=2)
        await until(lambda: len(gateway.first.of("slide")) == 4)
        assert again != handle
        assert gateway.first.of("attach")[1] == ("attach", again, CONNECTION, 2)
        assert slides_of(gateway.first.of("slide")) == [1, 2, 1, 2]
        assert racer.answered() == []


async def test_a_replica_that_cannot_say_is_asked_again() -> None:
    async with gate() as gateway:
        gateway.attach(Racer())
        await until(lambda: gateway.first.of("attach"))
        handle = gateway.first.of("attach")[0][1]
        await gateway.first.tell(detached=game_pb2.Detached(handle=handle, refusal=UNAVAILABLE))
        await until(lambda: len(gateway.first.of("attach")) == 2)
        assert gateway.first.of("attach")[1][3] == 2


async def test_an_attach_under_a_lower_connection_has_moved() -> None:
    async with gate() as gateway:
        racer = Racer()
        gateway.attach(racer)
        await until(lambda: gateway.first.of("attach"))
        handle = gateway.first.of("attach")[0][1]
        await gateway.first.tell(detached=game_pb2.Detached(handle=handle, refusal=Refusal.MOVED.number))
        await until(lambda: racer.heard)
        assert racer.heard == ["moved"]


async def test_who_is_none_of_the_race_is_refused_all_asked_and_all_that_is_asked_later() -> None:
    async with gate() as gateway:
        racer = Racer()
        attachment = gateway.attach(racer)
        attachment.slide(1, LEFT, "s1")
        attachment.act(game_pb2.ACTION_RESIGN, "resign", "r")
        await until(lambda: gateway.first.of("attach"))
        handle = gateway.first.of("attach")[0][1]
        await gateway.first.tell(
            detached=game_pb2.Detached(handle=handle, refusal=Refusal.NOT_A_RACER.number)
        )
        await until(lambda: racer.heard)
        attachment.slide(1, LEFT, "s2")
        assert racer.heard == ["barred"]
        assert racer.answered() == [("refused", asked, "NOT_A_RACER") for asked in ("s1", "r", "s2")]


async def test_what_the_gateway_refuses_waits_for_the_answers_before_it() -> None:
    async with gate() as gateway:
        racer = Racer()
        attachment = gateway.attach(racer)
        handle = await gateway.first.attaches()
        attachment.slide(1, LEFT, "s1")
        attachment.refuse(Judged("slide", Refused(Refusal.RACE_MOVED_ON), "s2", 5))
        attachment.slide(2, LEFT, "s3")
        await until(lambda: len(gateway.first.of("slide")) == 2)
        assert racer.answered() == []
        await gateway.first.answers(handle, 1)
        await gateway.first.answers(handle, 2, code=Refusal.SLIDE_CHANGES_NOTHING.number, slides=1)
        await until(lambda: len(racer.answered()) == 3)
        assert racer.answered() == [
            ("board", "s1", None),
            ("refused", "s2", "RACE_MOVED_ON"),
            ("refused", "s3", "SLIDE_CHANGES_NOTHING"),
        ]


async def test_a_refused_slide_is_followed_by_the_board_as_it_is() -> None:
    async with gate() as gateway:
        racer = Racer()
        attachment = gateway.attach(racer)
        handle = await gateway.first.attaches()
        attachment.slide(1, LEFT, "s1")
        await until(lambda: gateway.first.of("slide"))
        racer.told.clear()
        await gateway.first.answers(handle, 1, code=Refusal.SLIDE_CONFLICT.number, slides=7)
        await until(lambda: len(racer.told) == 2)
        refused, board = racer.told
        assert (refused["type"], refused["n"], refused["of"]) == ("refused", 1, "slide")
        assert (board["type"], board["n"], board["slide"], board["re"]) == ("board", 7, None, None)


async def test_more_than_may_wait_is_refused_as_too_fast_and_endless_asking_ends_the_socket() -> None:
    async with gate() as gateway:
        racer = Racer()
        attachment = gateway.attach(racer)
        await gateway.first.attaches()
        for n in range(1, MOST_WAITING + 2):
            attachment.slide(n, LEFT, n)
        await until(lambda: len(gateway.first.of("slide")) == MOST_ASKED)
        assert racer.heard == ["too_much"]
        assert racer.answered() == []


async def test_what_nobody_answers_for_long_is_refused_as_unavailable(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(links, "GIVE_UP_S", 0.5)
    async with gate() as gateway:
        racer = Racer()
        attachment = gateway.attach(racer)
        handle = await gateway.first.attaches()
        attachment.slide(1, LEFT, "s1")
        await until(racer.answered)
        assert racer.answered() == [("refused", "s1", "UNAVAILABLE")]
        again = await gateway.first.attaches(times=2)
        await gateway.first.answers(handle, 1)  # too late: the page has gone on
        attachment.slide(1, LEFT, "s2")
        await until(lambda: len(gateway.first.of("slide")) == 2)
        await gateway.first.answers(again, 1)
        await until(lambda: len(racer.answered()) == 2)
        assert racer.answered()[1] == ("board", "s2", None)


async def test_a_race_is_followed_once_for_all_sockets_and_told_to_each() -> None:
    async with gate() as gateway:
        racers = [Racer(), Racer(), Racer()]
        feeds = {gateway.follow(racer) for racer in racers}
        await until(lambda: gateway.first.of("subscribe"))
        await gateway.first.tell(news=news(3))
        await until(lambda: all(racer.told for racer in racers))
        assert len(feeds) == len(gateway.first.of("subscribe")) == 1
        assert {racer.told[0]["version"] for racer in racers} == {3}


async def test_the_same_news_again_is_told_nobody_again() -> None:
    async with gate() as gateway:
        racer = Racer()
        gateway.follow(racer)
        await until(lambda: gateway.first.of("subscribe"))
        for version in (3, 3, 4):
            await gateway.first.tell(news=news(version))
        await until(lambda: len(racer.told) == 2)
        assert [frame["version"] for frame in racer.told] == [3, 4]


async def test_a_race_that_nobody_follows_any_more_is_let_go() -> None:
    async with gate() as gateway:
        racer = Racer()
        attachment = gateway.attach(racer)
        await gateway.first.attaches()
        gateway.links.detach(attachment)
        gateway.links.unfollow(gateway.follow(racer), racer)
        await until(lambda: gateway.first.of("unsubscribe"))
        assert gateway.first.told[-2:] == [("detach",), ("unsubscribe",)]


async def test_all_sockets_start_afresh_when_the_store_fell_back() -> None:
    async with gate() as gateway:
        racer = Racer()
        gateway.follow(racer)
        await until(lambda: gateway.first.of("subscribe"))
        await gateway.first.tell(rewound=game_pb2.Rewound(race="K7QM2XWP.1"))
        await until(lambda: racer.heard)
        assert racer.heard == ["restart"]


async def test_an_event_that_nobody_can_read_spoils_nothing_else() -> None:
    async with gate() as gateway:
        racer = Racer()
        attachment = gateway.attach(racer)
        handle = await gateway.first.attaches()
        attachment.slide(1, LEFT, "s1")
        await gateway.first.tell(answers=b"short")
        await gateway.first.tell(news=game_pb2.RaceNews(race="K7QM2XWP.1", version=9, standings=[{}]))  # type: ignore[list-item]
        await gateway.first.answers(handle, 1)
        await until(racer.answered)
        assert racer.answered() == [("board", "s1", None)]


async def test_when_every_replica_vanishes_slides_wait_for_one_to_come_back() -> None:
    # With the clock held, both are avoided for ever: that must not keep a race from the one that answers.
    async with gate(monotonic=lambda: 0.0) as gateway:
        racer = Racer()
        attachment = gateway.attach(racer)
        await gateway.first.attaches()
        await both_vanish(gateway)
        attachment.slide(1, LEFT, "s1")
        await asyncio.sleep(0.5)
        await gateway.second.start()
        again = await gateway.second.attaches()
        await until(lambda: gateway.second.of("slide"))
        await gateway.second.answers(again, 1)
        await until(racer.answered)
        assert racer.answered() == [("board", "s1", None)]


async def test_a_replica_that_comes_back_takes_all_that_a_full_gateway_has() -> None:
    async with gate() as gateway:
        for number in range(1, MOST_SOCKETS // 2 + 1):
            for connection in (CONNECTION, CONNECTION + 1):
                racer = Racer()
                feed = gateway.links.follow(race_id(TableId("K7QM2XWP"), number), racer)
                attachment = Attachment(number, BROWSER, connection=connection, owner=racer)
                gateway.links.attach(feed, attachment)
        await both_vanish(gateway)
        gateway.second.told.clear()
        await gateway.second.start()
        await until(lambda: len(gateway.second.told) >= 3 * MOST_SOCKETS // 2, seconds=60)
        handles = {told[1] for told in gateway.second.of("attach")}
        assert len(handles) == len(gateway.second.of("attach")) == MOST_SOCKETS


async def both_vanish(gateway: Gate) -> None:
    # The one that the race is not on goes first, so that no attach reaches it in between.
    await gateway.second.stop()
    await gateway.first.stop()


def news(version: int) -> game_pb2.RaceNews:
    return game_pb2.RaceNews(race="K7QM2XWP.1", version=version)
