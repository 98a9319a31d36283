"""Judging what waits for a race: commands applied in order by the engine on a chain nobody has committed yet.

A chain begins at the state the store is known to hold and becomes one commit. Its replies are given only when that
commit is answered, so a refusal that was judged on uncommitted state waits like everything else
(docs/architecture.md, rule 2). Nothing here does I/O.

The time that the engine is given is an estimate of the store's clock. Start and deadline are the script's to judge
(rule 3): slides and offers are judged as if the race had begun, and the chain says from when on it may be committed.
"""

from typing import assert_never

from engine import (
    AnswerEvent,
    Direction,
    Event,
    ExpireEvent,
    LapseEvent,
    LeftBehindEvent,
    Millis,
    OfferEvent,
    Race,
    Racer,
    ResignEvent,
)
from engine.errors import RuleBroken
from game_service import messages, racelog
from game_service.acts import holds_already
from game_service.commands import (
    ActAsked,
    AttachAsked,
    Command,
    ExpireAsked,
    Handle,
    ResignAsked,
    RetireAsked,
    SlideAsked,
)
from game_service.meta import Meta, unpack_deal
from game_service.records import REMEMBERED, Record, Snapshot, Track, pack
from game_service.replies import CallReply, EventReply, Reply, SlideReply, unslid
from tilerace.game.v1 import game_pb2
from wire.ids import BrowserHash
from wire.refusal import Refusal, Refused, of_rule
from wire.slides import APPLIED, REPEATED, pack_answer

EARLY_MS = 1_000
"""How long before the deadline, by our estimate, an expiry that is asked for is put to the script, in milliseconds."""

STALE_MS = 5_000
"""How long after it was judged a commit may still be made: a store that stood still must not make what was refused since."""

_FULL = racelog.MOST_ENTRY_BYTES - 16
"""With how many bytes of log entries a commit takes no more: a command adds 16 at most, a lapse, a time, an event."""

_STAND_ALONE = (RetireAsked, ExpireAsked)
"""Commands whose commit has conditions that must fail nothing else."""
_DIRECTIONS = tuple(Direction)


class Chain:
    """Commands judged on a snapshot, one behind the other; what they come to, and what to say once it is committed."""

    __slots__ = (
        "_judged_at",
        "_needs_start",
        "_not_before",
        "_slid_at",
        "base",
        "commands",
        "ends_at_deadline",
        "entries",
        "lease",
        "meta",
        "now",
        "race",
        "record",
        "replies",
        "seats_moved",
        "state",
        "tracks",
    )  # fmt: skip

    def __init__(self, meta: Meta, base: Snapshot, *, now: int) -> None:
        """Begin at `base`; `now` is the estimate of the store's clock, in milliseconds."""
        self.meta = meta
        self.base = base
        self.now = max(now, base.last)
        self.record = base.record
        self.state = base.state
        self.race: Race = base.record.race
        self.tracks: list[Track] = list(base.record.tracks)
        self.commands: list[Command] = []
        self.replies: list[Reply] = []
        self.entries = bytearray()
        self._not_before = 0
        self._needs_start = False
        self.ends_at_deadline = False
        self.seats_moved = False
        self.lease: RetireAsked | None = None
        self._judged_at: int | None = None
        self._slid_at = Millis(max(self.now, self.race.starts_at))

    @property
    def changed(self) -> bool:
        """Whether there is anything to commit."""
        return self.race is not self.base.record.race or tuple(self.tracks) != self.base.record.tracks

    @property
    def not_before(self) -> int:
        """From when on it may be committed: the start, where boards are to be alive, and the end of what has lapsed."""
        return max(self._not_before, self.race.starts_at if self._needs_start else 0)

    @property
    def before(self) -> int:
        """Until when it may be committed: while the offer it was judged under stands, and while anybody waits for it."""
        offer = self.base.record.race.offer
        stale = self.now + STALE_MS
        if offer is None or self.ends_at_deadline or self.now >= offer.until:
            return stale
        return min(stale, offer.until)

    def judge(self, waiting: list[Command]) -> None:
        """Judge what goes into one commit, in order, and take it from `waiting`; an error leaves it there."""
        self.pass_time()
        for command in waiting:
            if len(self.entries) > _FULL or self.lease is not None:
                break
            if isinstance(command, _STAND_ALONE) and self.changed and self.race.verdict is None:
                break
            self.commands.append(command)
            self._judge(command)
        del waiting[: len(self.commands)]

    def close(self) -> None:
        """Make of all that was judged what the commit would leave in the store: `record`, and packed as `state`."""
        self.record = Record(self.race, tuple(self.tracks))
        self.state = pack(self.record, self.base)

    def pass_time(self) -> None:
        """Apply what the time alone has done: the deadline has passed, an offer has lapsed."""
        race = self.race
        if race.verdict is not None:
            return
        if race.deadline is not None and self.now >= race.deadline:
            self._expire(race.deadline)
        elif race.offer is not None and self.now >= race.offer.until:
            self._log(LapseEvent(), self.now)
            self._not_before = race.offer.until
            self.race = race.lapse(now=Millis(self.now))

    def _judge(self, command: Command) -> None:
        match command:
            case SlideAsked():
                if (index := self._seated(command.handle)) is not None:
                    self._slide(command, index)
            case ActAsked():
                if (index := self._seated(command.handle)) is not None:
                    self._act(command, index)
            case AttachAsked():
                self._attach(command.handle, command.browser)
            case RetireAsked():
                self._retire(command)
            case ResignAsked():
                self._resign(command)
            case ExpireAsked():
                self._expire_asked(command)
            case _:
                assert_never(command)

    def _seated(self, handle: Handle) -> int | None:
        """Give the number of the racer that a handle acts for; None where it does no more.

        Where the seat has moved the handle is told; one that is `refused` was told that nothing was done.
        """
        index = handle.index
        if handle.refused:
            return None
        if index is None or handle.rank >= self.tracks[index].rank:
            return index
        # One of the same socket was attached anew and needs no word.
        if handle.rank[0] < self.tracks[index].rank[0]:
            self._detach(handle, Refusal.MOVED)
        return None

    def _detach(self, handle: Handle, refusal: Refusal) -> None:
        event = messages.detached_event(handle.number, refusal)
        self.replies.append(EventReply(handle, event, ends=True))

    def _attach(self, handle: Handle, browser: BrowserHash) -> None:
        handle.index = unpack_deal(self.meta).index_of(browser)
        if handle.index is None:
            self._detach(handle, Refusal.NOT_A_RACER)
            return
        track = self.tracks[handle.index]
        if handle.rank < track.rank:
            self._detach(handle, Refusal.MOVED)
            return
        if handle.rank > track.rank and self.race.verdict is None:
            self.tracks[handle.index] = Track(track.directions, handle.rank)
            self.seats_moved = True
        event = messages.attached_event(handle.number, self.race.racers[handle.index])
        self.replies.append(EventReply(handle, event))

    def _slide(self, asked: SlideAsked, index: int) -> None:
        race, handle, n, direction = self.race, asked.handle, asked.n, asked.direction
        racer = race.racers[index]
        if n != racer.slides + 1 or race.verdict is not None or racer.out is not None:
            self.replies.append(unslid(asked, racer, self._why_not(asked, racer, self.tracks[index])))
            return
        try:
            after, made, drawn, cell = race.slide(racer.seat, _DIRECTIONS[direction], now=self._slid_at)
        except RuleBroken as broken:
            refusal = self._unless_early(of_rule(broken).refusal)
            self.replies.append(unslid(asked, racer, refusal.number))
            return
        if race.offer is not None:
            self._mark(self._slid_at)
        self.entries.append(racelog.slide_byte(racer.seat, direction))
        self._needs_start = True
        self.race = after
        self.tracks[index] = self.tracks[index].slid(direction)
        racer = after.racers[index]
        packed = pack_answer(
            (
                handle.number, n, APPLIED, direction, racer.slides, racer.score, racer.stuck, racer.board.cells,
                made.points, cell, drawn.exponent, made.motions,
            )
        )  # fmt: skip
        self.replies.append(SlideReply(handle, packed, asked.came))

    def _why_not(self, asked: SlideAsked, racer: Racer, track: Track) -> int:
        """Say why a slide is not the next one to apply (docs/architecture.md, rule 4)."""
        if 0 < asked.n <= racer.slides:
            behind = racer.slides - asked.n
            same = behind < REMEMBERED and track.direction(behind) == asked.direction
            return REPEATED if same else Refusal.SLIDE_CONFLICT.number
        if self.race.verdict is not None:
            return Refusal.RACE_OVER.number
        if racer.out is not None:
            return Refusal.OUT_OF_RACE.number
        return self._unless_early(Refusal.SLIDE_OUT_OF_ORDER).number

    def _unless_early(self, refusal: Refusal) -> Refusal:
        return Refusal.NOT_STARTED_YET if self.now < self.race.starts_at else refusal

    def _act(self, asked: ActAsked, index: int) -> None:
        racer, refused = self.race.racers[index], None
        if not holds_already(self.race, racer, asked.action):
            try:
                self._do(racer, asked.action)
            except RuleBroken as broken:
                refused = of_rule(broken)
            except Refused as unknown:
                refused = unknown
        event = messages.acted_event(asked.handle.number, asked.call, refused)
        self.replies.append(EventReply(asked.handle, event))

    def _do(self, racer: Racer, action: game_pb2.Action.ValueType) -> None:
        race, seat, now = self.race, racer.seat, Millis(self.now)
        if action == game_pb2.ACTION_RESIGN:
            self._apply(race.resign(seat, now=now), ResignEvent(seat), now)
            return
        begun = Millis(max(now, race.starts_at))
        if action == game_pb2.ACTION_OFFER:
            self._apply(race.make_offer(seat, now=begun), OfferEvent(seat), begun)
        elif action in {game_pb2.ACTION_AGREE, game_pb2.ACTION_DECLINE}:
            agree = action == game_pb2.ACTION_AGREE
            answered = race.answer_offer(seat, agree=agree, now=begun)
            self._apply(answered, AnswerEvent(seat, agree), begun)
        else:
            raise Refused(Refusal.BAD_REQUEST)
        self._needs_start = True

    def _retire(self, asked: RetireAsked) -> None:
        refused = None
        try:
            racer = self.race.racer(asked.seat)
            if racer.out is None:
                left = self.race.leave_behind(asked.seat, now=Millis(self.now))
                self._apply(left, LeftBehindEvent(asked.seat), self.now)
                self.lease = asked
        except RuleBroken as broken:
            refused = of_rule(broken)
        self._end_call(asked, refused)

    def _resign(self, asked: ResignAsked) -> None:
        refused = None
        try:
            racer = self.race.racer(asked.seat)
            if self.race.verdict is None and racer.out is None and not racer.stuck:
                resigned = self.race.resign(asked.seat, now=Millis(self.now))
                self._apply(resigned, ResignEvent(asked.seat), self.now)
        except RuleBroken as broken:
            refused = of_rule(broken)
        self._end_call(asked, refused)

    def _expire_asked(self, asked: ExpireAsked) -> None:
        deadline = self.race.deadline
        if self.race.verdict is None and deadline is not None and deadline - self.now < EARLY_MS:
            self._expire(deadline)
        self._end_call(asked, None)

    def _expire(self, deadline: int) -> None:
        at = Millis(max(self.now, deadline))
        offer = self.race.offer
        if offer is not None and offer.until <= at:
            self._log(LapseEvent(), at)
            self.race = self.race.lapse(now=at)
        self._apply(self.race.expire(now=at), ExpireEvent(), at)
        self.ends_at_deadline = True

    def _end_call(self, asked: RetireAsked | ResignAsked | ExpireAsked, refused: Refused | None) -> None:
        self.replies.append(CallReply(asked.done, self.race.verdict is not None, refused))

    def _apply(self, race: Race, event: Event, at: int) -> None:
        self.race = race
        self._log(event, at)

    def _log(self, event: Event, at: int) -> None:
        self._mark(at)
        self.entries += racelog.entry(event)

    def _mark(self, at: int) -> None:
        if at != self._judged_at:
            self._judged_at = at
            self.entries += racelog.judged_at(at - self.base.record.race.starts_at)
