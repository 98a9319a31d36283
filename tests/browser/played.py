"""What keys make of a race's board, by the engine."""

from collections.abc import Iterable

from engine import Board, Direction, Seed, draw, place, slide, start_board


def played(seed: Seed, keys: Iterable[Direction]) -> tuple[list[Direction], Board]:
    """Give the slides that keys make, and the board after them; a key that moves nothing is none."""
    board, slid = start_board(seed), list[Direction]()
    for key in keys:
        made = slide(board, key)
        if made is not None:
            slid.append(key)
            board = place(made.board, draw(seed, len(slid) + 1))
    return slid, board
