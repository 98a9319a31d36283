"""What the tests of images and pods share: one run's podman, the images, and the pods of the rehearsal."""

import random
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.kube.base import make_base
from tests.kube.bridges import workloads
from tests.kube.cluster import Cluster
from tests.kube.images import FIRST, build, build_store
from tests.kube.podman import Podman, podman_of_its_own
from tests.kube.rendering import ROOT, Document, rendered

SECRETS = ("users.acl", "redis-url", "replica.conf", "operator-url")
_FIGURES = pytest.StashKey[list[str]]()


def pytest_configure(config: pytest.Config) -> None:
    config.stash[_FIGURES] = []


@pytest.fixture(scope="session")
def podman() -> Iterator[Podman]:
    with podman_of_its_own() as podman:
        yield podman


@pytest.fixture(scope="session")
def base_image(podman: Podman) -> str:
    """Give the name of the image that all stand on."""
    return make_base(podman)


@pytest.fixture(scope="session")
def images(podman: Podman, base_image: str) -> str:
    """Build all images; give their tag."""
    build(podman, base_image, tag=FIRST)
    build_store(podman, base_image)
    return FIRST


@pytest.fixture(scope="session")
def manifests(tmp_path_factory: pytest.TempPathFactory) -> list[Document]:
    """Render the overlay of the rehearsal as an operator would, with passwords made for it."""
    copied = tmp_path_factory.mktemp("rendered") / "k8s"
    shutil.copytree(ROOT / "k8s", copied, ignore=shutil.ignore_patterns(*SECRETS))
    make_secrets(copied / "overlays" / "local")
    return rendered(copied / "overlays" / "rehearsal")


@pytest.fixture(scope="session")
def cluster(podman: Podman, base_image: str, images: str, manifests: list[Document]) -> Cluster:
    """Have all pods of the manifests run and be ready."""
    assert images == FIRST
    cluster = Cluster(podman, workloads(manifests), base_image)
    cluster.start()
    return cluster


@pytest.fixture
def rng(pytestconfig: pytest.Config, request: pytest.FixtureRequest) -> random.Random:
    """Give the choices of one test, the same for the same seed."""
    return random.Random(f"{pytestconfig.getoption('--seed')} {request.node.nodeid}")


@pytest.fixture
def figures(pytestconfig: pytest.Config) -> list[str]:
    """Give the lines that are told at the end of the run."""
    return pytestconfig.stash[_FIGURES]


def make_secrets(overlay: Path) -> None:
    subprocess.run([ROOT / "k8s" / "make-secrets", overlay], check=True, capture_output=True, timeout=60)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    for line in config.stash[_FIGURES]:
        terminalreporter.write_line(line)
