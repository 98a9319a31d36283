"""Ends that come at once, over two gateways each with a replica of its own: one verdict, the same on every screen."""

import asyncio
import random
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
from tests.faults.figures import Figures
from tests.faults.fleet import Fleet, sailing
from tests.faults.heats import Heats, Sprinter, meeting
from tests.friend import Frame, board_of

from engine import Board, Direction, Seed, draw, place, slide, start_board
from game_service.meta import unpack_deal
from wire import keys
from wire.ids import TableId, race_id

TARGET = 64
FINISHES = 1000
TABLES = 24
SLIDES_A_SECOND = 50
"""How fast a friend slides over many races: below what is too fast."""
CHECKED_EVERY = 20
"""Every which race of a table has its whole history checked; all have their verdict."""
LEAST_SHARE = 0.1
"""How seldom the slide that is sent second, or that comes over one of the gateways, may win."""
ENDINGS, ENDING_TABLES, CLOCK_S = 40, 8, 2
EARLY_S, LATE_S = 0.025, 0.005
"""How long before and after the deadline what is to end a race is sent; it is some milliseconds on its way."""


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    """Have each gateway know one replica of game-service only, and boards come alive at once."""
    with sailing(tmp_path_factory.mktemp("apart"), apart=True, countdown_ms="0") as fleet:
        yield fleet


@dataclass
class Finishes:
    """What became of two finishing slides that were sent within a millisecond."""

    apart: int = 0
    """How many others were sent farther apart, and do not count."""
    by_order: Counter[int] = field(default_factory=Counter)
    by_gateway: Counter[int] = field(default_factory=Counter)

    def note(self, figures: Figures) -> None:
        """See that neither of the two is always the one that wins."""
        for which, won in (("gateway", self.by_gateway), ("order of sending", self.by_order)):
            share = min(won[0], won[1]) / won.total()
            assert share >= LEAST_SHARE, f"by the {which} these won: {won}"
            name = f"two finishing slides at once: how many are won by the luckier {which}"
            figures.note(name, 100 * (1 - share), promised=50, unit="%")
        name = "two finishing slides at once: how many pairs more were sent over a millisecond apart"
        figures.note(name, self.apart, promised=FINISHES, unit="pairs")


async def test_two_finishing_slides_within_a_millisecond_have_one_winner_on_every_screen_a_thousand_times(
    fleet: Fleet, rng: random.Random, figures: Figures
) -> None:
    finishes = Finishes()
    async with asyncio.TaskGroup() as tasks:
        for _ in range(TABLES):
            tasks.create_task(finish_again_and_again(fleet, random.Random(rng.random()), finishes))
    finishes.note(figures)


async def finish_again_and_again(fleet: Fleet, rng: random.Random, finishes: Finishes) -> None:
    async with meeting(fleet.bases, rng, 2, target=TARGET) as heats:
        while finishes.by_order.total() < FINISHES:
            await heats.start()
            *before, last = foreseen(seed_of(fleet, heats), rng)
            enough = asyncio.create_task(asyncio.sleep(len(before) / SLIDES_A_SECOND))
            await asyncio.gather(*(friend.makes_all(before) for friend in heats.friends))
            await finish_at_once(heats, last, rng, finishes)
            await enough


def seed_of(fleet: Fleet, heats: Heats) -> Seed:
    """Look a race's seed up in the store, as no client can: games whose draws are known are played in few messages."""
    race = race_id(TableId(heats.friends[0].table_id), heats.number)
    with fleet.client() as client:
        meta = client.hget(keys.race_key(race), "meta")
    assert isinstance(meta, bytes)
    return unpack_deal(meta).seed


def foreseen(seed: Seed, rng: random.Random) -> list[str]:
    """Give slides of which the last one makes the target."""
    while True:
        board, made = start_board(seed), list[str]()
        order = rng.sample(list(Direction), len(Direction))
        while found := next(((each, slid) for each in order if (slid := slide(board, each))), None):
            made.append(found[0].name.lower())
            if has_target(found[1].board):
                return made
            board = place(found[1].board, draw(seed, len(made) + 1))


def has_target(board: Board) -> bool:
    return max(max(row) for row in board.to_values()) >= TARGET


def finishing(friend: Sprinter) -> str | None:
    """Give a direction whose slide makes the target."""
    board = board_of(friend.board)
    for direction in Direction:
        made = slide(board, direction)
        if made is not None and has_target(made.board):
            return direction.name.lower()
    return None


async def finish_at_once(heats: Heats, direction: str, rng: random.Random, finishes: Finishes) -> None:
    """Have both make the finishing slide; see that one has won, and that the other's was refused."""
    now = asyncio.get_running_loop().time
    pair = rng.sample(heats.friends, 2)
    sent: list[float] = []

    async def finish(friend: Sprinter) -> Frame:
        sent.append(now())
        return await friend.makes(direction)

    answers = await asyncio.gather(*map(finish, pair))
    replay = await heats.over()
    kinds = [answer["type"] for answer in answers]
    assert sorted(kinds) == ["board", "refused"], answers
    won, lost = kinds.index("board"), kinds.index("refused")
    assert answers[lost]["code"] == "RACE_OVER"
    assert replay["verdict"] == {"winner": pair[won].seat, "tied": [], "reason": "TARGET"}
    assert replay["order"][-1] == pair[won].seat
    slides = {each["seat"]: len(each["slides"]) for each in replay["seats"]}
    assert slides[pair[won].seat] == slides[pair[lost].seat] + 1
    if heats.number % CHECKED_EVERY == 1:
        heats.check(replay)
    if sent[1] - sent[0] > 0.001:
        finishes.apart += 1
        return
    finishes.by_order[won] += 1
    finishes.by_gateway[heats.friends.index(pair[won])] += 1


async def test_a_winning_slide_a_resignation_and_an_agreement_at_the_deadline_have_one_verdict(
    fleet: Fleet, rng: random.Random, figures: Figures
) -> None:
    reasons: Counter[str] = Counter()
    async with asyncio.TaskGroup() as tasks:
        for _ in range(ENDING_TABLES):
            tasks.create_task(end_again_and_again(fleet, random.Random(rng.random()), reasons))
    assert {"TARGET", "TIME_UP"} <= reasons.keys(), reasons
    for reason, count in reasons.items():
        figures.note(f"ends that come at once: {reason}", count, promised=ENDINGS, unit="races")


async def end_again_and_again(fleet: Fleet, rng: random.Random, reasons: Counter[str]) -> None:
    async with meeting(fleet.bases, rng, 3, target=TARGET, clock_s=CLOCK_S) as heats:
        while reasons.total() < ENDINGS:
            await heats.start()
            replay = await end_at_once(heats, rng)
            heats.check(replay)
            reasons[replay["verdict"]["reason"]] += 1


async def end_at_once(heats: Heats, rng: random.Random) -> Frame:
    """Have one make the target, another resign and a third agree to the first's offer, all about the deadline."""
    one, quitter, peaceful = rng.sample(heats.friends, 3)
    race = one.table["race"]
    for friend in (quitter, peaceful):
        await friend.makes(friend.useful() or "up")
    await one.do("offer", race=heats.number)
    direction = await brink_before(one, race["deadline"] / 1000 - 0.1)

    async def at_about_the_deadline(kind: str, friend: Sprinter, **fields: object) -> None:
        await asyncio.sleep(race["deadline"] / 1000 + rng.uniform(-EARLY_S, LATE_S) - time.time())
        answer = await (
            friend.makes(direction) if kind == "slide" else friend.ask(kind, race=heats.number, **fields)
        )
        assert answer["type"] in {"board", "done"} or answer["code"] == "RACE_OVER", answer

    await asyncio.gather(
        at_about_the_deadline("slide", one),
        at_about_the_deadline("resign", quitter),
        at_about_the_deadline("answer", peaceful, agree=True),
    )
    return await heats.over()


async def brink_before(friend: Sprinter, at: float) -> str:
    """Slide until one more makes the target, or a time has come; give a slide to make then."""
    while (direction := finishing(friend)) is None and time.time() < at:
        await friend.makes(friend.careful() or "up")
    return direction or friend.careful() or "up"
