"""Players of the peers: what each protocol needs said, as `bench/peers` serves it."""

import json
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from http.client import HTTPConnection
from typing import Any

import msgspec
from bench.race.keys import DOWN, EXPONENTS, LEFT, RIGHT, UP, Tiles, choose
from bench.race.websocket import BINARY, PING, PONG, TEXT, Reader, connect, frame

_AS_PEERS_COUNT = {UP: 2, DOWN: 3, LEFT: 0, RIGHT: 1}
_RACERS = 4
_JSON = {"content-type": "application/json"}


class _You(msgspec.Struct):
    board: Tiles


_YOU = msgspec.json.Decoder(_You)
_PACKED_YOU = msgspec.msgpack.Decoder(_You)
_TILES = msgspec.json.Decoder(Tiles)


@dataclass(slots=True, eq=False)
class PeersPlayer:
    """A player of a peer: knows the answer to its slide by some bytes in it, and reads its board there."""

    sock: socket.socket
    slides: Sequence[bytes]
    """The frames of its slides, by direction."""
    answer: bytes
    board: Callable[[bytes], Tiles]
    anywhere: bool = False
    """Whether the answer's bytes stand anywhere in it rather than at its start."""
    direction: int | None = LEFT
    awaiting: bool = False
    gap_s: float = 0.0
    reader: Reader = field(default_factory=Reader)
    useless: int = 0
    """How many slides changed nothing: of a board that was not seen yet."""
    _seen: Tiles = ()

    def slide(self) -> bytes:
        """Give the slide that was chosen."""
        self.awaiting = True
        return self.slides[self.direction or 0]

    def take(self, data: bytes) -> bool:
        """Take frames; what the others do is passed over."""
        answered = False
        for opcode, payload in self.reader.take(data):
            if opcode == PING:
                self.sock.send(frame(PONG, payload))
            elif payload == b"2":  # Engine.IO asks whether one is there
                self.sock.send(frame(TEXT, b"3"))
            elif self.awaiting and (
                self.answer in payload if self.anywhere else payload.startswith(self.answer)
            ):
                self.awaiting, answered = False, True
                self._choose(self.board(payload))
        return answered

    def _choose(self, board: Tiles) -> None:
        self.useless += board == self._seen
        self._seen = board
        self.direction = choose(board, EXPONENTS)


def ws(port: int, count: int) -> list[PeersPlayer]:
    """Connect to bare ws."""
    slides = _slides(lambda each: frame(TEXT, b'{"n":%d,"d":%d}' % (100_000 + each, each)))
    return [
        PeersPlayer(
            connect(port, f"/x/race{index // _RACERS}/{index % _RACERS}")[0],
            slides,
            b'{"t":"you"',
            lambda payload: _YOU.decode(payload).board,
        )
        for index in range(count)
    ]


def socketio(port: int, count: int) -> list[PeersPlayer]:
    """Connect to socket.io."""
    slides = _slides(lambda each: frame(TEXT, b'42["move",{"n":%d,"d":%d}]' % (100_000 + each, each)))
    answer = b'42["you",'
    players = []
    for index in range(count):
        join = f'42["join","race{index // _RACERS}",{index % _RACERS}]'.encode()
        sock, reader = _engine_io(port, first=[b"40", join])
        players.append(
            PeersPlayer(
                sock,
                slides,
                answer,
                lambda payload: _YOU.decode(payload[len(answer) : -1]).board,
                reader=reader,
            )
        )
    return players


def colyseus(port: int, count: int) -> list[PeersPlayer]:
    """Connect to Colyseus: a seat is reserved over HTTP, and messages are MessagePack behind a byte for their kind."""
    move = b"\x0d\xa4move\x82\xa1n\xce\x00\x01\x86%c\xa1d%c"
    slides = _slides(lambda each: frame(BINARY, move % (0xA0 + each, each)))
    answer = b"\x0d\xa3you"
    players = []
    for _ in range(count):
        seat = _post(port, "/matchmake/joinOrCreate/race", {})
        room = seat.get("room", seat)
        path = f"/{room['processId']}/{room['roomId']}?sessionId={seat['sessionId']}"
        player = PeersPlayer(
            connect(port, path)[0],
            slides,
            answer,
            lambda payload: _PACKED_YOU.decode(payload[len(answer) :]).board,
        )
        player.sock.sendall(frame(BINARY, b"\x0a"))
        players.append(player)
    return players


def boardgame(port: int, count: int) -> list[PeersPlayer]:
    """Connect to boardgame.io: matches are made in its lobby, one port of a thousand further."""
    players: list[PeersPlayer] = []
    for _ in range(0, count, _RACERS):
        match = _post(port + 1000, "/games/race/create", {"numPlayers": _RACERS})["matchID"]
        for seat in map(str, range(_RACERS)):
            joined = {"playerID": seat, "playerName": f"Racer {seat}"}
            secret = _post(port + 1000, f"/games/race/{match}/join", joined)["playerCredentials"]
            players.append(_at_match(port, match, seat=seat, secret=secret))
    return players


def _at_match(port: int, match: str, *, seat: str, secret: str) -> PeersPlayer:
    sync = "42/race," + json.dumps(["sync", match, seat, secret, _RACERS])

    def move(direction: int) -> bytes:
        payload = {"type": "slide", "args": [direction], "playerID": seat, "credentials": secret}
        asked = ["update", {"type": "MAKE_MOVE", "payload": payload}, 0, match, seat]
        return frame(TEXT, b"42/race," + json.dumps(asked).encode())

    sock, reader = _engine_io(port, first=[b"40/race,", sync.encode()])
    own = f'"playerID":"{seat}"'.encode()
    return PeersPlayer(sock, _slides(move), own, _own_board, anywhere=True, reader=reader)


def _own_board(payload: bytes) -> Tiles:
    start = payload.index(b'"board":[') + len(b'"board":')
    return _TILES.decode(payload[start : payload.index(b"]", start) + 1])


def _slides(write: Callable[[int], bytes]) -> list[bytes]:
    """Write the frames by our directions, as peers count theirs."""
    return [write(_AS_PEERS_COUNT[direction]) for direction in (UP, DOWN, LEFT, RIGHT)]


def _engine_io(port: int, *, first: Sequence[bytes]) -> tuple[socket.socket, Reader]:
    sock, _ = connect(port, "/socket.io/?EIO=4&transport=websocket")
    reader = Reader()
    namespace, *others = first
    sock.sendall(frame(TEXT, namespace))
    joined = False
    while not joined:
        joined = any(payload.startswith(namespace) for _, payload in reader.take(sock.recv(65536)))
    for text in others:
        sock.sendall(frame(TEXT, text))
    return sock, reader


def _post(port: int, path: str, body: object) -> dict[str, Any]:
    connection = HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("POST", path, json.dumps(body), _JSON)
    answer: dict[str, Any] = json.loads(connection.getresponse().read())
    connection.close()
    return answer
