"""Replicas of game-service that stand still, and go on later with what they had."""

import asyncio
import contextlib
import random
import signal
from collections.abc import AsyncIterator, Iterator, Sequence

from tests.faults.figures import Figures
from tests.faults.fleet import Fleet
from tests.faults.lines import Between
from tests.faults.parties import all_acked, two_racing
from tests.faults.party import Party, gathered, racing, start
from tests.faults.racer import WORDS, Racer, careful
from tests.friend import board_of
from tests.proxy import STALLED
from tests.stack import Service

from engine import Direction, slide
from wire import keys
from wire.ids import RaceId
from wire.routing import choose

PAUSED_S = 10.0
LEAST_S = 0.5
"""A gateway takes longer than this to find that a replica stands still."""
TABLES = 14
ARRIVE_S = 0.2
"""What is sent has reached a process on this machine by then."""
HARM_S = 1.0
"""What a replica that goes on would do with what it had it has done by then."""


async def test_slides_in_a_paused_replica_are_made_later_where_nothing_else_was(
    fleet: Fleet, rng: random.Random
) -> None:
    async with racing(fleet.far_bases, rng, choose=careful) as party:
        race = _race(party)
        with contextlib.ExitStack() as stack:
            with paused(*fleet.games):
                before = _version(fleet, race)
                for racer in party.racers:
                    _press(racer, [_useful(racer, rng), *rng.choices(WORDS, k=3)])
                await asyncio.sleep(ARRIVE_S)
                stack.enter_context(_shut(fleet.doors))
                await asyncio.sleep(ARRIVE_S)
                assert _version(fleet, race) == before
            while _version(fleet, race) == before:
                await asyncio.sleep(0.02)
        await party.end()


async def test_slides_go_on_while_a_replica_is_paused_and_nothing_it_had_is_made_twice(
    fleet: Fleet, rng: random.Random, figures: Figures
) -> None:
    async with two_racing(fleet.bases, rng) as parties:
        number = _serving(fleet, _race(parties[0]))
        loop = asyncio.get_running_loop()
        end = loop.time() + PAUSED_S
        with paused(fleet.games[number]):
            took = await all_acked(parties)
            assert took > LEAST_S, "the replica that stands still serves none of these races"
            figures.note(
                "a replica of game-service stands still: everyone's next slide is answered", took, promised=2
            )
            await asyncio.sleep(max(0.0, end - loop.time()))
        took = await all_acked(parties)
        figures.note(
            "a replica of game-service goes on after 10 s: everyone's next slide is answered",
            took,
            promised=2,
        )
        other = fleet.games[1 - number]
        other.kill()
        took = await all_acked(parties)
        figures.note(
            "then the other one is killed: everyone's next slide is answered by the one that stood still",
            took,
            promised=2,
        )
        await asyncio.to_thread(fleet.restart, other)
        for party in parties:
            await party.end()


async def test_no_key_is_made_twice_that_waits_behind_a_useless_one_in_a_paused_replica(
    fleet: Fleet, rng: random.Random
) -> None:
    async with _many_races(fleet, rng) as parties, contextlib.AsyncExitStack() as stack:
        stack.callback(fleet.calm)
        racers = [racer for party in parties for racer in party.racers]
        for number, game in enumerate(fleet.games):
            await _prepare(racers, rng)
            before = {id(racer): racer.slides.useless for racer in racers}
            # A commit of another's that is under way keeps the replica from judging what waits until it knows better.
            fleet.store_lines[f"game-{number}"].weather(up=STALLED)
            for party in parties:
                _press(party.racers[0], [_useful(party.racers[0], rng)])
            await asyncio.sleep(ARRIVE_S)
            seconds = [party.racers[1] for party in parties]
            in_memory = rng.sample(seconds, TABLES // 2)
            for racer in in_memory:
                _press(racer, [_useless(racer, rng), _useful(racer, rng)])
            await asyncio.sleep(ARRIVE_S)
            with paused(game):
                for racer in seconds:
                    if racer not in in_memory:
                        _press(racer, [_useless(racer, rng), _useful(racer, rng)])
                await _all_settled(racers)
                fleet.calm()
            assert all(racer.slides.useless == before[id(racer)] + 1 for racer in seconds)
            await asyncio.sleep(HARM_S)
        await asyncio.gather(*(party.end() for party in parties))


@contextlib.contextmanager
def paused(*services: Service) -> Iterator[None]:
    """Have services stand still within the block."""
    for service in services:
        service.signal(signal.SIGSTOP)
    try:
        yield
    finally:
        for service in services:
            service.signal(signal.SIGCONT)


@contextlib.asynccontextmanager
async def _many_races(fleet: Fleet, rng: random.Random) -> AsyncIterator[list[Party]]:
    async with contextlib.AsyncExitStack() as stack:
        parties = [await stack.enter_async_context(gathered(fleet.bases, rng)) for _ in range(TABLES)]
        await asyncio.gather(*(start(party) for party in parties))
        yield parties


async def _prepare(racers: Sequence[Racer], rng: random.Random) -> None:
    """Have all racers slide until each board has a direction that changes it and one that does not."""
    for racer in racers:
        while not (_useless_ones(racer) and _useful_ones(racer)):
            _press(racer, [_useful(racer, rng)])
            await racer.settled()


def _useful_ones(racer: Racer) -> list[str]:
    board = board_of(racer.board)
    return [word for word in WORDS if slide(board, Direction[word.upper()])]


def _useless_ones(racer: Racer) -> list[str]:
    useful = _useful_ones(racer)
    return [word for word in WORDS if word not in useful]


def _useful(racer: Racer, rng: random.Random) -> str:
    return rng.choice(_useful_ones(racer))


def _useless(racer: Racer, rng: random.Random) -> str:
    return rng.choice(_useless_ones(racer))


def _press(racer: Racer, words: Sequence[str]) -> None:
    for word in words:
        racer.slides.press(word)


async def _all_settled(racers: Sequence[Racer]) -> None:
    await asyncio.gather(*(racer.settled() for racer in racers))


def _race(party: Party) -> RaceId:
    return RaceId(f"{party.racers[0].table_id}.{party.number}")


def _serving(fleet: Fleet, race: RaceId) -> int:
    """Give the number of the replica that a race is on while none is avoided."""
    addresses = [line.at for line in fleet.game_lines]
    return addresses.index(choose(race, addresses)[0])


def _version(fleet: Fleet, race: RaceId) -> int:
    """Ask the store for a race's version."""
    with fleet.client() as client:
        found = client.hget(keys.race_key(race), "v")
    assert isinstance(found, bytes)
    return int(found)


@contextlib.contextmanager
def _shut(doors: Sequence[Between]) -> Iterator[None]:
    """Break all connections through the doors and let none through within the block."""
    for door in doors:
        door.refuse()
    try:
        yield
    finally:
        for door in doors:
            door.open()
