"""Stretches of a race: slides on which nothing turns, counted without making a race of each (docs/rules.md §4)."""

from dataclasses import dataclass, replace

from engine.board import Board
from engine.draws import place
from engine.race import Race
from engine.rules import Millis, Seat
from engine.slide import Direction, can_slide, slide
from engine.standing import Racer, RacerState


@dataclass(slots=True)
class _Lane:
    """What slides change of a racer."""

    board: Board
    score: int
    slides: int


class Stretch:
    """A race that goes on by slides alone; what `Race.slide` makes of them, for whoever wants the last race only.

    It judges nothing: a slide that might be refused, touch an offer, make the target or stick its board is not taken,
    and none is where one slide can end the race. Those are for the race itself.
    """

    __slots__ = ("_began", "_deadline", "_draws", "_lanes", "_starts_at", "_target")

    def __init__(self, race: Race) -> None:
        """Go on from a race."""
        self._began = race
        self._draws = race.draws
        self._starts_at, self._deadline = race.starts_at, race.deadline
        self._target = race.rules.target
        sliding = [racer for racer in race.racers if racer.state is RacerState.SLIDING]
        # With two who can slide, none is the last and none outscores all.
        open_ended = race.verdict is None and race.offer is None and len(sliding) > 1
        self._lanes = {
            racer.seat: _Lane(racer.board, racer.score, racer.slides)
            for racer in (sliding if open_ended else ())
        }

    def slide(self, seat: Seat, direction: Direction, *, now: Millis) -> bool:
        """Slide as in the race, or leave everything as it was and say so."""
        lane = self._lanes.get(seat)
        if lane is None or now < self._starts_at or (self._deadline is not None and now >= self._deadline):
            return False
        made = slide(lane.board, direction)
        if made is None or (self._target is not None and made.points >= self._target):
            return False
        board = place(made.board, self._draws.after(lane.slides + 1))
        if not can_slide(board):
            return False
        lane.board = board
        lane.score += made.points
        lane.slides += 1
        return True

    @property
    def race(self) -> Race:
        """The race after the slides that were taken."""
        racers = tuple(self._moved(racer) for racer in self._began.racers)
        more = sum(racer.slides for racer in racers) - sum(racer.slides for racer in self._began.racers)
        return replace(self._began, racers=racers, slides=self._began.slides + more) if more else self._began

    def _moved(self, racer: Racer) -> Racer:
        lane = self._lanes.get(racer.seat)
        if lane is None:
            return racer
        return replace(racer, board=lane.board, score=lane.score, slides=lane.slides)
