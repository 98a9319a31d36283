"""A race in memory: what the store is known to hold, what waits, the one commit in flight, and who follows.

Whoever drives it (`races.py`) calls `propose` for the next commit, puts it to the store, and tells `settle` what came
of it, or `forget` where nothing is known. Nothing here does I/O (docs/architecture.md, rules 1 and 2).
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import assert_never

from game_service import messages
from game_service.commands import ActAsked, AttachAsked, Command, ExpireAsked, Handle, SlideAsked
from game_service.commits import Commit, Ends, LeaseSeen, Outcome, Result, Stored
from game_service.judge import Chain
from game_service.meta import Deal, Meta, pack_deal, unpack_deal
from game_service.outbox import Outbox
from game_service.places import Places
from game_service.records import Snapshot, unpack
from game_service.replies import CallReply, EventReply, Reply, give, unslid
from tilerace.game.v1 import game_pb2
from wire.ids import BrowserHash, RaceId
from wire.refusal import Refusal, Refused

MOST_WAITING = 512
"""How many commands wait at most for one race."""


@dataclass(slots=True, eq=False, repr=False)
class Running:
    """One race in memory. It holds the seed, so it is never shown whole.

    `known` is the state last seen in the store; `fresh` is whether it may be judged on. `heard` is the highest version
    that news told of.
    """

    race: RaceId
    places: Places = field(init=False)
    meta: Meta | None = None
    known: Snapshot | None = None
    fresh: bool = False
    heard: int = 0
    waiting: list[Command] = field(default_factory=list)
    flying: Chain | None = None
    followers: tuple[Outbox, ...] = ()
    handles: tuple[Handle, ...] = ()
    revealed: bool = False
    held: bool = False
    log: bytes | None = None
    newcomers: tuple[Outbox, ...] = ()
    _floor: int = 0
    _ahead: int = 0
    _looked_up: frozenset[Command] = frozenset()

    def __post_init__(self) -> None:
        self.places = Places.of(self.race)

    @property
    def bucket(self) -> int:
        """The bucket of the store that it is in."""
        return self.places.bucket

    @property
    def deal(self) -> Deal | None:
        """What was dealt, where it is loaded; kept packed, as it is seldom needed."""
        return None if self.meta is None else unpack_deal(self.meta)

    @property
    def idle(self) -> bool:
        """Whether nobody follows it and nothing waits, so that it may be dropped from memory.

        A verdict is held on to until it is durable, and for as long as it is `held`: the store may lose it, and
        nobody else has it.
        """
        if self.followers or self.waiting or self.flying is not None:
            return False
        unsafe = self.over and (self.held or not self.revealed)
        return not unsafe and all(handle.gone for handle in self.handles)

    @property
    def over(self) -> bool:
        """Whether it is known to have its verdict."""
        return self.known is not None and self.known.record.race.verdict is not None

    @property
    def must_load(self) -> bool:
        """Whether the store has to be read before anything is judged."""
        return self.flying is None and (
            not self.fresh or self.known is None or self.heard > self.known.version
        )

    @property
    def due_at(self) -> int | None:
        """When time alone next changes it, in milliseconds of the store's clock: its deadline or an offer's end."""
        known = self.known
        if known is None or known.record.race.verdict is not None:
            return None
        deadline, offer = known.record.race.deadline, known.record.race.offer
        if offer is None:
            return deadline
        return offer.until if deadline is None else min(deadline, offer.until)

    def follow(self, outbox: Outbox) -> None:
        """Have a stream told how it stands, from now on."""
        self.unfollow(outbox)
        self.followers = (*self.followers, outbox)
        self.newcomers = (*self.newcomers, outbox)

    def unfollow(self, outbox: Outbox) -> None:
        """Have a stream told no more."""
        self.followers = tuple(each for each in self.followers if each is not outbox)
        self.newcomers = tuple(each for each in self.newcomers if each is not outbox)

    def attach(self, handle: Handle, browser: BrowserHash) -> None:
        """Bind a browser's handle, forgetting those bound no more, and have it judged whether it gets a seat."""
        self.handles = (*(each for each in self.handles if not each.gone), handle)
        self.ask(AttachAsked(handle, browser))

    def let_go(self, handle: Handle) -> None:
        """Forget a handle."""
        self.handles = tuple(each for each in self.handles if each is not handle)

    def ask(self, command: Command) -> None:
        """Queue a command; where too many wait, refuse this newest one."""
        if len(self.waiting) < MOST_WAITING:
            self.waiting.append(command)
            return
        match command:
            case SlideAsked(handle) | ActAsked(handle) | AttachAsked(handle):
                # An answer now would overtake those that wait, so the handle has to attach again.
                self.detach(handle, Refusal.UNAVAILABLE)
            case _:
                give([CallReply(command.done, over=False, refused=Refused(Refusal.UNAVAILABLE))])

    def propose(self, now: int) -> Commit | None:
        """Judge what waits and give the commit it comes to; None where there is nothing to commit.

        `now` estimates the store's clock, in milliseconds. What needs no commit is answered at once, but an act is
        refused only once the store was asked again: what it hinges on may have been committed by another replica.
        """
        if self.must_load or self.flying is not None or self.known is None or self.meta is None:
            return None
        chain = Chain(self.meta, self.known, now=max(now - self._ahead, self._floor))
        chain.judge(self.waiting)
        if not chain.changed:
            if self._is_doubtful(chain):
                self._put_back(chain.commands)
                self.fresh = False
            else:
                give(chain.replies)
            return None
        chain.close()
        self.flying = chain
        return self._commit(chain)

    def _is_doubtful(self, chain: Chain) -> bool:
        """Tell whether an act is refused by what was known before it came; that is looked up once."""
        acts = frozenset(command for command in chain.commands if isinstance(command, ActAsked))
        is_refused = any(
            isinstance(reply, EventReply) and reply.event.acted.refusal for reply in chain.replies
        )
        doubtful = is_refused and not acts <= self._looked_up
        self._looked_up = acts if doubtful else frozenset()
        return doubtful

    def _commit(self, chain: Chain) -> Commit:
        if chain.ends_at_deadline:
            ends = Ends.AT_DEADLINE
        else:
            ends = Ends.NOT if chain.race.verdict is None else Ends.NOW
        return Commit(
            self.places, chain.base, chain.state, bytes(chain.entries), chain.not_before, chain.before, ends,
            self._lease(chain),
        )  # fmt: skip

    def _lease(self, chain: Chain) -> LeaseSeen | None:
        asked = chain.lease
        if asked is None:
            return None
        return LeaseSeen(self.places.lease(asked.seat), asked.until, asked.grace_ms)

    def settle(self, result: Result) -> Chain | None:
        """Take the script's answer to the commit in flight; the chain where it was committed, its replies yet to give.

        Anything else leaves its commands waiting again, at the front, or refused.
        """
        chain, self.flying = self.flying, None
        if chain is None:
            return None
        match result.outcome:
            case Outcome.DONE:
                self._move_on(chain, result)
                return chain
            case Outcome.CONFLICT:
                self._put_back(chain.commands)
                self.fresh = False
            case Outcome.EARLY:
                self._too_early(chain, result.now)
            case Outcome.LATE | Outcome.LAPSED:
                self._floor = result.now
                self._put_back(chain.commands)
            case Outcome.UNKNOWN:
                self._put_back(chain.commands)
                self.fresh = False
            case Outcome.CONNECTED:
                self._refuse_retire(chain, Refusal.STILL_CONNECTED)
            case Outcome.GRACE:
                self._refuse_retire(chain, Refusal.GRACE_NOT_OVER)
            case Outcome.FAILED:
                self.fail(chain)
            case _:
                assert_never(result.outcome)
        return None

    def forget(self) -> None:
        """Drop what is known and have what was in flight judged again: nobody knows whether it was committed."""
        chain, self.flying, self.fresh = self.flying, None, False
        if chain is not None:
            self._put_back(chain.commands)

    def fail(self, chain: Chain | None = None) -> None:
        """Refuse what was in flight: the store certainly did not take it, and will not now."""
        chain, self.flying, self.fresh = chain or self.flying, None, False
        if chain is not None:
            self._refuse(chain.commands, Refusal.UNAVAILABLE)

    def loaded(self, deal: Deal, snapshot: Snapshot) -> bool:
        """Take what the store holds; whether it fell back behind what was known, and followers must start afresh."""
        before, self.known, self.meta, self.fresh = self.known, snapshot, pack_deal(deal), True
        self.heard = min(self.heard, snapshot.version)
        fell_back = before is not None and _fell_back(before, snapshot)
        if fell_back:
            self._floor = 0
            self.revealed, self.log = False, None
            for outbox in self.followers:
                outbox.tell(game_pb2.LinkEvent(rewound=game_pb2.Rewound(race=self.race)))
            self.detach_all(Refusal.UNAVAILABLE)
        self.release_outranked()
        return fell_back

    def vanished(self) -> None:
        """Tell everyone that the store has no such race."""
        self._give_up(Refusal.RACE_NOT_RUNNING)

    def unreadable(self) -> None:
        """Refuse all that waits: the record cannot be read by this release."""
        self._give_up(Refusal.UNAVAILABLE)

    def broken(self) -> None:
        """Let go of every socket and refuse what waits: judging it met a fault of ours, and would again."""
        self.flying, self.fresh = None, False
        self.detach_all(Refusal.UNAVAILABLE)
        waiting, self.waiting = self.waiting, []
        self._refuse(waiting, Refusal.UNAVAILABLE)

    def _give_up(self, refusal: Refusal) -> None:
        self.known, self.meta, self.fresh, self.heard = None, None, False, 0
        self.detach_all(refusal)
        waiting, self.waiting = self.waiting, []
        self._refuse(waiting, refusal)
        for outbox in self.followers:
            outbox.tell(game_pb2.LinkEvent(unknown=game_pb2.Unknown(race=self.race)))
        self.followers = self.newcomers = ()

    def detach(self, handle: Handle, refusal: Refusal) -> None:
        """Bind a handle no more, and say why."""
        self.let_go(handle)
        give([EventReply(handle, messages.detached_event(handle.number, refusal), ends=True)])

    def detach_all(self, refusal: Refusal) -> None:
        """Bind no handle any more, and drop what they have waiting."""
        for handle in self.handles:
            self.detach(handle, refusal)
        self.waiting = [command for command in self.waiting if not _is_of_handle(command)]

    def release_outranked(self) -> None:
        """Let go of handles whose seat a later socket, or a later attach of the same one, holds."""
        if self.known is None:
            return
        tracks = self.known.record.tracks
        for handle in self.handles:
            if handle.index is None:
                continue
            rank = tracks[handle.index].rank
            if handle.rank[0] < rank[0]:
                self.detach(handle, Refusal.MOVED)
            elif handle.rank < rank:
                handle.gone = True
                self.let_go(handle)

    def _move_on(self, chain: Chain, result: Result) -> None:
        race = chain.race
        ended_at = 0
        if race.verdict is not None:
            ended_at = int(race.deadline or 0) if chain.ends_at_deadline else result.now
        self.known = Snapshot(result.version, result.now, ended_at, chain.record, chain.state)
        self._ahead = self._floor = 0

    def _too_early(self, chain: Chain, now: int) -> None:
        """Refuse what needs the boards alive; where our clock was ahead, judge again by the store's."""
        self._ahead = max(0, chain.now - now)
        if chain.ends_at_deadline:
            asked = [each for each in chain.commands if isinstance(each, ExpireAsked)]
            give(CallReply(each.done, over=False) for each in asked)
            self._put_back(each for each in chain.commands if not isinstance(each, ExpireAsked))
        elif now < chain.race.starts_at:
            self._refuse([each for each in chain.commands if _needs_start(each)], Refusal.NOT_STARTED_YET)
            self._put_back(each for each in chain.commands if not _needs_start(each))
        else:
            self._put_back(chain.commands)

    def _refuse_retire(self, chain: Chain, refusal: Refusal) -> None:
        """Refuse who asked to race on without somebody; what changed nothing beside it is judged again."""
        self._refuse([each for each in chain.commands if each is chain.lease], refusal)
        self._put_back(each for each in chain.commands if each is not chain.lease)

    def _put_back(self, commands: Iterable[Command]) -> None:
        self.waiting[:0] = commands

    def _refuse(self, commands: Iterable[Command], refusal: Refusal) -> None:
        give(reply for command in commands for reply in self._refusal(command, refusal))

    def _refusal(self, command: Command, refusal: Refusal) -> list[Reply]:
        match command:
            case SlideAsked(handle):
                if self.known is None or handle.index is None:
                    return []
                return [unslid(command, self.known.record.race.racers[handle.index], refusal.number)]
            case ActAsked(handle, _, call):
                return [EventReply(handle, messages.acted_event(handle.number, call, Refused(refusal)))]
            case AttachAsked(handle):
                return [EventReply(handle, messages.detached_event(handle.number, refusal), ends=True)]
            case _:
                return [CallReply(command.done, over=False, refused=Refused(refusal))]


def read_stored(stored: Stored) -> tuple[Deal, Snapshot]:
    """Read a record as loaded.

    Raises:
        ValueError: it is damaged, or of a later release.
    """
    deal = unpack_deal(stored.meta)
    record = unpack(stored.state, deal, starts_at=stored.starts_at)
    return deal, Snapshot(stored.version, stored.last, stored.ended_at, record, stored.state)


def _fell_back(before: Snapshot, after: Snapshot) -> bool:
    """Tell whether a store lost commits: also where others have since taken their place."""
    if after.version <= before.version:
        return (after.version, after.last) != (before.version, before.last)
    had, has = before.record.race, after.record.race
    lost_slides = any(now.slides < then.slides for then, now in zip(had.racers, has.racers, strict=True))
    return lost_slides or (had.verdict is not None and has.verdict != had.verdict)


def _is_of_handle(command: Command) -> bool:
    return isinstance(command, SlideAsked | ActAsked | AttachAsked)


def _needs_start(command: Command) -> bool:
    if isinstance(command, ActAsked):
        return command.action != game_pb2.ACTION_RESIGN
    return isinstance(command, SlideAsked)
