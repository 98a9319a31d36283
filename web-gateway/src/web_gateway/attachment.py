"""One racer's socket in its race: what it asked for, and what it is told (docs/architecture.md, rule 9)."""

from time import monotonic
from typing import Protocol

from tilerace.game.v1 import game_pb2
from web_gateway import metrics
from web_gateway.answers import Snapshot, board_frame, snapshot_frame
from web_gateway.frames import server
from web_gateway.frames.server import Re
from web_gateway.race_frames import snapshot_of
from web_gateway.waiting import MOST_ASKED, MOST_WAITING, ActWaiting, Judged, Queue, SlideWaiting
from wire.ids import BrowserHash
from wire.refusal import Refusal, Refused
from wire.slides import APPLIED, REPEATED, STUCK, AnswerRecord

SLIDING_S = 0.1
"""How long after a racer asked for a slide another one is likely."""
_OVERTAKEN = frozenset({Refusal.SLIDE_OUT_OF_ORDER, Refusal.SLIDE_CONFLICT})


class Owner(Protocol):
    """The socket of an attachment."""

    def tell(self, payload: bytes) -> None:
        """Send one frame, given as JSON."""

    def attached(self, payload: bytes) -> None:
        """Send the board that an attach gave, once the race was sent."""

    def done(self, re: Re) -> None:
        """Say that something is done, after the frames that show it."""

    def barred(self) -> None:
        """Hear that no board will come: the race knows of no such racer."""

    def moved(self) -> None:
        """Another socket of this browser holds the seat."""

    def too_much(self) -> None:
        """The client asks for more than can wait."""


class Sender(Protocol):
    """The stream of the replica that an attachment is on."""

    def slide(self, handle: int, n: int, direction: int) -> None:
        """Send a slide."""

    def act(self, handle: int, call: int, action: "game_pb2.Action.ValueType") -> None:
        """Send an act."""


class Attachment:
    """A socket's place in a race; `live` while a replica has answered its attach and the stream stands.

    `attempt` counts the attaches; a race takes nothing under an older one. `live_since` is the monotonic time of the last
    that was answered, when whatever was unanswered was sent again.
    """

    __slots__ = (
        "_calls", "_sender", "_slid", "attempt", "board", "browser", "connection", "handle", "live", "live_since",
        "number", "owner", "queue", "refused",
    )  # fmt: skip

    def __init__(self, number: int, browser: BrowserHash, *, connection: int, owner: Owner) -> None:
        """Begin unattached; `number` is the race's at its table, `connection` the socket's."""
        self.number, self.browser, self.connection, self.owner = number, browser, connection, owner
        self.attempt = 0
        self.handle = 0
        self.live = False
        self.live_since = 0.0
        self.refused: Refusal | None = None
        self.queue = Queue()
        self.board: Snapshot | None = None
        self._sender: Sender | None = None
        self._calls = 0
        self._slid = -SLIDING_S

    @property
    def sliding(self) -> bool:
        """Whether an answer of the race is on its way, or likely to be in a moment."""
        return self.live and (self.queue.asked > 0 or monotonic() - self._slid < SLIDING_S)

    def slide(self, n: int, direction: int, re: Re) -> None:
        """Ask for a slide."""
        queue, sender = self.queue, self._sender
        if queue.asked >= MOST_ASKED or self.refused is not None:
            self.refuse(Judged("slide", Refused(self.refused or Refusal.TOO_FAST), re, n))
            return
        queue.ask(SlideWaiting(n, direction, re, monotonic()))
        if self.live and sender is not None:
            sender.slide(self.handle, n, direction)

    def act(self, action: "game_pb2.Action.ValueType", of: str, re: Re) -> None:
        """Ask for an act."""
        if self.queue.asked >= MOST_ASKED or self.refused is not None:
            self.refuse(Judged(of, Refused(self.refused or Refusal.TOO_FAST), re))
            return
        self._calls += 1
        self.queue.ask(ActWaiting(self._calls, action, of, re, monotonic()))
        if self.live and self._sender is not None:
            self._sender.act(self.handle, self._calls, action)

    def refuse(self, judged: Judged) -> None:
        """Refuse a frame when its turn comes."""
        if len(self.queue) >= MOST_WAITING:
            self.owner.too_much()
            return
        self.queue.refuse(judged)
        self._flush()

    def begin(self, sender: Sender, handle: int) -> None:
        """Be attached anew, under a handle that was never used on this stream."""
        self.attempt += 1
        self._sender, self.handle, self.live = sender, handle, False

    def attached(self, told: game_pb2.Attached) -> None:
        """Hear that it is attached: what is not answered goes out, again or for the first time."""
        board, before = snapshot_of(told), self.board
        self.board, self.live, self.live_since = board, True, monotonic()
        if board != before:
            if before is not None:
                metrics.RESYNCS.labels("attached_again").inc()
            self.owner.attached(snapshot_frame(self.number, board))
        if self._sender is None:
            return
        for each in self.queue.unanswered():
            match each:
                case SlideWaiting():
                    self._sender.slide(self.handle, each.n, each.direction)
                case ActWaiting():
                    self._sender.act(self.handle, each.call, each.action)

    def detached(self) -> None:
        """Be attached no more, until `begin`."""
        self._sender, self.live = None, False

    def bar(self, refusal: Refusal) -> None:
        """Hear that this browser is none of the race's: everything is refused."""
        self.refused = refusal
        self.give_up(refusal)
        self.owner.barred()

    def give_up(self, refusal: Refusal) -> None:
        """Refuse all that the race has not answered; whatever a replica still has of it counts no more."""
        self.detached()
        self.queue.give_up(Refused(refusal))
        self._flush()

    def answered(self, record: AnswerRecord, motions: bytes) -> float:
        """Take the answer to the oldest slide; give the monotonic time when it was asked for.

        Raises:
            OutOfStep: it answers something else.
        """
        _, n, code, _, slides, score, flags, cells, _, _, _, _ = record
        asked = self.queue.slide(n)
        self._slid = asked.since
        self.board = Snapshot(slides, cells, score, flags & STUCK != 0)
        if code == APPLIED:
            metrics.SLIDES["applied"] += 1
            self.owner.tell(board_frame(self.number, record, motions, re=asked.re))
        elif code == REPEATED:
            metrics.SLIDES["repeated"] += 1
            self.owner.tell(snapshot_frame(self.number, self.board, asked.re))
        else:
            refused = Refused(Refusal.from_number(code))
            self._say(Judged("slide", refused, asked.re, asked.n))
        if self.queue.refusals:
            self._flush()
        return asked.since

    def acted(self, told: game_pb2.Acted) -> None:
        """Take the answer to the oldest act.

        Raises:
            OutOfStep: it answers something else.
        """
        asked = self.queue.act(told.call)
        if told.refusal:
            refused = Refused(Refusal.from_number(told.refusal), told.message or None)
            self._say(Judged(asked.of, refused, asked.re))
        else:
            self.owner.done(asked.re)
        self._flush()

    def _flush(self) -> None:
        for judged in self.queue.judged():
            self._say(judged)

    def _say(self, judged: Judged) -> None:
        metrics.refused(judged.of, judged.refused.refusal)
        if judged.refused.refusal in _OVERTAKEN:
            metrics.RESYNCS.labels("overtaken").inc()
        self.owner.tell(server.write(refused_frame(judged)))
        if judged.of == "slide" and self.board is not None:
            self.owner.tell(snapshot_frame(self.number, self.board))


def refused_frame(judged: Judged) -> server.Refused:
    """Write a refusal; one of a slide carries the slide's number."""
    refused = judged.refused
    if judged.of == "slide":
        return server.Refused(
            re=judged.re, of="slide", code=refused.refusal.value, message=refused.message, n=judged.n
        )
    return server.Refused(re=judged.re, of=judged.of, code=refused.refusal.value, message=refused.message)
