"""A race that is over, slide by slide, as the HTTP interface gives it."""

from typing import Literal

from msgspec import Struct

from tilerace.game.v1 import game_pb2
from web_gateway.frames import server
from web_gateway.frames.client import WORD
from web_gateway.race_frames import rules_frame, verdict_of

EventType = Literal["resigned", "left_behind", "offered", "agreed", "declined", "lapsed", "time_up"]

_EVENTS: dict[game_pb2.ReplayEventType.ValueType, EventType] = {
    game_pb2.REPLAY_EVENT_TYPE_RESIGNED: "resigned",
    game_pb2.REPLAY_EVENT_TYPE_LEFT_BEHIND: "left_behind",
    game_pb2.REPLAY_EVENT_TYPE_OFFERED: "offered",
    game_pb2.REPLAY_EVENT_TYPE_AGREED: "agreed",
    game_pb2.REPLAY_EVENT_TYPE_DECLINED: "declined",
    game_pb2.REPLAY_EVENT_TYPE_LAPSED: "lapsed",
    game_pb2.REPLAY_EVENT_TYPE_TIME_UP: "time_up",
}


class ReplaySeat(Struct, frozen=True, kw_only=True):
    """A racer's slides: each its milliseconds since the start, and its direction."""

    seat: int
    name: str
    slides: tuple[tuple[int, str], ...]


class ReplayEvent(Struct, frozen=True, kw_only=True):
    """What happened besides slides; `after` is how many slides of all were committed before it."""

    ms: int
    type: EventType
    seat: int | None
    after: int


class Replay(Struct, frozen=True, kw_only=True):
    """A whole race: `order` has the seat of each slide in the log's order, `link` is its page's address for friends."""

    race: int
    link: str
    seed: str
    commitment: str
    rules: server.Rules
    starts_at: int
    ended_at: int
    seats: tuple[ReplaySeat, ...]
    order: tuple[int, ...]
    events: tuple[ReplayEvent, ...]
    verdict: server.Verdict


def replay_of(number: int, found: game_pb2.GetReplayResponse, *, link: str) -> Replay:
    """Write race `number` of a table, whose page friends reach by `link`."""
    slides: dict[int, list[tuple[int, str]]] = {racer.seat: [] for racer in found.seats}
    for slide in found.slides:
        slides[slide.seat].append((slide.ms, WORD[slide.direction]))
    return Replay(
        race=number,
        link=link,
        seed=found.seed.hex(),
        commitment=found.commitment,
        rules=rules_frame(found.rules),
        starts_at=found.times.starts_at,
        ended_at=found.times.ended_at,
        seats=tuple(
            ReplaySeat(seat=racer.seat, name=racer.name, slides=tuple(slides[racer.seat]))
            for racer in found.seats
        ),
        order=tuple(slide.seat for slide in found.slides),
        events=tuple(
            ReplayEvent(ms=event.ms, type=_EVENTS[event.type], seat=event.seat or None, after=event.after)
            for event in found.events
        ),
        verdict=verdict_of(found.verdict),
    )
