"""One example of every frame, for docs/socket.md; all of one race, whose seed is the bytes 0 to 31."""

import hashlib
from collections.abc import Mapping

import msgspec

from web_gateway.frames import client, server

_SEED = bytes(range(32))
_COMMITMENT = hashlib.sha256(_SEED).hexdigest()
_RULES = server.Rules(target=2048, clock_s=180)
_STARTS, _NOW = 1_790_000_003_000, 1_790_000_010_250
# What the seed's draws make of the slides left and down.
_AFTER_TWO = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 4, 2, 0, 0)
_AFTER_ONE = (2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0)

CLIENT: tuple[client.ClientFrame, ...] = (
    client.Sit(id="a1", name="Bo"),
    client.Leave(id="a2"),
    client.Rename(id="a3", name="Bodil"),
    client.Ready(id="a4", ready=True),
    client.FreeSeat(id="a5", seat=2),
    client.ChooseRules(id="a6", target=None, clock_s=180),
    client.Start(id="a7"),
    client.RaceOnWithout(id="a8", race=1, seat=2),
    client.PlayAgain(id="a9", race=1),
    client.ChangeSettings(id="a10", race=1),
    client.Slide(id=11, race=1, n=2, direction=client.Direction.DOWN),
    client.Resign(id="a12", race=1),
    client.OfferPeace(id="a13", race=1),
    client.AnswerOffer(id="a14", race=1, agree=False),
    client.Ping(t=81_234.5),
)

SERVER: tuple[server.ServerFrame, ...] = (
    server.Hello(
        build="0.1.0+3f8a2c91",
        link="http://192.168.1.7:8000/t/K7QM2XWP",
        reach="network",
        clocks_s=(60, 120, 180, 300, 600, 900),
        countdown_ms=3_000,
        ping_ms=10_000,
        grace_ms=60_000,
        now=_NOW,
    ),
    server.Table(
        version=9,
        table="K7QM2XWP",
        phase="racing",
        host=1,
        seats=(
            server.Seat(seat=1, name="Ann", ready=True, connected=True, away_until=None, tally=1.5),
            server.Seat(seat=2, name="Bo", ready=True, connected=False, away_until=_NOW + 42_000, tally=0.5),
            server.Seat(seat=3, name=None),
            server.Seat(seat=4, name=None),
        ),
        watchers=1,
        rules=_RULES,
        race=server.RaceOfTable(
            number=1,
            rules=_RULES,
            starts_at=_STARTS,
            deadline=_STARTS + 180_000,
            ended_at=None,
            commitment=_COMMITMENT,
            racers=(server.Racer(seat=1, name="Ann"), server.Racer(seat=2, name="Bo")),
        ),
        you=server.You(seat=1, host=True),
        now=_NOW,
    ),
    server.Race(
        race=1,
        version=7,
        standings=(
            server.Standing(seat=1, score=4, biggest=4, slides=2, state="sliding"),
            server.Standing(seat=2, score=0, biggest=2, slides=1, state="sliding"),
        ),
        offer=server.Offer(by=2, agreed=(2,), until=_NOW + 30_000),
        last_offer=server.LastOffer(by=1, outcome="declined", seat=2),
        verdict=None,
        now=_NOW,
    ),
    server.Board(
        race=1,
        n=2,
        cells=_AFTER_TWO,
        score=4,
        stuck=False,
        slide=server.SlideMade(direction="down", points=4, motions=((0, 12, True), (5, 13, False))),
        tile=server.Tile(cell=10, value=2),
        re=11,
    ),
    server.Reveal(
        race=1,
        seed=_SEED.hex(),
        boards=(
            server.RevealedBoard(seat=1, cells=_AFTER_TWO),
            server.RevealedBoard(seat=2, cells=_AFTER_ONE),
        ),
    ),
    server.Refused(re=11, of="slide", code="SLIDE_CHANGES_NOTHING", message="That slide moves nothing.", n=2),
    server.Done(re="a4"),
    server.Pong(t=81_234.5, now=_NOW),
    server.Moved(),
    server.Freed(why="host"),
    server.Bye(retry_ms=320),
)


_OF: Mapping[type, client.ClientFrame | server.ServerFrame] = {
    type(each): each for each in (*CLIENT, *SERVER)
}


def example_of(frame: type[msgspec.Struct]) -> str:
    """Write the example of a type of frame as JSON; an `id` that is left out is not shown."""
    fields: dict[str, object] = msgspec.to_builtins(_OF[frame])
    if fields.get("id", "") is None:
        del fields["id"]
    return msgspec.json.encode(fields).decode()
