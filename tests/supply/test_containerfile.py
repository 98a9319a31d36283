"""What the images are made of: one base, wheels with the lock's hashes, and nothing of this machine."""

import re

import pytest
from supply.locks import ROOT

IMAGES = ROOT / "k8s" / "images"
DESCRIBED = (IMAGES / "Containerfile").read_text().replace("\\\n", " ")
STEPS = [line.strip() for line in DESCRIBED.splitlines() if line.strip() and not line.startswith("#")]
PROGRAMS = STEPS + (IMAGES / "install").read_text().splitlines()
SENT = {
    "requirements.lock", "engine", "proto", "game-service", "table-service", "web-gateway", "k8s/images/install",
    "k8s/images/sbom.py",
}  # fmt: skip


def test_everything_stands_on_the_one_base() -> None:
    stages = {
        name: stands_on for stands_on, name in re.findall(r"^FROM (\S+) AS (\S+)$", DESCRIBED, re.MULTILINE)
    }
    assert DESCRIBED.count("FROM ") == len(stages)
    assert {each for each in stages.values() if each not in stages} == {"${BASE}"}


def test_the_base_is_named_by_its_release_or_its_digest() -> None:
    base = (IMAGES / "base").read_text().strip()
    name, _, digest = base.partition("@")
    tag = name.rpartition("/")[2].partition(":")[2]
    assert re.match(r"\d+\.\d+", tag), "a tag without a release is another image every year"
    assert digest == "" or re.fullmatch(r"sha256:[0-9a-f]{64}", digest)


def test_packages_come_with_the_locks_hashes_or_from_what_did() -> None:
    installing = [line for line in PROGRAMS if re.search(r"\bpip\b.* (download|install|wheel) ", line)]
    assert len(installing) == 4
    for line in installing:
        assert "--no-index" in line or ("--require-hashes" in line and "requirements.lock" in line)


@pytest.mark.parametrize("means", ["curl", "wget", "apt", "apk", "npm", "git", "ADD", r"\w+://"])
def test_nothing_else_is_fetched(means: str) -> None:
    assert [line for line in PROGRAMS if re.search(rf"(^|\s){means}(\s|$|-)", line)] == []


def test_what_is_secret_to_a_build_is_mounted_and_stays_in_no_layer() -> None:
    arguments = [line for line in STEPS if re.match(r"(ARG|ENV) ", line)]
    assert [line for line in arguments if re.search(r"pass|secret|token|key|url", line, re.IGNORECASE)] == []
    assert [line for line in STEPS if "/etc/pip.conf" in line and "--mount=type=secret" not in line] == []


def test_a_build_is_sent_nothing_but_what_it_is_made_of() -> None:
    lines = [line for line in (ROOT / ".dockerignore").read_text().splitlines() if line and line[0] != "#"]
    assert lines[0] == "*"
    assert {line[1:] for line in lines if line.startswith("!")} == SENT
