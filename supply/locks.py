"""The locks: what they hold, and whether they are true to what is asked for. Nothing is asked over a network.

`python -m supply.locks` says what is wrong with those of this workspace, a line each.
"""

import json
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from play.workspace.steps import MEMBERS

ROOT = Path(__file__).parents[1]
OWN = "tilerace-"
RUNTIME, DEVELOPMENT = "requirements.lock", "requirements-dev.lock"
ASKED = {RUNTIME: "requirements/runtime.in", DEVELOPMENT: "requirements/dev.in"}
NPM = ("", "bench/peers/")
"""The folders that have a package.json, with the slash behind them."""

_ENTRY = re.compile(r"^(?P<name>[a-z0-9-]+)==(?P<version>[^\s;]+)(?: ; (?P<marker>[^\\]+?))? \\$")
_HASH = re.compile(r"^    --hash=sha256:[0-9a-f]{64}( \\)?$")
_VIA = re.compile(r"^    #(?: via|  ) (?P<via>\S.*)$")


@dataclass(frozen=True, slots=True)
class Locked:
    """One package of a lock: its version, how many hashes it has, and who asks for it."""

    name: str
    version: str
    hashes: int
    asked_by: tuple[str, ...]


def read(text: str) -> tuple[dict[str, Locked], list[str]]:
    """Read a lock of Python packages, and the lines that are none of one: addresses, options, versions left open."""
    found: dict[str, Locked] = {}
    odd = []
    for line in text.splitlines():
        last = next(reversed(found.values()), None)
        if entry := _ENTRY.match(line):
            found[entry["name"]] = Locked(entry["name"], entry["version"], 0, ())
        elif last is not None and _HASH.match(line):
            found[last.name] = Locked(last.name, last.version, last.hashes + 1, last.asked_by)
        elif last is not None and (via := _VIA.match(line)):
            found[last.name] = Locked(last.name, last.version, last.hashes, (*last.asked_by, via["via"]))
        elif line.strip() not in {"", "# via"} and not line.startswith("#"):
            odd.append(line.strip())
    return found, odd


def faults(root: Path) -> list[str]:
    """Say what is wrong with the locks of a workspace, a sentence each."""
    texts = {name: (root / name).read_text() for name in ASKED}
    locks = {name: read(text)[0] for name, text in texts.items()}
    said = [f"{name}: {fault}" for name, text in texts.items() for fault in _faults_of_lines(text)]
    for name, lock in locks.items():
        asked = _asked_for(root, name)
        said += [f"{name}: {fault}" for fault in (*_unmet(lock, asked), *_stray(lock, asked))]
    said += [
        f"{DEVELOPMENT}: {each.name} is not {each.version}, as in {RUNTIME}"
        for each in locks[RUNTIME].values()
        if (other := locks[DEVELOPMENT].get(each.name)) is None or other.version != each.version
    ]
    return said + [f"{folder}package-lock.json: {fault}" for folder in NPM for fault in _npm(root / folder)]


def _faults_of_lines(text: str) -> Iterator[str]:
    lock, odd = read(text)
    yield from (f"a line is none of a lock with versions and hashes: {line}" for line in odd)
    yield from (f"{each.name} has no hash" for each in lock.values() if not each.hashes)


def _asked_for(root: Path, lock: str) -> dict[str, list[Requirement]]:
    """Give what is asked for, by who asks, in the words of a lock's comments."""
    asked = {}
    for name in dict.fromkeys((ASKED[RUNTIME], ASKED[lock])):
        lines = (line.partition(" #")[0].strip() for line in (root / name).read_text().splitlines())
        asked[f"-r {name}"] = [Requirement(line) for line in lines if line and line[0] not in "#-."]
    for member in MEMBERS:
        told = tomllib.loads((root / member / "pyproject.toml").read_text())
        asked[told["project"]["name"]] = [Requirement(need) for need in told["project"]["dependencies"]]
        asked[f"the build of {member}"] = [Requirement(need) for need in told["build-system"]["requires"]]
    return asked


def _unmet(lock: Mapping[str, Locked], asked: Mapping[str, Sequence[Requirement]]) -> Iterator[str]:
    for who, needs in asked.items():
        for need in needs:
            name = canonicalize_name(need.name)
            if name.startswith(OWN):
                continue
            if name not in lock:
                yield f"{name}, which {who} asks for, is not locked"
            elif not need.specifier.contains(lock[name].version, prereleases=True):
                yield f"{name} is {lock[name].version}, and {who} asks for {need.specifier}"


def _stray(lock: Mapping[str, Locked], asked: Mapping[str, Sequence[Requirement]]) -> Iterator[str]:
    """Name what nobody asks for any more."""
    named = {who: {canonicalize_name(need.name) for need in needs} for who, needs in asked.items()}
    for each in lock.values():
        askers = [who for who in each.asked_by if each.name in named.get(who, ()) or who in lock]
        if not askers:
            yield f"{each.name} is locked, and nobody asks for it"


def _npm(folder: Path) -> Iterator[str]:
    wanted = json.loads((folder / "package.json").read_text())
    packages = json.loads((folder / "package-lock.json").read_text())["packages"]
    for kind in ("dependencies", "devDependencies"):
        if packages[""].get(kind, {}) != wanted.get(kind, {}):
            yield f"its {kind} are others than those of package.json"
        for name, version in wanted.get(kind, {}).items():
            if packages.get(f"node_modules/{name}", {}).get("version") != version:
                yield f"{name} is not locked at {version}, as package.json asks for"
    for path, package in packages.items():
        if path and not package.get("integrity", "").startswith("sha512-"):
            yield f"{path} has no SHA-512"
        if "resolved" in package:
            yield f"{path} names an address"


def told(lines: Iterable[str]) -> int:
    """Print lines; give the exit code that says whether there were any."""
    lines = list(lines)
    for line in lines:
        print(line, file=sys.stderr)
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(told(faults(ROOT)))
