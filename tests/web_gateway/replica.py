"""A game-service that does only what a test says, at the moment it says so; a real one breaks when it likes.

And the gateway's side of it: a racer's socket that keeps what it is told.
"""

import asyncio
import contextlib
import json
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Any

from tests.stack import free_port

from tilerace.game.v1 import game_pb2
from web_gateway.attachment import Attachment
from web_gateway.feeds import RaceFeed
from web_gateway.frames.server import Re
from web_gateway.links import Links
from web_gateway.seam import Turn
from wire.clock import StoreClock
from wire.framed import Framed
from wire.front import listening
from wire.ids import BrowserHash, RaceId
from wire.refusal import Refusal
from wire.routing import Replicas, choose
from wire.settings import Address
from wire.slides import APPLIED, Answer, pack_answer, unpack_slides

RACE = RaceId("K7QM2XWP.1")
BROWSER = BrowserHash(b"b" * 32)
CONNECTION = 1000
START = bytes([1, 1] + [0] * 14)
WAIT_S = 10.0

Told = tuple[Any, ...]


async def until(holds: Callable[[], object], *, seconds: float = WAIT_S) -> None:
    """Wait until something holds."""
    async with asyncio.timeout(seconds):
        while not holds():
            await asyncio.sleep(0.005)


class Replica:
    """Keeps what it is told over its Link, and answers nothing but pings, those too only while `pongs`."""

    def __init__(self, port: int) -> None:
        self.address = f"127.0.0.1:{port}"
        self.told: list[Told] = []
        self.pongs = True
        self.cut_off = False
        self._stream: Framed | None = None
        self._stop = contextlib.AsyncExitStack()
        self._told: list[asyncio.Future[None]] = []

    async def start(self) -> None:
        host, _, port = self.address.rpartition(":")
        await self._stop.enter_async_context(
            listening(Address(host, int(port)), self._link, grpc_port=0, flush_s=0)
        )

    async def stop(self) -> None:
        """Vanish: the stream breaks."""
        await self._stop.aclose()

    async def _link(self, stream: Framed) -> None:
        self._stream = stream
        stream.start(lambda message: self._take_all(game_pb2.LinkRequest.FromString(message)))
        await asyncio.wait([stream.ended])

    def _take_all(self, request: game_pb2.LinkRequest) -> None:
        for call in request.calls:
            self._take(call)

    def _take(self, call: game_pb2.LinkCall) -> None:
        match call.WhichOneof("call"):
            case "ping":
                if self.pongs:
                    pong = game_pb2.Pong(ping=call.ping.ping, cut_off=self.cut_off)
                    self._told.append(asyncio.ensure_future(self.tell(pong=pong)))
            case "slides":
                self.told += [("slide", *slide) for slide in unpack_slides(call.slides)]
            case "attach":
                attach = call.attach
                self.told.append(("attach", attach.handle, attach.connection, attach.attempt))
            case "act":
                self.told.append(("act", call.act.handle, call.act.action, call.act.call))
            case "subscribe" | "unsubscribe" | "detach" as kind:
                self.told.append((kind,))
            case other:
                raise AssertionError(other)

    async def tell(self, **event: object) -> None:
        """Tell the gateway something."""
        assert self._stream is not None
        response = game_pb2.LinkResponse(events=[game_pb2.LinkEvent(**event)], now=1)  # type: ignore[arg-type]
        await self._stream.write(response.SerializeToString())

    def of(self, kind: str) -> list[Told]:
        """Give what it was told of one kind."""
        return [told for told in self.told if told[0] == kind]

    async def attaches(self, *, slides: int = 0, times: int = 1) -> int:
        """Wait for an attach and say that it is done; give its handle."""
        await until(lambda: len(self.of("attach")) >= times)
        handle: int = self.of("attach")[-1][1]
        await self.tell(
            attached=game_pb2.Attached(handle=handle, seat=1, slides=slides, cells=START, score=4 * slides)
        )
        return handle

    async def answers(self, handle: int, n: int, *, code: int = APPLIED, slides: int | None = None) -> None:
        """Answer a slide."""
        made = n if slides is None else slides
        await self.tell(answers=pack_answer(Answer(handle, n, code, 2, made, 4 * made, False, START)))


@dataclass(eq=False)
class Racer:
    """A racer's socket: `told` are the frames it sends, `heard` what else happened to it."""

    told: list[dict[str, Any]] = field(default_factory=list)
    heard: list[str] = field(default_factory=list)

    def tell(self, payload: bytes) -> None:
        self.told.append(json.loads(payload))

    def attached(self, payload: bytes) -> None:
        self.tell(payload)

    def done(self, re: Re) -> None:
        self.told.append({"type": "done", "re": re})

    def barred(self) -> None:
        self.heard.append("barred")

    def moved(self) -> None:
        self.heard.append("moved")

    def too_much(self) -> None:
        self.heard.append("too_much")

    def restart(self) -> None:
        self.heard.append("restart")

    def raced(self, framed: bytes) -> None:
        self.told.append(json.loads(framed[framed.index(b"{") :]))

    def revealed(self) -> None:
        self.heard.append("revealed")

    def answered(self) -> list[Told]:
        """Give the answers in short: type, what they answer, code."""
        return [
            (frame["type"], frame["re"], frame.get("code"))
            for frame in self.told
            if frame.get("re") is not None
        ]


class Gate:
    """The gateway's Links to two replicas; `first` is the one that the race prefers."""

    def __init__(self, replicas: dict[str, Replica], monotonic: Callable[[], float], ping_s: float) -> None:
        self.first, self.second = (replicas[address] for address in choose(RACE, replicas))
        self.replicas = Replicas(list(replicas), monotonic=monotonic)
        self.links = Links(self.replicas, StoreClock(), turn=Turn(), ping_s=ping_s)

    def follow(self, racer: Racer) -> RaceFeed:
        return self.links.follow(RACE, racer)

    def attach(self, racer: Racer) -> Attachment:
        """Attach a racer, as a socket does once the table shows a commitment."""
        attachment = Attachment(1, BROWSER, connection=CONNECTION, owner=racer)
        self.links.attach(self.follow(racer), attachment)
        return attachment


@contextlib.asynccontextmanager
async def gate(
    *, monotonic: Callable[[], float] = time.monotonic, ping_s: float = 60.0
) -> AsyncIterator[Gate]:
    """Run Links to two replicas; `monotonic` says how long one that failed is avoided.

    `ping_s` is long unless silence is what is tested, as a busy machine may be silent too.
    """
    replicas = {replica.address: replica for replica in (Replica(free_port()), Replica(free_port()))}
    for replica in replicas.values():
        await replica.start()
    made = Gate(replicas, monotonic, ping_s)
    running = asyncio.create_task(made.links.run())
    try:
        # Until both have answered, a race may be on the one that did first.
        await until(lambda: len(made.links._serving) == len(replicas))
        yield made
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        for replica in replicas.values():
            await replica.stop()


UNAVAILABLE = Refusal.UNAVAILABLE.number
