"""One Link: the stream to one replica of game-service (docs/architecture.md, "The hot path")."""

from collections.abc import Callable, Mapping, Sequence
from time import monotonic

from tilerace.game.v1 import game_pb2
from web_gateway import metrics
from web_gateway.attachment import Attachment
from web_gateway.feeds import RaceFeed
from web_gateway.room import MOST_SOCKETS
from web_gateway.seam.turn import Turn
from web_gateway.streams import PING_S, Messages, Pulse, hold
from web_gateway.waiting import OutOfStep
from wire.batching import Outbox, Overflow
from wire.clock import StoreClock
from wire.framed import connect
from wire.ids import RaceId
from wire.log import events
from wire.metrics import DROPPED
from wire.refusal import Refusal
from wire.slides import pack_slide, read_answers

MOST_WAITING = 10 * MOST_SOCKETS
"""How many calls may wait for a replica; past it the stream is given up.

One that takes over all that a full gateway has is told it at once: for each socket to follow, to attach, and the eight
slides that a page has in flight.
"""
_AGAIN = frozenset({Refusal.UNAVAILABLE, Refusal.RACE_NOT_RUNNING})
_LOG = events("web_gateway")

Item = bytes | game_pb2.LinkCall
"""A packed slide, or what is said beside slides."""


class Link:
    """A stream that is open, or about to be; `followed` are the races placed on it."""

    def __init__(
        self,
        address: str,
        clock: StoreClock,
        feeds: Mapping[RaceId, RaceFeed],
        *,
        on_lame: Callable[[Attachment], None],
        on_unknown: Callable[[RaceFeed], None],
        turn: Turn,
        ping_s: float = PING_S,
    ) -> None:
        """Write to a replica's address, which has `ping_s` to answer a ping.

        `on_lame` is told of attachments that have to attach again, `on_unknown` of races that the replica does not
        find; what one message makes for a socket goes out at once, at the end of a `turn`.
        """
        self.address = address
        self.draining = False
        self.left = False
        self.answered = False
        self.cut_off = False
        self.why = "it ends what comes, without an answer"
        self.followed: set[RaceFeed] = set()
        self._clock = clock
        self._feeds = feeds
        self._on_lame = on_lame
        self._on_unknown = on_unknown
        self._turn = turn
        self._handles: dict[int, Attachment] = {}
        self._next = 0
        self._slid: list[float] = []
        self._sent: list[float] = []
        self._outbox: Outbox[Item] = Outbox(MOST_WAITING, paced=True)
        self._pulse = Pulse(lambda ping: self._tell(ping=game_pb2.Ping(ping=ping)), ping_s)

    async def run(self) -> None:
        """Hold the stream until it breaks; `why` says what became of it, where it never stood."""
        try:
            framed = await connect(self.address)
        except OSError as error:
            self.why = error.strerror or type(error).__name__
            return
        await hold(Messages(framed, request=_request, take=self._take), self._outbox, self._pulse)

    @property
    def waiting(self) -> int:
        """How many calls wait to be written."""
        return len(self._outbox)

    def share(self, links: int) -> None:
        """Be one of so many Links of this gateway."""
        self._outbox.beside = links

    def close(self) -> None:
        """Write what is queued and end the stream."""
        self._outbox.close()

    def follow(self, feed: RaceFeed) -> None:
        """Follow a race's news, from how it stands now."""
        self.followed.add(feed)
        self._tell(subscribe=game_pb2.Subscribe(race=feed.race))

    def unfollow(self, feed: RaceFeed) -> None:
        """Follow a race no more."""
        self.followed.discard(feed)
        self._tell(unsubscribe=game_pb2.Unsubscribe(race=feed.race))

    def attach(self, feed: RaceFeed, attachment: Attachment) -> None:
        """Attach a racer's socket, under a new handle and its next attempt."""
        self._next += 1
        attachment.begin(self, self._next)
        self._handles[self._next] = attachment
        self._tell(
            attach=game_pb2.Attach(
                handle=self._next,
                race=feed.race,
                browser=attachment.browser,
                connection=attachment.connection,
                attempt=attachment.attempt,
            )
        )

    def detach(self, attachment: Attachment, *, refused: bool = False) -> None:
        """Let a racer's socket go; `refused` where it was told that what is unanswered was not done."""
        if self._handles.pop(attachment.handle, None) is attachment:
            self._tell(detach=game_pb2.Detach(handle=attachment.handle, refused=refused))
            attachment.detached()

    def slide(self, handle: int, n: int, direction: int) -> None:
        """Send a slide."""
        try:
            self._outbox.put(pack_slide(handle, n, direction))
        except Overflow:
            self._give_up()

    def act(self, handle: int, call: int, action: "game_pb2.Action.ValueType") -> None:
        """Send an act."""
        self._tell(act=game_pb2.Act(handle=handle, action=action, call=call))

    def let_go(self) -> list[Attachment]:
        """Forget all handles, after a break; give what was attached."""
        attachments, self._handles = list(self._handles.values()), {}
        for attachment in attachments:
            attachment.detached()
        return attachments

    def _tell(self, **call: object) -> None:
        """Queue a call; past the bound the stream is given up, and what is unanswered goes to another replica."""
        try:
            self._outbox.put(game_pb2.LinkCall(**call))  # type: ignore[arg-type]
        except Overflow:
            self._give_up()

    def _give_up(self) -> None:
        if self._pulse.fail():
            DROPPED.labels("link").inc()

    def _take(self, message: bytes) -> None:
        response = game_pb2.LinkResponse.FromString(message)
        self.answered = True
        self._clock.heard(response.now)
        now, came = self._clock.now(), monotonic()
        with self._turn:
            for event in response.events:
                try:
                    self._take_event(event, now)
                except Exception as error:  # noqa: BLE001  one event that cannot be taken must spoil no other race
                    _LOG.exception(
                        "an event of the Link was not taken",
                        error,
                        what=event.WhichOneof("event") or "",
                        race=self._race_of(event),
                    )
        if self._slid:
            self._note_slides(came)

    def _note_slides(self, came: float) -> None:
        """Count how long the slides took whose answers came, now that these are with their sockets."""
        slid, sent = self._slid, self._sent
        self._slid, self._sent = [], []
        metrics.LINK_SECONDS.add_until(came, sent)
        metrics.SLIDE_SECONDS.add_until(monotonic(), slid)

    def _take_event(self, event: game_pb2.LinkEvent, now: int) -> None:
        match event.WhichOneof("event"):
            case "answers":
                self._answers(event.answers)
            case "news":
                feed = self._feeds.get(RaceId(event.news.race))
                if feed is not None and feed in self.followed:
                    feed.heard(event.news, now=now)
            case "attached":
                if attachment := self._handles.get(event.attached.handle):
                    attachment.attached(event.attached)
            case "detached":
                self._detached(event.detached)
            case "acted":
                self._acted(event.acted)
            case "reveal":
                if feed := self._feeds.get(RaceId(event.reveal.race)):
                    feed.revealed(event.reveal)
            case "rewound":
                if feed := self._feeds.get(RaceId(event.rewound.race)):
                    feed.rewound()
            case "unknown":
                if feed := self._feeds.get(RaceId(event.unknown.race)):
                    self._on_unknown(feed)
            case "pong":
                self._pulse.heard, self.cut_off = event.pong.ping, event.pong.cut_off
            case "draining":
                self.draining = True
            case _:
                pass  # of a later release

    def _answers(self, packed: bytes) -> None:
        for record, motions in read_answers(packed):
            attachment = self._handles.get(record[0])
            if attachment is not None:
                try:
                    asked = attachment.answered(record, motions)
                except OutOfStep:
                    self._out_of_step(attachment)
                    continue
                self._slid.append(asked)
                if asked > attachment.live_since:
                    self._sent.append(asked)

    def _acted(self, told: game_pb2.Acted) -> None:
        if attachment := self._handles.get(told.handle):
            try:
                attachment.acted(told)
            except OutOfStep:
                self._out_of_step(attachment)

    def _out_of_step(self, attachment: Attachment) -> None:
        _LOG.warning("a replica answered out of step", replica=self.address, race=self._race_with(attachment))
        self.detach(attachment)
        self._on_lame(attachment)

    def _detached(self, told: game_pb2.Detached) -> None:
        attachment = self._handles.pop(told.handle, None)
        if attachment is None:
            return
        attachment.detached()
        refusal = Refusal.from_number(told.refusal)
        if refusal in _AGAIN:
            self._on_lame(attachment)
        elif refusal is Refusal.MOVED:
            attachment.owner.moved()
        else:
            attachment.bar(refusal)

    def _race_with(self, attachment: Attachment | None) -> str | None:
        """Find the race of a racer's socket, for the log."""
        return next((feed.race for feed in self.followed if attachment in feed.attachments), None)

    def _race_of(self, event: game_pb2.LinkEvent) -> str | None:
        """Say which race an event is about, for the log; answers to slides are about many."""
        by_race = event.news, event.reveal, event.rewound, event.unknown
        handle = event.attached.handle or event.detached.handle or event.acted.handle
        named = next((each.race for each in by_race if each.race), None)
        return named or self._race_with(self._handles.get(handle))


def _request(items: Sequence[Item]) -> bytes:
    """Make one packed message of what was queued; neighbouring slides share one call."""
    message = game_pb2.LinkRequest()
    slides: list[bytes] = []
    for item in items:
        if isinstance(item, bytes):
            slides.append(item)
            continue
        _flush(message, slides)
        message.calls.append(item)
    _flush(message, slides)
    return message.SerializeToString()


def _flush(message: game_pb2.LinkRequest, slides: list[bytes]) -> None:
    if slides:
        message.calls.add(slides=b"".join(slides))
        slides.clear()
