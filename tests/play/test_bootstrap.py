"""Making the workspace ready: what old Pythons are told, what the locks hold, and what is done again when."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.play.one_machine import ROOT

from play.workspace.steps import MEMBERS, Workspace

BOOTSTRAP = ROOT / "play" / "bootstrap.py"
LOCKS = ("requirements.lock", "requirements-dev.lock", "package-lock.json", "bench/peers/package-lock.json")
SETTINGS = (
    ".npmrc",
    "package.json",
    "bench/peers/.npmrc",
    "bench/peers/package.json",
    "pyproject.toml",
    "requirements/runtime.in",
    "requirements/dev.in",
    "Makefile",
)


def test_an_old_python_can_read_what_it_is_given() -> None:
    ast.parse(BOOTSTRAP.read_text(), feature_version=(3, 6))


@pytest.mark.parametrize("version", ["(2, 7, 18)", "(3, 6, 15)", "(3, 10, 13)"])
def test_an_old_python_is_told_in_one_sentence(version: str) -> None:
    pretend = f"import runpy, sys; sys.version_info = {version}; runpy.run_path({str(BOOTSTRAP)!r})"
    ended = subprocess.run([sys.executable, "-c", pretend], capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    assert ended.stdout == ""
    assert len(ended.stderr.splitlines()) == 1
    assert ended.stderr.startswith("tilerace needs Python 3.11 or newer")


@pytest.mark.parametrize("name", [*LOCKS, *SETTINGS])
def test_no_lock_and_no_setting_names_an_address(name: str) -> None:
    assert not re.findall(r'\w+://|"resolved"', (ROOT / name).read_text())


@pytest.mark.parametrize(
    ("changed", "to_play", "for_development"),
    [
        ("nothing", True, True),
        ("requirements.lock", False, False),
        ("requirements-dev.lock", True, False),
        ("package-lock.json", True, False),
        ("engine/pyproject.toml", False, False),
        ("proto/tilerace/game.proto", False, False),
    ],
)
def test_only_what_was_made_from_a_changed_file_is_made_again(
    workspace: Workspace, changed: str, *, to_play: bool, for_development: bool
) -> None:
    with (workspace.root / changed).open("a") as file:
        file.write("changed")
    assert workspace.is_ready(dev=False) is to_play
    assert workspace.is_ready(dev=True) is for_development


def test_peers_are_installed_only_to_be_measured_and_again_when_their_lock_changed(
    workspace: Workspace,
) -> None:
    assert workspace.is_ready(dev=True, peers=True)
    with (workspace.root / "bench/peers/package-lock.json").open("a") as file:
        file.write("changed")
    assert workspace.is_ready(dev=True)
    assert not workspace.is_ready(dev=True, peers=True)


def test_without_an_environment_nothing_is_ready(workspace: Workspace) -> None:
    workspace.python.unlink()
    assert not workspace.is_ready(dev=False)


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """Lay out a workspace in which every step has been done."""
    files = [
        *LOCKS,
        "proto/generate.py",
        "proto/tilerace/game.proto",
        *(f"{member}/pyproject.toml" for member in MEMBERS),
    ]
    installed = ("node_modules/made", "bench/peers/node_modules/made", "proto/src/tilerace/made")
    for name in (*files, ".venv/bin/python", *installed):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch(0o755)
    made = Workspace(tmp_path)
    made.stamp("runtime", "dev", "members", "stubs", "node", "peers")
    return made
