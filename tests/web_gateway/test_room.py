"""How many sockets fit: as many files as the system allows, less those for all else."""

import subprocess
import sys

import pytest

from web_gateway.room import SPARE

PROGRAM = """
import resource, sys
from web_gateway.room import make_room
most, soft, hard = map(int, sys.argv[1:])
resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
print(make_room(most), *resource.getrlimit(resource.RLIMIT_NOFILE))
"""


@pytest.mark.parametrize(
    ("most", "soft", "hard", "fit", "files"),
    [
        (500, 300, 1_024, 500, 500 + SPARE),
        (500, 1_000, 1_024, 500, 1_000),
        (5_000, 300, 1_024, 1_024 - SPARE, 1_024),
    ],
)
def test_a_gateway_allows_itself_the_files_that_its_sockets_need(
    most: int, soft: int, hard: int, fit: int, files: int
) -> None:
    program = [sys.executable, "-c", PROGRAM, *map(str, (most, soft, hard))]
    told = subprocess.run(program, capture_output=True, text=True, check=True).stdout.splitlines()[-1]
    assert [int(number) for number in told.split()] == [fit, files, hard]
