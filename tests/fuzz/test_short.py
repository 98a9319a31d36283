"""A short run of every target, each from its seeds and on."""

import subprocess
import sys

SECONDS, INPUTS = 1, 10_000


def test_a_short_run_finds_no_fault(seed: int) -> None:
    """What it prints where it finds one says how to go that way again."""
    command = [
        sys.executable, "-m", "tests.fuzz", "--seed", str(seed + 1), "--seconds", str(SECONDS), "--inputs", str(INPUTS),
    ]  # fmt: skip
    run = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert run.returncode == 0, run.stdout + run.stderr[-3000:]
    assert run.stdout.count(" 0 faults") == 2  # in Python, and in the page
