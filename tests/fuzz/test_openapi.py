"""The HTTP interface answers what docs/openapi.json says, whatever it is asked: by schemathesis, with all its checks."""

import subprocess
import sys
from pathlib import Path

DOCUMENT = Path(__file__).parents[2] / "docs" / "openapi.json"
EXAMPLES, SECONDS = 8, 8
# Which names are taken, and which clocks are on offer, no schema can tell.
CONFIG = """
[[operations]]
include-operation-id = "openTable"
[operations.checks.positive_data_acceptance]
expected-statuses = ["2xx", 400]
"""


def test_the_interface_is_as_described(base: str, seed: int, tmp_path: Path) -> None:
    config = tmp_path / "schemathesis.toml"
    config.write_text(CONFIG)
    command = [
        sys.executable, "-m", "schemathesis.cli", "--config-file", str(config), "run", str(DOCUMENT), "--url", base,
        "--checks", "all", "--max-examples", str(EXAMPLES), "--max-time", str(SECONDS), "--seed", str(seed),
        "--continue-on-failure", "--generation-database", "none", "--no-color",
    ]  # fmt: skip
    ran = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert ran.returncode == 0, ran.stdout[-6000:] + ran.stderr[-2000:]
    assert "6 selected / 6 total" in ran.stdout
