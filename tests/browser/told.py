"""Tables in states that take long to race to: their frames, in the server's own types, told to a page by hand.

How the states come about is tested with real services; this is for how they look and are read.
"""

import json
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec
from playwright.sync_api import WebSocketRoute
from tests.browser.visitor import Visitor

from web_gateway.frames import server

TABLE = "K7QM2XWP"
SHORT = ("Ann", "Bo", "Cleo", "Dagobert")
LONG = ("Wilhelmina Montgomer", "W" * 20, "Мария-Александра Пет", "דנה")
# By seat: score, biggest tile, slides.
USUAL = ((9_120, 1024, 455), (7_284, 512, 431), (3_904, 256, 288), (3_412, 256, 301))
HUGE = (
    (3_932_100, 131_072, 28_901),
    (1_284_764, 65_536, 19_431),
    (999_999, 32_768, 18_288),
    (103_412, 8192, 5_301),
)
MIDDLE = (0, 2, 0, 4, 2, 8, 16, 4, 64, 32, 8, 2, 512, 256, 128, 16)
BIGGEST = (2, 4, 8, 16, 256, 128, 64, 32, 512, 1024, 2048, 4096, 131_072, 65_536, 32_768, 16_384)
STUCK = (2, 4, 2, 4, 4, 2, 4, 2, 8, 16, 8, 16, 32, 64, 128, 8)

Told = Sequence[server.ServerFrame]


@dataclass(frozen=True)
class Scene:
    """A table as one of those at it sees it, or one who watches."""

    names: Sequence[str] = SHORT
    you: int | None = 1
    host: int = 1
    scores: Sequence[tuple[int, int, int]] = USUAL
    cells: tuple[int, ...] = MIDDLE
    rules: server.Rules = field(default_factory=lambda: server.Rules(target=2048, clock_s=180))
    reach: server.Reach = "network"
    watchers: int = 0
    unready: Sequence[int] = ()
    away: Mapping[int, int] = field(default_factory=dict)
    """By seat: for how many milliseconds more there is grace."""
    states: Mapping[int, server.StateWord] = field(default_factory=dict)
    offer_by: int | None = None
    freed: server.FreedWhy | None = None
    gone_ms: int = 60_000
    """How long the race is under way; below 0 it has not begun."""

    def gathering(self) -> Told:
        freed = [server.Freed(why=self.freed)] if self.freed else []
        return [self._hello(), *freed, self._table("gathering", None)]

    def racing(self) -> Told:
        phase: server.Phase = "racing" if self.gone_ms >= 0 else "countdown"
        return [self._hello(), self._table(phase, self._race_of_table()), self._race(None), *self._board()]

    def finished(self, reason: server.Reason, *best: int) -> Told:
        winner, tied = (best[0], ()) if len(best) == 1 else (None, best)
        verdict = server.Verdict(winner=winner, tied=tied, reason=reason)
        boards = tuple(server.RevealedBoard(seat=seat, cells=self.cells) for seat, _ in self._seated())
        return [
            self._hello(), self._table("finished", self._race_of_table()), self._race(verdict), *self._board(),
            server.Reveal(race=1, seed="00" * 32, boards=boards),
        ]  # fmt: skip

    def _seated(self) -> list[tuple[int, str]]:
        return list(enumerate(self.names, start=1))

    def _hello(self) -> server.Hello:
        return server.Hello(
            build="", link=f"http://192.168.1.7:8000/t/{TABLE}", reach=self.reach, clocks_s=(60, 180, 900),
            countdown_ms=3000, ping_ms=10_000, grace_ms=60_000, now=now(),
        )  # fmt: skip

    def _seat(self, seat: int) -> server.Seat:
        if seat > len(self.names):
            return server.Seat(seat=seat, name=None)
        left = self.away.get(seat)
        return server.Seat(
            seat=seat, name=self.names[seat - 1], ready=seat not in self.unready, connected=left is None,
            away_until=None if left is None else now() + left, tally=seat / 2,
        )  # fmt: skip

    def _table(self, phase: server.Phase, race: server.RaceOfTable | None) -> server.Table:
        return server.Table(
            version=5, table=TABLE, phase=phase, host=self.host, seats=tuple(map(self._seat, range(1, 5))),
            watchers=self.watchers, rules=self.rules, race=race,
            you=server.You(seat=self.you, host=self.you == self.host), now=now(),
        )  # fmt: skip

    def _race_of_table(self) -> server.RaceOfTable:
        starts = now() - self.gone_ms
        clock = self.rules.clock_s
        return server.RaceOfTable(
            number=1, rules=self.rules, starts_at=starts, deadline=None if clock is None else starts + clock * 1000,
            ended_at=None, commitment="c1",
            racers=tuple(server.Racer(seat=seat, name=name) for seat, name in self._seated()),
        )  # fmt: skip

    def _race(self, verdict: server.Verdict | None) -> server.Race:
        by = self.offer_by
        offer = None if by is None else server.Offer(by=by, agreed=(by,), until=now() + 25_000)
        return server.Race(
            race=1, version=3, standings=tuple(self._standing(seat) for seat, _ in self._seated()),
            offer=offer, last_offer=None, verdict=verdict, now=now(),
        )  # fmt: skip

    def _standing(self, seat: int) -> server.Standing:
        score, biggest, slides = self.scores[seat - 1]
        state = self.states.get(seat, "sliding")
        out: server.OutWord | msgspec.UnsetType = "resigned" if state == "out" else msgspec.UNSET
        return server.Standing(seat=seat, score=score, biggest=biggest, slides=slides, state=state, out=out)

    def _board(self) -> list[server.Board]:
        if self.you is None:
            return []
        score, _, slides = self.scores[self.you - 1]
        stuck = self.states.get(self.you) == "stuck"
        return [
            server.Board(
                race=1, n=slides, cells=self.cells, score=score, stuck=stuck, slide=None, tile=None, re=None
            )
        ]


def now() -> int:
    return time.time_ns() // 1_000_000


def tell(visitor: Visitor, told: Told, *, build: str | None = None) -> None:
    """Have the page come to the table as it is told; its pings are answered, and nothing else is."""
    hello, *others = told
    assert isinstance(hello, server.Hello)
    hello = msgspec.structs.replace(hello, build=build or build_of(visitor))

    def serve(socket: WebSocketRoute) -> None:
        socket.on_message(lambda text: answer(socket, json.loads(str(text))))
        for frame in (hello, *others):
            socket.send(msgspec.json.encode(frame).decode())

    visitor.page.route_web_socket("**/socket", serve)
    visitor.page.goto(f"/t/{TABLE}")


def build_of(visitor: Visitor) -> str:
    """Read the name of the release that pages are served of."""
    found = re.search(r'<meta name="build" content="([^"]+)"', visitor.page.request.get("/rules").text())
    assert found is not None
    return found[1]


def answer(socket: WebSocketRoute, frame: dict[str, Any]) -> None:
    if frame["type"] == "ping":
        socket.send(msgspec.json.encode(server.Pong(t=frame["t"], now=now())).decode())
