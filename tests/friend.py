"""A player from outside: HTTP and a raw WebSocket, by the documented names, every frame recorded."""

import asyncio
import contextlib
import json
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from engine import Board, Direction, Draw, place, slide

Frame = dict[str, Any]
WAIT_S = 15.0
STEADY: Sequence[str] = ("down", "left", "right", "up")


@dataclass
class Answered:
    """What an HTTP call gave."""

    status: int
    body: Any
    cookie: str | None
    headers: dict[str, str]


def call(base: str, path: str, *, body: object = None, cookie: str | None = None, method: str | None = None,
         headers: dict[str, str] | None = None) -> Answered:  # fmt: skip
    """Make one HTTP call; JSON in and out where there is some."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(base + path, data=data, method=method)
    request.add_header("content-type", "application/json")
    if cookie:
        request.add_header("cookie", cookie)
    for name, value in (headers or {}).items():
        request.add_header(name, value)
    try:
        with urllib.request.urlopen(request, timeout=WAIT_S) as answer:
            raw, status, fields = answer.read(), answer.status, answer.headers
    except urllib.error.HTTPError as error:
        raw, status, fields = error.read(), error.code, error.headers
    set_cookie = fields.get("set-cookie")
    try:
        parsed = json.loads(raw) if raw else None
    except ValueError:
        parsed = raw.decode(errors="replace")
    return Answered(
        status, parsed, set_cookie.split(";")[0] if set_cookie else None,
        {name.lower(): value for name, value in fields.items()},
    )  # fmt: skip


async def open_table(
    base: str, *, where: Callable[[str], bool] | None = None, **fields: object
) -> tuple[str, str]:
    """Open a table, one whose id `where` wants; give its id and the opener's cookie."""
    while True:
        answer = await asyncio.to_thread(call, base, "/api/tables", body=fields, method="POST")
        assert answer.status == 201, answer
        assert answer.cookie
        if where is None or where(answer.body["table"]):
            return answer.body["table"], answer.cookie


@dataclass
class Friend:
    """One socket at a table, with what it was told last; use `Friend.at` as a context manager."""

    base: str
    table_id: str
    cookie: str | None = None
    received: list[Frame] = field(default_factory=list)
    sent: list[Frame] = field(default_factory=list)
    latest: dict[str, Frame] = field(default_factory=dict)
    answers: dict[str, list[Frame]] = field(default_factory=dict)
    closed: int | None = None
    _socket: ClientConnection | None = None
    _reader: "asyncio.Task[None] | None" = None
    _news: asyncio.Condition = field(default_factory=asyncio.Condition)
    _ids: int = 0

    @classmethod
    @contextlib.asynccontextmanager
    async def at(cls, base: str, table: str, cookie: str | None = None):  # type: ignore[no-untyped-def]  # noqa: ANN206
        """Connect, wait for hello and table, and close in the end."""
        friend = cls(base, table, cookie)
        await friend.connect()
        try:
            yield friend
        finally:
            await friend.close()

    async def connect(self) -> Self:
        """Open the socket; called again, open another with the same cookie."""
        url = self.base.replace("http", "ws", 1) + f"/api/tables/{self.table_id}/socket"
        headers = {"cookie": self.cookie} if self.cookie else {}
        self._socket = await connect(url, additional_headers=headers, compression=None)
        self.closed = None
        response = self._socket.response
        if response is not None and "set-cookie" in response.headers:
            self.cookie = response.headers["set-cookie"].split(";")[0]
        self._reader = asyncio.create_task(self._read(self._socket))
        await self.until(lambda: "table" in self.latest or self.closed is not None)
        return self

    async def close(self) -> None:
        """Close the socket and end the reading."""
        if self._socket is not None:
            await self._socket.close()
        if self._reader is not None:
            await self._reader

    async def drop(self) -> None:
        """Lose the connection without a word."""
        assert self._socket is not None
        self._socket.transport.abort()
        assert self._reader is not None
        await self._reader

    async def _read(self, socket: ClientConnection) -> None:
        try:
            async for text in socket:
                await self._take(json.loads(text))
        except ConnectionClosed:
            pass
        finally:
            async with self._news:
                self.closed = socket.close_code or 1006
                self._news.notify_all()

    async def _take(self, frame: Frame) -> None:
        async with self._news:
            self.received.append(frame)
            self.latest[frame["type"]] = frame
            if frame.get("re") is not None:
                self.answers.setdefault(str(frame["re"]), []).append(frame)
            self._news.notify_all()

    @property
    def kinds(self) -> list[str]:
        """The kinds of frames, in the order in which each came first."""
        return list(dict.fromkeys(frame["type"] for frame in self.received))

    async def until(self, holds: Callable[[], bool], *, seconds: float = WAIT_S) -> None:
        """Wait until something holds of what was told; fail with the last frames if it never does."""
        try:
            async with asyncio.timeout(seconds), self._news:
                await self._news.wait_for(holds)
        except TimeoutError:
            tail = "\n".join(json.dumps(frame) for frame in self.received[-8:])
            raise AssertionError(f"never held; the last frames:\n{tail}\nclosed: {self.closed}") from None

    async def send(self, kind: str, **fields: object) -> str:
        """Send one frame; give the id it carries."""
        self._ids += 1
        frame = {"type": kind, "id": f"{kind}-{self._ids}", **fields}
        self.sent.append(frame)
        await self.send_text(json.dumps(frame))
        return str(frame["id"])

    async def send_text(self, text: str | bytes) -> None:
        """Send a frame as it is, well formed or not."""
        assert self._socket is not None
        await self._socket.send(text)

    async def ask(self, kind: str, **fields: object) -> Frame:
        """Send a frame and wait for what answers it: `done`, `board`, `pong` or `refused`."""
        sent = await self.send(kind, **fields)
        await self.until(lambda: sent in self.answers or self.closed is not None)
        assert sent in self.answers, f"closed with {self.closed} before {kind} was answered"
        return self.answers[sent][0]

    async def do(self, kind: str, **fields: object) -> None:
        """Ask for something that is to be done."""
        answer = await self.ask(kind, **fields)
        assert answer["type"] != "refused", answer

    async def refused(self, kind: str, **fields: object) -> str:
        """Ask for something that is to be refused; give the code."""
        answer = await self.ask(kind, **fields)
        assert answer["type"] == "refused", answer
        assert answer["message"]
        assert answer["of"] == kind
        return str(answer["code"])

    @property
    def table(self) -> Frame:
        return self.latest["table"]

    @property
    def race(self) -> Frame:
        return self.latest["race"]

    @property
    def board(self) -> Frame:
        return self.latest["board"]

    @property
    def seat(self) -> int:
        return int(self.table["you"]["seat"])

    @property
    def number(self) -> int:
        return int(self.table["race"]["number"])

    @property
    def verdict(self) -> Frame | None:
        found: Frame | None = self.race["verdict"] if "race" in self.latest else None
        return found

    def phase(self, name: str) -> bool:
        return bool(self.table["phase"] == name)

    async def sits(self, name: str = "Bo") -> None:
        await self.do("sit", name=name)

    async def until_racing(self) -> None:
        """Wait until the boards are alive and one's own is known."""
        await self.until(
            lambda: self.phase("racing") and "board" in self.latest and self.board["race"] == self.number
        )

    async def until_over(self) -> Frame:
        """Wait for the verdict, the reveal and the finished table; give the verdict."""
        await self.until(
            lambda: (
                self.phase("finished")
                and self.verdict is not None
                and self.race["race"] == self.number
                and self.latest.get("reveal", {}).get("race") == self.number
            )
        )
        assert self.verdict is not None
        return self.verdict

    def useful(self, order: Sequence[str] = STEADY) -> str | None:
        """Give the first direction that changes one's board, or None when it is stuck."""
        board = board_of(self.board)
        return next((word for word in order if slide(board, Direction[word.upper()])), None)

    def careful(self) -> str | None:
        """Give the direction that two slides ahead merges and empties most, or None when the board is stuck.

        Of 300 games with fixed seeds all reach 64 so, of those that merely take the first useful direction 297.
        """
        return (_best(board_of(self.board), ahead=1) or (0, None))[1]

    def filling(self) -> str | None:
        """Give the direction that merges least, to get stuck soon."""
        board = board_of(self.board)
        moves = [(found.points, word) for word in STEADY if (found := slide(board, Direction[word.upper()]))]
        return min(moves)[1] if moves else None

    async def slide(self, direction: str) -> Frame:
        """Make one slide and give its answer."""
        return await self.ask("slide", race=self.number, n=self.board["n"] + 1, direction=direction)

    async def slides_until(
        self, over: Callable[[], bool], choose: Callable[[], str | None] | None = None
    ) -> list[str]:
        """Slide one after the other until something holds or the board is stuck; give the directions made."""
        made = []
        while not over():
            direction = (choose or self.careful)()
            if direction is None:
                break
            answer = await self.slide(direction)
            if answer["type"] == "refused":
                if answer["code"] == "TOO_FAST":
                    await asyncio.sleep(0.2)
                    continue
                assert answer["code"] == "RACE_OVER", answer
                break
            made.append(direction)
            await asyncio.sleep(0.012)
        return made


def board_of(frame: Frame) -> Board:
    """Read a board frame's sixteen values."""
    cells = frame["cells"]
    return Board.from_values([cells[row * 4 : row * 4 + 4] for row in range(4)])


def _best(board: Board, *, ahead: int) -> tuple[int, str] | None:
    """Weigh each slide by its points and empty cells, and by the best that follows a 2 in the middle of those."""
    found = []
    for word in STEADY:
        made = slide(board, Direction[word.upper()])
        if made is None:
            continue
        worth = made.points + 20 * len(made.board.empty_cells)
        if ahead:
            after = _best(place(made.board, Draw(1, 2**63)), ahead=ahead - 1)
            worth += after[0] if after else -1000
        found.append((worth, word))
    return max(found, default=None)
