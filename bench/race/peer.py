"""Players of the peers: what each protocol needs said, as `bench/peers` serves it."""

import json
import socket
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from http.client import HTTPConnection
from itertools import cycle
from typing import Any

from bench.race.websocket import BINARY, PING, PONG, TEXT, Reader, connect, frame

_DIRECTIONS = (0, 2, 1, 3)
_RACERS = 4
_JSON = {"content-type": "application/json"}


@dataclass(slots=True, eq=False)
class Scripted:
    """A player that sends the same few slides round and round, and knows the answer by some bytes in it."""

    sock: socket.socket
    slides: Iterator[bytes]
    answer: bytes
    anywhere: bool = False
    """Whether the answer's bytes stand anywhere in it rather than at its start."""
    ready: bool = True
    reader: Reader = field(default_factory=Reader)

    def slide(self) -> bytes:
        """Give the next slide."""
        self.ready = False
        return next(self.slides)

    def take(self, data: bytes) -> bool:
        """Take frames; what the others do is passed over."""
        answered = False
        for opcode, payload in self.reader.take(data):
            if opcode == PING:
                self.sock.send(frame(PONG, payload))
            elif payload == b"2":  # Engine.IO asks whether one is there
                self.sock.send(frame(TEXT, b"3"))
            elif not self.ready and (
                self.answer in payload if self.anywhere else payload.startswith(self.answer)
            ):
                self.ready = answered = True
        return answered


def ws(port: int, count: int) -> list[Scripted]:
    """Connect to bare ws."""
    slides = [frame(TEXT, b'{"n":%d,"d":%d}' % (100_000 + k, d)) for k, d in enumerate(_DIRECTIONS)]
    return [
        Scripted(
            connect(port, f"/x/race{index // _RACERS}/{index % _RACERS}")[0], cycle(slides), b'{"t":"you"'
        )
        for index in range(count)
    ]


def socketio(port: int, count: int) -> list[Scripted]:
    """Connect to socket.io."""
    slides = [b'42["move",{"n":%d,"d":%d}]' % (100_000 + k, d) for k, d in enumerate(_DIRECTIONS)]
    players = []
    for index in range(count):
        join = f'42["join","race{index // _RACERS}",{index % _RACERS}]'.encode()
        players.append(_engine_io(port, first=[b"40", join], slides=slides, answer=b'42["you"'))
    return players


def colyseus(port: int, count: int) -> list[Scripted]:
    """Connect to Colyseus: a seat is reserved over HTTP, and messages are MessagePack behind a byte for their kind."""
    slides = [
        frame(BINARY, b"\x0d\xa4move\x82\xa1n\xce\x00\x01\x86" + bytes((0xA0 + k,)) + b"\xa1d" + bytes((d,)))
        for k, d in enumerate(_DIRECTIONS)
    ]
    players = []
    for _ in range(count):
        seat = _post(port, "/matchmake/joinOrCreate/race", {})
        room = seat.get("room", seat)
        path = f"/{room['processId']}/{room['roomId']}?sessionId={seat['sessionId']}"
        player = Scripted(connect(port, path)[0], cycle(slides), b"\x0d\xa3you")
        player.sock.sendall(frame(BINARY, b"\x0a"))
        players.append(player)
    return players


def boardgame(port: int, count: int) -> list[Scripted]:
    """Connect to boardgame.io: matches are made in its lobby, one port of a thousand further."""
    players: list[Scripted] = []
    for _ in range(0, count, _RACERS):
        match = _post(port + 1000, "/games/race/create", {"numPlayers": _RACERS})["matchID"]
        for seat in map(str, range(_RACERS)):
            joined = {"playerID": seat, "playerName": f"Racer {seat}"}
            secret = _post(port + 1000, f"/games/race/{match}/join", joined)["playerCredentials"]
            players.append(_at_match(port, match, seat=seat, secret=secret))
    return players


def _at_match(port: int, match: str, *, seat: str, secret: str) -> Scripted:
    sync = "42/race," + json.dumps(["sync", match, seat, secret, _RACERS])
    slides = []
    for direction in _DIRECTIONS:
        payload = {"type": "slide", "args": [direction], "playerID": seat, "credentials": secret}
        move = ["update", {"type": "MAKE_MOVE", "payload": payload}, 0, match, seat]
        slides.append(b"42/race," + json.dumps(move).encode())
    own = f'"playerID":"{seat}"'.encode()
    player = _engine_io(port, first=[b"40/race,", sync.encode()], slides=slides, answer=own)
    player.anywhere = True
    return player


def _engine_io(port: int, *, first: Sequence[bytes], slides: Sequence[bytes], answer: bytes) -> Scripted:
    sock, _ = connect(port, "/socket.io/?EIO=4&transport=websocket")
    player = Scripted(sock, cycle([frame(TEXT, text) for text in slides]), answer)
    namespace, *others = first
    sock.sendall(frame(TEXT, namespace))
    joined = False
    while not joined:
        joined = any(payload.startswith(namespace) for _, payload in player.reader.take(sock.recv(65536)))
    for text in others:
        sock.sendall(frame(TEXT, text))
    return player


def _post(port: int, path: str, body: object) -> dict[str, Any]:
    connection = HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("POST", path, json.dumps(body), _JSON)
    answer: dict[str, Any] = json.loads(connection.getresponse().read())
    connection.close()
    return answer
