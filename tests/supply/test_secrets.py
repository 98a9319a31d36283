"""A key or a password that comes in is found, whatever file it stands in; what is known to be none is not told."""

import secrets
import string
import tomllib
from pathlib import Path

import pytest
from supply.locks import ROOT
from supply.secrets import KNOWN, Known, found_in

NONE = Known((), frozenset())


def made(alphabet: str, length: int) -> str:
    return "".join(secrets.choice(alphabet) for _ in range(length))


@pytest.mark.parametrize(
    ("kind", "planted"),
    [
        ("AWS Access Key", f'KEY = "AKIA{made(string.ascii_uppercase + string.digits, 16)}"'),
        ("GitHub Token", f"token: ghp_{made(string.ascii_letters + string.digits, 36)}"),
        ("Private Key", "-----BEGIN " + "OPENSSH PRIVATE KEY-----"),
        ("Basic Auth Credentials", f"url = redis://table:{made(string.ascii_letters, 20)}@store:6379"),
        ("Secret Keyword", f'password = "{made(string.ascii_letters, 12)}"'),
        ("Hex High Entropy String", f'SEED = "{secrets.token_hex(32)}"'),
        ("Hex High Entropy String", f'SEED = bytes.fromhex("{secrets.token_hex(32)}")'),
    ],
)
def test_a_planted_secret_is_found_and_not_shown(tmp_path: Path, kind: str, planted: str) -> None:
    (tmp_path / "settings.py").write_text(f"# As usual.\n{planted}\n")
    found = found_in(tmp_path, ["settings.py"], NONE)
    assert (2, kind) in {(each.line, each.kind) for each in found}
    hidden = planted.split('"')[1] if '"' in planted else planted[-20:]
    assert not any(hidden in str(each) for each in found)


def test_what_is_known_is_known_in_its_place_only(tmp_path: Path) -> None:
    for name in ("here.py", "there.py"):
        (tmp_path / name).write_text(f'password = "{"long enough" * 2}"\n')
    (here, there) = found_in(tmp_path, ["here.py", "there.py"], NONE)
    known = Known((), frozenset({(here.file, here.sha1)}))
    assert found_in(tmp_path, ["here.py", "there.py"], known) == [there]


def test_files_that_are_known_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "vectors.json").write_text(f'"{secrets.token_hex(32)}"\n')
    assert found_in(tmp_path, ["vectors.json"], NONE)
    assert found_in(tmp_path, ["vectors.json"], Known(("*.json",), frozenset())) == []


def test_every_place_that_is_known_has_a_reason_and_a_file_that_is_there() -> None:
    known, listed = Known.read(KNOWN.read_text()), tomllib.loads(KNOWN.read_text())
    assert [each for each in (*listed["unread"], *listed["known"]) if not each["why"]] == []
    assert [files for files, _ in known.places if not list(ROOT.glob(files))] == []
