"""The examples in docs/socket.md are frames: each is read and written by the type it is an example of."""

from typing import get_args

import msgspec
import pytest

from engine import Board, Direction, Seed, draw, place, slide, start_board
from web_gateway.frames import client, examples, server
from web_gateway.frames.examples import example_of

FROM_CLIENT: tuple[type[msgspec.Struct], ...] = get_args(client.ClientFrame)
FROM_SERVER: tuple[type[msgspec.Struct], ...] = get_args(server.ServerFrame)


@pytest.mark.parametrize("kind", FROM_CLIENT)
def test_what_a_client_may_send_is_read_as_what_it_shows(kind: type[msgspec.Struct]) -> None:
    found = client.read(example_of(kind))
    assert type(found) is kind
    assert found in examples.CLIENT


@pytest.mark.parametrize("kind", FROM_SERVER)
def test_what_the_server_sends_is_of_its_type_field_by_field(kind: type[msgspec.Struct]) -> None:
    found = msgspec.json.decode(example_of(kind), type=kind)
    assert found in examples.SERVER
    assert msgspec.json.encode(found).decode() == example_of(kind)


def test_every_frame_has_one_example() -> None:
    assert [type(each) for each in examples.CLIENT] == list(FROM_CLIENT)
    assert [type(each) for each in examples.SERVER] == list(FROM_SERVER)


def test_the_board_shown_is_what_the_seed_and_the_slides_make() -> None:
    [reveal] = [each for each in examples.SERVER if isinstance(each, server.Reveal)]
    [shown] = [each for each in examples.SERVER if isinstance(each, server.Board)]
    seed = Seed(bytes.fromhex(reveal.seed))
    first = after(start_board(seed), Direction.LEFT, seed, k=2)
    assert values(first) == reveal.boards[1].cells
    assert values(after(first, Direction.DOWN, seed, k=3)) == reveal.boards[0].cells == shown.cells
    made = slide(first, Direction.DOWN)
    assert made is not None
    assert shown.slide is not None
    assert shown.slide.points == made.points
    assert shown.slide.motions == tuple((each.origin, each.target, each.merged) for each in made.motions)


def after(board: Board, direction: Direction, seed: Seed, *, k: int) -> Board:
    made = slide(board, direction)
    assert made is not None
    return place(made.board, draw(seed, k))


def values(board: Board) -> tuple[int, ...]:
    return tuple(value for row in board.to_values() for value in row)
