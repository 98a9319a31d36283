"""A solo game: the same board and draws, with a win that is no end and a slide that can be taken back (docs/rules.md §3)."""

from dataclasses import dataclass, replace

from engine import errors
from engine.board import EMPTY, EXPONENTS, Board
from engine.draws import Draw, place
from engine.slide import Direction, can_slide, slide

WINNING_TILE = EXPONENTS[2048]


@dataclass(frozen=True, slots=True)
class Game:
    """A solo game at one moment; `before` is the game that Undo goes back to, None where it cannot.

    `classic` games are won by a 2048, once; `undo` says whether a slide can be taken back.
    """

    board: Board
    score: int = 0
    slides: int = 0
    won: bool = False
    classic: bool = True
    undo: bool = True
    before: "Game | None" = None

    @classmethod
    def begin(cls, first: Draw, second: Draw, *, classic: bool = True, undo: bool = True) -> "Game":
        """Begin with two tiles, each drawn like any other."""
        return cls(place(place(EMPTY, first), second), classic=classic, undo=undo)

    @property
    def over(self) -> bool:
        """Whether no slide changes the board."""
        return not can_slide(self.board)

    def slide(self, direction: Direction, drawn: Draw) -> "Game":
        """Slide, and place the draw kept for this slide's number.

        Raises:
            SlideChangesNothing: the draw stays unused.
        """
        made = slide(self.board, direction)
        if made is None:
            raise errors.SlideChangesNothing(direction.word)
        board = place(made.board, drawn)
        return replace(
            self,
            board=board,
            score=self.score + made.points,
            slides=self.slides + 1,
            won=self.won or (self.classic and made.board.biggest >= WINNING_TILE),
            before=replace(self, before=None) if self.undo else None,
        )

    def take_back(self) -> "Game":
        """Take the last slide back, once, a winning or a losing one too.

        Raises:
            NothingToUndo: there is none, it was taken back, or this game has no Undo.
        """
        if self.before is None:
            raise errors.NothingToUndo
        return self.before
