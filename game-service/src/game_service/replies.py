"""Answers that wait for a commit: made when a command is judged, given when the store has said what became of it."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import assert_never

import msgspec

from engine import Racer
from game_service.commands import Done, Handle, SlideAsked
from tilerace.game.v1 import game_pb2
from wire.refusal import Refused
from wire.slides import pack_answer


class SlideReply(msgspec.Struct, frozen=True, eq=False):
    """The packed answer to a slide."""

    handle: Handle
    packed: bytes


@dataclass(frozen=True, slots=True, eq=False)
class EventReply:
    """An event for a handle; one that `ends` it is the last that the handle is told."""

    handle: Handle
    event: game_pb2.LinkEvent
    ends: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class CallReply:
    """The end of a unary call: whether the race is over, or what refused it."""

    done: Done
    over: bool
    refused: Refused | None = None


Reply = SlideReply | EventReply | CallReply


def unslid(asked: SlideAsked, racer: Racer, code: int) -> SlideReply:
    """Answer a slide that was not made now: why, and the board as it is."""
    handle = asked.handle
    packed = pack_answer(
        (
            handle.number, asked.n, code, asked.direction, racer.slides, racer.score, racer.stuck,
            racer.board.cells, 0, 0, 0, (),
        )
    )  # fmt: skip
    return SlideReply(handle, packed)


def give(replies: Iterable[Reply]) -> None:
    """Give replies in their order; those to handles that are bound no more are dropped."""
    for reply in replies:
        match reply:
            case SlideReply():
                if not reply.handle.gone:
                    reply.handle.outbox.tell(reply.packed)
            case EventReply(handle, event, ends):
                if not handle.gone:
                    handle.gone = ends
                    handle.outbox.tell(event)
            case CallReply():
                _end_call(reply)
            case _:
                assert_never(reply)


def _end_call(reply: CallReply) -> None:
    if reply.done.done():
        return
    if reply.refused is None:
        reply.done.set_result(reply.over)
    else:
        reply.done.set_exception(reply.refused)
