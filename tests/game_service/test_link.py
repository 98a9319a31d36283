"""Sliding over the Link: exactly one answer a slide, in order, and what everyone else may know."""

import asyncio
import contextlib

from tests.game_service.racing import RACE, gateway, gateway_of, replica

from tilerace.game.v1 import game_pb2
from wire.refusal import Refusal
from wire.slides import APPLIED, REPEATED


async def test_a_slide_is_answered_with_the_racers_own_board(store_url: str) -> None:
    async with replica(store_url) as game, gateway(game) as gate:
        await game.deal()
        racer = await gate.attach(7, seat=1)
        answer = await gate.slide_once(racer)
        assert (answer.code, answer.n, answer.slides) == (APPLIED, 1, 1)
        assert answer.cells[answer.tile_cell] == answer.tile_exponent
        assert answer.motions


async def test_everyone_starts_with_the_same_board(store_url: str) -> None:
    async with replica(store_url) as game, gateway(game) as gate:
        await game.deal(seats=(1, 3, 4))
        boards = {(await gate.attach(seat, seat=seat)).cells for seat in (1, 3, 4)}
        assert len(boards) == 1


async def test_slides_of_one_message_are_answered_in_order(store_url: str) -> None:
    async with replica(store_url) as game, gateway(game) as gate:
        await game.deal()
        racer = await gate.attach(7, seat=1)
        await gate.slide(*((7, n, n % 2 + 2 * (n // 2 % 2)) for n in range(1, 9)))
        answers = [await gate.answer(7) for _ in range(8)]
        assert [answer.n for answer in answers] == list(range(1, 9))
        assert answers[0].code in {APPLIED, Refusal.SLIDE_CHANGES_NOTHING.number}
        assert racer.slides == 0


async def test_a_slide_sent_again_is_found_and_not_made_again(store_url: str) -> None:
    async with replica(store_url) as game, gateway(game) as gate:
        await game.deal()
        racer = await gate.attach(7, seat=1)
        first = await gate.slide_once(racer)
        await gate.slide((7, 1, first.direction))
        again = await gate.answer(7)
        assert (again.code, again.slides, again.cells) == (REPEATED, 1, first.cells)


async def test_a_slide_made_already_in_another_direction_is_a_conflict(store_url: str) -> None:
    async with replica(store_url) as game, gateway(game) as gate:
        await game.deal()
        racer = await gate.attach(7, seat=1)
        first = await gate.slide_once(racer)
        await gate.slide((7, 1, (first.direction + 1) % 4))
        assert (await gate.answer(7)).code == Refusal.SLIDE_CONFLICT.number


async def test_only_the_last_64_slides_are_told_apart(store_url: str) -> None:
    async with replica(store_url) as game, gateway(game) as gate:
        await game.deal()
        racer = await gate.attach(7, seat=1)
        made = [(await gate.slide_once(racer)).direction for _ in range(65)]
        await gate.slide((7, 1, made[0]), (7, 2, made[1]))
        assert (await gate.answer(7)).code == Refusal.SLIDE_CONFLICT.number
        assert (await gate.answer(7)).code == REPEATED


async def test_a_gap_is_refused_as_one(store_url: str) -> None:
    async with replica(store_url) as game, gateway(game) as gate:
        await game.deal()
        racer = await gate.attach(7, seat=1)
        await gate.slide((7, 2, racer.useful[0]))
        answer = await gate.answer(7)
        assert (answer.code, answer.cells) == (Refusal.SLIDE_OUT_OF_ORDER.number, racer.cells)


async def test_a_useless_slide_leaves_its_number_free_and_those_behind_it_out_of_order(
    store_url: str,
) -> None:
    async with replica(store_url) as game, gateway(game) as gate:
        await game.deal()
        racer = await gate.attach(7, seat=1)
        while not racer.useless:
            await gate.slide_once(racer)
        n = racer.slides + 1
        await gate.slide((7, n, racer.useless[0]), (7, n + 1, racer.useful[0]), (7, n, racer.useful[0]))
        codes = [(await gate.answer(7)).code for _ in range(3)]
        assert codes == [
            Refusal.SLIDE_CHANGES_NOTHING.number, Refusal.SLIDE_OUT_OF_ORDER.number, APPLIED,
        ]  # fmt: skip


async def test_slides_before_the_start_are_refused(store_url: str) -> None:
    async with replica(store_url) as game, gateway(game) as gate:
        await game.deal(countdown_ms=2_000)
        racer = await gate.attach(7, seat=1)
        await gate.slide((7, 1, racer.useful[0]))
        answer = await gate.answer(7)
        assert (answer.code, answer.slides) == (Refusal.NOT_STARTED_YET.number, 0)


async def test_a_slide_for_a_handle_that_never_was_asks_to_attach_again(store_url: str) -> None:
    async with replica(store_url) as game, gateway(game) as gate:
        await gate.slide((9, 1, 0))
        assert await gate.detached(9) == Refusal.UNAVAILABLE.number


async def test_a_browser_that_was_not_dealt_in_is_no_racer(store_url: str) -> None:
    async with replica(store_url) as game, gateway(game) as gate:
        await game.deal(seats=(1, 2))
        await gate.ask_attach(7, seat=3)
        assert await gate.detached(7) == Refusal.NOT_A_RACER.number


async def test_attaching_to_no_race_says_so(store_url: str) -> None:
    async with replica(store_url) as game, gateway(game) as gate:
        await gate.ask_attach(7, seat=1, race="K7QM2XWP.9")
        assert await gate.detached(7) == Refusal.RACE_NOT_RUNNING.number


async def test_following_no_race_says_so(store_url: str) -> None:
    async with replica(store_url) as game, gateway(game) as gate:
        await gate.subscribe("K7QM2XWP.9")
        assert (await gate.kind("unknown")).unknown.race == "K7QM2XWP.9"


async def test_an_attach_under_a_lower_connection_has_moved(store_url: str) -> None:
    async with replica(store_url) as game, gateway(game) as gate:
        await game.deal()
        await gate.attach(7, seat=1, connection=5)
        await gate.ask_attach(8, seat=1, connection=4)
        assert await gate.detached(8) == Refusal.MOVED.number


async def test_a_newer_connection_takes_the_seat_over(store_url: str) -> None:
    async with replica(store_url) as game, gateway(game) as gate:
        await game.deal()
        racer = await gate.attach(7, seat=1, connection=5)
        await gate.attach(8, seat=1, connection=6)
        assert await gate.detached(7) == Refusal.MOVED.number
        await gate.slide((7, 1, racer.useful[0]))
        racer.handle = 8
        assert (await gate.slide_once(racer)).slides == 1


async def test_the_same_socket_attached_anew_is_not_told_that_it_moved(store_url: str) -> None:
    async with replica(store_url) as game, gateway(game) as gate:
        await game.deal()
        await gate.attach(7, seat=1, connection=5, attempt=1)
        await gate.attach(8, seat=1, connection=5, attempt=2)
        await gate.slide((7, 1, 0))
        await gate.send(game_pb2.LinkCall(ping=game_pb2.Ping(ping=3)))
        await gate.kind("pong")
        assert gate.kinds == []


async def test_a_handle_let_go_is_answered_no_more(store_url: str) -> None:
    async with replica(store_url) as game, gateway(game) as gate:
        await game.deal()
        racer = await gate.attach(7, seat=1)
        await gate.send(game_pb2.LinkCall(detach=game_pb2.Detach(handle=7)))
        await gate.slide((7, 1, racer.useful[0]))
        assert await gate.detached(7) == Refusal.UNAVAILABLE.number


async def test_a_follower_hears_how_the_race_stands_and_goes_on(store_url: str) -> None:
    async with replica(store_url) as game, gateway(game) as gate, gateway(game) as watcher:
        await game.deal()
        await watcher.subscribe()
        first = await watcher.news()
        assert [standing.slides for standing in first.standings] == [0, 0]
        racer = await gate.attach(7, seat=1)
        for _ in range(5):
            await gate.slide_once(racer)
        news = await watcher.news(lambda news: news.standings[0].slides == 5)
        assert news.standings[0].score == racer.score
        assert news.version > first.version


async def test_one_who_follows_no_more_hears_nothing(store_url: str) -> None:
    async with replica(store_url) as game, gateway(game) as gate, gateway(game) as watcher:
        await game.deal()
        await watcher.subscribe()
        await watcher.news()
        await watcher.send(game_pb2.LinkCall(unsubscribe=game_pb2.Unsubscribe(race=RACE)))
        await watcher.send(game_pb2.LinkCall(ping=game_pb2.Ping(ping=1)))
        await watcher.kind("pong")
        await gate.attach(7, seat=1)
        await gate.act(7, game_pb2.ACTION_RESIGN)
        await watcher.send(game_pb2.LinkCall(ping=game_pb2.Ping(ping=2)))
        await watcher.kind("pong")
        assert watcher.kinds == []


async def test_standings_are_folded_while_answers_are_not_held_back(store_url: str) -> None:
    async with replica(store_url) as game, gateway(game) as gate:
        await game.deal()
        await gate.subscribe()
        racer = await gate.attach(7, seat=1)
        loop = asyncio.get_running_loop()
        began = loop.time()
        for _ in range(60):
            await gate.slide_once(racer)
        most = (loop.time() - began) / 0.05 + 3
        await gate.news(lambda news: news.standings[0].slides == 60)
        assert gate.kinds.count("news") <= most


async def test_the_end_is_told_first_and_revealed_after_it(store_url: str) -> None:
    async with replica(store_url) as game, gateway(game) as gate:
        dealt = await game.deal()
        await gate.subscribe()
        racer = await gate.attach(7, seat=1)
        await gate.slide_once(racer)
        await gate.attach(8, seat=2)
        await gate.act(8, game_pb2.ACTION_RESIGN)
        reveal = (await gate.kind("reveal")).reveal
        assert {board.seat: board.cells for board in reveal.boards}[1] == racer.cells
        assert "news" in gate.kinds
        assert len(reveal.seed) == 32
        assert dealt.commitment not in str(reveal)


async def test_the_news_that_shows_an_act_comes_before_its_answer(store_url: str) -> None:
    async with replica(store_url) as game, gateway(game) as gate:
        await game.deal(seats=(1, 2, 3))
        await gate.subscribe()
        await gate.attach(7, seat=1)
        await gate.news()
        gate.events.clear()
        await gate.act(7, game_pb2.ACTION_OFFER)
        assert any(event.news.HasField("offer") for event in gate.events)


async def test_the_answer_to_a_slide_comes_before_the_news_of_what_came_of_it(store_url: str) -> None:
    async with replica(store_url) as game, gateway(game) as gate:
        await game.deal()
        await gate.subscribe()
        racer = await gate.attach(7, seat=1)
        await gate.news()
        gate.events.clear()
        await gate.slide((7, 1, racer.useful[0]))
        await gate.news(lambda news: news.standings[0].slides == 1)
        assert any(event.answers for event in gate.events)


async def test_who_follows_after_the_end_is_told_everything(store_url: str) -> None:
    async with replica(store_url) as game, gateway(game) as gate, gateway(game) as late:
        await game.deal()
        await gate.attach(7, seat=1)
        await gate.act(7, game_pb2.ACTION_RESIGN)
        await late.subscribe()
        assert (await late.news()).verdict.winner == 2
        await late.kind("reveal")


async def test_nothing_slides_after_the_end_but_a_slide_made_before_is_still_found(store_url: str) -> None:
    async with replica(store_url) as game, gateway(game) as gate:
        await game.deal()
        racer = await gate.attach(7, seat=1)
        made = await gate.slide_once(racer)
        await gate.attach(8, seat=2)
        await gate.act(8, game_pb2.ACTION_RESIGN)
        await gate.slide((7, 2, racer.useful[0]), (7, 1, made.direction))
        assert (await gate.answer(7)).code == Refusal.RACE_OVER.number
        assert (await gate.answer(7)).code == REPEATED


async def test_a_resign_sent_again_is_done(store_url: str) -> None:
    async with replica(store_url) as game, gateway(game) as gate:
        await game.deal(seats=(1, 2, 3))
        await gate.attach(7, seat=1)
        answers = [await gate.act(7, game_pb2.ACTION_RESIGN, call) for call in (1, 2)]
        assert [answer.refusal for answer in answers] == [0, 0]


async def test_an_offer_declined_and_made_again_at_once_is_too_soon(store_url: str) -> None:
    async with replica(store_url) as game, gateway(game) as gate:
        await game.deal(seats=(1, 2, 3))
        await gate.attach(1, seat=1)
        await gate.attach(2, seat=2)
        assert (await gate.act(1, game_pb2.ACTION_OFFER, 1)).refusal == 0
        assert (await gate.act(2, game_pb2.ACTION_OFFER, 2)).refusal == Refusal.OFFER_STANDS.number
        assert (await gate.act(2, game_pb2.ACTION_DECLINE, 3)).refusal == 0
        refused = await gate.act(1, game_pb2.ACTION_OFFER, 4)
        assert refused.refusal == Refusal.OFFER_TOO_SOON.number
        assert refused.message


async def test_when_all_agree_they_tie(store_url: str) -> None:
    async with replica(store_url) as game, gateway(game) as gate:
        await game.deal()
        await gate.subscribe()
        await gate.attach(1, seat=1)
        await gate.attach(2, seat=2)
        await gate.act(1, game_pb2.ACTION_OFFER, 1)
        await gate.act(2, game_pb2.ACTION_AGREE, 2)
        news = await gate.news(lambda news: news.HasField("verdict"))
        assert (list(news.verdict.tied), news.verdict.reason) == ([1, 2], game_pb2.REASON_AGREED)
        assert (await gate.act(2, game_pb2.ACTION_AGREE, 3)).refusal == 0


async def test_a_malformed_message_ends_the_stream(store_url: str) -> None:
    async with replica(store_url) as game, gateway(game) as gate:
        await gate.send(game_pb2.LinkCall(slides=b"short"))
        await gate.until_ended()


async def test_a_draining_replica_says_so_answers_and_ends_its_streams(store_url: str) -> None:
    async with contextlib.AsyncExitStack() as outside:
        async with replica(store_url) as game:
            await game.deal()
            gate = await outside.enter_async_context(gateway_of(game.target))
            racer = await gate.attach(7, seat=1)
            await gate.slide((7, 1, racer.useful[0]))
        assert (await gate.answer(7)).code == APPLIED
        await gate.kind("draining")
        await gate.until_ended()
