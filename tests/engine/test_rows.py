"""Every one of the 18^4 lines, both ways, against the naive second implementation (docs/rules.md §1)."""

from itertools import product

from tests.engine import naive

from engine import Board, Direction, slide

BLANK = [0] * 12


def test_every_line_slides_as_the_rules_say_both_ways() -> None:
    checked = 0
    for row in product(range(18), repeat=4):
        board = Board(bytes(row) + bytes(12))
        for direction in (Direction.LEFT, Direction.RIGHT):
            made = slide(board, direction)
            ours = made and (list(made.board.cells), made.points, list(made.motions))
            assert ours == naive.slide([*row, *BLANK], direction.word)
            checked += 1
    assert checked == 2 * 18**4
