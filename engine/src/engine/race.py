"""A race: two to four racers on the same draws, as pure transitions (docs/rules.md §4).

Every transition takes the time as an argument, and returns a new race or raises an error named for the broken rule.
Whoever stores a race judges start and deadline by the store's clock again; what is decided here is decided by `now`.
"""

from dataclasses import dataclass, field, replace
from typing import NamedTuple, Self

from engine import errors
from engine.board import VALUES
from engine.draws import Draw, Draws, Seed, start_board
from engine.offer import ClosedOffer, Offer, OfferOutcome
from engine.rules import LEAST_RACERS, OFFER_AGAIN_MS, OFFER_AGAIN_SLIDES, SEATS, Millis, Rules, Seat
from engine.slide import Direction, Slide, can_slide, slide
from engine.slots import named, slot_setters
from engine.standing import Out, Racer, Standing
from engine.verdict import Reason, Verdict, judge


class Slid(NamedTuple):
    """A slide that counted: the race after it, what it moved, the draw that followed and the cell it landed in."""

    race: "Race"
    slide: Slide
    draw: Draw
    cell: int


@dataclass(frozen=True, slots=True, init=False)
class Race:
    """A race at one moment. `racers` are ordered by seat; `slides` counts those of all racers.

    `starts_at` and `deadline` (None without a clock) are milliseconds of the store's clock.
    """

    rules: Rules
    draws: Draws = field(repr=False)
    starts_at: Millis
    racers: tuple[Racer, ...]
    slides: int = 0
    offer: Offer | None = None
    last_offer: ClosedOffer | None = None
    verdict: Verdict | None = None

    def __init__(
        self,
        rules: Rules,
        draws: Draws,
        starts_at: Millis,
        racers: tuple[Racer, ...],
        slides: int = 0,
        offer: Offer | None = None,
        last_offer: ClosedOffer | None = None,
        verdict: Verdict | None = None,
    ) -> None:
        """Take all fields by their slots, as Racer does."""
        _set_rules(self, rules)
        _set_draws(self, draws)
        _set_starts_at(self, starts_at)
        _set_racers(self, racers)
        _set_slides(self, slides)
        _set_offer(self, offer)
        _set_last_offer(self, last_offer)
        _set_verdict(self, verdict)

    @classmethod
    def deal(cls, seed: Seed, rules: Rules, seats: tuple[Seat, ...], *, starts_at: Millis) -> Self:
        """Deal the same start board to each seat.

        Raises:
            BadSeats: they are not two to four different ones from 1 to 4.
            BadSeed: the seed is not 32 bytes.
        """
        if len(seats) < LEAST_RACERS or len(set(seats)) != len(seats) or not set(seats) <= set(SEATS):
            raise errors.BadSeats(seats)
        draws = Draws(seed)
        board = start_board(seed)
        return cls(rules, draws, starts_at, tuple(Racer(seat, board) for seat in sorted(seats)))

    @property
    def seed(self) -> Seed:
        """The secret that the draws come from."""
        return self.draws.seed

    @property
    def deadline(self) -> Millis | None:
        """When the clock runs out, or None without one."""
        return None if self.rules.clock_ms is None else Millis(self.starts_at + self.rules.clock_ms)

    @property
    def standings(self) -> tuple[Standing, ...]:
        """What everyone may know of the racers."""
        return tuple(Standing.of(racer) for racer in self.racers)

    def racer(self, seat: Seat) -> Racer:
        """Find a racer.

        Raises:
            NotARacer: that seat was not dealt in.
        """
        for racer in self.racers:
            if racer.seat == seat:
                return racer
        raise errors.NotARacer(seat)

    def slide(self, seat: Seat, direction: Direction, *, now: Millis) -> Slid:
        """Slide a racer's board; the draw that follows is its own slide's number + 1.

        Raises:
            RaceOver, NotStartedYet, NotARacer, OutOfRace, RacerStuck, SlideChangesNothing: as they say.
        """
        racer = self._who_acts(seat, now)
        if racer.stuck:
            raise errors.RacerStuck(seat)
        made = slide(racer.board, direction)
        if made is None:
            raise errors.SlideChangesNothing(direction.word)
        drawn = self.draws.after(racer.slides + 1)
        cell = drawn.cell(made.board)
        board = made.board.with_tile(cell, drawn.exponent)
        race = self if self.offer is None else self._offer_after_slide(seat, now)
        moved = race.racer(seat).moved(board, made.points, stuck=not can_slide(board))
        after = race._with(moved, slides=self.slides + 1)._judged_slide(seat, made)
        return named(Slid, (after, made, drawn, cell))

    def resign(self, seat: Seat, *, now: Millis) -> "Race":
        """Put a racer out who gives up; this counts from the deal on.

        Raises:
            RaceOver, NotARacer, OutOfRace: as they say.
        """
        return self._put_out(self._who_is_in(seat, now), Out.RESIGNED, now)

    def leave_behind(self, seat: Seat, *, now: Millis) -> "Race":
        """Put a racer out whose grace is over; whether it is over is the table's to know.

        Raises:
            RaceOver, NotARacer, OutOfRace: as they say.
            RacerStuck: a stuck racer's score stands and nobody races on without it.
        """
        racer = self._who_is_in(seat, now)
        if racer.stuck:
            raise errors.RacerStuck(seat)
        return self._put_out(racer, Out.LEFT_BEHIND, now)

    def make_offer(self, seat: Seat, *, now: Millis) -> "Race":
        """Offer that all who are in the race tie; the offerer has agreed.

        Raises:
            RaceOver, NotStartedYet, NotARacer, OutOfRace: as they say.
            OfferStands: one at a time.
            OfferTooSoon: the racer's last offer closed less than 10 own slides and 20 seconds ago.
        """
        racer = self._who_acts(seat, now)
        race = self.lapse(now=now)
        racer = race.racer(seat)
        if race.offer is not None:
            raise errors.OfferStands(race.offer.by)
        if now < racer.offer_again_at and racer.slides < racer.offer_again_from:
            raise errors.OfferTooSoon(racer.offer_again_from - racer.slides, racer.offer_again_at - now)
        return replace(race, offer=Offer.made(seat, now))

    def answer_offer(self, seat: Seat, *, agree: bool, now: Millis) -> "Race":
        """Agree to the offer that stands, or decline it.

        Raises:
            RaceOver, NotStartedYet, NotARacer, OutOfRace: as they say.
            NoOffer: none stands, or it has lapsed.
            AlreadyAnswered: this racer has agreed, as the offerer has.
        """
        self._who_acts(seat, now)
        offer = self.offer
        if offer is None or now >= offer.until:
            raise errors.NoOffer
        if seat in offer.agreed:
            raise errors.AlreadyAnswered(seat)
        if not agree:
            return self._close_offer(offer, OfferOutcome.DECLINED, seat=seat, at=now)
        return replace(self, offer=offer.with_agreed(seat))._judged_offer(seat, now)

    def lapse(self, *, now: Millis) -> "Race":
        """Close an offer that nobody turned down in time, as of its end; the same race where none is due."""
        if self.verdict is not None or self.offer is None or now < self.offer.until:
            return self
        return self._close_offer(self.offer, OfferOutcome.LAPSED, seat=None, at=self.offer.until)

    def expire(self, *, now: Millis) -> "Race":
        """End a race whose deadline has passed; the same race before it, without a clock, or when it is over."""
        if self.verdict is not None or self.deadline is None or now < self.deadline:
            return self
        return replace(self, verdict=judge(self.racers, self.offer, time_is_up=True), offer=None)

    def _who_is_in(self, seat: Seat, now: Millis) -> Racer:
        clock_ms = self.rules.clock_ms
        if self.verdict is not None or (clock_ms is not None and now >= self.starts_at + clock_ms):
            raise errors.RaceOver
        racer = self.racer(seat)
        if racer.out is not None:
            raise errors.OutOfRace(seat)
        return racer

    def _who_acts(self, seat: Seat, now: Millis) -> Racer:
        racer = self._who_is_in(seat, now)
        if now < self.starts_at:
            raise errors.NotStartedYet(self.starts_at, now)
        return racer

    def _with(self, changed: Racer, *, slides: int) -> "Race":
        racers = tuple([changed if racer.seat == changed.seat else racer for racer in self.racers])
        return Race(self.rules, self.draws, self.starts_at, racers, slides, self.offer, self.last_offer)

    def _judged(self, made_target: Seat | None = None) -> "Race":
        verdict = judge(self.racers, self.offer, made_target=made_target)
        return self if verdict is None else replace(self, verdict=verdict, offer=None)

    def _judged_slide(self, seat: Seat, made: Slide) -> "Race":
        """Judge after a slide, which can end a race only by the target or where a racer is stuck."""
        if self._is_target_in(made):
            return self._judged(made_target=seat)
        for racer in self.racers:
            if racer.stuck:
                return self._judged()
        return self

    def _is_target_in(self, made: Slide) -> bool:
        """Whether one of the slide's merges made the target."""
        target = self.rules.target
        if target is None or made.points < target:
            return False
        cells = made.board.cells
        return any(motion.merged and VALUES[cells[motion.target]] == target for motion in made.motions)

    def _put_out(self, racer: Racer, out: Out, now: Millis) -> "Race":
        race = self.lapse(now=now)
        gone = replace(race.racer(racer.seat), out=out)
        return race._with(gone, slides=race.slides)._judged_offer(racer.seat, now)

    def _judged_offer(self, seat: Seat, now: Millis) -> "Race":
        """Judge after an event that may complete an offer; `seat` is whose event it was."""
        judged = self._judged()
        if self.offer is None or judged.verdict is None or judged.verdict.reason is not Reason.AGREED:
            return judged
        return replace(judged, last_offer=ClosedOffer(self.offer.by, OfferOutcome.AGREED, seat, now))

    def _offer_after_slide(self, seat: Seat, now: Millis) -> "Race":
        race = self.lapse(now=now)
        if race.offer is None or seat in race.offer.agreed:
            return race
        return race._close_offer(race.offer, OfferOutcome.SLID, seat=seat, at=now)

    def _close_offer(self, offer: Offer, outcome: OfferOutcome, *, seat: Seat | None, at: Millis) -> "Race":
        offerer = self.racer(offer.by)
        quiet = replace(
            offerer,
            offer_again_at=Millis(at + OFFER_AGAIN_MS),
            offer_again_from=offerer.slides + OFFER_AGAIN_SLIDES,
        )
        closed = ClosedOffer(offer.by, outcome, seat, at)
        return replace(self._with(quiet, slides=self.slides), offer=None, last_offer=closed)


(
    _set_rules,
    _set_draws,
    _set_starts_at,
    _set_racers,
    _set_slides,
    _set_offer,
    _set_last_offer,
    _set_verdict,
) = slot_setters(Race)
