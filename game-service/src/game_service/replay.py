"""A finished race's replay: its seed, and every slide and event in commit order."""

from typing import assert_never

from engine import (
    AnswerEvent,
    Event,
    ExpireEvent,
    LapseEvent,
    LeftBehindEvent,
    OfferEvent,
    ResignEvent,
    SlideEvent,
)
from game_service import messages, racelog
from game_service.meta import Deal
from game_service.records import Snapshot
from tilerace.game.v1 import game_pb2


def replay_message(deal: Deal, snapshot: Snapshot, log: bytes) -> game_pb2.GetReplayResponse:
    """Write a race's replay.

    Raises:
        ValueError: the race is not over, or its log is damaged.
    """
    race = snapshot.record.race
    if race.verdict is None:
        raise ValueError("a race that is not over has no replay")
    message = game_pb2.GetReplayResponse(
        seed=deal.seed,
        commitment=deal.commitment,
        rules=messages.rules_message(deal.rules),
        times=times_of(snapshot),
        seats=[game_pb2.ReplaySeat(seat=each.seat, name=each.name) for each in deal.entrants],
        verdict=messages.verdict_message(race.verdict),
    )
    for logged in racelog.read(log):
        event = logged.event
        if isinstance(event, SlideEvent):
            message.slides.add(seat=event.seat, direction=event.direction, ms=logged.ms)
        else:
            kind, seat = _kind_and_seat(event)
            message.events.add(type=kind, seat=seat, ms=logged.ms, after=len(message.slides))
    return message


def times_of(snapshot: Snapshot) -> game_pb2.Times:
    """Write a race's times."""
    race = snapshot.record.race
    return messages.times_message(
        starts_at=race.starts_at, deadline=race.deadline or 0, ended_at=snapshot.ended_at
    )


def _kind_and_seat(event: Event) -> tuple[game_pb2.ReplayEventType.ValueType, int]:
    match event:
        case ResignEvent(seat):
            return game_pb2.REPLAY_EVENT_TYPE_RESIGNED, seat
        case LeftBehindEvent(seat):
            return game_pb2.REPLAY_EVENT_TYPE_LEFT_BEHIND, seat
        case OfferEvent(seat):
            return game_pb2.REPLAY_EVENT_TYPE_OFFERED, seat
        case AnswerEvent(seat, True):
            return game_pb2.REPLAY_EVENT_TYPE_AGREED, seat
        case AnswerEvent(seat, _):
            return game_pb2.REPLAY_EVENT_TYPE_DECLINED, seat
        case LapseEvent():
            return game_pb2.REPLAY_EVENT_TYPE_LAPSED, 0
        case ExpireEvent():
            return game_pb2.REPLAY_EVENT_TYPE_TIME_UP, 0
        case SlideEvent():
            raise ValueError("a slide is no event of a replay")
        case _:
            assert_never(event)
