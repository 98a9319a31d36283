"""The locks are true to what is asked for, and whatever makes them untrue is said."""

import json
import shutil
from pathlib import Path

import pytest
from supply.locks import ASKED, NPM, ROOT, faults

from play.workspace.steps import MEMBERS


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """Copy what the locks are made of."""
    names = [*ASKED, *ASKED.values(), *(f"{member}/pyproject.toml" for member in MEMBERS)]
    names += [f"{folder}{file}" for folder in NPM for file in ("package.json", "package-lock.json")]
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def replaced(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert text.count(old) == 1
    file.write_text(text.replace(old, new))


def test_the_locks_are_true() -> None:
    assert faults(ROOT) == []


def test_a_package_without_a_hash_is_told(workspace: Path) -> None:
    file = workspace / "requirements.lock"
    lines = file.read_text().splitlines(keepends=True)
    first = next(number for number, line in enumerate(lines) if line.startswith("click=="))
    file.write_text(
        "".join(lines[: first + 1] + [line for line in lines[first + 1 :] if "--hash" not in line])
    )
    assert "requirements.lock: click has no hash" in faults(workspace)


@pytest.mark.parametrize(
    "line",
    [
        "--index-url https://packages.example",
        "-e ./engine",
        "click>=8",
        "click @ https://packages.example/click.whl",
        "    --hash=md5:d41d8cd98f00b204e9800998ecf8427e",
    ],
)
def test_a_line_that_lets_anything_else_in_is_told(workspace: Path, line: str) -> None:
    with (workspace / "requirements.lock").open("a") as file:
        file.write(f"{line}\n")
    assert faults(workspace) == [
        f"requirements.lock: a line is none of a lock with versions and hashes: {line.strip()}"
    ]


def test_what_is_asked_for_and_not_locked_is_told(workspace: Path) -> None:
    replaced(workspace / "web-gateway" / "pyproject.toml", '"segno>=1.6"', '"segno>=99", "unheard-of"')
    told = faults(workspace)
    assert any(each.endswith("and tilerace-web-gateway asks for >=99") for each in told)
    assert "requirements.lock: unheard-of, which tilerace-web-gateway asks for, is not locked" in told


def test_what_builds_a_member_is_locked_too(workspace: Path) -> None:
    replaced(
        workspace / "proto" / "pyproject.toml", '"mypy-protobuf>=5.0"', '"mypy-protobuf>=5.0", "unheard-of"'
    )
    assert "requirements.lock: unheard-of, which the build of proto asks for, is not locked" in faults(
        workspace
    )


def test_what_is_locked_and_not_asked_for_is_told(workspace: Path) -> None:
    replaced(workspace / "web-gateway" / "pyproject.toml", ', "segno>=1.6"', "")
    assert faults(workspace) == [
        f"{name}: segno is locked, and nobody asks for it"
        for name in ("requirements.lock", "requirements-dev.lock")
    ]


def test_locks_that_differ_are_told(workspace: Path) -> None:
    file = workspace / "requirements-dev.lock"
    (line,) = [line for line in file.read_text().splitlines() if line.startswith("starlette==")]
    replaced(file, line, "starlette==99.0 \\")
    assert any(each.startswith("requirements-dev.lock: starlette is not ") for each in faults(workspace))


@pytest.mark.parametrize("folder", NPM)
def test_a_node_package_without_a_hash_with_an_address_or_of_another_version_is_told(
    workspace: Path, folder: str
) -> None:
    file = workspace / f"{folder}package-lock.json"
    lock = json.loads(file.read_text())
    path = next(path for path in lock["packages"] if path)
    lock["packages"][path] |= {"integrity": "sha1-x", "resolved": "https://packages.example"}
    name = next(
        iter(
            {
                **lock["packages"][""].get("dependencies", {}),
                **lock["packages"][""].get("devDependencies", {}),
            }
        )
    )
    lock["packages"][f"node_modules/{name}"]["version"] = "0.0.1"
    file.write_text(json.dumps(lock))
    told = "\n".join(faults(workspace))
    assert f"{path} has no SHA-512" in told
    assert f"{path} names an address" in told
    assert f"{name} is not locked at" in told
