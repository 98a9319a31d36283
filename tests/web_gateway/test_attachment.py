"""A racer's socket in its race: one answer a slide, in order, also around a break."""

import json
from typing import Any

import pytest

from tilerace.game.v1 import game_pb2
from web_gateway.attachment import Attachment
from web_gateway.frames.server import Re
from web_gateway.waiting import MOST_ASKED, MOST_WAITING, Judged, OutOfStep
from wire.ids import BrowserHash
from wire.refusal import Refusal, Refused
from wire.slides import APPLIED, REPEATED, AnswerRecord

CELLS = bytes([1, 1] + [0] * 14)
FAST = Refused(Refusal.TOO_FAST)


class Told:
    """A socket that notes what it is told."""

    def __init__(self) -> None:
        self.frames: list[dict[str, Any]] = []
        self.closed = ""

    def tell(self, payload: bytes) -> None:
        self.frames.append(json.loads(payload))

    def attached(self, payload: bytes) -> None:
        self.tell(payload)

    def done(self, re: Re) -> None:
        self.frames.append({"type": "done", "re": re})

    def barred(self) -> None:
        self.closed = "barred"

    def moved(self) -> None:
        self.closed = "moved"

    def too_much(self) -> None:
        self.closed = "too much"

    @property
    def answers(self) -> list[object]:
        return [frame["re"] for frame in self.frames if frame["re"] is not None]


class Sent:
    """A stream that notes what is sent."""

    def __init__(self) -> None:
        self.calls: list[tuple[int, ...]] = []

    def slide(self, handle: int, n: int, direction: int) -> None:
        self.calls.append((handle, n, direction))

    def act(self, handle: int, call: int, action: "game_pb2.Action.ValueType") -> None:
        self.calls.append((handle, -call, action))


def snapshot(handle: int, slides: int = 0) -> game_pb2.Attached:
    return game_pb2.Attached(handle=handle, seat=1, slides=slides, cells=CELLS, score=0, stuck=False)


def answer(n: int, code: int = APPLIED, slides: int | None = None) -> tuple[AnswerRecord, bytes]:
    return (1, n, code, 2, n if slides is None else slides, 0, 0, CELLS, 0, 5, 1, 0), b""


@pytest.fixture
def told() -> Told:
    return Told()


@pytest.fixture
async def attachment(told: Told) -> Attachment:
    return Attachment(1, BrowserHash(bytes(32)), connection=7, owner=told)


def attach(attachment: Attachment, handle: int = 1, slides: int = 0) -> Sent:
    sent = Sent()
    attachment.begin(sent, handle)
    attachment.attached(snapshot(handle, slides))
    return sent


async def test_slides_wait_for_the_attach_and_then_go_out_in_order(
    attachment: Attachment, told: Told
) -> None:
    attachment.slide(1, 2, "a")
    attachment.act(game_pb2.ACTION_OFFER, "offer", "b")
    attachment.slide(2, 3, "c")
    sent = attach(attachment)
    assert sent.calls == [(1, 1, 2), (1, -1, game_pb2.ACTION_OFFER), (1, 2, 3)]
    assert [frame["type"] for frame in told.frames] == ["board"]


async def test_what_the_gateway_refuses_waits_for_its_turn(attachment: Attachment, told: Told) -> None:
    attach(attachment)
    attachment.slide(1, 2, "first")
    attachment.refuse(Judged("slide", FAST, "second", 2))
    attachment.slide(2, 2, "third")
    assert told.answers == []
    attachment.answered(*answer(1))
    assert told.answers == ["first", "second"]
    attachment.answered(*answer(2))
    assert told.answers == ["first", "second", "third"]


async def test_a_refused_slide_is_followed_by_the_board(attachment: Attachment, told: Told) -> None:
    attach(attachment)
    attachment.slide(1, 2, "a")
    attachment.answered(*answer(1, Refusal.SLIDE_CHANGES_NOTHING.number, slides=0))
    refused, board = told.frames[-2:]
    assert (refused["type"], refused["re"], refused["of"], refused["code"], refused["n"]) == (
        "refused", "a", "slide", "SLIDE_CHANGES_NOTHING", 1,
    )  # fmt: skip
    assert (board["type"], board["n"], board["slide"], board["re"]) == ("board", 0, None, None)


async def test_a_slide_made_before_is_answered_with_the_board(attachment: Attachment, told: Told) -> None:
    attach(attachment, slides=4)
    attachment.slide(3, 2, "a")
    attachment.answered(*answer(3, REPEATED, slides=4))
    assert (told.frames[-1]["n"], told.frames[-1]["slide"], told.frames[-1]["re"]) == (4, None, "a")


async def test_after_a_break_only_what_is_unanswered_goes_out_again(
    attachment: Attachment, told: Told
) -> None:
    attach(attachment)
    for n in (1, 2, 3):
        attachment.slide(n, 2, n)
    attachment.answered(*answer(1))
    attachment.detached()
    attachment.slide(4, 1, 4)
    again = attach(attachment, handle=9, slides=2)
    assert attachment.attempt == 2
    assert again.calls == [(9, 2, 2), (9, 3, 2), (9, 4, 1)]
    for n, code in ((2, REPEATED), (3, APPLIED), (4, APPLIED)):
        attachment.answered(*answer(n, code))
    assert told.answers == [1, 2, 3, 4]


async def test_an_answer_out_of_step_is_not_believed(attachment: Attachment) -> None:
    attach(attachment)
    with pytest.raises(OutOfStep):
        attachment.answered(*answer(1))
    attachment.slide(1, 2, None)
    with pytest.raises(OutOfStep):
        attachment.answered(*answer(2))
    with pytest.raises(OutOfStep):
        attachment.acted(game_pb2.Acted(handle=1, call=1))


async def test_acts_are_done_or_refused_in_order_with_slides(attachment: Attachment, told: Told) -> None:
    attach(attachment)
    attachment.act(game_pb2.ACTION_OFFER, "offer", "a")
    attachment.act(game_pb2.ACTION_RESIGN, "resign", "b")
    attachment.acted(
        game_pb2.Acted(handle=1, call=1, refusal=Refusal.OFFER_STANDS.number, message="There is one.")
    )
    attachment.acted(game_pb2.Acted(handle=1, call=2))
    refused, done = told.frames[-2:]
    assert (refused["of"], refused["code"], refused["message"], "n" in refused) == (
        "offer", "OFFER_STANDS", "There is one.", False,
    )  # fmt: skip
    assert done == {"type": "done", "re": "b"}


async def test_more_than_may_wait_is_too_fast_and_far_more_closes(attachment: Attachment, told: Told) -> None:
    attach(attachment)
    for n in range(1, MOST_ASKED + 3):
        attachment.slide(n, 2, n)
    for n in range(1, MOST_ASKED + 1):
        attachment.answered(*answer(n))
    assert [
        frame.get("code") for frame in told.frames if frame["re"] in (MOST_ASKED + 1, MOST_ASKED + 2)
    ] == ["TOO_FAST"] * 2
    for n in range(MOST_WAITING + MOST_ASKED):
        attachment.slide(MOST_ASKED + 1 + n, 2, None)
    assert told.closed == "too much"


async def test_who_is_no_racer_is_refused_everything(attachment: Attachment, told: Told) -> None:
    attachment.slide(1, 2, "a")
    attachment.bar(Refusal.NOT_A_RACER)
    attachment.slide(1, 2, "b")
    attachment.act(game_pb2.ACTION_RESIGN, "resign", "c")
    assert [(frame["re"], frame["code"]) for frame in told.frames] == [
        ("a", "NOT_A_RACER"), ("b", "NOT_A_RACER"), ("c", "NOT_A_RACER"),
    ]  # fmt: skip
    assert told.closed == "barred"


async def test_what_nobody_answers_is_given_up_and_an_old_stream_counts_no_more(
    attachment: Attachment, told: Told
) -> None:
    old = attach(attachment)
    attachment.slide(1, 2, "a")
    attachment.give_up(Refusal.UNAVAILABLE)
    assert told.frames[-2]["code"] == "UNAVAILABLE"
    attachment.slide(1, 3, "b")
    assert len(old.calls) == 1
    new = attach(attachment, handle=2)
    assert (new.calls, attachment.attempt) == ([(2, 1, 3)], 2)


async def test_the_same_board_is_not_sent_again_by_a_new_attach(attachment: Attachment, told: Told) -> None:
    attach(attachment)
    attach(attachment, handle=2)
    assert len(told.frames) == 1
    attach(attachment, handle=3, slides=1)
    assert len(told.frames) == 2
