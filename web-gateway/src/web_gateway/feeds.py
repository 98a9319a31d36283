"""What this gateway knows of one race: its news and its reveal, come once and told to all its sockets here."""

from typing import Protocol

from tilerace.game.v1 import game_pb2
from web_gateway.attachment import Attachment
from web_gateway.frames import server
from web_gateway.race_frames import number_of, race_frame, reveal_frame
from web_gateway.seam.codec import frame
from wire.ids import RaceId


class Follower(Protocol):
    """A socket that is told of a race."""

    def raced(self, framed: bytes) -> None:
        """Take the race's latest news, as a whole frame; older news not yet sent is not worth sending."""

    def revealed(self) -> None:
        """Hear that the reveal is there."""

    def restart(self) -> None:
        """Start from a fresh snapshot: the store fell back."""


class RaceFeed:
    """One race at this gateway."""

    __slots__ = ("attachments", "followers", "news", "number", "race", "reveal")

    def __init__(self, race: RaceId) -> None:
        """Begin with nothing known."""
        self.race = race
        self.number = number_of(race)
        self.followers: set[Follower] = set()
        self.attachments: set[Attachment] = set()
        self.news: game_pb2.RaceNews | None = None
        self.reveal: bytes | None = None

    @property
    def idle(self) -> bool:
        """Whether no socket waits for an answer, so that the race may move to another replica."""
        return not any(attachment.queue.asked for attachment in self.attachments)

    def frame(self, now: int) -> bytes | None:
        """Write how the race stands, as a whole frame; None where that is not known yet."""
        if self.news is None:
            return None
        return frame(server.write(race_frame(self.number, self.news, now=now)))

    def heard(self, news: game_pb2.RaceNews, *, now: int) -> None:
        """Take news of the replica that serves the race; older ones than are known mean that the store fell back."""
        if self.news is not None and news.version < self.news.version:
            self.rewound()
            return
        if self.news is not None and news.version == self.news.version:
            return
        self.news = news
        framed = self.frame(now)
        if framed is not None:
            for follower in tuple(self.followers):
                follower.raced(framed)

    def revealed(self, reveal: game_pb2.Reveal) -> None:
        """Take what was secret, once."""
        if self.reveal is None:
            self.reveal = frame(server.write(reveal_frame(self.number, reveal)))
            for follower in tuple(self.followers):
                follower.revealed()

    def rewound(self) -> None:
        """Forget all: the store fell back, and all sockets start afresh."""
        self.news, self.reveal = None, None
        for follower in tuple(self.followers):
            follower.restart()
