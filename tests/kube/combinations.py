"""Every overlay with every combination of components that may be listed together, rendered by kubectl."""

import itertools
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import yaml
from tests.manifests.assembling import make_secrets
from tests.manifests.reading import K8S, KUSTOMIZATION, Document, read
from tests.manifests.resources import Resources

ENTRIES = {"local": ((),), "production": (("gateway",), ("ingress",))}
"""How requests come in: through a port that is forwarded to one's own machine, or by one of two components."""
OPTIONAL = ("network-policies", "autoscaling", "monitoring")
STORES = ((), ("ha-store",), ("external-store",))
ELSEWHERE = "rediss://tilerace:word@valkey.example.org:6379/0"
IGNORED = shutil.ignore_patterns("images", "*.md")


class NotRendered(Exception):
    """kubectl refused; its words say why."""


@dataclass(frozen=True)
class Combination:
    """An overlay with components in place of those that it lists."""

    overlay: str
    components: tuple[str, ...]

    def __str__(self) -> str:
        return "+".join((self.overlay, *self.components))


def combinations() -> Iterator[Combination]:
    """Give all of them."""
    for overlay, entries in ENTRIES.items():
        for entry, store in itertools.product(entries, STORES):
            for chosen in itertools.product(*((name, "") for name in OPTIONAL)):
                yield Combination(overlay, (*entry, *filter(None, chosen), *store))


def copied(folder: Path) -> Path:
    """Copy k8s/ to a folder, with secrets made for its overlays as an operator makes them."""
    copy = folder / "k8s"
    shutil.copytree(K8S, copy, ignore=IGNORED)
    for overlay in ENTRIES:
        subprocess.run([sys.executable, copy / "make-secrets", copy / "overlays" / overlay], check=True)
    return copy


def rendered(copy: Path, combination: Combination) -> Resources:
    """Render a combination in a copy of k8s/."""
    folder = copy / "overlays" / combination.overlay
    (kustomization,) = read((folder / KUSTOMIZATION).read_text())
    changed = {**kustomization, "components": [f"../../components/{name}" for name in combination.components]}
    if not combination.components:
        del changed["components"]
    made = beside(folder, changed)
    if "external-store" in combination.components:
        module = make_secrets()
        module.write(made, module.outside(ELSEWHERE))
    return Resources(built(made))


def built(folder: Path) -> list[Document]:
    """Render a folder, as `kubectl apply -k` would.

    Raises:
        NotRendered: kubectl refuses.
    """
    ended = subprocess.run(
        ["kubectl", "kustomize", str(folder)], capture_output=True, text=True, check=False, timeout=60
    )
    if ended.returncode:
        raise NotRendered(ended.stderr)
    return read(ended.stdout)


def beside(folder: Path, kustomization: Document) -> Path:
    """Make an overlay of another beside it, with its files, and give it."""
    made = folder.with_name("combined")
    shutil.rmtree(made, ignore_errors=True)
    shutil.copytree(folder, made)
    (made / KUSTOMIZATION).write_text(yaml.safe_dump(kustomization))
    return made
