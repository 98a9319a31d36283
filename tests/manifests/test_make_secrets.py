"""k8s/make-secrets: passwords that nobody has, in files that nobody else may read, and none of them lost."""

import hashlib
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from tests.manifests.assembling import make_secrets
from tests.manifests.reading import K8S, ROOT, read

from wire import store_url
from wire.settings import Environment, SettingsError

SECRET = ("users.acl", "redis-url", "replica.conf", "operator-url")
FILES = (*SECRET, "next-passwords")


@pytest.fixture
def overlay(tmp_path: Path) -> Path:
    (tmp_path / "kustomization.yaml").touch()
    return tmp_path


def ran(overlay: Path, *options: str, given: str = "") -> subprocess.CompletedProcess[str]:
    """Run it without a terminal, so that it reads what is given from its input."""
    return subprocess.run(
        [sys.executable, K8S / "make-secrets", overlay, *options],
        input=given,
        capture_output=True,
        text=True,
        check=False,
        start_new_session=True,
    )


def contents(overlay: Path) -> dict[str, str]:
    return {name: (overlay / name).read_text() for name in FILES}


def password(overlay: Path) -> str:
    found = urlsplit((overlay / "redis-url").read_text()).password
    assert found
    return found


def test_it_can_be_run_by_its_name() -> None:
    assert (K8S / "make-secrets").stat().st_mode & 0o111


def test_files_are_made_that_nobody_else_may_read_and_nothing_of_them_is_shown(overlay: Path) -> None:
    done = ran(overlay)
    assert done.returncode == 0, done.stderr
    assert {path.name for path in overlay.iterdir()} == {*FILES, "kustomization.yaml"}
    assert [oct((overlay / name).stat().st_mode & 0o777) for name in FILES] == ["0o600"] * len(FILES)
    assert password(overlay) not in done.stdout + done.stderr


def test_the_store_gets_hashes_and_each_user_a_password_of_its_own(overlay: Path) -> None:
    ran(overlay)
    made = contents(overlay)
    shown = {urlsplit(made[name]).password or "" for name in ("redis-url", "operator-url")}
    shown.add(made["replica.conf"].split()[-1])
    assert len(shown) == 3
    for each in shown:
        assert len(each) > 40
        assert each not in made["users.acl"]
        assert f"#{hashlib.sha256(each.encode()).hexdigest()}" in made["users.acl"]


def test_no_two_installations_have_the_same_passwords() -> None:
    first, second = (make_secrets().made() for _ in range(2))
    assert first["redis-url"] != second["redis-url"]


def test_what_is_there_is_never_overwritten(overlay: Path) -> None:
    ran(overlay)
    before = contents(overlay)
    done = ran(overlay)
    assert done.returncode == 1
    assert "already" in done.stderr
    assert contents(overlay) == before


def test_one_file_that_is_there_is_enough_to_refuse(overlay: Path) -> None:
    (overlay / "redis-url").write_text("mine")
    assert ran(overlay).returncode == 1
    assert (overlay / "redis-url").read_text() == "mine"
    assert not (overlay / "users.acl").exists()


def known(overlay: Path) -> set[str]:
    """Give the hashes that the store lets the services in by."""
    lines = (overlay / "users.acl").read_text().splitlines()
    (line,) = [line for line in lines if line.startswith("user tilerace ")]
    return {word[1:] for word in line.split() if word.startswith("#")}


def test_before_and_after_a_rotation_services_and_stores_know_each_other_in_any_order(overlay: Path) -> None:
    ran(overlay)
    passwords, stores = [password(overlay)], [known(overlay)]
    for _ in range(3):
        assert ran(overlay, "--rotate").returncode == 0
        passwords.append(password(overlay))
        stores.append(known(overlay))
    hashes = [hashlib.sha256(each.encode()).hexdigest() for each in passwords]
    assert len(set(hashes)) == 4
    for number, store in enumerate(stores):
        near = range(max(0, number - 1), min(4, number + 2))
        assert {each for each, found in enumerate(hashes) if found in store} == set(near)


def test_nothing_can_be_rotated_that_is_not_there(overlay: Path) -> None:
    done = ran(overlay, "--rotate")
    assert done.returncode == 1
    assert done.stderr == f"{overlay} has no next-passwords; there is nothing to rotate.\n"
    assert not (overlay / "users.acl").exists()


def test_a_folder_that_is_no_overlay_is_left_alone(tmp_path: Path) -> None:
    done = ran(tmp_path)
    assert (done.returncode, list(tmp_path.iterdir())) == (1, [])
    assert done.stderr.count("\n") == 1


def test_a_store_of_somebody_elses_is_known_by_its_url_only() -> None:
    module = make_secrets()
    files = module.outside("rediss://user:word@valkey.example.org:6380/0")
    assert files["redis-url"] == "rediss://user:word@valkey.example.org:6380/0"
    assert "word" not in files["users.acl"] + files["replica.conf"] + files["operator-url"]


@pytest.mark.parametrize(
    "url",
    [
        "redis://valkey.example.org",
        "rediss://user:word@valkey.example.org:6380/0",
        "rediss://u:pa%2Fss%40@[::1]:6379/0?health_check_interval=5",
        "rediss://u:pa/ss@valkey.example.org",
        "redis://u:7/up@valkey.example.org:6379",
        "redis://u:pa?ss@valkey.example.org",
        "redis://u:pa#ss@valkey.example.org",
        "redis://u:pass",
        "redis://:6379",
        "redis://valkey.example.org:port",
        "redis://[::1",
        "redis:///0",
        "valkey.example.org",
        "valkey.example.org:6379?password=word",
        "http://valkey.example.org",
        "redis://user@valkey.example.org",
        "redis://user:@valkey.example.org",
        "redis://valkey.example.org?username=user",
        "redis://valkey.example.org?username=user&password=word",
        "redis://u:p@valkey.example.org?ssl_cert_reqs=required",
        "rediss://u:p@valkey.example.org?ssl_cert_reqs=required",
        "rediss://u:p@valkey.example.org?ssl_cert_reqs=none",
        "rediss://u:p@valkey.example.org?ssl_check_hostname=no",
    ],
)
def test_a_url_is_taken_if_the_services_take_it_and_is_never_shown(overlay: Path, url: str) -> None:
    env = Environment({"TILERACE_REDIS_URL": url})
    try:
        store_url.read(env)
        taken = True
    except SettingsError:
        taken = False
    done = ran(overlay, "--external", given=f"{url}\n")
    assert done.returncode == (0 if taken else 1), done.stderr
    assert (overlay / "redis-url").exists() == taken
    assert url not in done.stdout + done.stderr


def test_the_url_of_a_store_elsewhere_can_be_changed(overlay: Path) -> None:
    for url in ("rediss://u:first@valkey.example.org", "rediss://u:second@valkey.example.org"):
        assert ran(overlay, "--external", given=url).returncode == 0
        assert (overlay / "redis-url").read_text() == url
    assert ran(overlay, "--external", given="rediss://u:th/ird@valkey.example.org").returncode == 1
    assert (overlay / "redis-url").read_text() == url
    for option in ((), ("--rotate",)):
        done = ran(overlay, *option)
        assert done.returncode == 1
        assert "the URL of a store elsewhere" in done.stderr
        assert (overlay / "redis-url").read_text() == url


def test_passwords_of_a_store_of_ours_are_not_lost_for_one_elsewhere(overlay: Path) -> None:
    ran(overlay)
    before = contents(overlay)
    done = ran(overlay, "--external", given="rediss://u:word@valkey.example.org")
    assert done.returncode == 1
    assert ", ".join(FILES) in done.stderr
    assert contents(overlay) == before


def test_git_never_sees_what_is_made() -> None:
    paths = [
        f"k8s/overlays/{overlay}/{name}" for overlay in ("local", "production", "mine") for name in FILES
    ]
    ignored = subprocess.run(
        ["git", "check-ignore", *paths], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert ignored.stdout.split() == paths


@pytest.mark.parametrize("name", ["local", "production"])
def test_overlays_make_their_secret_of_exactly_these_files(name: str) -> None:
    (kustomization,) = read((K8S / "overlays" / name / "kustomization.yaml").read_text())
    (generator,) = kustomization["secretGenerator"]
    assert (generator["name"], sorted(generator["files"])) == ("store-access", sorted(SECRET))
