"""Errors: each is raised by the rule it is named for, and carries what it judged by."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from engine import Board, Direction, Draw, Draws, Game, Millis, Race, Rules, Seat, Seed, errors

ANN, BO, CY = Seat(1), Seat(2), Seat(3)
NOW = Millis(1_000)
RACE = Race.deal(Seed(bytes(32)), Rules(clock_ms=60_000), (ANN, BO), starts_at=NOW)
THREE = Race.deal(Seed(bytes(32)), Rules(), (ANN, BO, CY), starts_at=NOW)
OFFERED = RACE.make_offer(ANN, now=NOW)
ONE_TILE = Board(bytes([1] + [0] * 15))


def on(board: Board, *, stuck: bool = False) -> Race:
    return replace(RACE, racers=(replace(RACE.racers[0], board=board, stuck=stuck), RACE.racers[1]))


Broken = tuple[type[errors.RuleBroken], Callable[[], object], dict[str, object]]
BROKEN: list[Broken] = [
    (errors.BadBoard, lambda: Board.from_cells(b"\x12"), {"given": b"\x12"}),
    (errors.BadSeed, lambda: Draws(Seed(b"1234")), {"length": 4}),
    (errors.BadRules, lambda: Rules(100, 5), {"target": 100, "clock_ms": 5}),
    (errors.BadSeats, lambda: Race.deal(Seed(bytes(32)), Rules(), (ANN,), starts_at=NOW), {"seats": (1,)}),
    (
        errors.NotStartedYet,
        lambda: RACE.slide(ANN, Direction.LEFT, now=Millis(10)),
        {"starts_at": 1_000, "now": 10},
    ),
    (errors.RaceOver, lambda: RACE.resign(ANN, now=NOW).resign(BO, now=NOW), {}),
    (errors.NotARacer, lambda: RACE.resign(CY, now=NOW), {"seat": 3}),
    (errors.OutOfRace, lambda: THREE.resign(CY, now=NOW).resign(CY, now=NOW), {"seat": 3}),
    (errors.RacerStuck, lambda: on(ONE_TILE, stuck=True).leave_behind(ANN, now=NOW), {"seat": 1}),
    (
        errors.SlideChangesNothing,
        lambda: on(ONE_TILE).slide(ANN, Direction.UP, now=NOW),
        {"direction": "up"},
    ),
    (errors.NoOffer, lambda: RACE.answer_offer(BO, agree=True, now=NOW), {}),
    (errors.AlreadyAnswered, lambda: OFFERED.answer_offer(ANN, agree=True, now=NOW), {"seat": 1}),
    (errors.OfferStands, lambda: OFFERED.make_offer(BO, now=NOW), {"by": 1}),
    (
        errors.OfferTooSoon,
        lambda: OFFERED.answer_offer(BO, agree=False, now=NOW).make_offer(ANN, now=NOW),
        {"slides": 10, "wait_ms": 20_000},
    ),
    (errors.NothingToUndo, lambda: Game.begin(Draw(1, 0), Draw(1, 0)).take_back(), {}),
]


def test_every_error_has_a_case_here() -> None:
    assert {error for error, _, _ in BROKEN} == set(errors.RuleBroken.__subclasses__())


@pytest.mark.parametrize(("error", "call", "carried"), BROKEN, ids=[error.__name__ for error, _, _ in BROKEN])
def test_an_error_is_raised_by_its_rule_and_carries_its_values(
    error: type[errors.RuleBroken], call: Callable[[], object], carried: dict[str, object]
) -> None:
    with pytest.raises(error) as caught:
        call()
    assert vars(caught.value) == carried
    assert isinstance(caught.value, ValueError)
    assert str(caught.value)
