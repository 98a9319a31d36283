"""Draws: fair by their numbers, the same for everyone (docs/rules.md §2). Seeds are fixed, so nothing here is chance."""

import pytest

from engine import Board, Draw, Draws, Seed, commitment, draw, errors, start_board
from engine.draws import _read

SEEDS = [Seed(bytes([number]) * 32) for number in range(20)]
MANY = 2_000


def test_one_draw_in_ten_is_a_4() -> None:
    fours = sum(draw(seed, k).exponent == 2 for seed in SEEDS for k in range(MANY))
    # 40,000 draws: expected 4,000, standard deviation 60; four of them.
    assert abs(fours - 4_000) < 240


def test_a_draw_is_what_another_programs_hmac_says() -> None:
    # Made by OpenSSL 3: printf '\0\0\0\0\0\0\0\7' | openssl dgst -sha256 -mac HMAC -macopt hexkey:000102...1f
    digest = "dd12e3f09e85b8f1646d96744e4ecc0468d4e071ac6be42f731dd79a3bb857e2"
    seed = Seed(bytes(range(32)))
    assert draw(seed, 7) == Draws(seed)[7] == Draw(1, int(digest[16:32], 16))


def test_a_4_is_drawn_below_a_tenth_of_all_numbers_and_not_at_it() -> None:
    tenth = 2**64 // 10
    for a, exponent in ((0, 2), (tenth - 1, 2), (tenth, 1), (2**64 - 1, 1)):
        assert _read(a.to_bytes(8, "big") + bytes(24)) == Draw(exponent, 0)


@pytest.mark.parametrize("empty", [1, 2, 7, 16])
def test_the_empty_cells_are_hit_alike(empty: int) -> None:
    board = Board(bytes([0] * empty + [1] * (16 - empty)))
    hits = [0] * empty
    for seed in SEEDS[:10]:
        for k in range(MANY):
            hits[draw(seed, k).cell(board)] += 1
    expected = 10 * MANY / empty
    chi_squared = sum((hit - expected) ** 2 / expected for hit in hits)
    # 0.999 quantiles of chi-squared at empty - 1 degrees of freedom.
    assert chi_squared <= {1: 0.0, 2: 10.83, 7: 22.46, 16: 37.70}[empty]


def test_tile_and_cell_are_independent() -> None:
    board = Board(bytes(16))
    fours = [draw(seed, k).cell(board) for seed in SEEDS for k in range(MANY) if draw(seed, k).exponent == 2]
    expected = len(fours) / 16
    assert sum((fours.count(cell) - expected) ** 2 / expected for cell in range(16)) < 37.70


def test_the_first_two_draws_make_the_start_board() -> None:
    for seed in SEEDS:
        cells = start_board(seed).cells
        assert sorted(cells)[:14] == [0] * 14
        assert sorted(cells)[14:] == sorted([draw(seed, 0).exponent, draw(seed, 1).exponent])


def test_remembered_draws_are_the_same_draws() -> None:
    draws = Draws(SEEDS[3])
    assert [draws[k] for k in (5, 3000, 5, 0)] == [draw(SEEDS[3], k) for k in (5, 3000, 5, 0)]
    for k in range(3000):
        assert draws[k] == draw(SEEDS[3], k)


def test_few_draws_are_kept_however_long_a_race_is_and_more_where_asked() -> None:
    few, many = Draws(SEEDS[3]), Draws(SEEDS[3], kept=500)
    assert [few[k] for k in range(600)] == [many[k] for k in range(600)]
    assert len(few._known) <= 8
    assert few[0] is few[0]
    assert len(few._known) < len(many._known) <= 500


def test_a_seed_is_32_bytes_and_is_never_shown() -> None:
    with pytest.raises(errors.BadSeed, match="32 bytes") as caught:
        Draws(Seed(b"secret"))
    assert "secret" not in str(caught.value)
    assert SEEDS[1].hex() not in repr(Draws(SEEDS[1]))
    assert commitment(SEEDS[1]) not in repr(Draws(SEEDS[1]))


def test_draws_are_equal_where_their_seeds_are() -> None:
    assert Draws(SEEDS[1]) == Draws(SEEDS[1]) != Draws(SEEDS[2])
    assert hash(Draws(SEEDS[1])) == hash(Draws(SEEDS[1]))
