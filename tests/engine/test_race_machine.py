"""Races of two to four through any order of events, every rule checked after each against a judge by hand."""

from collections.abc import Callable
from dataclasses import replace
from functools import reduce

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from tests.engine.judge_by_hand import ByHand

from engine import (
    AnswerEvent,
    Board,
    Direction,
    Draw,
    Draws,
    Event,
    ExpireEvent,
    LapseEvent,
    LeftBehindEvent,
    LogEntry,
    Millis,
    OfferEvent,
    Race,
    Racer,
    ResignEvent,
    Rules,
    Seat,
    Seed,
    SlideEvent,
    apply,
    can_slide,
    errors,
    place,
    replay,
    slide,
)

STARTS_AT = 1_000_000
# One slide to the right from stuck, whatever tile follows. The second earns 512 on the way.
ALMOST_STUCK = bytes([7, 8, 7, 8, 8, 7, 8, 7, 7, 8, 7, 8, 9, 10, 9, 0])
ALMOST_STUCK_AHEAD = bytes([7, 8, 7, 8, 8, 7, 8, 7, 7, 8, 7, 8, 9, 12, 8, 8])
ALMOST_64 = bytes([5, 5, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
SEATS = st.integers(1, 4).map(Seat)


def four_of(*boards: bytes | None) -> st.SearchStrategy[list[bytes | None]]:
    return st.lists(st.sampled_from(boards), min_size=4, max_size=4)


@pytest.mark.parametrize("exponent", [1, 2])
@pytest.mark.parametrize("cells", [ALMOST_STUCK, ALMOST_STUCK_AHEAD])
def test_the_boards_that_races_start_from_are_one_slide_from_stuck(cells: bytes, exponent: int) -> None:
    made = slide(Board(cells), Direction.RIGHT)
    assert made is not None
    assert can_slide(Board(cells))
    assert not can_slide(place(made.board, Draw(exponent, 0)))


class RaceMachine(RuleBasedStateMachine):
    """Does each event to the engine's race and by hand."""

    def __init__(self) -> None:
        super().__init__()
        self.log: list[LogEntry] = []
        self.dealt = False

    @initialize(
        seed=st.binary(min_size=32, max_size=32),
        seats=st.sets(SEATS, min_size=2, max_size=4),
        tile=st.sampled_from([None, None, 64, 2048]),
        clock=st.sampled_from([None, 60_000]),
        boards=st.one_of(
            st.just([None] * 4),
            four_of(ALMOST_STUCK, ALMOST_STUCK_AHEAD),
            four_of(ALMOST_STUCK, ALMOST_64),
            four_of(None, ALMOST_STUCK, ALMOST_STUCK_AHEAD, ALMOST_64),
        ),
        early=st.booleans(),
        steadfast=st.booleans(),
    )
    def deal(
        self,
        seed: bytes,
        *,
        seats: set[Seat],
        tile: int | None,
        clock: int | None,
        boards: list[bytes | None],
        early: bool,
        steadfast: bool,
    ) -> None:
        self.now = STARTS_AT - 3_000 if early else STARTS_AT
        self.steadfast = steadfast  # else most races would end by resigning
        self.chosen = Rules(tile, clock)
        self.race = Race.deal(Seed(seed), self.chosen, tuple(sorted(seats)), starts_at=Millis(STARTS_AT))
        self.dealt = not any(boards)
        racers = tuple(
            racer if given is None else self.racer_on(racer.seat, given)
            for racer, given in zip(self.race.racers, boards, strict=False)
        )
        self.race = self.began = replace(self.race, racers=racers)
        self.hand = ByHand(
            seed,
            tile,
            None if clock is None else STARTS_AT + clock,
            STARTS_AT,
            {racer.seat: list(racer.board.cells) for racer in racers},
        )

    @staticmethod
    def racer_on(seat: Seat, cells: bytes) -> Racer:
        board = Board.from_cells(cells)
        return Racer(seat, board, stuck=not can_slide(board))

    def happen(self, event: Event, by_hand: Callable[[], str | None]) -> None:
        entry = LogEntry(Millis(self.now), event)
        expected = by_hand()
        broken = None
        try:
            self.race = apply(self.race, entry)
            self.log.append(entry)
        except errors.RuleBroken as error:
            broken = type(error).__name__
        assert broken == expected

    @rule(passed=st.sampled_from([1, 500, 3_000, 20_000, 30_000]))
    def time_passes(self, passed: int) -> None:
        self.now += passed

    @rule(seat=SEATS, direction=st.sampled_from(Direction))
    def slides(self, seat: Seat, direction: Direction) -> None:
        self.happen(SlideEvent(seat, direction), lambda: self.hand.slide(seat, direction.word, self.now))

    @rule(seat=SEATS, directions=st.lists(st.sampled_from(Direction), min_size=10, max_size=40))
    def slides_many_times(self, seat: Seat, directions: list[Direction]) -> None:
        for direction in directions:
            self.slides(seat, direction)

    @rule(seat=SEATS)
    def slides_right_or_left(self, seat: Seat) -> None:
        self.now = max(self.now, STARTS_AT)
        self.slides(seat, Direction.RIGHT)
        self.slides(seat, Direction.LEFT)

    @rule(seats=st.permutations([1, 2, 3, 4]))
    def all_slide_right_or_left(self, seats: list[int]) -> None:
        for seat in seats:
            self.slides_right_or_left(Seat(seat))

    @precondition(lambda self: not self.steadfast)
    @rule(seat=SEATS)
    def resigns(self, seat: Seat) -> None:
        self.happen(ResignEvent(seat), lambda: self.hand.put_out(seat, "resigned", self.now))

    @precondition(lambda self: not self.steadfast)
    @rule(seat=SEATS)
    def is_left_behind(self, seat: Seat) -> None:
        self.happen(LeftBehindEvent(seat), lambda: self.hand.put_out(seat, "left behind", self.now))

    @rule(seat=SEATS)
    def offers(self, seat: Seat) -> None:
        self.happen(OfferEvent(seat), lambda: self.hand.make_offer(seat, self.now))

    @rule(seat=SEATS, agree=st.booleans())
    def answers(self, seat: Seat, agree: bool) -> None:  # noqa: FBT001
        self.happen(AnswerEvent(seat, agree), lambda: self.hand.answer(seat, self.now, agree=agree))

    @rule()
    def all_agree(self) -> None:
        for seat in self.hand.boards:
            self.answers(Seat(seat), agree=True)

    @rule(seat=SEATS, other=SEATS)
    def offers_and_another_declines(self, seat: Seat, other: Seat) -> None:
        self.offers(seat)
        self.answers(other, agree=False)

    @rule(seat=SEATS, passed=st.sampled_from([29_999, 30_000, 45_000, 50_000]))
    def offers_and_waits(self, seat: Seat, passed: int) -> None:
        self.offers(seat)
        self.now += passed

    @rule()
    def an_offer_may_lapse(self) -> None:
        self.happen(LapseEvent(), lambda: self.hand.lapse(self.now))

    @precondition(lambda self: self.hand.deadline is not None)
    @rule(late=st.sampled_from([-1, 0, 5]))
    def the_deadline_is_near(self, late: int) -> None:
        self.now = max(self.now, STARTS_AT + 60_000 + late)
        self.the_deadline_may_have_passed()

    @rule()
    def the_deadline_may_have_passed(self) -> None:
        self.happen(ExpireEvent(), lambda: self.hand.expire(self.now))

    @invariant()
    def boards_scores_and_counts_agree(self) -> None:
        for racer in self.race.racers:
            assert list(racer.board.cells) == self.hand.boards[racer.seat]
            assert (racer.score, racer.slides) == (self.hand.scores[racer.seat], self.hand.counts[racer.seat])
            assert racer.stuck == self.hand.stuck(racer.seat)
            assert (racer.out is not None) == (racer.seat in self.hand.out)
        assert self.race.slides == sum(self.hand.counts.values())

    @invariant()
    def the_verdict_agrees_and_names_winner_or_tied(self) -> None:
        verdict = self.race.verdict
        if self.hand.ended is None:
            assert verdict is None
            return
        reason, winners = self.hand.ended
        assert verdict is not None
        assert verdict.reason.name == reason
        if len(winners) == 1 and reason != "AGREED":
            assert (verdict.winner, verdict.tied) == (min(winners), ())
        else:
            assert (verdict.winner, set(verdict.tied)) == (None, winners)
        assert not {verdict.winner, *verdict.tied} & set(self.hand.out)

    @invariant()
    def the_offer_agrees(self) -> None:
        if self.hand.ended or self.hand.offer is None:
            assert self.race.offer is None
        else:
            assert self.race.offer is not None
            by, agreed, until = self.hand.offer
            assert (self.race.offer.by, set(self.race.offer.agreed), self.race.offer.until) == (
                by,
                agreed,
                until,
            )

    @invariant()
    def how_the_last_offer_ended_agrees(self) -> None:
        closed = self.race.last_offer
        told = None if closed is None else (closed.by, closed.outcome.name, closed.seat, closed.at)
        assert told == self.hand.last

    @invariant()
    def the_standings_tell_what_everyone_may_know(self) -> None:
        for standing in self.race.standings:
            seat = standing.seat
            assert (standing.score, standing.slides) == (self.hand.scores[seat], self.hand.counts[seat])
            assert standing.biggest == 2 ** max(self.hand.boards[seat])
            state = "OUT" if seat in self.hand.out else "STUCK" if self.hand.stuck(seat) else "SLIDING"
            assert standing.state.name == state

    def teardown(self) -> None:
        if not hasattr(self, "race"):
            return
        assert reduce(apply, self.log, self.began) == self.race
        if self.dealt:
            seats = tuple(racer.seat for racer in self.race.racers)
            again = replay(self.race.seed, self.chosen, seats, self.log, starts_at=Millis(STARTS_AT))
            assert again == self.race
        assert self.race.seed.hex() not in repr(self.race)
        assert self.race.draws == Draws(self.race.seed)


TestRace = RaceMachine.TestCase
TestRace.settings = settings(max_examples=150, stateful_step_count=40)
