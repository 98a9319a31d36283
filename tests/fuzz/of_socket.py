"""Targets in the gateway's seam: frames of RFC 6455, and HTTP requests up to the answers of the app."""

import asyncio
import functools
from http import HTTPStatus
from typing import Any, cast

import h11
from tests.fuzz.still import StillLoop, Transport, still
from tests.fuzz.target import Tape, Target, chunks
from uvicorn.config import Config
from uvicorn.server import ServerState

from tilerace.game.v1 import game_pb2
from tilerace.table.v1 import table_pb2
from web_gateway.app import make_app
from web_gateway.door import Callers, door
from web_gateway.gateway import Gateway
from web_gateway.headers import guarding
from web_gateway.page import load
from web_gateway.seam.codec import CLOSE, LIMIT, PONG
from web_gateway.seam.frames import Frames
from web_gateway.seam.handshake import upgrade
from web_gateway.seam.turn import Turn
from web_gateway.settings import Settings
from wire.ids import RaceId, TableId
from wire.refusal import Refusal, Refused
from wire.settings import Environment

_CODES = {1000, 1001, 1002, 1003, 1005, 1006, 1007, 1009, *range(1000, 5000)}


class _Ears:
    """A listener that writes down what it is told."""

    def __init__(self) -> None:
        self.heard: list[str] = []
        self.ends: list[int] = []
        self.frames: Frames

    def opened(self, frames: Frames) -> None:
        self.frames = frames

    def text(self, message: str) -> None:
        assert not self.frames.code
        assert len(message.encode()) <= LIMIT
        self.heard.append(message)

    def pong(self) -> None:
        assert not self.frames.code
        self.heard.append("(a pong)")

    def leaving(self) -> None:
        pass

    def closed(self, code: int) -> None:
        self.ends.append(code)


def socket_frames(data: bytes) -> None:
    """However a peer's bytes are cut, the same is heard and answered, in whole frames, and the socket ends once."""
    tape = Tape(data)
    sizes = tape.take(tape.number(9))
    stream = _masked(tape)
    with still() as loop:
        whole = _heard([stream], loop)
        assert _heard(chunks(stream, sizes), loop) == whole
    _see_frames(whole[1])


def _masked(tape: Tape) -> bytes:
    """Read a few frames off a tape, with the length and the mask put right, and what is left as it is."""
    stream = b""
    for _ in range(tape.number(6)):
        first, size, mask = tape.number(256), tape.number(200), tape.take(4).ljust(4, b"\0")
        payload = bytes(byte ^ mask[at % 4] for at, byte in enumerate(tape.take(size)))
        length = bytes([0x80 | len(payload)]) if len(payload) < 126 else b"\xfe" + len(payload).to_bytes(2)
        stream += bytes([first]) + length + mask + payload
    return stream + tape.rest()


def _heard(pieces: list[bytes], loop: StillLoop) -> tuple[list[str], bytes, list[int]]:
    ears, transport = _Ears(), Transport()
    lost: list[Frames] = []
    frames = Frames(cast("Any", transport), ears, turn=Turn(), lost=lost.append)
    frames.start()
    for piece in pieces:
        if not transport.ended:
            frames.data_received(piece)
    frames.connection_lost(None)
    assert lost == [frames]
    assert not loop.timers
    assert ears.ends == [frames.code]
    assert frames.code in _CODES
    return ears.heard, bytes(transport.written), ears.ends


def _see_frames(written: bytes) -> None:
    """What a server writes is whole frames, unmasked; after a close there is only an answer to a ping."""
    at = 0
    while at < len(written):
        first, size = written[at], written[at + 1]
        assert first in {CLOSE, PONG}
        assert size <= 125
        at += 2 + size
    assert at == len(written)


class _Calls:
    """Services that answer at once, as far as the HTTP interface asks them."""

    async def open_table(self, table: TableId, _browser: bytes, **_: object) -> table_pb2.TableNews:
        return table_pb2.TableNews(table=table_pb2.Table(table=table))

    async def get_table(self, table: TableId) -> table_pb2.TableNews:
        if table.startswith("Z"):
            raise Refused(Refusal.TABLE_UNKNOWN)
        return table_pb2.TableNews(
            table=table_pb2.Table(table=table, version=1, phase=table_pb2.PHASE_GATHERING)
        )

    async def replay(self, _race: RaceId) -> game_pb2.GetReplayResponse:
        raise Refused(Refusal.RACE_NOT_OVER)


@functools.cache
def _served() -> tuple[asyncio.AbstractEventLoop, Config]:
    """Make a gateway once, with the page that it serves."""
    loop = asyncio.new_event_loop()
    settings = Settings.from_env(Environment({}))

    async def made() -> Gateway:
        return Gateway(settings)

    gateway = loop.run_until_complete(made())
    gateway.calls = cast("Any", _Calls())
    app = make_app(gateway, load(release="fuzz", site=""))
    guards = guarding(secure=False)
    config = Config(
        app, ws=upgrade(gateway.sockets, guards), http=door(Callers(most=100), guards), log_config=None,
        lifespan="off", loop="none", proxy_headers=False,
    )  # fmt: skip
    config.load()
    return loop, config


class _Wire(Transport):
    """A connection from this machine."""

    def get_extra_info(self, name: str, default: object = None) -> object:
        return {"peername": ("127.0.0.1", 1), "sockname": ("127.0.0.1", 2)}.get(name, default)


def http_requests(data: bytes) -> None:
    """Whatever is asked, every answer is whole, safe and no fault of ours; and a cut in the request changes none."""
    loop, config = _served()
    at, request = data[:1], data[1:]
    whole = loop.run_until_complete(_ask([request], config))
    if at:
        cut = loop.run_until_complete(_ask([request[: at[0]], request[at[0] :]], config))
        assert cut == whole or HTTPStatus.TOO_MANY_REQUESTS in (*cut, *whole), (cut, whole)


async def _ask(pieces: list[bytes], config: Config) -> list[int]:
    """Send a request in pieces over a connection of its own; give the statuses of the answers."""
    state, wire = ServerState(), _Wire()
    failed: list[dict[str, Any]] = []
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda _, context: failed.append(context))
    make = cast("Any", config.http_protocol_class)
    wire.protocol = make(config=config, server_state=state, app_state={}, _loop=loop)
    cast("Any", wire.protocol).connection_made(wire)
    for piece in pieces:
        if piece and not wire.ended:
            cast("Any", wire.protocol).data_received(piece)
    await _done(state)
    cast("Any", wire.protocol).connection_lost(None)
    await _done(state)
    left = [*state.tasks, *state.connections, *failed]
    assert not left
    answers = _answers(bytes(wire.written), b"".join(pieces))
    for status, headers in answers:
        assert status < 500 or status in {503, 505}, (status, headers)
        assert status == 101 or b"x-content-type-options" in headers
    return [status for status, _ in answers]


async def _done(state: ServerState) -> None:
    """Wait for what is being answered, as long as that goes on by itself."""
    for _ in range(50):
        await asyncio.sleep(0)
        if not state.tasks:
            break


def _answers(written: bytes, asked: bytes) -> list[tuple[int, dict[bytes, bytes]]]:
    """Read all answers as a client does; one that breaks HTTP raises."""
    found: list[tuple[int, dict[bytes, bytes]]] = []
    if not written:
        return []
    reader = h11.Connection(h11.CLIENT)
    method = asked.split(b" ", 1)[0]
    headers = [("host", "a"), ("connection", "upgrade"), ("upgrade", "websocket")]
    reader.send(h11.Request(method="HEAD" if method == b"HEAD" else "GET", target="/", headers=headers))
    reader.send(h11.EndOfMessage())
    reader.receive_data(written)
    while isinstance(event := reader.next_event(), h11.Response | h11.InformationalResponse | h11.Data):
        if isinstance(event, h11.Response | h11.InformationalResponse):
            found.append((event.status_code, dict(event.headers)))
            if event.status_code == 101:
                break
    return found


TARGETS = (
    Target("socket_frames", ("web_gateway.seam.frames", "web_gateway.seam.codec"), socket_frames),
    Target(
        "http_requests",
        (
            "web_gateway.app",
            "web_gateway.api",
            "web_gateway.seam.handshake",
            "web_gateway.requests",
            "web_gateway.door",
            "web_gateway.strict",
        ),
        http_requests,
        most_bytes=600,
    ),
)
