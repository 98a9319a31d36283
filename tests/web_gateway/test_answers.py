"""Board frames written by hand have the shape that their type promises."""

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from web_gateway.answers import Snapshot, board_frame, snapshot_frame, values_of
from web_gateway.frames import server
from wire.slides import APPLIED, Answer, pack_answer, read_answers

CELLS = st.binary(min_size=16, max_size=16).map(lambda raw: bytes(byte % 18 for byte in raw))
MOTIONS = st.lists(st.tuples(st.integers(0, 15), st.integers(0, 15), st.booleans()), max_size=16).map(tuple)
IDS = st.none() | st.text(max_size=64) | st.integers(-(2**53), 2**53)
ANSWERS = st.builds(
    Answer,
    st.integers(0, 2**32 - 1), st.integers(1, 2**32 - 1), st.just(APPLIED), st.integers(0, 3),
    st.integers(0, 2**32 - 1), st.integers(0, 2**32 - 1), st.booleans(), CELLS,
    st.integers(0, 2**32 - 1), st.integers(0, 15), st.integers(1, 2), MOTIONS,
)  # fmt: skip
DIRECTIONS: tuple[server.DirectionWord, ...] = ("up", "down", "left", "right")


@given(ANSWERS, IDS)
def test_an_applied_slide_is_told_as_its_type_says(answer: Answer, re: str | int | None) -> None:
    ((record, motions),) = read_answers(pack_answer(answer))
    frame = msgspec.json.decode(board_frame(3, record, motions, re=re), type=server.Board, strict=True)
    assert frame == server.Board(
        race=3,
        n=answer.slides,
        cells=values_of(answer.cells),
        score=answer.score,
        stuck=answer.stuck,
        slide=server.SlideMade(
            direction=DIRECTIONS[answer.direction], points=answer.points, motions=answer.motions
        ),
        tile=server.Tile(cell=answer.tile_cell, value=1 << answer.tile_exponent),
        re=re,
    )


@given(CELLS, st.booleans(), IDS)
def test_a_snapshot_is_told_as_its_type_says(cells: bytes, stuck: bool, re: str | int | None) -> None:  # noqa: FBT001
    board = Snapshot(5, cells, 640, stuck)
    frame = msgspec.json.decode(snapshot_frame(1, board, re), type=server.Board, strict=True)
    assert (frame.n, frame.cells, frame.score, frame.stuck) == (5, values_of(cells), 640, stuck)
    assert (frame.slide, frame.tile, frame.re) == (None, None, re)
