"""Boards and slides: faults that others suffered, and what holds of every slide (docs/rules.md §1)."""

import doctest
import pkgutil
from importlib import import_module

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.engine import naive

import engine
from engine import Board, Direction, Draw, can_slide, errors, place, slide

TILES = st.one_of(st.just(0), st.integers(1, 3), st.integers(0, 17))
BOARDS = st.lists(TILES, min_size=16, max_size=16).map(lambda cells: Board.from_cells(bytes(cells)))
DIRECTIONS = st.sampled_from(Direction)


def row(*values: int, word: str = "left") -> tuple[list[int], int] | None:
    made = slide(Board.from_values([list(values), [0] * 4, [0] * 4, [0] * 4]), Direction.from_word(word))
    return None if made is None else (made.board.to_values()[0], made.points)


def column(*values: int, word: str) -> tuple[list[int], int] | None:
    made = slide(Board.from_values([[0, 0, value, 0] for value in values]), Direction.from_word(word))
    return None if made is None else ([line[2] for line in made.board.to_values()], made.points)


@pytest.mark.parametrize("module", [name for _, name, _ in pkgutil.iter_modules(engine.__path__)])
def test_the_examples_in_the_docs_hold(module: str) -> None:
    assert doctest.testmod(import_module(f"engine.{module}")).failed == 0


class TestFaultsOfOthers:
    def test_no_double_merge_in_one_slide(self) -> None:
        assert row(8, 8, 16, 0) == ([16, 16, 0, 0], 16)
        assert row(4, 4, 8, 0) == ([8, 8, 0, 0], 8)

    @pytest.mark.parametrize(("word", "after"), [("left", [4, 2, 0, 0]), ("right", [0, 0, 2, 4])])
    def test_the_odd_one_of_three_stays_away_from_the_wall(self, word: str, after: list[int]) -> None:
        assert row(2, 2, 2, 0, word=word) == (after, 4)

    @pytest.mark.parametrize(("word", "after"), [("up", [4, 2, 0, 0]), ("down", [0, 0, 2, 4])])
    def test_the_odd_one_of_three_does_so_in_a_column_too(self, word: str, after: list[int]) -> None:
        assert column(2, 2, 2, 0, word=word) == (after, 4)

    def test_two_merges_in_one_row(self) -> None:
        assert row(2, 2, 2, 2) == ([4, 4, 0, 0], 8)

    def test_fours_are_drawn(self) -> None:
        assert {engine.draw(engine.Seed(bytes(32)), k).exponent for k in range(100)} == {1, 2}

    @pytest.mark.parametrize("pair", ["across", "down"])
    def test_a_full_board_with_an_equal_pair_is_not_stuck(self, pair: str) -> None:
        full = [[2, 4, 2, 4], [4, 2, 4, 2], [2, 4, 2, 4], [4, 2, 4, 2]]
        assert not can_slide(Board.from_values(full))
        full[3][3] = full[3][2] if pair == "across" else full[2][3]
        assert can_slide(Board.from_values(full))

    def test_a_useless_slide_is_no_slide(self) -> None:
        assert row(2, 4, 8, 16) is None
        assert row(2, 4, 0, 0) is None

    def test_tiles_past_2048_and_past_65536_merge_up_to_131072(self) -> None:
        for exponent in range(11, 17):
            assert row(1 << exponent, 1 << exponent, 0, 0) == ([2 << exponent, 0, 0, 0], 2 << exponent)

    def test_two_of_the_biggest_tiles_never_merge_and_may_leave_a_board_stuck(self) -> None:
        assert row(131072, 131072, 0, 0) is None
        assert not can_slide(Board(bytes([17, 17, 1, 2, 3, 4, 3, 1, 1, 2, 1, 2, 3, 4, 3, 1])))


class TestBoards:
    @given(BOARDS)
    def test_a_board_is_read_back_from_its_values(self, board: Board) -> None:
        assert Board.from_values(board.to_values()) == board

    @pytest.mark.parametrize(
        "rows", [[], [[0] * 4] * 3, [[0] * 3] * 4, [[3] + [0] * 3] + [[0] * 4] * 3, [[262144] + [0] * 3] + [[0] * 4] * 3,
                 [[1] + [0] * 3] + [[0] * 4] * 3, [[-2] + [0] * 3] + [[0] * 4] * 3]
    )  # fmt: skip
    def test_what_is_no_board_is_refused(self, rows: list[list[int]]) -> None:
        with pytest.raises(errors.BadBoard, match="4 x 4"):
            Board.from_values(rows)

    @pytest.mark.parametrize("cells", [b"", bytes(15), bytes(17), bytes([18]) + bytes(15), b"\xff" * 16])
    def test_what_is_no_board_in_exponents_is_refused(self, cells: bytes) -> None:
        with pytest.raises(errors.BadBoard):
            Board.from_cells(cells)

    def test_a_direction_is_one_of_four_words(self) -> None:
        assert [Direction.from_word(word).word for word in ("up", "down", "left", "right")] == [
            "up", "down", "left", "right",
        ]  # fmt: skip
        with pytest.raises(ValueError, match="up, down, left or right"):
            Direction.from_word("north")


class TestEverySlide:
    @given(BOARDS, DIRECTIONS)
    def test_is_what_moving_tiles_one_by_one_makes(self, board: Board, direction: Direction) -> None:
        made = slide(board, direction)
        ours = made and (list(made.board.cells), made.points, list(made.motions))
        assert ours == naive.slide(list(board.cells), direction.word)
        assert can_slide(board) == naive.can_slide(list(board.cells))

    @given(BOARDS, DIRECTIONS)
    def test_conserves_the_sum_of_tiles(self, board: Board, direction: Direction) -> None:
        made = slide(board, direction)
        if made is not None:
            assert sum(map(sum, made.board.to_values())) == sum(map(sum, board.to_values()))

    @given(BOARDS, DIRECTIONS)
    def test_has_the_points_that_its_merges_made(self, board: Board, direction: Direction) -> None:
        made = slide(board, direction)
        if made is not None:
            values = [value for line in made.board.to_values() for value in line]
            assert made.points == sum(
                values[cell] for cell in {motion.target for motion in made.motions if motion.merged}
            )

    @given(BOARDS, DIRECTIONS)
    def test_merges_no_fresh_tile_again(self, board: Board, direction: Direction) -> None:
        made = slide(board, direction)
        if made is None:
            return
        for cell in {motion.target for motion in made.motions if motion.merged}:
            came = [motion.origin for motion in made.motions if motion.target == cell]
            stayed = cell not in {motion.origin for motion in made.motions}
            assert len(came) + (stayed and board.cells[cell] > 0) == 2
            assert all(board.cells[origin] == made.board.cells[cell] - 1 for origin in came)

    @given(BOARDS, DIRECTIONS)
    def test_is_told_whole_by_its_motions(self, board: Board, direction: Direction) -> None:
        made = slide(board, direction)
        if made is None:
            return
        cells = list(board.cells)
        for motion in made.motions:
            cells[motion.origin] = 0
        for motion in made.motions:
            cells[motion.target] = board.cells[motion.origin] + motion.merged
        assert bytes(cells) == made.board.cells

    @given(BOARDS, DIRECTIONS)
    def test_that_changes_nothing_again_is_none(self, board: Board, direction: Direction) -> None:
        made = slide(board, direction)
        assert made is None or made.board != board

    @given(BOARDS)
    def test_exists_unless_the_board_is_stuck_or_empty(self, board: Board) -> None:
        some = any(slide(board, direction) for direction in Direction)
        assert can_slide(board) == (some or 0 in board.cells)

    @given(BOARDS.filter(lambda board: 0 in board.cells), st.integers(1, 2), st.integers(0, 2**64 - 1))
    def test_is_followed_by_one_tile_in_an_empty_cell(
        self, board: Board, exponent: int, fraction: int
    ) -> None:
        drawn = Draw(exponent, fraction)
        placed = place(board, drawn)
        changed = [cell for cell in range(16) if placed.cells[cell] != board.cells[cell]]
        assert changed == [drawn.cell(board)]
        assert (list(placed.cells), changed[0]) == naive.place(list(board.cells), (exponent, fraction))
        assert board.cells[changed[0]] == 0
        assert placed.cells[changed[0]] == exponent
