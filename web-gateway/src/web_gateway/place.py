"""A socket's place at the table's race: which race it follows, and what it was sent of it, in order.

On connecting there come `race`, then the seat's `board`, then `reveal` (docs/socket.md). Of a race's news only the
latest is kept for a socket that reads slowly.
"""

from typing import Protocol

from tilerace.table.v1 import table_pb2
from web_gateway.attachment import Attachment, Owner
from web_gateway.feeds import Follower, RaceFeed
from web_gateway.links import Links
from web_gateway.seam.frames import Frames
from web_gateway.table_frames import races_in
from wire.clock import StoreClock
from wire.ids import BrowserHash, TableId, race_id
from wire.refusal import Refusal


class Whose(Owner, Follower, Protocol):
    """The socket."""

    table: TableId
    browser: BrowserHash
    connection: int


class Place:
    """What one socket is sent of the race of its table."""

    __slots__ = (
        "_board", "_boarded", "_clock", "_feed", "_frames", "_links", "_news", "_raced", "_revealed", "_socket",
        "attachment", "number",
    )  # fmt: skip

    def __init__(self, socket: Whose, frames: Frames, *, links: Links, clock: StoreClock) -> None:
        """Begin with no race."""
        self._socket, self._frames, self._links, self._clock = socket, frames, links, clock
        self.number: int | None = None
        self.attachment: Attachment | None = None
        self._feed: RaceFeed | None = None
        self._begin()

    def _begin(self) -> None:
        self._raced = self._boarded = self._revealed = False
        self._news: bytes | None = None
        self._board: bytes | None = None

    @property
    def behind(self) -> bool:
        """Whether news waits for the socket to be read."""
        return self._news is not None

    def tabled(self, news: table_pb2.TableNews) -> None:
        """Follow the race that the table has now; a racer's socket is attached to it."""
        race = news.table.race
        number = race.number if news.table.HasField("race") else None
        if number != self.number:
            self.leave(Refusal.RACE_MOVED_ON)
            self.number = number
        if number is None:
            return
        if self.attachment is None and races_in(news, self._socket.browser):
            self.attachment = Attachment(
                number, self._socket.browser, connection=self._socket.connection, owner=self._socket
            )
        if race.commitment and self._feed is None:
            self._follow(number)

    def leave(self, refusal: Refusal | None = None) -> None:
        """Follow no race any more; what is not answered is refused, unless nobody is there to hear it."""
        attachment, self.attachment = self.attachment, None
        feed, self._feed = self._feed, None
        if attachment is not None:
            self._links.detach(attachment)
            if refusal is not None:
                attachment.give_up(refusal)
        if feed is not None:
            self._links.unfollow(feed, self._socket)
        self.number = None
        self._begin()

    def raced(self, framed: bytes) -> bool:
        """Send the race's news, or keep the latest until the socket is read; whether it was sent.

        It is kept for the next answer, too, while the racer slides, as a write costs more than what is in it.
        """
        if not self._frames.writable or (
            self._raced and self.attachment is not None and self.attachment.sliding
        ):
            self._news = framed
            return False
        self._news = None
        self._frames.send_frame(framed)
        if not self._raced:
            self._raced = True
            self._go_on()
        return True

    def catch_up(self) -> None:
        """Send what was kept."""
        news, self._news = self._news, None
        if news is not None:
            self._raced = True
            self._frames.send_frame(news)
        self._go_on()

    def boarded(self, payload: bytes) -> None:
        """Send the board that an attach gave, once the race was sent."""
        self._board = payload
        self._go_on()

    def go_on(self) -> None:
        """Send what may be sent now: the reveal is there, or no board will come."""
        if self._feed is not None and self._feed.reveal is not None:
            self.catch_up()

    def _go_on(self) -> None:
        if not self._raced:
            return
        board, self._board = self._board, None
        if board is not None:
            self._boarded = True
            self._frames.send(board)
        attachment = self.attachment
        ready = attachment is None or self._boarded or attachment.refused is not None
        reveal = None if self._feed is None else self._feed.reveal
        if reveal is not None and ready and not self._revealed:
            self._revealed = True
            self._frames.send_frame(reveal)

    def _follow(self, number: int) -> None:
        feed = self._feed = self._links.follow(race_id(self._socket.table, number), self._socket)
        known = feed.frame(self._clock.now())
        if known is not None:
            self._socket.raced(known)
        if self.attachment is not None:
            self._links.attach(feed, self.attachment)
