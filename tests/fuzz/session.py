"""A table whose friends send anything in any order, and what must hold of all that they hear."""

import asyncio
import contextlib
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.e2e.replaying import cells_of, made_again, replayed, slides_of
from tests.friend import Frame, Friend, open_table
from tests.secrecy import check_fields
from websockets.exceptions import ConnectionClosed

from engine import Direction, Seed, draw, place, slide, start_board

MAY_CLOSE = {1000, 1003, 1006, 1008, 1009, 4001}
"""What a socket may end with: closed or cut by its friend, bytes, ten malformed in a row, one too long, moved."""
SETTLE_S = 20.0

Step = tuple[int, str, Any]
"""Who (0 to 3) does what: `send` a frame, `slide`, say a `text`, `come` again, `drop` the line, or `wait`."""


@dataclass
class Party:
    """Ann, who opened the table, Bo, who sits, Cy, and a second tab of Ann's; where each connection begins."""

    friends: list[Friend]
    begun: list[tuple[Friend, int, int]] = field(default_factory=list)
    """A friend, and how many frames it had heard and sent before this connection."""

    async def connect(self, friend: Friend) -> None:
        await friend.close()
        self.begun.append((friend, len(friend.received), len(friend.sent)))
        await friend.connect()

    async def play(self, steps: Sequence[Step]) -> None:
        for who, what, value in steps:
            friend = self.friends[who]
            if what == "come" or friend.closed is not None:
                await self.connect(friend)
            with contextlib.suppress(ConnectionClosed):  # by what was said before
                await _say(friend, what, value)

    async def settle(self) -> None:
        """Have all come and hear what they are owed; then whoever races resigns, so that a race is over."""
        for friend in self.friends[:3]:
            if friend.closed is None:
                await heard_out(friend)
            if friend.closed is not None:  # by what it said last
                await self.connect(friend)
        _, bo, cy, _ = self.friends
        for friend in (bo, cy):
            if friend.table["race"] is not None:
                await friend.send("resign", race=friend.number)
        await self.connect(self.friends[0])
        for friend in self.friends[:3]:
            await heard_out(friend)


async def _say(friend: Friend, what: str, value: Any) -> None:
    match what:
        case "send":
            kind, fields = value
            await friend.send(kind, **fields)
        case "slide":
            board = friend.latest.get("board", {"race": 1, "n": 0})
            await friend.send("slide", race=board["race"], n=board["n"] + 1, direction=value)
        case "text":
            await friend.send_text(value)
        case "drop":
            await friend.drop()
        case "wait":
            await asyncio.sleep(value / 1000)
        case _:
            pass


async def heard_out(friend: Friend) -> None:
    """Wait until a friend has heard a pong behind all that it sent, or its socket has ended."""
    sent = ""
    with contextlib.suppress(ConnectionClosed):  # which its reader may not have heard of yet
        sent = await friend.send("ping", t=1)
    await friend.until(lambda: sent in friend.answers or friend.closed is not None, seconds=SETTLE_S)


@contextlib.asynccontextmanager
async def party(base: str) -> AsyncIterator[Party]:
    """Have Ann host and Bo sit, ready; nobody has pressed Start."""
    table, cookie = await open_table(base, name="Ann", rules={"target": None, "clock_s": None})
    cookies = (cookie, None, None, cookie)
    found = Party([Friend(base, table, each) for each in cookies])
    async with contextlib.AsyncExitStack() as ends:
        for friend in found.friends:
            ends.push_async_callback(friend.close)
        for friend in found.friends[:3]:
            await found.connect(friend)
        found.friends[3].closed = 1000  # a tab that is not open yet
        await found.friends[1].sits("Bo")
        await found.friends[1].do("ready", ready=True)
        yield found


async def check(found: Party) -> None:
    """See that every socket lived or ended as documented, that all that was heard is in order, and the boards right."""
    for friend in found.friends:
        assert friend.closed is None or friend.closed in MAY_CLOSE, friend.closed
        answers = Counter(str(frame["re"]) for frame in friend.received if frame.get("re") is not None)
        assert all(answers[frame["id"]] <= 1 for frame in friend.sent), answers
    for number, (friend, begin, _) in enumerate(found.begun):
        end = next((at for other, at, _ in found.begun[number + 1 :] if other is friend), None)
        _check_growth(friend.received[begin:end])
    for race in sorted(_over(found)):
        await _check_race(found, race)


def _check_growth(frames: list[Frame]) -> None:
    """On one connection a table grows by version and a race by number and version; nothing is shown before the end."""
    tables = [frame["version"] for frame in frames if frame["type"] == "table"]
    races = [(frame["race"], frame["version"]) for frame in frames if frame["type"] == "race"]
    assert (tables, races) == (sorted(tables), sorted(races))
    for frame in frames:
        if frame["type"] != "reveal":
            check_fields(frame)


def _over(found: Party) -> set[int]:
    return {
        frame["race"]
        for friend in found.friends
        for frame in friend.received
        if frame["type"] == "race" and frame["verdict"] is not None
    }


async def _check_race(found: Party, race: int) -> None:
    """A race's log makes its verdict and every board that was shown, each to its own racer."""
    replay = await replayed(found.friends[1], race)
    made = made_again(replay)
    assert made.verdict is not None
    assert made.verdict.reason.name == replay["verdict"]["reason"]
    shown = {racer["seat"]: list(_boards(replay, racer["seat"])) for racer in replay["seats"]}
    raced = _seats(found, race)
    for friend in found.friends:
        for frame in friend.received:
            if frame["type"] == "reveal" and frame["race"] == race:
                assert {board["seat"]: board["cells"] for board in frame["boards"]} == cells_of(made)
            elif frame["type"] == "board" and frame["race"] == race:
                assert frame["cells"] == shown[raced[friend.cookie or ""]][frame["n"]], frame


def _seats(found: Party, race: int) -> dict[str, int]:
    """Give the seat in which each browser raced, which it may have left since."""
    return {
        friend.cookie or "": frame["you"]["seat"]
        for friend in found.friends
        for frame in friend.received
        if frame["type"] == "table"
        and frame["race"]
        and frame["race"]["number"] == race
        and frame["you"]["seat"]
    }


def _boards(replay: Frame, seat: int) -> Iterator[list[int]]:
    """Give a racer's boards, from the start on, as sixteen values."""
    seed = Seed(bytes.fromhex(replay["seed"]))
    board = start_board(seed)
    yield [value for row in board.to_values() for value in row]
    for number, direction in enumerate(slides_of(replay, seat), 1):
        made = slide(board, Direction[direction.upper()])
        assert made is not None
        board = place(made.board, draw(seed, number + 1))
        yield [value for row in board.to_values() for value in row]
