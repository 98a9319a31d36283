"""A person in front of the page, in a browser of their own: real keys and clicks, every trouble noted."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from playwright.sync_api import Locator, Page, Request, Response

from engine import Board, Direction, slide

Figure = Literal["score", "biggest", "moves", "best"]
Choose = Callable[[Board], Direction | None]

KEYS = {
    Direction.UP: "ArrowUp",
    Direction.DOWN: "ArrowDown",
    Direction.LEFT: "ArrowLeft",
    Direction.RIGHT: "ArrowRight",
}
STEADY = (Direction.DOWN, Direction.LEFT, Direction.RIGHT, Direction.UP)
# The console says a violation of the policy, too, but not in every version.
TELL_VIOLATIONS = """addEventListener("securitypolicyviolation",
    ({violatedDirective, blockedURI}) => console.error(`policy: ${violatedDirective} ${blockedURI}`))"""
READ_CELLS = "cells => cells.map(({textContent}) => textContent === 'empty' ? 0 : Number(textContent))"
READ_MOVES = """screen => {
    const moves = document.querySelector(`${screen} [data-testid=moves]`);
    return moves.checkVisibility() ? Number(moves.textContent.replaceAll(",", "")) : null;
}"""
MOVED = f"([screen, before]) => ({READ_MOVES})(screen) !== before"


@dataclass
class Visitor:
    """One person; `where` is the board that they play on: `#board` alone, `race-screen` in a race."""

    page: Page
    where: str = "#board"
    troubles: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.add_init_script(TELL_VIOLATIONS)
        self.page.on("console", lambda said: self._note(said.type in {"error", "warning"}, said.text))
        self.page.on("pageerror", lambda error: self._note(True, str(error)))
        self.page.on("requestfailed", self._note_failed)
        self.page.on("response", self._note_refused)

    def _note(self, is_trouble: bool, words: str) -> None:  # noqa: FBT001
        if is_trouble:
            self.troubles.append(words)

    def _note_failed(self, request: Request) -> None:
        # What a page that is being left no longer waits for has not failed.
        left = request.failure == "net::ERR_ABORTED"
        self._note(not left, f"{request.method} {request.url}: {request.failure}")

    def _note_refused(self, response: Response) -> None:
        self._note(response.status >= 400, f"{response.url}: {response.status}")

    @property
    def copied(self) -> str:
        """What is on the clipboard, as one who pastes it: a page of ours may not read it."""
        field = self.page.evaluate_handle("document.body.appendChild(document.createElement('textarea'))")
        element = field.as_element()
        assert element is not None
        element.press("ControlOrMeta+V")
        text = element.input_value()
        element.evaluate("field => field.remove()")
        return text

    @property
    def values(self) -> list[int]:
        """The sixteen values of the board as it can be read cell by cell, 0 where empty."""
        found: list[int] = self.page.eval_on_selector_all(f"{self.where} td", READ_CELLS)
        return found

    @property
    def board(self) -> Board:
        values = self.values
        return Board.from_values([values[row : row + 4] for row in (0, 4, 8, 12)])

    def figure(self, name: Figure) -> int:
        shown = self.page.locator(self.screen).get_by_test_id(name).text_content()
        assert shown is not None
        return int(shown.replace(",", ""))

    def button(self, name: str) -> Locator:
        return self.page.get_by_role("button", name=name, exact=True)

    def press(self, direction: Direction) -> None:
        self.page.keyboard.press(KEYS[direction])

    def slide(self, choose: Choose | None = None) -> None:
        """Press the key of a useful direction, and wait until the slide is counted or the board is away."""
        moves = self.page.evaluate(READ_MOVES, self.screen)
        if moves is None:
            return  # the board went away since whoever asks has looked, as at the end of a race
        direction = (choose or first_useful)(self.board)
        assert direction is not None, "the board is stuck"
        self.press(direction)
        self.page.wait_for_function(MOVED, arg=[self.screen, moves])

    def slides(self, count: int, choose: Choose | None = None) -> None:
        for _ in range(count):
            self.slide(choose)

    @property
    def screen(self) -> str:
        """The element around board and figures."""
        return "main.solo" if self.where == "#board" else self.where


def useful(board: Board, order: Sequence[Direction] = STEADY) -> list[Direction]:
    """Give the directions that change a board, best first."""
    return [direction for direction in order if slide(board, direction)]


def first_useful(board: Board) -> Direction | None:
    """Give the steadiest direction that changes a board, None when it is stuck."""
    return next(iter(useful(board)), None)


def roomiest(board: Board) -> Direction | None:
    """Give the direction after which, or after the best one behind it, most cells are empty: of thousands of games that
    are played so none was stuck before its 64, where of those played by `first_useful` four in a thousand were.
    """
    made = {direction: found.board for direction in STEADY if (found := slide(board, direction))}
    return max(made, key=lambda direction: _room(made[direction]), default=None)


def _room(board: Board) -> int:
    behind = [len(found.board.empty_cells) for direction in STEADY if (found := slide(board, direction))]
    return max([len(board.empty_cells), *behind])
