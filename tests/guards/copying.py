"""A copy of the work tree that runs by itself: its own sources, its own virtual environment, what is installed linked."""

import shutil
from pathlib import Path

from supply.tracked import tracked

from play.workspace.steps import MEMBERS

ROOT = Path(__file__).parents[2]
STUBS = "proto/src/tilerace"


def copied(to: Path) -> Path:
    """Copy what is tracked or about to be, and the stubs, to a folder that is not there yet; give it."""
    for name in tracked(ROOT):
        target = to / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, target)
    shutil.copytree(ROOT / STUBS, to / STUBS)
    (to / "node_modules").symlink_to(ROOT / "node_modules")
    _make_venv(to)
    return to


def _make_venv(tree: Path) -> None:
    """Make a virtual environment where the members are those of the copy.

    A PYTHONPATH would not do: the services that tests start get an environment of their own.
    """
    ours, its = ROOT / ".venv", tree / ".venv"
    packages = next(ours.glob("lib/python*/site-packages"))
    its_packages = its / packages.relative_to(ours)
    its_packages.mkdir(parents=True)
    shutil.copy2(ours / "pyvenv.cfg", its)
    (its / "bin").symlink_to(ours / "bin")
    for installed in packages.iterdir():
        if not installed.name.startswith("_editable_impl_tilerace_"):
            (its_packages / installed.name).symlink_to(installed)
    sources = [str(tree / member / "src") for member in MEMBERS]
    (its_packages / "members_of_the_copy.pth").write_text("\n".join(sources))
