"""A replay that the HTTP interface gave, made again by the engine."""

import asyncio
from collections.abc import Iterator
from typing import Any

from tests.friend import Answered, Frame, Friend, call

from engine import (
    AnswerEvent,
    Direction,
    ExpireEvent,
    LapseEvent,
    LeftBehindEvent,
    LogEntry,
    Millis,
    OfferEvent,
    Race,
    ResignEvent,
    Rules,
    Seat,
    Seed,
    SlideEvent,
    replay,
)
from engine.log import Event


async def ask_replay(friend: Friend, number: int = 1) -> Answered:
    path = f"/api/tables/{friend.table_id}/races/{number}/replay"
    return await asyncio.to_thread(call, friend.base, path)


async def replayed(friend: Friend, number: int = 1) -> Frame:
    """Fetch the replay of a race that is over."""
    answer = await ask_replay(friend, number)
    assert answer.status == 200, answer
    found: Frame = answer.body
    return found


def slides_of(replay: Frame, seat: int) -> list[str]:
    """Give a racer's directions, in their order."""
    (found,) = [each for each in replay["seats"] if each["seat"] == seat]
    return [direction for _, direction in found["slides"]]


def made_again(replay_frame: Frame) -> Race:
    """Make the race again from nothing but the seed, the rules and the log.

    Raises:
        RuleBroken: the log is not one of such a race.
    """
    rules, starts_at = replay_frame["rules"], replay_frame["starts_at"]
    clock = rules["clock_s"]
    return replay(
        Seed(bytes.fromhex(replay_frame["seed"])),
        Rules(rules["target"], None if clock is None else Millis(clock * 1000)),
        tuple(Seat(each["seat"]) for each in replay_frame["seats"]),
        _log(replay_frame),
        starts_at=Millis(starts_at),
    )


def cells_of(race: Race) -> dict[int, list[int]]:
    """Give each seat's board as its sixteen values."""
    return {racer.seat: [value for row in racer.board.to_values() for value in row] for racer in race.racers}


def _log(frame: Frame) -> Iterator[LogEntry]:
    slides = {each["seat"]: iter(each["slides"]) for each in frame["seats"]}
    events = iter(frame["events"])
    event = next(events, None)
    for number, seat in enumerate([*frame["order"], None]):
        while event is not None and event["after"] == number:
            yield LogEntry(Millis(frame["starts_at"] + event["ms"]), _event(event))
            event = next(events, None)
        if seat is not None:
            ms, direction = next(slides[seat])
            slid = SlideEvent(Seat(seat), Direction[direction.upper()])
            yield LogEntry(Millis(frame["starts_at"] + ms), slid)
    assert event is None, f"an event is out of its order: {event}"
    assert not any(list(rest) for rest in slides.values())


def _event(event: dict[str, Any]) -> Event:
    kind, seat = event["type"], Seat(event["seat"] or 1)
    match kind:
        case "resigned":
            return ResignEvent(seat)
        case "left_behind":
            return LeftBehindEvent(seat)
        case "offered":
            return OfferEvent(seat)
        case "agreed" | "declined":
            return AnswerEvent(seat, agree=kind == "agreed")
        case "lapsed":
            return LapseEvent()
        case "time_up":
            return ExpireEvent()
        case _:
            raise AssertionError(f"no such event: {kind}")
