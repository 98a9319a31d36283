"""All Links, and which of them each race is on (docs/architecture.md, "Routing").

A Link that breaks, or whose pong is late, is avoided for some seconds: its races go to the next replica, where racers
attach anew before what is unanswered is sent again (rule 9). A race moves by plan only with nothing in flight.
"""

import asyncio
import itertools
from time import monotonic

from web_gateway.attachment import Attachment
from web_gateway.feeds import Follower, RaceFeed
from web_gateway.link import Link
from web_gateway.metrics import STREAMS
from web_gateway.seam.turn import Turn
from web_gateway.streams import PING_S
from wire.clock import StoreClock
from wire.ids import RaceId
from wire.log import events
from wire.metrics import QUEUES, longest
from wire.refusal import Refusal
from wire.routing import AVOID_S, Replicas
from wire.seldom import Seldom

TICK_S = 0.1
TICKS = 10
LOOKED_AT_ONCE = 100
"""How many races are looked at, when replicas come or go, before slides have their turn: about a millisecond."""
GIVE_UP_S = 6.0
"""How long a slide may wait for a replica before it is refused with UNAVAILABLE."""
_PAUSE_S = (0.1, 1.0)
_LOG = events("web_gateway")


class Links:
    """Follows races and attaches racers; have `run` run beside it."""

    def __init__(
        self,
        replicas: Replicas,
        clock: StoreClock,
        *,
        turn: Turn,
        ping_s: float = PING_S,
    ) -> None:
        """Begin with no stream open; a replica that leaves a ping unanswered for `ping_s` is left."""
        self._replicas, self._clock, self._ping_s = replicas, clock, ping_s
        self._turn = turn
        self._feeds: dict[RaceId, RaceFeed] = {}
        self._links: dict[str, Link] = {}
        self._on: dict[RaceFeed, Link] = {}
        self._lame: dict[Attachment, None] = {}
        self._lost: set[RaceFeed] = set()
        self._feed_of: dict[Attachment, RaceFeed] = {}
        self._failures: dict[str, int] = {}
        self._reroute_at: list[float] = []
        self._to_look_at: dict[RaceFeed, None] = {}
        self._serving: set[str] = set()
        self._seldom = Seldom()
        self._tasks: asyncio.TaskGroup

    @property
    def ready(self) -> bool:
        """Whether some replica answers."""
        return any(self._answers(address) for address in self._links)

    def follow(self, race: RaceId, follower: Follower) -> RaceFeed:
        """Tell a socket of a race from now on; what is known already the feed has."""
        feed = self._feeds.get(race)
        if feed is None:
            feed = self._feeds[race] = RaceFeed(race)
            self._place(feed)
        feed.followers.add(follower)
        return feed

    def unfollow(self, feed: RaceFeed, follower: Follower) -> None:
        """Tell a socket of a race no more."""
        feed.followers.discard(follower)
        if not feed.followers and self._feeds.get(feed.race) is feed:
            del self._feeds[feed.race]
            link = self._on.pop(feed, None)
            if link is not None:
                link.unfollow(feed)

    def attach(self, feed: RaceFeed, attachment: Attachment) -> None:
        """Attach a racer's socket, and keep it attached."""
        feed.attachments.add(attachment)
        self._feed_of[attachment] = feed
        self._attach(attachment)

    def detach(self, attachment: Attachment) -> None:
        """Let a racer's socket go."""
        feed = self._feed_of.pop(attachment, None)
        self._lame.pop(attachment, None)
        if feed is None:
            return
        feed.attachments.discard(attachment)
        link = self._on.get(feed)
        if link is not None:
            link.detach(attachment)

    def look(self) -> None:
        """Set the gauges of Links to how they are."""
        STREAMS.labels("game").set(sum(link.answered for link in self._links.values()))
        QUEUES.labels("link").set(longest(link.waiting for link in self._links.values()))

    def addresses_changed(self) -> None:
        """Look soon whether races are to move: replicas came or went."""
        self._reroute_at.append(0.0)

    async def run(self) -> None:
        """Hold the streams until cancelled; one to every replica is kept open."""
        async with asyncio.TaskGroup() as self._tasks:
            for tick in itertools.count():
                for address in self._replicas.addresses:
                    self._link(address)
                self._attach_again()
                self._note_who_serves()
                self._leave_who_is_cut_off()
                await self._reroute()
                if tick % TICKS == 0:
                    self._look_after()
                await asyncio.sleep(TICK_S)

    def _link(self, address: str) -> Link:
        link = self._links.get(address)
        if link is None:
            link = Link(
                address,
                self._clock,
                self._feeds,
                on_lame=self._limp,
                on_unknown=self._lost.add,
                turn=self._turn,
                ping_s=self._ping_s,
            )
            self._links[address] = link
            self._share()
            self._tasks.create_task(self._hold(link))
        return link

    async def _hold(self, link: Link) -> None:
        failures = self._failures.get(link.address, 0)
        if failures:
            await asyncio.sleep(min(_PAUSE_S[0] * 2**failures, _PAUSE_S[1]))
        try:
            await link.run()
        except Exception as error:  # noqa: BLE001  a fault on one stream must not end the others
            _LOG.exception("a Link failed", error, replica=link.address)
        self._failures[link.address] = 0 if link.answered else min(failures + 1, 10)
        if self._links.get(link.address) is link:
            del self._links[link.address]
            self._share()
        if link.address in self._replicas.addresses and not link.left:
            self._avoid(link.address)
            self._tell_broken(link)
        self._move_away(link)

    def _tell_broken(self, link: Link) -> None:
        if link.answered:
            _LOG.warning("a Link broke", replica=link.address, races=len(link.followed))
        elif self._seldom.now(link.address):
            _LOG.warning("no Link can be made", replica=link.address, races=len(link.followed), why=link.why)

    def _share(self) -> None:
        for link in self._links.values():
            link.share(len(self._links))

    def _avoid(self, address: str) -> None:
        self._replicas.avoid(address)
        self._reroute_at.append(asyncio.get_running_loop().time() + AVOID_S)

    def _move_away(self, link: Link) -> None:
        """Place the races of a Link that is no more on others, and have their racers attach there."""
        link.let_go()
        for feed in tuple(link.followed):
            if self._on.get(feed) is link:
                self._place(feed)

    def _place(self, feed: RaceFeed) -> None:
        link = self._link(self._best(feed.race))
        self._on[feed] = link
        link.follow(feed)
        for attachment in feed.attachments:
            self._attach(attachment)

    def _best(self, race: RaceId) -> str:
        """Choose a race's replica: the first preferred that serves, as after an outage all are avoided alike.

        Where none reaches the store, one that at least answers.
        """
        order = self._replicas.preferred(race)
        answering = [address for address in order if self._answers(address)] or order
        return next((address for address in answering if self._serves(address)), answering[0])

    def _answers(self, address: str) -> bool:
        link = self._links.get(address)
        return link is not None and link.answered and not link.draining

    def _serves(self, address: str) -> bool:
        return self._answers(address) and not self._links[address].cut_off

    def _note_who_serves(self) -> None:
        serving = {address for address in self._links if self._serves(address)}
        if serving != self._serving:
            self._serving = serving
            self._reroute_at.append(0.0)

    def _leave_who_is_cut_off(self) -> None:
        """Move races off replicas that do not reach the store to one that does, with what they have in flight."""
        for link in [each for each in self._links.values() if each.cut_off and self._serving]:
            for feed in tuple(link.followed):
                self._move(feed, link)

    def _attach(self, attachment: Attachment) -> None:
        self._lame.pop(attachment, None)
        feed = self._feed_of.get(attachment)
        link = self._on.get(feed) if feed is not None else None
        if feed is not None and link is not None and attachment.refused is None:
            link.attach(feed, attachment)

    def _limp(self, attachment: Attachment) -> None:
        if attachment in self._feed_of:
            self._lame[attachment] = None

    def _attach_again(self) -> None:
        lame, self._lame = self._lame, {}
        for attachment in lame:
            self._attach(attachment)

    def _look_after(self) -> None:
        """Follow again what a replica did not find, and refuse what nobody answered for long."""
        lost, self._lost = self._lost, set()
        for feed in lost:
            if feed in self._on:
                self._on[feed].follow(feed)
        overdue = monotonic() - GIVE_UP_S
        for attachment in tuple(self._feed_of):
            oldest = attachment.queue.oldest
            if oldest is not None and oldest < overdue:
                self._give_up(attachment)

    def _give_up(self, attachment: Attachment) -> None:
        link = self._on.get(self._feed_of[attachment])
        if link is not None:
            link.detach(attachment, refused=True)
        attachment.give_up(Refusal.UNAVAILABLE)
        self._limp(attachment)

    async def _reroute(self) -> None:
        """Move races to the replicas they prefer, those with nothing in flight; the others at a later tick."""
        now = asyncio.get_running_loop().time()
        leaving = [link for link in self._links.values() if link.draining]
        for link in leaving:
            self._leave(link)
        if any(at <= now for at in self._reroute_at):
            self._reroute_at = [at for at in self._reroute_at if at > now]
            for address in self._links.keys() - set(self._replicas.addresses):
                self._links[address].draining = True
            self._to_look_at.update(dict.fromkeys(self._on))
        for number, feed in enumerate(tuple(self._to_look_at), 1):
            self._settle(feed)
            if number % LOOKED_AT_ONCE == 0:
                await asyncio.sleep(0)

    def _settle(self, feed: RaceFeed) -> None:
        """Have a race be where it prefers to be, unless something is in flight."""
        link = self._on.get(feed)
        if link is not None and self._best(feed.race) != link.address:
            if not feed.idle:
                return
            self._move(feed, link)
        self._to_look_at.pop(feed, None)

    def _leave(self, link: Link) -> None:
        """Leave a replica that is going away, each race as soon as it has nothing in flight."""
        if not link.left and link.address in self._replicas.addresses:
            self._avoid(link.address)
        link.left = True
        others = [each for each in self._replicas.addresses if each != link.address]
        if others and link.followed:
            self._to_look_at.update(dict.fromkeys(link.followed))
        elif others:
            link.close()

    def _move(self, feed: RaceFeed, link: Link) -> None:
        for attachment in feed.attachments:
            link.detach(attachment)
        link.unfollow(feed)
        self._place(feed)
