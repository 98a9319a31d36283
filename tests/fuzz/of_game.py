"""Targets in game-service and the engine: deals, packed races, their logs and replays, messages of the Link."""

import hashlib
from functools import reduce
from types import SimpleNamespace
from typing import Any, cast

from google.protobuf.message import DecodeError
from tests.fuzz.target import Tape, Target

from engine import (
    AnswerEvent,
    Direction,
    Draws,
    Event,
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
from engine.errors import RuleBroken
from engine.log import apply
from engine.rules import TARGETS as TILES
from game_service import meta, racelog, records
from game_service.commands import ActAsked, SlideAsked
from game_service.link import Link
from tilerace.game.v1 import game_pb2
from wire.ids import BrowserHash, parse_race_id
from wire.refusal import Refusal, Refused

SEED = Seed(hashlib.sha256(b"a seed that makes findings repeatable").digest())
STARTS_AT = Millis(1_000_000)
DEALS = tuple(
    meta.Deal(
        SEED,
        Rules(target=2048),
        tuple(meta.Entrant(Seat(seat), f"Racer {seat}", BrowserHash(bytes([seat]) * 32)) for seat in seats),
    )
    for seats in ((1, 2), (1, 3), (2, 3, 4), (1, 2, 3, 4))
)


def deals(data: bytes) -> None:
    """A deal that is read could have been dealt, and is written as it stood."""
    try:
        deal = meta.unpack_deal(data)
    except ValueError:
        return
    assert len(deal.seed) == meta.SEED_BYTES
    assert len(deal.commitment) == 64
    assert list(deal.seats) == sorted({*deal.seats} & {1, 2, 3, 4})
    assert all(len(entrant.browser) == meta.HASH_BYTES for entrant in deal.entrants)
    assert meta.unpack_deal(meta.pack_deal(deal)) == deal
    Race.deal(deal.seed, deal.rules, deal.seats, starts_at=STARTS_AT)


def packed_races(data: bytes) -> None:
    """A race that is read is written as it stood, and what it names are racers of it."""
    tape = Tape(data)
    deal = DEALS[tape.number(len(DEALS))]
    state = tape.rest()
    try:
        record = records.unpack(state, deal, starts_at=STARTS_AT)
    except ValueError as error:
        assert str(error).startswith("the state of a race ")  # and never what is in it
        return
    assert records.pack(record) == state
    race, verdict = record.race, record.race.verdict
    assert tuple(racer.seat for racer in race.racers) == deal.seats
    if race.offer is not None:
        assert {race.offer.by, *race.offer.agreed} <= {*deal.seats}
    if race.last_offer is not None:
        assert {race.last_offer.by, race.last_offer.seat or race.last_offer.by} <= {*deal.seats}
    if verdict is not None:
        assert (verdict.winner is None) != (not verdict.tied)
        assert {*verdict.tied, verdict.winner or deal.seats[0]} <= {*deal.seats}


def race_logs(data: bytes) -> None:
    """A log that is read tells the same again when it is written anew."""
    try:
        found = list(racelog.read(data))
    except ValueError:
        return
    blocks = (
        racelog.block(each.ms, racelog.judged_at(each.judged) + racelog.entry(each.event)) for each in found
    )
    assert list(racelog.read(b"".join(blocks))) == found
    assert all(getattr(each.event, "seat", 1) in {1, 2, 3, 4} for each in found)


def _event(tape: Tape) -> Event:
    kind, seat = tape.number(16), Seat(1 + tape.number(4))
    match kind:
        case 0:
            return ResignEvent(seat)
        case 1:
            return LeftBehindEvent(seat)
        case 2:
            return OfferEvent(seat)
        case 3 | 4:
            return AnswerEvent(seat, agree=kind == 3)
        case 5:
            return LapseEvent()
        case 6:
            return ExpireEvent()
        case _:
            return SlideEvent(seat, Direction(kind % 4))


def races(data: bytes) -> None:
    """Whatever happens in whatever order, a race refuses it by a rule or goes on; a replay of what it took is the same race."""
    tape = Tape(data)
    rules = Rules(
        target=(None, *TILES)[tape.number(len(TILES) + 1)], clock_ms=(None, 2_000, 60_000)[tape.number(3)]
    )
    seats = DEALS[tape.number(len(DEALS))].seats
    race, now, log = Race.deal(SEED, rules, seats, starts_at=STARTS_AT), STARTS_AT - 5, []
    dealt = race
    while not tape.over:
        now += (0, 1, 7, 400, 10_000, 30_000)[tape.number(6)]
        entry = LogEntry(Millis(now), _event(tape))
        try:
            after = apply(race, entry)
        except RuleBroken:
            continue
        race = after
        log.append(entry)
    _hold(race, seats)
    assert replay(SEED, rules, seats, log, starts_at=STARTS_AT) == race == reduce(apply, log, dealt)
    deal = next(deal for deal in DEALS if deal.seats == seats)
    deal = meta.Deal(SEED, rules, deal.entrants)
    record = records.Record(race, tuple(records.Track() for _ in race.racers))
    assert records.unpack(records.pack(record), deal, starts_at=STARTS_AT).race == race


def _hold(race: Race, seats: tuple[Seat, ...]) -> None:
    verdict = race.verdict
    if verdict is not None:
        assert (verdict.winner is None) != (not verdict.tied)
        assert race.offer is None
        assert {verdict.winner or seats[0], *verdict.tied} <= {*seats}
    for racer in race.racers:
        board = Draws(SEED)
        assert racer.score % 4 == 0
        assert racer.board.cells.count(0) < 16
        assert board.after(0)


class _Running:
    """A race that writes down what it is asked."""

    def __init__(self, race: str) -> None:
        self.race = race
        self.asked: list[object] = []

    def ask(self, command: object) -> None:
        self.asked.append(command)

    def attach(self, handle: Any, browser: bytes) -> None:
        assert handle.rank >= (0, 0)
        self.asked.append(browser)

    def let_go(self, handle: Any) -> None:
        assert handle.gone


class _Races:
    """Races that write down who asked what, and who follows them."""

    store = SimpleNamespace(silent=False)

    def __init__(self) -> None:
        self.running: dict[str, _Running] = {}
        self.followed: list[_Running] = []

    def get(self, race: str) -> _Running:
        parse_race_id(race)
        return self.running.setdefault(race, _Running(race))

    def wake(self, running: _Running) -> None:
        pass

    def follow(self, running: _Running, _outbox: object) -> None:
        self.followed.append(running)

    def unfollow(self, running: _Running, _outbox: object) -> None:
        self.followed = [each for each in self.followed if each is not running]


def link_messages(data: bytes) -> None:
    """What a gateway sends is taken or refused, asks nothing of a race that is none, and leaves nothing held at the end."""
    found = _Races()
    link = Link(cast("Any", found))
    try:
        link.take(game_pb2.LinkRequest.FromString(data))
    except (DecodeError, Refused) as error:
        assert isinstance(error, DecodeError) or error.refusal is Refusal.BAD_REQUEST
    for running in found.running.values():
        for asked in running.asked:
            if isinstance(asked, SlideAsked):
                assert 0 <= asked.direction <= 3
                assert asked.handle.running is cast("Any", running)
            elif isinstance(asked, ActAsked):
                assert asked.handle.running is cast("Any", running)
    link.close()
    assert not link._bound
    assert not found.followed


TARGETS = (
    Target("deals", ("game_service.meta",), deals),
    Target("packed_races", ("game_service.records",), packed_races),
    Target("race_logs", ("game_service.racelog",), race_logs),
    Target("races", ("engine.race", "engine.log", "engine.stretch", "engine.offer"), races, most_bytes=240),
    Target("link_messages", ("game_service.link",), link_messages),
)
