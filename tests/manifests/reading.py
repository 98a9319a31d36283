"""Reading manifests: YAML with no key twice, and where each kind of file is."""

from collections.abc import Hashable, Iterator
from pathlib import Path
from typing import Any

import yaml

Document = dict[str, Any]
"""A resource, or a kustomization: whatever one document of a YAML file holds."""

ROOT = Path(__file__).resolve().parents[2]
K8S = ROOT / "k8s"
KUSTOMIZATION = "kustomization.yaml"
CLUSTER_WIDE = frozenset({"Namespace"})


class KeyTwice(ValueError):
    """A mapping has a key twice, of which all but the last would be passed over without a word."""


class _Loader(yaml.SafeLoader):
    """A SafeLoader that refuses what kubectl would refuse."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:  # noqa: FBT001, FBT002
        keys = [self.construct_object(key, deep=True) for key, _ in node.value]
        for key in keys:
            if keys.count(key) > 1:
                raise KeyTwice(f"{key!r} stands twice{node.start_mark}")
        return super().construct_mapping(node, deep)


def read(text: str) -> list[Document]:
    """Read all documents of a text.

    Raises:
        KeyTwice: a mapping has a key twice.
        yaml.YAMLError: it is no YAML.
    """
    return [each for each in yaml.load_all(text, _Loader) if each is not None]


def kustomizations() -> list[Path]:
    """Give the kustomization of everything under k8s/."""
    return sorted(K8S.rglob(KUSTOMIZATION))


def manifests() -> list[Path]:
    """Give every file under k8s/ that holds whole resources, and no patches of some."""
    return sorted(path for path in K8S.rglob("*.yaml") if path.name != KUSTOMIZATION and not _is_patch(path))


def components() -> list[str]:
    """Give the names of the components."""
    return sorted(path.parent.name for path in (K8S / "components").glob(f"*/{KUSTOMIZATION}"))


def resources_of(folder: Path) -> Iterator[Document]:
    """Give the resources that a kustomization lists, as they are written."""
    (kustomization,) = read((folder / KUSTOMIZATION).read_text())
    for name in kustomization.get("resources", []):
        if (folder / name).is_file():
            yield from read((folder / name).read_text())


def _is_patch(path: Path) -> bool:
    beside = path.with_name(KUSTOMIZATION)
    if not beside.is_file():
        return False
    (kustomization,) = read(beside.read_text())
    return any(patch.get("path") == path.name for patch in kustomization.get("patches", []))
