"""A plugin of pytest that writes what became of each test, a line of JSON a phase, for the guards' runner to read."""

import json
import os
from pathlib import Path

import pytest

# The run is a process of its own; this tells it where to write.
FILE = "GUARDS_OUTCOMES"
BROKEN = (
    "NameError",
    "ImportError",
    "ModuleNotFoundError",
    "SyntaxError",
    "IndentationError",
    "UnboundLocalError",
)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Note how a phase of a test ended; a test that fell over the change itself is broken, and has not failed."""
    crash = getattr(report.longrepr, "reprcrash", None)
    words = "" if crash is None else str(crash.message).partition("\n")[0]
    broken = report.failed and words.startswith(BROKEN)
    _note(report.nodeid, "broken" if broken else f"{report.when} {report.outcome}", words)


def pytest_collectreport(report: pytest.CollectReport) -> None:
    """Note what could not be read."""
    if report.failed:
        _note(report.nodeid, "unreadable", str(report.longrepr))


def _note(test: str, outcome: str, words: str) -> None:
    with Path(os.environ[FILE]).open("a") as file:
        file.write(json.dumps([test, outcome, words]) + "\n")
