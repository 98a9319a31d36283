"""The plain manifests are what Kubernetes, and those who made the other kinds, say they may be."""

import copy
import tomllib
from pathlib import Path
from typing import Any

import pytest
from tests.manifests import schemas
from tests.manifests.reading import K8S, ROOT, KeyTwice, components, kustomizations, manifests, read


def of(path: Path) -> str:
    return str(path.relative_to(K8S))


def test_there_are_three_minors_to_check_against_one_after_the_other() -> None:
    numbers = [tuple(map(int, minor.split("."))) for minor in schemas.minors()]
    assert [(major, minor - number) for number, (major, minor) in enumerate(numbers)] == [
        numbers[0]
    ] * schemas.MINORS


@pytest.mark.parametrize("path", manifests(), ids=of)
def test_each_resource_is_as_its_schema_says(path: Path) -> None:
    documents = read(path.read_text())
    assert documents
    assert [fault for document in documents for fault in schemas.faults(document)] == []


@pytest.mark.parametrize("path", kustomizations(), ids=of)
def test_each_kustomization_is_as_its_schema_says(path: Path) -> None:
    (document,) = read(path.read_text())
    assert list(schemas.kustomization_faults(document)) == []


@pytest.mark.parametrize("path", kustomizations(), ids=of)
def test_each_file_beside_a_kustomization_is_used_by_it_and_each_that_it_names_is_there(path: Path) -> None:
    (document,) = read(path.read_text())
    generated = [*document.get("configMapGenerator", []), *document.get("secretGenerator", [])]
    named = {
        *document.get("resources", []),
        *(patch["path"] for patch in document.get("patches", []) if "path" in patch),
        *(
            name.rpartition("=")[2]
            for each in generated
            for name in [*each.get("files", []), *each.get("envs", [])]
        ),
    }
    secret = {name for each in document.get("secretGenerator", []) for name in each["files"]}
    beside = {each.name for each in path.parent.iterdir() if each.is_file() and each.suffix != ".md"}
    assert {name for name in named - secret if not (path.parent / name).exists()} == set()
    assert beside - secret <= {*named, path.name}


def test_every_component_can_be_found_from_the_production_overlay() -> None:
    text = (K8S / "overlays/production/kustomization.yaml").read_text()
    assert [name for name in components() if f"- ../../components/{name}\n" not in text] == []


def test_production_runs_the_release_that_it_comes_with() -> None:
    version = tomllib.loads((ROOT / "web-gateway/pyproject.toml").read_text())["project"]["version"]
    (kustomization,) = read((K8S / "overlays/production/kustomization.yaml").read_text())
    ours = [each for each in kustomization["images"] if each["name"] != "tilerace/store"]
    assert [each["newTag"] for each in ours] == [version] * 3


KINDS: dict[str, Any] = {
    document["kind"]: document for path in manifests() for document in read(path.read_text())
}


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_field_that_is_misspelt_is_refused_in_each_kind(kind: str) -> None:
    document = copy.deepcopy(KINDS[kind])
    document["metadata"]["lables"] = {}
    assert list(schemas.faults(document))


@pytest.mark.parametrize("kind", sorted(kind for kind in KINDS if "spec" in KINDS[kind]))
def test_a_field_that_is_misspelt_deeper_down_is_refused_in_each_kind(kind: str) -> None:
    document = copy.deepcopy(KINDS[kind])
    document["spec"]["nothing"] = 1
    assert list(schemas.faults(document))


def test_a_kind_that_nobody_knows_is_refused() -> None:
    document = {"apiVersion": "example.org/v1", "kind": "Race", "metadata": {"name": "race"}}
    assert len(list(schemas.faults(document))) == schemas.MINORS


@pytest.mark.parametrize(
    "change",
    [
        {"commonLabels": {"a": "b"}},
        {"patchesStrategicMerge": ["store.yaml"]},
        {"bases": ["../../base"]},
        {"kind": "Component"},
        {"patches": [{"target": {"kind": "Service"}}]},
    ],
    ids=str,
)
def test_a_kustomization_of_old_or_half_a_one_is_refused(change: dict[str, object]) -> None:
    (document,) = read((K8S / "base/kustomization.yaml").read_text())
    assert list(schemas.kustomization_faults(document | change))


def test_a_key_that_stands_twice_is_refused() -> None:
    with pytest.raises(KeyTwice):
        read("spec:\n  replicas: 2\n  replicas: 1\n")
