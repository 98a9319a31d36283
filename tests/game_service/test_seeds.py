"""Seeds: each from the operating system, shown by nothing that holds it, gone from memory with its race (docs/fairness.md)."""

import asyncio
import gc
import os
import random

import pytest
from tests.game_service.racing import RACE, SEED, Replica, a_deal, gateway, load, replica

from engine import Draws, Seed, commitment
from game_service import commits, reveals
from game_service.meta import SEED_BYTES, Deal
from game_service.running import Running
from game_service.service import random_seed
from tilerace.game.v1 import game_pb2
from wire.ids import RaceId

SHOWN_AS = (SEED.hex(), repr(bytes(SEED))[2:12])
FORKS = 8


def drawn_after_a_fork() -> bytes:
    """Draw a seed in a child that is a copy of this process, with whatever state a generator of its own would have."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(write, random_seed())
        os._exit(0)
    os.close(write)
    drawn = os.read(read, 2 * SEED_BYTES)
    os.close(read)
    os.waitpid(child, 0)
    return drawn


def holds(draws: object, seed: Seed) -> bool:
    return isinstance(draws, Draws) and draws.seed == seed


def draws_in_memory(seed: Seed) -> int:
    """Count what could still draw by a seed, in this process."""
    gc.collect()
    return sum(holds(each, seed) for each in gc.get_objects())


def test_seeds_are_32_bytes_and_none_comes_twice_also_after_a_fork() -> None:
    seeds = [random_seed() for _ in range(1_000)] + [drawn_after_a_fork() for _ in range(FORKS)]
    assert {len(seed) for seed in seeds} == {SEED_BYTES} == {32}
    assert len(set(seeds)) == len(seeds)


def test_no_generator_in_this_process_decides_a_seed() -> None:
    seeds = set()
    for _ in range(2):
        random.seed(7)
        seeds.add(random_seed())
    assert len(seeds) == 2


async def test_nothing_that_holds_a_seed_shows_it(store_url: str) -> None:
    async with replica(store_url) as game, gateway(game) as gate:
        await game.deal()
        await gate.attach(1, seat=1)
        running = game.races.running[RaceId(RACE)]
        stored = (await commits.load(game.store, [RaceId(RACE)]))[0]
        deal, snapshot = await load(game.store)
        dealt = await commits.deal(game.store, RaceId(RACE), deal, starts_at=0, countdown_ms=0)
        assert isinstance(running, Running)
        for shown in (repr([running, stored, deal, dealt]), repr(snapshot.record.race.draws)):
            assert not any(secret in shown for secret in SHOWN_AS)


async def test_a_deal_asked_for_twice_keeps_the_first_seed(store_url: str) -> None:
    async with replica(store_url) as game:
        await game.deal()
        other = Deal(random_seed(), a_deal().rules, a_deal().entrants)
        again = await commits.deal(game.store, RaceId(RACE), other, starts_at=0, countdown_ms=0)
        assert (await game.deal()).commitment == commitment(SEED)
        assert again.meta == (await commits.load(game.store, [RaceId(RACE)]))[0].meta  # type: ignore[union-attr]


async def raced(game: Replica, seed: Seed, number: int) -> None:
    """Race a race of a seed to its end, and wait until it is let go."""
    race, deal = RaceId(f"K7QM2XWP.{number}"), Deal(seed, a_deal().rules, a_deal().entrants)
    await commits.deal(game.store, race, deal, starts_at=0, countdown_ms=0)
    async with gateway(game) as gate:
        await gate.slide_once(await gate.attach(1, seat=1, race=race))
        assert draws_in_memory(seed) == 1
        await gate.act(1, game_pb2.ACTION_RESIGN)
    async with asyncio.timeout(10):
        while game.races.running:
            await asyncio.sleep(0.02)


async def test_a_seed_is_gone_from_memory_when_the_next_race_is_let_go(
    store_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reveals, "HELD_S", 0.1)
    seed = random_seed()
    async with replica(store_url) as game:
        await raced(game, seed, 1)
        await raced(game, random_seed(), 2)
        async with asyncio.timeout(10):
            while draws_in_memory(seed):
                await asyncio.sleep(0.1)
