"""docs/fairness.md: whoever checks a race as it says finds what the engine finds."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
(PROGRAM,) = re.findall(r"```python\n(.+?)```", (ROOT / "docs" / "fairness.md").read_text(), re.DOTALL)
CASES = json.loads((ROOT / "tests" / "page" / "replay_races.json").read_text())["cases"]
NAMES = [case["name"] for case in CASES]


def checked(replay: dict[str, Any]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-I", "-c", PROGRAM],
        input=json.dumps(replay),
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("case", CASES, ids=NAMES)
def test_the_program_finds_the_boards_and_scores_that_the_engine_found(case: dict[str, Any]) -> None:
    said = checked(case["replay"]).stdout.splitlines()
    assert said[0] == f"commitment holds: {case['replay']['commitment']}"
    assert said[1:] == [
        f"seat {final['seat']} score {final['score']} {[2**exponent if exponent else 0 for exponent in final['cells']]}"
        for final in case["finals"]
    ]


def test_the_program_says_that_another_seed_does_not_hold() -> None:
    said = checked(CASES[0]["replay"] | {"seed": "00" * 32}).stdout
    assert said.startswith("commitment DOES NOT HOLD")


def test_the_program_says_which_slide_was_never_made() -> None:
    replay = next(case["replay"] for case in CASES if "race to 64" in case["name"])
    wrong = json.loads(json.dumps(replay))
    wrong["seats"][0]["slides"] = [[0, "up"]] * 40
    found = checked(wrong)
    assert found.returncode == 1
    assert re.match(r"slide \d+ of seat 1 changes nothing", found.stderr)
