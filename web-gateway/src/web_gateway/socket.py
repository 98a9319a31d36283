"""One browser's socket at a table: frames in, frames out, in the order that docs/socket.md promises."""

import asyncio
import random
import time
from typing import assert_never, get_args

from tilerace.game.v1 import game_pb2
from web_gateway import metrics
from web_gateway.askers import Asker
from web_gateway.asks import Asks
from web_gateway.attachment import Attachment, refused_frame
from web_gateway.frames import client, server
from web_gateway.frames.server import FreedWhy, Re
from web_gateway.gateway import Gateway
from web_gateway.limits import What
from web_gateway.pace import Pace, retry_ms
from web_gateway.place import Place
from web_gateway.seam.frames import Frames
from web_gateway.slide_paces import SlidePaces, all_allow
from web_gateway.table_frames import holding_of
from web_gateway.tables import TableFeed
from web_gateway.waiting import Judged
from wire.ids import BrowserHash, TableId
from wire.refusal import Refusal, Refused

MOVED, UNKNOWN, POLICY, RESTART, LATER = 4001, 4404, 1008, 1012, 1013
"""Close codes: another tab is here now; no such table; out of shape too often; come back; come back, but later."""
MOST_MALFORMED = 10
MOST_EARLY = 32
"""How many frames may come before the table is known."""
CLAIM_S = 1.0
"""How long the tab of a browser that sat has to come forward before a newer one takes it for gone."""
FRAMES_A_SECOND, FRAMES_BURST = 20.0, 60.0
TOLD_OFF_A_SECOND, TOLD_OFF_BURST = 10.0, 600.0
"""How often a socket is told that it is too fast or out of shape; one that goes on is closed."""
_LIMITED: dict[type, What] = {
    **dict.fromkeys(get_args(client.ToTable), What.CHANGES),
    client.Start: What.RACES,
    client.PlayAgain: What.RACES,
    client.OfferPeace: What.OFFERS,
}
"""What is limited by itself, as it is kept, or shown to others."""


class Socket:
    """One socket, from its handshake to its end."""

    __slots__ = (
        "_asker", "_asks", "_claim", "_early", "_feed", "_frames", "_gateway", "_host", "_malformed_in_a_row", "_others",
        "_place", "_seat_known", "_slides", "_told_off", "_welcomed", "browser", "connection", "greeted", "number",
        "renumbering", "seated", "table",
    )  # fmt: skip

    def __init__(
        self, gateway: Gateway, table: TableId, browser: BrowserHash, *, asker: Asker, host: str | None
    ) -> None:
        """Begin before the handshake; `host` is the request's Host header."""
        self._asker = asker
        self.table, self.browser = table, browser
        self.number = gateway.next_number()
        self.connection = 0
        self.greeted = self.renumbering = False
        self._gateway, self._host = gateway, host
        self._frames: Frames
        self._place: Place
        self._feed: TableFeed | None = None
        self.seated = self._welcomed = False
        self._seat_known = 0
        self._claim: asyncio.TimerHandle | None = None
        self._malformed_in_a_row = 0
        self._early: list[client.ClientFrame] = []
        self._asks = Asks(gateway, self)
        self._slides: SlidePaces | None = None
        self._others: tuple[Pace, ...] = ()
        self._told_off = Pace(TOLD_OFF_A_SECOND, burst=TOLD_OFF_BURST, monotonic=time.monotonic)

    # What the connection tells (seam.frames.Listener).

    def opened(self, frames: Frames) -> None:
        """Say hello, once the time is known, and have table-service know of the socket."""
        self._frames = frames
        self._asker.opened()
        self._place = Place(self, frames, links=self._gateway.links, clock=self._gateway.clock)
        if self._gateway.clock.known:
            self._hello()
        self._gateway.watch.connect(self)

    def text(self, message: str) -> None:
        """Take a frame; it is a sign of life too."""
        self._gateway.watch.answered(self)
        try:
            frame = client.read(message)
        except client.Malformed as malformed:
            self._take_malformed(malformed)
            return
        self._malformed_in_a_row = 0
        is_slide = isinstance(frame, client.Slide)
        if not (self._allows_slide() if is_slide else self._allows_frame()):
            self._tell_off(_judged(frame, Refusal.TOO_FAST))
        elif self.greeted:
            self._take(frame)
        elif isinstance(frame, client.Ping) and self._welcomed:
            self._pong(frame)
        elif len(self._early) < MOST_EARLY:
            self._early.append(frame)
        else:
            self.refuse(_judged(frame, Refusal.TOO_FAST))

    def pong(self) -> None:
        """Note a sign of life."""
        self._gateway.watch.answered(self)

    def leaving(self) -> None:
        """Say goodbye: the gateway goes away."""
        chance = random.random()  # noqa: S311  spreads load, guards nothing
        self._send(server.Bye(retry_ms=retry_ms(len(self._gateway.sockets), chance)))

    def closed(self, code: int) -> None:  # noqa: ARG002  what closed it makes no difference
        """Let everything go."""
        self._asker.closed()
        if self.seated:
            self._gateway.returning.left(self.browser, self.table)
        self._gateway.watch.disconnect(self, drain=self._gateway.leaving)
        self._place.leave()
        self._asks.forget()
        self._early.clear()
        self._feed = None
        self._wait_for_holder(None)

    # What table-service tells (tables.TableSocket).

    def connected(self, connection: int) -> None:
        """Take the number that table-service gave; the table's news follows."""
        is_new, self.connection = connection != self.connection, connection
        self._hello()
        if is_new and self.renumbering:
            self.renumbering = False
            if self._feed is not None:
                self.tabled(self._feed)

    def tabled(self, feed: TableFeed) -> None:
        """Show the table as it is now, and follow its race."""
        news = feed.news
        if news is None or not self.connection or self._frames.code:
            return
        holding = holding_of(news, self.browser)
        holder = self.connection if holding is None else holding.connection
        if holder > self.connection and not self.renumbering:
            self.moved()
            return
        sits_down = self.greeted and not self.seated and holding is not None
        self._feed = feed
        self._wait_for_holder(holder)
        if sits_down and holder != self.connection:
            return
        if not self.greeted and holding is None and self._asker.has_spent(What.TRIES):
            self._refuse_look()
            return
        self.seated = holding is not None
        if self.seated or not self.greeted:
            self._seat_known = news.table.version
        self._frames.send_frame(feed.frame(news, None if holding is None else holding.seat))
        self._place.tabled(news)
        if sits_down:
            self.renumbering = True
            self._gateway.watch.again(self)
        if not self.greeted:
            self.greeted = True
            early, self._early = self._early, []
            for frame in early:
                self._take(frame)

    def freed(self, why: FreedWhy, version: int) -> None:
        """Tell that the seat is lost, once, and only to a page that was not shown how things stood later."""
        if self.greeted and (not version or version > self._seat_known):
            self._seat_known = max(self._seat_known, version)
            self._send(server.Freed(why=why))

    def gone(self) -> None:
        """Tell that there is no such table; to who has tried too many, no more than of one that is there."""
        if not self.greeted and not self._asker.allows(What.TRIES):
            self._refuse_look()
            return
        self.refuse(Judged(None, Refused(Refusal.TABLE_UNKNOWN), None))
        self.unknown()

    def restart(self) -> None:
        """Have the page come back to a fresh snapshot: the store fell back."""
        if not self._frames.code:
            metrics.RESYNCS.labels("rewound").inc()
        self.leaving()
        self._frames.close(RESTART)

    # What the race tells (feeds.Follower, attachment.Owner).

    def raced(self, framed: bytes) -> None:
        """Send how the race stands, or keep it: until the socket is read, or a moment, for an answer."""
        if not self._place.raced(framed):
            self._gateway.fell_behind(self)

    def catch_up(self) -> bool:
        """Send what was kept, if it may be sent now."""
        if self._frames.writable:
            self._place.catch_up()
        return self._frames.writable or bool(self._frames.code)

    def revealed(self) -> None:
        """Send what was secret."""
        self._place.go_on()

    def barred(self) -> None:
        """Go on without a board."""
        self._place.go_on()

    def attached(self, payload: bytes) -> None:
        """Send one's own board."""
        self._place.boarded(payload)

    def tell(self, payload: bytes) -> None:
        """Send one frame, given as JSON, after what was kept for it."""
        if self._place.behind:
            self.catch_up()
        self._frames.send(payload)

    def done(self, re: Re) -> None:
        """Say that something is done, after what shows it."""
        if self._place.behind:
            self._place.catch_up()
        if re is not None:
            self._send(server.Done(re=re))

    def refuse(self, judged: Judged) -> None:
        """Refuse a frame; a slide when its turn comes, as each has one answer, in order."""
        attachment = self._place.attachment
        if judged.of == "slide" and attachment is not None:
            attachment.refuse(judged)
        else:
            metrics.refused(judged.of, judged.refused.refusal)
            self._send(refused_frame(judged))

    def unknown(self) -> None:
        """Close: there is no such table."""
        self._frames.close(UNKNOWN)

    def moved(self) -> None:
        """Tell that another tab of this browser is here now."""
        self._send(server.Moved())
        self._frames.close(MOVED)

    def sat_too_late(self) -> None:
        """Have the seat be away from now on, unless another tab of this browser holds it."""
        self._gateway.watch.connect(self)
        self._gateway.watch.disconnect(self, drain=self._gateway.leaving)

    def too_much(self) -> None:
        """Close on a client that asks on and on without waiting for answers."""
        self._frames.close(POLICY)

    # Frames of the client.

    def _take(self, frame: client.ClientFrame) -> None:
        limited = _LIMITED.get(type(frame))
        if limited is not None and not self._asker.allows(limited):
            self.refuse(_judged(frame, Refusal.TOO_MANY_REQUESTS))
            return
        match frame:
            case client.Slide() | client.Resign() | client.OfferPeace() | client.AnswerOffer():
                self._to_race(frame)
            case client.Ping():
                self._pong(frame)
            case _:
                self._to_table(frame)

    def _to_race(self, frame: client.ToRace) -> None:
        attachment, number = self._place.attachment, self._place.number
        if number is None:
            self.refuse(_judged(frame, Refusal.RACE_NOT_RUNNING))
        elif frame.race != number:
            self.refuse(_judged(frame, Refusal.RACE_MOVED_ON))
        elif attachment is None:
            self.refuse(_judged(frame, Refusal.NOT_A_RACER))
        elif isinstance(frame, client.Slide):
            attachment.slide(frame.n, client.NUMBER[frame.direction], frame.id)
        else:
            _act(attachment, frame)

    def _to_table(self, frame: client.ToTable) -> None:
        if not self._asks.put(frame):
            self.refuse(_judged(frame, Refusal.TOO_FAST))

    def _take_malformed(self, malformed: client.Malformed) -> None:
        refused = Refused(Refusal.BAD_FRAME, malformed.message)
        if self._asker.address_allows(What.FRAMES):
            self._tell_off(Judged(malformed.of, refused, malformed.re, malformed.n))
        else:
            self._frames.close(POLICY)
        self._malformed_in_a_row += 1
        if self._malformed_in_a_row >= MOST_MALFORMED:
            self._frames.close(POLICY)

    def _allows_slide(self) -> bool:
        if self._slides is None:
            self._slides = SlidePaces(self._asker)
        return self._slides.allow(races=self._place.attachment is not None)

    def _allows_frame(self) -> bool:
        if not self._others:
            own = Pace(FRAMES_A_SECOND, burst=FRAMES_BURST, monotonic=time.monotonic)
            self._others = (own, *self._asker.buckets(What.FRAMES))
        return all_allow(self._others)

    def _tell_off(self, judged: Judged) -> None:
        """Refuse what is too fast or out of shape; whoever sends on and on all the same is closed."""
        if self._told_off.allows():
            self.refuse(judged)
        else:
            self._frames.close(POLICY)

    def _refuse_look(self) -> None:
        """Close, saying nothing of the table: many sockets may have been opened before the first was told of its own."""
        self.refuse(Judged(None, Refused(Refusal.TOO_MANY_REQUESTS), None))
        self._frames.close(LATER)

    def _pong(self, frame: client.Ping) -> None:
        now = self._gateway.clock.now()
        if frame.id is None:
            self._send(server.Pong(t=frame.t, now=now))
        else:
            self._send(server.Pong(t=frame.t, now=now, re=frame.id))

    def _hello(self) -> None:
        """Say hello, once; a gateway that has not heard the store yet would tell its own machine's time."""
        if not self._welcomed:
            self._welcomed = True
            self._send(self._gateway.hello(self.table, self._host))

    def _wait_for_holder(self, holder: int | None) -> None:
        """Take the seat over where its holder is an older tab that does not come forward; None for a closed socket.

        A tab that sits down takes a new number at once, and is the newest then; one that had closed by then does not.
        """
        is_older = holder is not None and holder < self.connection
        if is_older and self._claim is None:
            self._claim = asyncio.get_running_loop().call_later(CLAIM_S, self._take_over)
        elif not is_older and self._claim is not None:
            self._claim.cancel()
            self._claim = None

    def _take_over(self) -> None:
        self._claim = None
        self._gateway.watch.again(self)

    def _send(self, frame: server.ServerFrame) -> None:
        self._frames.send(server.write(frame))


def _act(attachment: Attachment, frame: client.Resign | client.OfferPeace | client.AnswerOffer) -> None:
    match frame:
        case client.Resign():
            attachment.act(game_pb2.ACTION_RESIGN, "resign", frame.id)
        case client.OfferPeace():
            attachment.act(game_pb2.ACTION_OFFER, "offer", frame.id)
        case client.AnswerOffer(agree=agree):
            action = game_pb2.ACTION_AGREE if agree else game_pb2.ACTION_DECLINE
            attachment.act(action, "answer", frame.id)
        case _:
            assert_never(frame)


def _judged(frame: client.ClientFrame, refusal: Refusal) -> Judged:
    n = frame.n if isinstance(frame, client.Slide) else None
    return Judged(client.kind_of(frame), Refused(refusal), frame.id, n)
