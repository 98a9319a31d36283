"""Runs tests in a copy of the tree, with one guard taken out or with none, and tells how each ended."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from pathlib import Path

from tests.guards.outcomes import FILE
from tests.guards.table import FaultyRow, Guard

LONGEST_S = 600.0
PASSED, FAILED = "passed", "failed"
# What schemathesis brings takes as long to load as all the rest, anyio's is for none of our tests, and each row loads them.
_PLUGINS = ("-pno:cacheprovider", "-pno:schemathesis", "-pno:anyio", "-ptests.guards.outcomes")
# Without bytecode a start of pytest takes three times as long; it has to lie where a change of its source deletes it.
_BYTECODE = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": ""}
_PHASES = {"call passed": PASSED, "call failed": FAILED}


def judge(guard: Guard, tree: Path) -> None:
    """Take a guard out of a copy, see each of its tests fail, and put it back.

    Raises:
        FaultyRow: the change cannot be made or breaks the code, or a test passes without the guard or does not run.
    """
    with guard.taken_out_of(tree) as changed:
        _see_that_it_can_be_read(changed)
        ended = outcomes(tree, guard.tests)
    if wrong := {test: outcome for test, outcome in ended.items() if outcome != FAILED}:
        raise FaultyRow(f"with the guard taken out of {guard.file} these did not fail:{_listed(wrong)}")


def judge_whole(guards: Iterable[Guard], tree: Path) -> None:
    """See the tests of all guards pass in a copy as it is.

    Raises:
        FaultyRow: one does not.
    """
    ended = outcomes(tree, list(dict.fromkeys(test for guard in guards for test in guard.tests)))
    if wrong := {test: outcome for test, outcome in ended.items() if outcome != PASSED}:
        raise FaultyRow(f"with every guard in its place these do not pass:{_listed(wrong)}")


def outcomes(tree: Path, tests: Sequence[str]) -> dict[str, str]:
    """Run tests of a copy: each is `passed`, `failed`, or in words what else came of it.

    A test with parameters has failed where one of its cases has, and passed where all have.
    """
    pages = {test for test in tests if test.partition("::")[0].endswith(".js")}
    phases = [
        phase
        for _, kind in groupby(sorted(set(tests) - pages, key=_kind), key=_kind)
        for phase in _run_pytest(tree, list(kind))
    ]
    return {test: _of_page(tree, test) if test in pages else _of(test, phases) for test in tests}


def _kind(test: str) -> str:
    """Say with which tests one may run in a process: those in a browser bear no others beside them."""
    return "/".join(Path(test.partition("::")[0]).parts[:2])


def _run_pytest(tree: Path, tests: Sequence[str]) -> Sequence[tuple[str, str, str]]:
    told = tree / "outcomes.jsonl"
    told.unlink(missing_ok=True)
    python = tree / ".venv" / "bin" / Path(sys.executable).name
    command: list[str | Path] = [python, "-m", "pytest", "-q", *_PLUGINS, *tests]
    words = _run(tree, command, {FILE: str(told)})
    if not told.exists():
        raise FaultyRow(f"pytest ran no test:\n{words[-2000:]}")
    return [(test, outcome, why) for test, outcome, why in map(json.loads, told.read_text().splitlines())]


def _of(test: str, phases: Sequence[tuple[str, str, str]]) -> str:
    named = re.compile(re.escape(test) + r"(\[.*\])?$")
    mine = [(outcome, why) for name, outcome, why in phases if named.match(name) or outcome == "unreadable"]
    calls = {_PHASES[outcome] for outcome, _ in mine if outcome in _PHASES}
    if other := [f"{outcome}: {why}" for outcome, why in mine if _is_odd(outcome)]:
        return other[0]
    return FAILED if FAILED in calls else PASSED if calls else "it was not run"


def _is_odd(outcome: str) -> bool:
    return outcome in {"broken", "unreadable", "setup failed"} or outcome.endswith("skipped")


def _of_page(tree: Path, test: str) -> str:
    file, _, name = test.partition("::")
    node = shutil.which(tree / ".venv" / "bin" / "node")
    assert node is not None, "make dev installs node"
    pattern = f"^{re.escape(name)}$".replace("\\ ", " ")
    words = _run(tree, [node, "--test", "--test-reporter=tap", f"--test-name-pattern={pattern}", file], {})
    escaped = re.escape(name.replace("#", "\\#"))
    ended = re.search(rf"^\s*(ok|not ok) \d+ - {escaped}$", words, re.MULTILINE)
    return "it was not run" if ended is None else PASSED if ended[1] == "ok" else FAILED


def _run(tree: Path, command: Sequence[str | Path], more: Mapping[str, str]) -> str:
    process = subprocess.Popen(
        command,
        cwd=tree,
        env={**os.environ, **_BYTECODE, **more},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        words, _ = process.communicate(timeout=LONGEST_S)
    except subprocess.TimeoutExpired:
        raise FaultyRow(f"the tests were not over after {LONGEST_S:.0f} s") from None
    finally:
        _end(process)
    return words


def _end(process: subprocess.Popen[str]) -> None:
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)  # with the services that its tests have started
        process.wait()
    if process.stdout is not None:
        process.stdout.close()


def _see_that_it_can_be_read(file: Path) -> None:
    if file.suffix != ".py":
        return
    asked = [
        sys.executable,
        "-m",
        "ruff",
        "check",
        "--isolated",
        "--quiet",
        "--select",
        "F821,F823",
        str(file),
    ]
    ended = subprocess.run(asked, capture_output=True, text=True, check=False)
    if ended.returncode:
        raise FaultyRow(f"the change breaks the code:\n{ended.stdout}")


def _listed(ended: Mapping[str, str]) -> str:
    return "".join(f"\n  {test}: {outcome}" for test, outcome in ended.items())
