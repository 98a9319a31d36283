"""How many connections fit: as many files as the system allows, less those for all else."""

import subprocess
import sys

import pytest

from web_gateway.room import SPARE

PROGRAM = """
import resource, sys
from web_gateway.room import make_room
most, soft, hard = map(int, sys.argv[1:])
resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
print(*make_room(most), *resource.getrlimit(resource.RLIMIT_NOFILE))
"""


@pytest.mark.parametrize(
    ("most", "soft", "hard", "fit", "callers", "files"),
    [
        (500, 300, 4_096, 500, 100, 600 + SPARE),
        (500, 3_000, 4_096, 500, 100, 3_000),
        (5_000, 300, SPARE + 3_000, 2_500, 500, SPARE + 3_000),
        (5_000, 300, 1_024, 425, 85, 1_024),
    ],
)
def test_a_gateway_allows_itself_the_files_that_its_connections_need(
    most: int, soft: int, hard: int, fit: int, callers: int, files: int
) -> None:
    program = [sys.executable, "-c", PROGRAM, *map(str, (most, soft, hard))]
    told = subprocess.run(program, capture_output=True, text=True, check=True).stdout.splitlines()[-1]
    assert [int(number) for number in told.split()] == [fit, callers, files, hard]
