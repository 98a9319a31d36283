"""The Link: one stream of a gateway, with the sockets it attached and the races it follows.

What it is sent it hands to the races, in order; what they answer waits in its outbox (docs/architecture.md, "The hot
path").
"""

import asyncio
from collections.abc import Sequence, Sized
from time import monotonic
from typing import Protocol

from game_service import messages
from game_service.commands import ActAsked, Handle, SlideAsked
from game_service.outbox import Item, Outbox, response
from game_service.races import Races
from game_service.running import Running
from tilerace.game.v1 import game_pb2
from wire.framed import Ended, Take
from wire.ids import BrowserHash, RaceId, parse_race_id
from wire.log import events
from wire.metrics import DROPPED
from wire.refusal import Refusal, Refused
from wire.silence import until_silent
from wire.slides import unpack_slides

WRITE_S = 10.0
"""How long a gateway may take to read one message before its stream is dropped."""
SILENT_S = 15.0
"""After how long without a word from a gateway its stream is ended, in seconds."""
SWEEP_ABOVE = 1_024
MOST_HELD = 50_000
"""How many sockets one stream attaches, and races it follows, at most: more than twice what a gateway holds."""

_LOG = events("game_service")


class Stream(Protocol):
    """What messages come and go by: a `wire.framed.Framed`, or an older release's."""

    ended: asyncio.Future[None]
    heard_at: float

    def start(self, take: Take) -> None:
        """Hand each message to `take` as it comes; whatever it raises ends the stream."""

    async def write(self, message: bytes) -> None:
        """Send a message; raises Ended where there is no connection any more."""

    def abort(self) -> None:
        """End it at once."""


class Link:
    """One gateway's stream."""

    def __init__(self, races: Races) -> None:
        """Begin with no socket attached and no race followed."""
        self.outbox = Outbox()
        self._races = races
        self._bound: dict[int, Handle] = {}
        self._followed: dict[str, Running] = {}
        self._sweep_above = SWEEP_ABOVE

    def take(self, request: game_pb2.LinkRequest) -> None:
        """Take one message's calls, in order.

        Raises:
            Refused: a call is none of the protocol.
        """
        for call in request.calls:
            self._take(call)

    def drain(self) -> None:
        """Say that this replica is going away."""
        self.outbox.tell(game_pb2.LinkEvent(draining=game_pb2.Draining()))

    def close(self) -> None:
        """Let go of everything; what was asked for and waits is still judged, but nobody is answered."""
        self.outbox.close()
        for handle in self._bound.values():
            self._release(handle)
        for running in self._followed.values():
            self._races.unfollow(running, self.outbox)
        self._bound.clear()
        self._followed.clear()

    def _take(self, call: game_pb2.LinkCall) -> None:
        match call.WhichOneof("call"):
            case "slides":
                self._slides(call.slides)
            case "act":
                self._act(call.act)
            case "attach":
                self._attach(call.attach)
            case "detach":
                self._detach(call.detach.handle, refused=call.detach.refused)
            case "subscribe":
                self._subscribe(call.subscribe.race)
            case "unsubscribe":
                self._unsubscribe(call.unsubscribe.race)
            case "ping":
                pong = game_pb2.Pong(ping=call.ping.ping, cut_off=self._races.store.silent)
                self.outbox.tell(game_pb2.LinkEvent(pong=pong))
            case _:
                raise Refused(Refusal.BAD_REQUEST)

    def _slides(self, packed: bytes) -> None:
        try:
            slides = unpack_slides(packed)
        except ValueError as error:
            raise Refused(Refusal.BAD_REQUEST, str(error)) from error
        asked: dict[Running, None] = {}
        came = monotonic()
        for number, n, direction in slides:
            handle = self._find(number)
            if handle is not None:
                handle.running.ask(SlideAsked(handle, n, direction, came))
                asked[handle.running] = None
        for running in asked:
            self._races.wake(running)

    def _act(self, act: game_pb2.Act) -> None:
        handle = self._find(act.handle)
        if handle is not None:
            handle.running.ask(ActAsked(handle, act.action, act.call))
            self._races.wake(handle.running)

    def _find(self, number: int) -> Handle | None:
        """Find a handle; one that never was, or was let go without a word, is told to attach again."""
        handle = self._bound.get(number)
        if handle is None:
            self.outbox.tell(messages.detached_event(number, Refusal.UNAVAILABLE))
            return None
        return None if handle.gone else handle

    def _attach(self, attach: game_pb2.Attach) -> None:
        self._detach(attach.handle)
        if attach.connection < 0 or attach.attempt < 0:
            raise Refused(Refusal.BAD_REQUEST, "A connection and an attempt are counted from 0.")
        if not _is_race(attach.race):
            self.outbox.tell(messages.detached_event(attach.handle, Refusal.RACE_NOT_RUNNING))
            return
        self._sweep()
        _check_room(self._bound)
        running = self._races.get(RaceId(attach.race))
        rank = (attach.connection, attach.attempt)
        handle = Handle(attach.handle, self.outbox, running, rank)
        self._bound[handle.number] = handle
        running.attach(handle, BrowserHash(attach.browser))
        self._races.wake(running)

    def _detach(self, number: int, *, refused: bool = False) -> None:
        handle = self._bound.pop(number, None)
        if handle is not None:
            handle.refused = refused
            self._release(handle)

    def _release(self, handle: Handle) -> None:
        handle.gone = True
        handle.running.let_go(handle)
        self._races.wake(handle.running)

    def _sweep(self) -> None:
        """Let go of handles that were told they are bound no more, where a gateway never said so."""
        if len(self._bound) > self._sweep_above:
            self._bound = {number: handle for number, handle in self._bound.items() if not handle.gone}
            self._sweep_above = max(SWEEP_ABOVE, 2 * len(self._bound))

    def _subscribe(self, race: str) -> None:
        if not _is_race(race):
            self.outbox.tell(game_pb2.LinkEvent(unknown=game_pb2.Unknown(race=race)))
            return
        _check_room(self._followed)
        running = self._races.get(RaceId(race))
        self._followed[running.race] = running
        self._races.follow(running, self.outbox)

    def _unsubscribe(self, race: str) -> None:
        running = self._followed.pop(race, None)
        if running is not None:
            self._races.unfollow(running, self.outbox)


async def serve_link(link: Link, races: Races, stream: Stream) -> None:
    """Read and write one stream until the gateway ends it or falls silent, it is too slow, or this replica drains."""

    async def write(items: Sequence[Item]) -> None:
        async with asyncio.timeout(WRITE_S):
            await stream.write(response(items, races.store.clock.now()).SerializeToString())

    stream.ended.add_done_callback(lambda _: link.outbox.close())
    stream.start(lambda message: link.take(game_pb2.LinkRequest.FromString(message)))
    try:
        async with asyncio.TaskGroup() as tasks:
            listening = tasks.create_task(_until_silent(stream))
            await link.outbox.run(write)
            listening.cancel()
    except* Ended:
        pass
    except* TimeoutError:
        link.outbox.overflown = True
    finally:
        link.close()
    _tell_why(link, stream)


async def _until_silent(stream: Stream) -> None:
    """End a stream on which nothing comes: a gateway that is there pings every second."""
    await until_silent(lambda: stream.heard_at, SILENT_S)
    stream.abort()


def _tell_why(link: Link, stream: Stream) -> None:
    """Tell of a stream that was ended for what the gateway sent, or did not read."""
    if link.outbox.overflown:
        stream.abort()
        DROPPED.labels("link").inc()
        _LOG.warning("a gateway reads too slowly; its stream is ended")
    error = stream.ended.exception() if stream.ended.done() else None
    if error is not None:
        _LOG.exception("a gateway sent what is no message of ours; its stream is ended", error)


def _check_room(held: Sized) -> None:
    if len(held) >= MOST_HELD:
        raise Refused(Refusal.BAD_REQUEST, f"A stream holds {MOST_HELD} at most.")


def _is_race(text: str) -> bool:
    try:
        parse_race_id(text)
    except ValueError:
        return False
    return True
