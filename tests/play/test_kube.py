"""What the rehearsal needs: what is said where it is missing."""

from pathlib import Path

import pytest

from play.workspace import kube
from play.workspace.installing import Failed


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give the only folder in which programs are found, on a machine whose packages we may not install."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(kube, "HELPERS", "")
    monkeypatch.setattr("os.geteuid", lambda: 0)
    return tmp_path


def put(programs: Path, name: str, script: str = "") -> None:
    (programs / name).write_text(f"#!/bin/sh\n{script}\n")
    (programs / name).chmod(0o755)


def kubectl(version: str) -> str:
    major, minor = version.split(".")
    return f'echo \'{{"clientVersion": {{"major": "{major}", "minor": "{minor}"}}}}\''


def test_all_that_is_missing_is_named_in_one_sentence(programs: Path) -> None:
    put(programs, "kubectl", kubectl("1.32+"))
    for name in kube.PACKAGES:
        if name not in {"buildah", "runc"}:
            put(programs, name)
    with pytest.raises(Failed, match="needs buildah, runc; install"):
        kube.need_kube()


def test_nothing_is_said_where_all_is_there(programs: Path) -> None:
    put(programs, "kubectl", kubectl("1.27"))
    for name in kube.PACKAGES:
        put(programs, name)
    kube.need_kube()


@pytest.mark.parametrize("script", [None, kubectl("1.20"), "exit 1", "echo {}"])
def test_a_kubectl_that_is_missing_or_too_old_is_said(programs: Path, script: str | None) -> None:
    if script is not None:
        put(programs, "kubectl", script)
    with pytest.raises(Failed, match=r"kubectl 1\.27 or newer"):
        kube.need_kube()


def test_who_is_not_root_is_told_so(programs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert programs.exists()
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    with pytest.raises(Failed, match="sudo make test-kube"):
        kube.need_kube()
