"""The races in memory, and the turns that move them: load, judge, one script for all, tell.

Each group of the store (docs/architecture.md, rule 12) has one worker. While its script call is under way the next
commits gather, so that calls carry more the busier it is.
"""

import asyncio
import contextlib
from collections.abc import Sequence
from typing import assert_never

from game_service import commits, metrics
from game_service.alarms import Alarms
from game_service.commits import Commit, Outcome, Stored
from game_service.outbox import Outbox
from game_service.replies import SlideReply, hand, note_answered
from game_service.reveals import Reveals
from game_service.running import Running, read_stored
from game_service.standings import Standings
from wire import keys, news
from wire.apart import Apart
from wire.ids import RaceId
from wire.log import events
from wire.metrics import QUEUES, longest
from wire.seldom import Seldom
from wire.store import Store, StoreError, StoreRefused, WrongType
from wire.store_metrics import REWINDS

_LOG = events("game_service")
POLL_S = 1.0
POLL_AT_ONCE = 500
MOST_LOADS = 128
_WAIT_S = (0.05, 1.0)


class _Group:
    """What one worker has to do."""

    def __init__(self) -> None:
        self.awake: dict[Running, None] = {}
        self.some = asyncio.Event()
        self.wait_s = _WAIT_S[0]
        self.compared: list[Running] = []


class Races:
    """All races this replica has in memory; have `run` run beside it."""

    def __init__(self, store: Store) -> None:
        """Begin with none."""
        self.store = store
        self.running: dict[RaceId, Running] = {}
        self._groups = {store.group(bucket): _Group() for bucket in range(keys.BUCKETS)}
        self._standings = Standings()
        self._alarms = Alarms(store.clock, self.wake)
        self._reveals = Reveals(store, self.wake)
        self._poll = asyncio.Event()
        self._turned = asyncio.Event()
        self._seldom = Seldom()

    def get(self, race: RaceId) -> Running:
        """Give a race, taking it into memory where it is not; it stays while somebody follows it."""
        running = self.running.get(race)
        if running is None:
            running = self.running[race] = Running(race)
        return running

    def wake(self, running: Running) -> None:
        """Have a race take its next turn."""
        group = self._groups[self.store.group(running.bucket)]
        group.awake[running] = None
        group.some.set()

    def follow(self, running: Running, outbox: Outbox) -> None:
        """Tell a stream how a race stands, now and from now on.

        It is read again first: who comes from another replica may have heard of more there than has arrived here yet,
        and would take it for a store that fell back.
        """
        running.follow(outbox)
        running.fresh = False
        self.wake(running)

    def unfollow(self, running: Running, outbox: Outbox) -> None:
        """Tell a stream no more of a race."""
        running.unfollow(outbox)
        self.wake(running)

    def look(self) -> None:
        """Set the gauges of races to how they are."""
        metrics.RACES.set(len(self.running))
        metrics.RUNNING.set(sum(not each.over for each in self.running.values()))
        QUEUES.labels("race").set(longest(len(each.waiting) for each in self.running.values()))

    async def finished(self) -> None:
        """Wait until no race has anything waiting or in flight."""
        while any(each.waiting or each.flying for each in self.running.values()):
            self._turned.clear()
            await self._turned.wait()

    async def run(self) -> None:
        """Serve the races until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            for group in self._groups.values():
                tasks.create_task(self._work(group))
            tasks.create_task(self._poll_for_ever())
            tasks.create_task(self._reveals.run())
            tasks.create_task(self.store.keep_time())
            tasks.create_task(
                news.listen(
                    self.store,
                    keys.races_channel,
                    buckets=range(keys.BUCKETS),
                    on_news=self._on_news,
                    on_gap=self._poll.set,
                )
            )

    def _on_news(self, _bucket: int, payload: bytes) -> None:
        for name, version in news.read(payload):
            running = self.running.get(RaceId(name))
            if running is not None and version > running.heard:
                running.heard = version
                if running.must_load:
                    self.wake(running)

    async def _work(self, group: _Group) -> None:
        while True:
            await group.some.wait()
            group.some.clear()
            turn, group.awake = list(group.awake), {}
            try:
                await self._turn(turn)
                group.wait_s = _WAIT_S[0]
            except StoreError as error:
                if self._seldom.now("trouble"):
                    _LOG.warning(
                        "the store does not answer; races wait", error=type(error).__name__, races=len(turn)
                    )
                await asyncio.sleep(group.wait_s)
                group.wait_s = min(2 * group.wait_s, _WAIT_S[1])
            for running in turn:
                self._end_turn(running)
            self._turned.set()

    async def _turn(self, turn: Sequence[Running]) -> None:
        await self._load([running for running in turn if running.must_load and not running.idle])
        now = self.store.clock.now()
        proposed: list[tuple[Running, Commit]] = []
        for running in turn:
            commit = _propose(running, now)
            if commit is not None:
                proposed.append((running, commit))
        for start in range(0, len(proposed), commits.MOST_IN_A_BATCH):
            await self._commit(proposed[start : start + commits.MOST_IN_A_BATCH])

    async def _load(self, races: Sequence[Running]) -> None:
        for start in range(0, len(races), MOST_LOADS):
            await self._load_part(races[start : start + MOST_LOADS])

    async def _load_part(self, part: Sequence[Running]) -> None:
        newcomers = [running.newcomers for running in part]
        found = await commits.load(self.store, [running.race for running in part])
        for running, before, stored in zip(part, newcomers, found, strict=True):
            if running.newcomers is not before:
                continue  # it is read once more, as who has come meanwhile may have heard of more than was read
            match stored:
                case None:
                    running.vanished()
                case WrongType():
                    self._unreadable(running, stored)
                case Stored():
                    await self._take(running, stored)
                case _:
                    assert_never(stored)

    def _unreadable(self, running: Running, error: Exception) -> None:
        running.unreadable()
        if self._seldom.now(running.race):
            _LOG.exception("a race's record cannot be read", error, race=running.race)

    async def _take(self, running: Running, stored: Stored) -> None:
        before = running.known
        try:
            deal, snapshot = read_stored(stored)
        except ValueError as error:
            self._unreadable(running, error)
            return
        if await self._reveals.restored(running, stored):
            self._standings.welcome(running)
            return
        if running.loaded(deal, snapshot):
            REWINDS.inc()
            _LOG.warning("the store fell back", race=running.race, version=snapshot.version)
            self._standings.tell(running)
        elif before is not None and before.version != snapshot.version:
            self._standings.changed(running, before.record.race)
        self._standings.welcome(running)
        self._reveals.want(running)

    async def _commit(self, proposed: Sequence[tuple[Running, Commit]]) -> None:
        try:
            results = await commits.commit(self.store, [commit for _, commit in proposed])
        except StoreRefused as error:
            if self._seldom.now("refused"):
                _LOG.exception("the store refuses commits", error, races=len(proposed))
            metrics.COMMITS["refused"] += len(proposed)
            for running, _ in proposed:
                running.fail()
            return
        except StoreError:
            metrics.COMMITS["unknown"] += len(proposed)
            for running, _ in proposed:
                running.forget()
            raise
        finally:
            metrics.COMMIT_SIZE.add(len(proposed))
        made = 0
        came: list[float] = []
        for (running, commit), result in zip(proposed, results, strict=True):
            chain = running.settle(result)
            if chain is None:
                self._note_unmade(running, commit, result.outcome)
                continue
            made += 1
            before = chain.base.record.race
            # Who slides sees that first, and then what came of it; an act's answer follows what shows it.
            tells_last = all(isinstance(reply, SlideReply) for reply in chain.replies)
            if tells_last:
                came += hand(chain.replies)
            if chain.race is not before:
                self._standings.changed(running, before)
            if not tells_last:
                came += hand(chain.replies)
            if chain.seats_moved:
                running.release_outranked()
            self._reveals.want(running)
        metrics.COMMITS["made"] += made
        note_answered(came)

    def _note_unmade(self, running: Running, commit: Commit, outcome: Outcome) -> None:
        metrics.COMMITS[metrics.OUTCOMES[outcome]] += 1
        if outcome is Outcome.FAILED and self._seldom.now(running.race):
            _LOG.error("a race's commit failed", race=running.race, version=commit.base.version)

    def _end_turn(self, running: Running) -> None:
        if running.idle:
            if self.running.get(running.race) is running:
                del self.running[running.race]
            self._standings.forget(running)
            self._alarms.disarm(running)
            return
        if running.waiting or running.must_load:
            self.wake(running)
        self._alarms.arm(running)

    async def _poll_for_ever(self) -> None:
        async with asyncio.TaskGroup() as tasks:
            compare = Apart(self._groups, self._compare, tasks)
            while True:
                try:
                    async with asyncio.timeout(POLL_S):
                        await self._poll.wait()
                except TimeoutError:
                    pass
                self._poll.clear()
                self._sort()
                with contextlib.suppress(StoreError):
                    await compare.once()

    def _sort(self) -> None:
        for group in self._groups.values():
            group.compared = []
        for running in self.running.values():
            self._groups[self.store.group(running.bucket)].compared.append(running)

    async def _compare(self, group: int) -> None:
        """Read a group's versions again: news may have been lost, and the store may have fallen back."""
        races = self._groups[group].compared
        for start in range(0, len(races), POLL_AT_ONCE):
            await self._compare_part(races[start : start + POLL_AT_ONCE])

    async def _compare_part(self, races: Sequence[Running]) -> None:
        resting = [(running, running.known) for running in races if running.fresh and not running.flying]
        found = await commits.versions(self.store, [running.places for running, _ in resting])
        for (running, known), version in zip(resting, found, strict=True):
            if known is None or running.known is not known or running.flying:
                continue
            if version != (known.version, known.last):
                running.fresh = False
                self.wake(running)


def _propose(running: Running, now: int) -> Commit | None:
    try:
        return running.propose(now)
    except Exception as error:  # noqa: BLE001  a fault in one race must stop no other
        _LOG.exception("a race could not be judged", error, race=running.race)
        running.broken()
        return None
