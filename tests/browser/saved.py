"""Games on one's own as the page keeps them in the browser's storage (its js/solo/storage.js)."""

import json
from typing import TypedDict, cast

from tests.browser.visitor import Visitor

GAME = "tilerace.solo.game"
BEST = "tilerace.solo.best"


class Saved(TypedDict):
    """What is kept of a game; `board` has exponents."""

    format: int
    mode: str
    undo: str
    board: list[int]
    score: int
    slides: int
    won: bool
    word: str | None
    previous: dict[str, object] | None
    kept: str | None


def game_of(
    values: list[int], *, score: int = 0, slides: int = 100, won: bool = False, mode: str = "classic"
) -> Saved:
    """Describe a started game whose board has these sixteen values."""
    board = [value.bit_length() - 1 if value else 0 for value in values]
    return Saved(
        format=1, mode=mode, undo="one", board=board, score=score, slides=slides, won=won, word=None,
        previous=None, kept=None,
    )  # fmt: skip


def put(visitor: Visitor, game: Saved) -> None:
    """Have the page find this game when it opens."""
    visitor.page.goto("/rules")
    visitor.page.evaluate("([key, kept]) => localStorage.setItem(key, kept)", [GAME, json.dumps(game)])
    visitor.page.goto("/")


def kept(visitor: Visitor) -> Saved:
    """Read the game that the page keeps."""
    text = visitor.page.evaluate("key => localStorage.getItem(key)", GAME)
    return cast("Saved", json.loads(text))


def kept_values(visitor: Visitor) -> list[int]:
    """Read the board that the page keeps, as values."""
    return [2**exponent if exponent else 0 for exponent in kept(visitor)["board"]]
