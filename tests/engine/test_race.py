"""Races: each ending by itself, and faults that others suffered (docs/rules.md §4)."""

from dataclasses import fields, replace

import pytest

from engine import (
    Board,
    ClosedOffer,
    Direction,
    Millis,
    OfferOutcome,
    Out,
    Race,
    Racer,
    Reason,
    Rules,
    Seat,
    Seed,
    Standing,
    Verdict,
    draw,
    errors,
)
from engine.draws import Draw
from engine.game import Game

SEED = Seed(bytes(range(32)))
ANN, BO, CY = Seat(1), Seat(2), Seat(3)
START = Millis(1_000_000)
NOW = Millis(START + 1_000)
STUCK = Board(bytes([1, 2, 1, 2, 2, 1, 2, 1, 1, 2, 1, 2, 2, 1, 2, 1]))
LEFT_MAKES_64 = Board(bytes([5, 5] + [0] * 14))
# A left slide makes 64 in the only pair, and the tile that follows, a 2 or a 4, leaves no pair.
LEFT_MAKES_64_AND_STICKS = Board(bytes([5, 5, 8, 9, 8, 9, 10, 11, 11, 10, 9, 8, 8, 9, 10, 11]))


def dealt(*seats: Seat, target: int | None = None, clock_ms: int | None = None) -> Race:
    return Race.deal(SEED, Rules(target, clock_ms), seats or (ANN, BO), starts_at=START)


def on(race: Race, seat: Seat, board: Board, score: int = 0) -> Race:
    changed = Racer(seat, board, score, stuck=board is STUCK)
    return replace(race, racers=tuple(changed if racer.seat == seat else racer for racer in race.racers))


class TestEndings:
    def test_making_the_target_wins_at_once(self) -> None:
        race = on(dealt(target=64), ANN, LEFT_MAKES_64).slide(ANN, Direction.LEFT, now=NOW).race
        assert race.verdict == Verdict(ANN, (), Reason.TARGET)

    def test_the_slide_that_makes_the_target_wins_even_if_it_leaves_the_board_stuck(self) -> None:
        slid = on(dealt(target=64), ANN, LEFT_MAKES_64_AND_STICKS).slide(ANN, Direction.LEFT, now=NOW)
        assert slid.race.racer(ANN).stuck
        assert slid.race.verdict == Verdict(ANN, (), Reason.TARGET)

    def test_the_last_in_the_race_wins(self) -> None:
        race = dealt(ANN, BO, CY).resign(BO, now=NOW)
        assert race.verdict is None
        assert race.resign(CY, now=NOW).verdict == Verdict(ANN, (), Reason.LAST_IN_RACE)

    def test_a_stuck_racer_is_outscored_at_once_by_one_who_is_ahead_and_can_slide(self) -> None:
        race = on(on(dealt(), ANN, STUCK, 100), BO, LEFT_MAKES_64, 90)
        assert race.slide(BO, Direction.LEFT, now=NOW).race.verdict == Verdict(BO, (), Reason.OUTSCORED)

    def test_being_level_with_a_standing_score_is_not_enough(self) -> None:
        race = on(on(dealt(), ANN, STUCK, 100), BO, LEFT_MAKES_64, 36)
        assert race.slide(BO, Direction.LEFT, now=NOW).race.verdict is None

    def test_a_rival_who_can_slide_keeps_the_race_open(self) -> None:
        race = on(on(dealt(ANN, BO, CY), ANN, STUCK, 0), BO, LEFT_MAKES_64, 999)
        assert race.slide(BO, Direction.LEFT, now=NOW).race.verdict is None
        assert race.resign(CY, now=NOW).verdict == Verdict(BO, (), Reason.OUTSCORED)

    def test_a_standing_score_counts_no_more_once_its_racer_is_out(self) -> None:
        race = on(on(dealt(ANN, BO, CY), ANN, STUCK, 999), BO, STUCK, 5)
        assert race.verdict is None
        after = race.resign(ANN, now=NOW)
        assert after.slide(CY, Direction.LEFT, now=NOW).race.racer(CY).score in {0, 4}

    def test_at_the_deadline_the_highest_score_in_the_race_wins_and_out_racers_do_not(self) -> None:
        race = on(on(dealt(ANN, BO, CY, clock_ms=60_000), ANN, STUCK, 50), BO, LEFT_MAKES_64, 40)
        late = Millis(START + 60_000)
        assert race.expire(now=Millis(late - 1)) is race
        assert race.expire(now=late).verdict == Verdict(ANN, (), Reason.TIME_UP)
        assert race.resign(ANN, now=NOW).expire(now=late).verdict == Verdict(BO, (), Reason.TIME_UP)

    def test_at_the_deadline_a_shared_score_is_a_tie_of_those_who_share_it(self) -> None:
        race = on(dealt(ANN, BO, CY, clock_ms=60_000), CY, LEFT_MAKES_64, -1)
        assert race.expire(now=Millis(START + 60_000)).verdict == Verdict(None, (ANN, BO), Reason.TIME_UP)

    def test_the_target_is_noticed_in_any_row_whatever_stands_before_it(self) -> None:
        for first in range(4):
            rows = [[2, 0, 0, 4], [0, 2, 0, 0], [0, 0, 0, 0], [2, 0, 8, 0]]
            rows[first] = [0, 1024, 0, 1024]
            slid = on(dealt(target=2048), ANN, Board.from_values(rows)).slide(ANN, Direction.LEFT, now=NOW)
            assert slid.race.verdict == Verdict(ANN, (), Reason.TARGET)

    def test_of_two_finishing_slides_the_first_wins_and_the_other_is_refused(self) -> None:
        race = on(on(dealt(target=64), ANN, LEFT_MAKES_64), BO, LEFT_MAKES_64)
        won = race.slide(BO, Direction.LEFT, now=NOW).race
        with pytest.raises(errors.RaceOver):
            won.slide(ANN, Direction.LEFT, now=NOW)
        assert won.verdict == Verdict(BO, (), Reason.TARGET)

    def test_the_last_rival_who_gets_stuck_below_has_lost_at_that_moment(self) -> None:
        race = on(on(dealt(), ANN, LEFT_MAKES_64_AND_STICKS), BO, LEFT_MAKES_64, 65)
        assert race.slide(ANN, Direction.LEFT, now=NOW).race.verdict == Verdict(BO, (), Reason.OUTSCORED)

    def test_when_nobody_can_slide_a_shared_highest_score_is_a_tie_and_the_others_lose(self) -> None:
        race = on(on(dealt(ANN, BO, CY), ANN, LEFT_MAKES_64_AND_STICKS), BO, STUCK, 64)
        over = on(race, CY, STUCK, 63).slide(ANN, Direction.LEFT, now=NOW).race
        assert over.verdict == Verdict(None, (ANN, BO), Reason.ALL_STUCK)


class TestTime:
    def test_no_slide_counts_before_the_start(self) -> None:
        with pytest.raises(errors.NotStartedYet, match="1000 ms"):
            dealt().slide(ANN, Direction.LEFT, now=Millis(START - 1_000))

    def test_a_resignation_counts_from_the_deal_on(self) -> None:
        assert dealt().resign(BO, now=Millis(START - 1)).verdict == Verdict(ANN, (), Reason.LAST_IN_RACE)

    @pytest.mark.parametrize("late", [0, 1, 10**9])
    def test_at_the_deadline_and_after_it_only_the_expiry_happens(self, late: int) -> None:
        race, now = dealt(clock_ms=60_000), Millis(START + 60_000 + late)
        for call in (
            lambda: race.slide(ANN, Direction.LEFT, now=now),
            lambda: race.resign(ANN, now=now),
            lambda: race.leave_behind(ANN, now=now),
            lambda: race.make_offer(ANN, now=now),
        ):
            with pytest.raises(errors.RaceOver):
                call()
        assert race.expire(now=now).verdict is not None

    def test_nothing_sent_after_the_end_changes_a_board(self) -> None:
        race = dealt().resign(BO, now=NOW)
        with pytest.raises(errors.RaceOver):
            race.slide(ANN, Direction.LEFT, now=NOW)
        assert race.expire(now=NOW) is race.lapse(now=NOW) is race


class TestOffers:
    def test_who_offers_has_agreed_and_cannot_accept_alone(self) -> None:
        race = dealt().make_offer(ANN, now=NOW)
        with pytest.raises(errors.AlreadyAnswered):
            race.answer_offer(ANN, agree=True, now=NOW)
        assert race.verdict is None

    def test_when_all_in_the_race_have_agreed_all_of_them_tie(self) -> None:
        race = dealt(ANN, BO, CY).make_offer(BO, now=NOW)
        for seat in (ANN, CY):
            race = race.answer_offer(seat, agree=True, now=NOW)
        assert race.verdict == Verdict(None, (ANN, BO, CY), Reason.AGREED)
        assert race.last_offer == ClosedOffer(BO, OfferOutcome.AGREED, CY, NOW)

    def test_the_offerers_own_slides_do_not_turn_it_down_and_those_of_one_who_agreed_neither(self) -> None:
        race = dealt(ANN, BO, CY).make_offer(ANN, now=NOW).answer_offer(BO, agree=True, now=NOW)
        for seat in (ANN, BO):
            for direction in Direction:
                try:
                    race = race.slide(seat, direction, now=NOW).race
                except errors.SlideChangesNothing:
                    continue
        assert race.offer is not None

    def test_a_slide_of_one_who_has_not_agreed_turns_it_down(self) -> None:
        race = dealt().make_offer(ANN, now=NOW)
        race = on(race, BO, LEFT_MAKES_64).slide(BO, Direction.LEFT, now=NOW).race
        assert race.last_offer == ClosedOffer(ANN, OfferOutcome.SLID, BO, NOW)

    def test_a_useless_slide_turns_nothing_down(self) -> None:
        race = on(dealt().make_offer(ANN, now=NOW), BO, LEFT_MAKES_64)
        with pytest.raises(errors.SlideChangesNothing):
            race.slide(BO, Direction.UP, now=NOW)
        assert race.offer is not None

    def test_declining_turns_it_down(self) -> None:
        race = dealt().make_offer(ANN, now=NOW).answer_offer(BO, agree=False, now=NOW)
        assert race.last_offer == ClosedOffer(ANN, OfferOutcome.DECLINED, BO, NOW)
        with pytest.raises(errors.NoOffer):
            race.answer_offer(BO, agree=True, now=NOW)

    def test_it_lapses_after_30_seconds(self) -> None:
        race = dealt().make_offer(ANN, now=NOW)
        assert race.lapse(now=Millis(NOW + 29_999)) is race
        assert race.lapse(now=Millis(NOW + 30_000)).last_offer == ClosedOffer(
            ANN, OfferOutcome.LAPSED, None, Millis(NOW + 30_000)
        )
        with pytest.raises(errors.NoOffer):
            race.answer_offer(BO, agree=True, now=Millis(NOW + 30_000))

    def test_it_has_lapsed_at_its_end_however_late_that_is_noticed(self) -> None:
        race = on(dealt().make_offer(ANN, now=NOW), ANN, LEFT_MAKES_64)
        lapsed, late = Millis(NOW + 30_000), Millis(NOW + 50_000)
        assert race.lapse(now=late).last_offer == ClosedOffer(ANN, OfferOutcome.LAPSED, None, lapsed)
        assert race.make_offer(ANN, now=late).offer is not None
        with pytest.raises(errors.OfferTooSoon):
            race.make_offer(ANN, now=Millis(late - 1))

    def test_the_offerers_own_slide_that_notices_the_lapse_leaves_the_wait_as_it_is(self) -> None:
        race = on(dealt().make_offer(ANN, now=NOW), ANN, LEFT_MAKES_64)
        lapsed = Millis(NOW + 30_000)
        slid = race.slide(ANN, Direction.LEFT, now=lapsed).race
        with pytest.raises(errors.OfferTooSoon, match="9 more slides"):
            slid.make_offer(ANN, now=lapsed)

    def test_one_at_a_time(self) -> None:
        with pytest.raises(errors.OfferStands):
            dealt().make_offer(ANN, now=NOW).make_offer(BO, now=NOW)

    def test_the_same_racer_waits_20_seconds_or_10_own_slides_and_others_do_not(self) -> None:
        race = dealt().make_offer(ANN, now=NOW).answer_offer(BO, agree=False, now=NOW)
        with pytest.raises(errors.OfferTooSoon, match="10 more slides"):
            race.make_offer(ANN, now=Millis(NOW + 19_999))
        assert race.make_offer(ANN, now=Millis(NOW + 20_000)).offer is not None
        assert race.make_offer(BO, now=NOW).offer is not None
        slid = race
        while slid.racer(ANN).slides < 10:
            for direction in Direction:
                try:
                    slid = slid.slide(ANN, direction, now=NOW).race
                except errors.SlideChangesNothing:
                    continue
                break
        assert slid.make_offer(ANN, now=NOW).offer is not None

    def test_an_offer_of_one_who_goes_out_stands_until_then(self) -> None:
        race = dealt(ANN, BO, CY).make_offer(ANN, now=NOW).resign(ANN, now=NOW)
        assert race.offer is not None
        race = race.answer_offer(BO, agree=True, now=NOW).answer_offer(CY, agree=True, now=NOW)
        assert race.verdict == Verdict(None, (BO, CY), Reason.AGREED)

    def test_when_those_who_had_not_agreed_go_out_it_is_a_tie_but_the_last_one_wins_first(self) -> None:
        race = dealt(ANN, BO, CY).make_offer(ANN, now=NOW)
        agreed = race.answer_offer(BO, agree=True, now=NOW).resign(CY, now=NOW)
        assert agreed.verdict == Verdict(None, (ANN, BO), Reason.AGREED)
        alone = race.resign(BO, now=NOW).resign(CY, now=NOW)
        assert alone.verdict == Verdict(ANN, (), Reason.LAST_IN_RACE)


class TestSlides:
    def test_a_useless_slide_counts_nothing_and_uses_no_draw(self) -> None:
        race = on(dealt(), ANN, LEFT_MAKES_64)
        with pytest.raises(errors.SlideChangesNothing):
            race.slide(ANN, Direction.UP, now=NOW)
        slid = race.slide(ANN, Direction.LEFT, now=NOW)
        assert slid.draw == draw(SEED, 2)
        assert (slid.race.racer(ANN).slides, slid.race.slides) == (1, 1)

    def test_the_same_number_of_slides_has_met_the_same_draws(self) -> None:
        race = on(on(dealt(), ANN, LEFT_MAKES_64), BO, LEFT_MAKES_64)
        first = race.slide(ANN, Direction.LEFT, now=NOW)
        second = first.race.slide(BO, Direction.LEFT, now=NOW)
        assert (first.draw, first.cell) == (second.draw, second.cell)

    def test_a_slide_changes_no_other_racers_board(self) -> None:
        race = on(dealt(ANN, BO, CY), ANN, LEFT_MAKES_64)
        slid = race.slide(ANN, Direction.LEFT, now=NOW).race
        assert slid.racers[1:] == race.racers[1:]


class TestSecrets:
    def test_a_race_shows_neither_its_seed_nor_a_board(self) -> None:
        race = on(dealt(), ANN, LEFT_MAKES_64)
        assert repr(SEED) not in repr(race)
        assert repr(LEFT_MAKES_64.cells) not in repr(race)

    def test_a_standing_has_no_field_for_board_slide_or_seed(self) -> None:
        assert {each.name for each in fields(Standing)} == {
            "seat", "score", "biggest", "slides", "state", "out",
        }  # fmt: skip


class TestRacers:
    def test_nobody_can_race_on_without_a_stuck_racer(self) -> None:
        with pytest.raises(errors.RacerStuck):
            on(dealt(), BO, STUCK).leave_behind(BO, now=NOW)
        assert dealt().leave_behind(BO, now=NOW).racer(BO).out is Out.LEFT_BEHIND

    def test_a_stuck_racer_cannot_slide(self) -> None:
        with pytest.raises(errors.RacerStuck):
            on(dealt(), BO, STUCK).slide(BO, Direction.LEFT, now=NOW)

    def test_who_is_out_does_nothing_more(self) -> None:
        race = dealt(ANN, BO, CY).resign(BO, now=NOW)
        with pytest.raises(errors.OutOfRace):
            race.slide(BO, Direction.LEFT, now=NOW)
        with pytest.raises(errors.OutOfRace):
            race.resign(BO, now=NOW)

    def test_who_was_not_dealt_in_does_nothing(self) -> None:
        with pytest.raises(errors.NotARacer):
            dealt().slide(CY, Direction.LEFT, now=NOW)

    def test_everyone_begins_alike(self) -> None:
        race = dealt(ANN, BO, CY)
        assert len({racer.board for racer in race.racers}) == 1

    @pytest.mark.parametrize("seats", [(), (1,), (1, 1), (0, 1), (4, 5), (1, 2, 3, 4, 4)])
    def test_a_race_is_dealt_to_two_to_four_different_seats(self, seats: tuple[Seat, ...]) -> None:
        with pytest.raises(errors.BadSeats):
            Race.deal(SEED, Rules(), seats, starts_at=START)

    @pytest.mark.parametrize(
        ("target", "clock_ms"), [(32, None), (100, None), (16384, None), (0, None), (None, 0), (None, -1)]
    )
    def test_rules_that_no_race_can_have_are_refused(self, target: int | None, clock_ms: int | None) -> None:
        with pytest.raises(errors.BadRules):
            Rules(target, clock_ms)


class TestAlone:
    def test_undo_takes_back_one_slide_and_meets_the_same_draw(self) -> None:
        first, second, third = Draw(1, 0), Draw(1, 2**62), Draw(2, 2**63)
        game = Game.begin(first, second)
        slid = game.slide(Direction.RIGHT, third)
        assert slid.take_back() == game
        assert slid.take_back().slide(Direction.RIGHT, third) == slid
        with pytest.raises(errors.NothingToUndo):
            slid.take_back().take_back()

    def test_without_undo_every_slide_is_final(self) -> None:
        game = Game.begin(Draw(1, 0), Draw(1, 2**62), undo=False)
        with pytest.raises(errors.NothingToUndo):
            game.slide(Direction.RIGHT, Draw(1, 0)).take_back()

    def test_a_win_is_no_end_and_undo_takes_it_back(self) -> None:
        game = Game(Board(bytes([10, 10] + [0] * 14)))
        won = game.slide(Direction.LEFT, Draw(1, 0))
        assert won.won
        assert not won.over
        assert not won.take_back().won
        assert not replace(game, classic=False).slide(Direction.LEFT, Draw(1, 0)).won

    def test_the_winning_slide_that_also_leaves_the_board_stuck_is_a_win(self) -> None:
        full = Board(bytes([10, 10, 8, 9, 8, 9, 4, 5, 5, 4, 9, 8, 8, 9, 4, 5]))
        game = Game(full).slide(Direction.LEFT, Draw(1, 0))
        assert game.won
        assert game.over

    def test_a_useless_slide_is_refused(self) -> None:
        with pytest.raises(errors.SlideChangesNothing):
            Game(Board(bytes([1, 2] + [0] * 14))).slide(Direction.LEFT, Draw(1, 0))
