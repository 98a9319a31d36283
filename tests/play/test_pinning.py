"""Pinning the image that the images stand on, with a stand-in for the client of a registry that no test may ask."""

from pathlib import Path

import pytest
from tests.play.one_machine import ROOT

from play.workspace.installing import Failed
from play.workspace.pinning import BASE, pin

NAME = "docker.io/library/python:3.13-slim-bookworm"
DIGEST = f"sha256:{'0123456789abcdef' * 4}"


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    (tmp_path / BASE).parent.mkdir(parents=True)
    (tmp_path / BASE).write_text(f"{NAME}\n")
    return tmp_path


@pytest.fixture
def skopeo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give the program that is found as skopeo, to be written."""
    program = tmp_path / "bin" / "skopeo"
    program.parent.mkdir()
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    return program


def says(program: Path, script: str) -> None:
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)


def test_the_digest_that_the_registry_gives_stands_behind_the_name(workspace: Path, skopeo: Path) -> None:
    says(skopeo, f'test "$5" = docker://{NAME} && echo {DIGEST}')
    pin(workspace)
    assert (workspace / BASE).read_text() == f"{NAME}@{DIGEST}\n"


def test_a_pinned_base_is_pinned_anew_by_its_tag(workspace: Path, skopeo: Path) -> None:
    (workspace / BASE).write_text(f"{NAME}@sha256:{'f' * 64}\n")
    says(skopeo, f'test "$5" = docker://{NAME} && echo {DIGEST}')
    pin(workspace)
    assert (workspace / BASE).read_text() == f"{NAME}@{DIGEST}\n"


@pytest.mark.parametrize("script", ["exit 1", "echo", "echo sha256:123"])
def test_without_an_answer_nothing_is_pinned_and_that_is_said(
    workspace: Path, skopeo: Path, script: str
) -> None:
    says(skopeo, script)
    with pytest.raises(Failed, match=f"No registry answered for {NAME}"):
        pin(workspace)
    assert (workspace / BASE).read_text() == f"{NAME}\n"


def test_without_a_client_it_is_said_which_one_to_install(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(Failed, match="install one of them"):
        pin(workspace)


def test_the_containerfile_builds_on_the_same_name_by_itself() -> None:
    (named,) = [
        line.partition("=")[2]
        for line in (ROOT / "k8s/images/Containerfile").read_text().splitlines()
        if line.startswith("ARG BASE=")
    ]
    assert (ROOT / BASE).read_text().strip().partition("@")[0] == named
