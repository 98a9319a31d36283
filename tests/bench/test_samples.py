"""A profile's samples, as py-spy writes them for speedscope."""

import json
from pathlib import Path

import pytest
from bench.race import samples

FRAMES = [
    {"name": "main", "file": "/lib/python/game_service/__main__.py", "line": 1},
    {"name": "judge", "file": "/lib/python/game_service/judge.py", "line": 7},
    {"name": "judge", "file": "/lib/python/game_service/judge.py", "line": 9},
]


@pytest.fixture
def shares(tmp_path: Path) -> samples.Shares:
    """Read four samples of two threads: main alone, and judge under it twice and once under itself."""
    threads = [{"samples": [[0], [0, 1], [0, 2]]}, {"samples": [[0, 1, 2], []]}]
    path = tmp_path / "of.json"
    path.write_text(json.dumps({"shared": {"frames": FRAMES}, "profiles": threads}))
    return samples.read(path)


def test_samples_in_no_function_count_for_nothing(shares: samples.Shares) -> None:
    assert shares.samples == 4


def test_a_functions_own_time_is_where_a_sample_ends_at_whatever_line(shares: samples.Shares) -> None:
    assert shares.own == [("judge (game_service/judge.py)", 0.75), ("main (game_service/__main__.py)", 0.25)]


def test_a_function_that_calls_itself_counts_once(shares: samples.Shares) -> None:
    assert shares.cumulated == [
        ("main (game_service/__main__.py)", 1.0),
        ("judge (game_service/judge.py)", 0.75),
    ]
