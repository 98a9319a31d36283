"""Racers and how they stand (docs/rules.md §4)."""

from dataclasses import dataclass, field
from enum import IntEnum

from engine.board import VALUES, Board
from engine.rules import Millis, Seat
from engine.slots import slot_setters

_LONG_AGO = Millis(0)


class Out(IntEnum):
    """Why a racer is out; the numbers are stored."""

    RESIGNED = 1
    LEFT_BEHIND = 2


class RacerState(IntEnum):
    """What a racer can still do; the numbers are stored."""

    SLIDING = 1
    STUCK = 2
    OUT = 3


@dataclass(frozen=True, slots=True, init=False)
class Racer:
    """A racer of a race: the own board, score and number of slides, and whether out.

    `stuck` is kept beside the board, so that judging a race looks at no board again. An offer may be made again from
    `offer_again_at` (milliseconds) or from own slide `offer_again_from`, whichever comes first.
    """

    seat: Seat
    board: Board = field(repr=False)
    score: int = 0
    slides: int = 0
    out: Out | None = None
    stuck: bool = False
    offer_again_at: Millis = _LONG_AGO
    offer_again_from: int = 0

    def __init__(
        self,
        seat: Seat,
        board: Board,
        score: int = 0,
        slides: int = 0,
        out: Out | None = None,
        stuck: bool = False,  # noqa: FBT001, FBT002 - in the order of the fields, as a dataclass has it
        offer_again_at: Millis = _LONG_AGO,
        offer_again_from: int = 0,
    ) -> None:
        """Take all fields by their slots: one is made a slide, and a frozen dataclass takes thrice as long."""
        _set_seat(self, seat)
        _set_board(self, board)
        _set_score(self, score)
        _set_slides(self, slides)
        _set_out(self, out)
        _set_stuck(self, stuck)
        _set_offer_again_at(self, offer_again_at)
        _set_offer_again_from(self, offer_again_from)

    @property
    def biggest(self) -> int:
        """The value of the biggest tile."""
        return VALUES[self.board.biggest]

    @property
    def state(self) -> RacerState:
        """Sliding, stuck or out; out comes first."""
        if self.out is not None:
            return RacerState.OUT
        return RacerState.STUCK if self.stuck else RacerState.SLIDING

    def moved(self, board: Board, points: int, *, stuck: bool) -> "Racer":
        """Make the racer after one more slide, which left that board."""
        score, slides = self.score + points, self.slides + 1
        return Racer(
            self.seat, board, score, slides, self.out, stuck, self.offer_again_at, self.offer_again_from
        )


(
    _set_seat,
    _set_board,
    _set_score,
    _set_slides,
    _set_out,
    _set_stuck,
    _set_offer_again_at,
    _set_offer_again_from,
) = slot_setters(Racer)


@dataclass(frozen=True, slots=True)
class Standing:
    """What everyone may know of a racer before the end: no board, no slide."""

    seat: Seat
    score: int
    biggest: int
    slides: int
    state: RacerState
    out: Out | None

    @classmethod
    def of(cls, racer: Racer) -> "Standing":
        """Tell how a racer stands."""
        return cls(racer.seat, racer.score, racer.biggest, racer.slides, racer.state, racer.out)
