"""Answers that wait for a commit: made when a command is judged, given when the store has said what became of it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import assert_never

import msgspec

from engine import Racer
from game_service import metrics
from game_service.commands import Done, Handle, SlideAsked
from tilerace.game.v1 import game_pb2
from wire.refusal import Refused
from wire.slides import REPEATED, pack_answer


class SlideReply(msgspec.Struct, frozen=True, eq=False):
    """The packed answer to a slide that `came` at a monotonic time; `repeats` where it had been applied before."""

    handle: Handle
    packed: bytes
    came: float
    repeats: bool = False


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
    return SlideReply(handle, packed, asked.came, code == REPEATED)


def give(replies: Iterable[Reply]) -> None:
    """Give replies in their order; those to handles that are bound no more are dropped."""
    note_answered(hand(replies))


def note_answered(came: Sequence[float]) -> None:
    """Count how long slides took that came at these monotonic times and are answered now."""
    if came:
        metrics.SLIDE_SECONDS.add_until(monotonic(), came)


def hand(replies: Iterable[Reply]) -> list[float]:
    """Give replies as `give` does; when the slides came that were answered is for `note_answered`, with those of others."""
    came: list[float] = []
    for reply in replies:
        match reply:
            case SlideReply():
                if not reply.handle.gone:
                    reply.handle.outbox.tell(reply.packed)
                    came.append(reply.came)
                    if reply.repeats:
                        metrics.DUPLICATES.inc()
            case EventReply(handle, event, ends):
                if not handle.gone:
                    handle.gone = ends
                    handle.outbox.tell(event)
            case CallReply():
                _end_call(reply)
            case _:
                assert_never(reply)
    return came


def _end_call(reply: CallReply) -> None:
    if reply.done.done():
        return
    if reply.refused is None:
        reply.done.set_result(reply.over)
    else:
        reply.done.set_exception(reply.refused)
