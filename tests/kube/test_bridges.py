"""The bridges from rendered manifests to what podman plays: what they change, and that they change nothing else."""

import base64
import re
from typing import Any

import pytest
from tests.kube.bridges import BRIDGES, Workload, workloads
from tests.kube.rendering import ROOT, Document, of_kind

README = ROOT / "k8s" / "overlays" / "rehearsal" / "README.md"


@pytest.fixture
def found(manifests: list[Document]) -> dict[str, Workload]:
    return {each.name: each for each in workloads(manifests)}


def pod_of(workload: Workload, **how: Any) -> Document:
    (pod,) = of_kind(workload.pod(0, **how), "Pod")
    return pod


def test_every_bridge_is_listed_with_its_reason() -> None:
    rows = re.findall(r"^\| ([^|]+?) \| ([^|]+?) \| ([^|]+?) \|$", README.read_text(), re.MULTILINE)
    assert tuple(name for name, bridge, reason in rows[2:] if bridge and reason) == BRIDGES


def test_all_that_runs_is_found_with_as_many_pods_as_rendered(found: dict[str, Workload]) -> None:
    assert {name: each.replicas for name, each in found.items()} == {
        "web-gateway": 2, "game-service": 2, "table-service": 2, "store": 1,
    }  # fmt: skip


def test_each_pod_is_found_by_the_name_of_its_service_alone(found: dict[str, Workload]) -> None:
    assert {name: each.services for name, each in found.items()} == {name: (name,) for name in found}


def test_a_pod_of_a_deployment_is_its_template_less_what_the_kubelet_does(found: dict[str, Workload]) -> None:
    workload = found["web-gateway"]
    pod, rendered = pod_of(workload), workload.template
    left_out = {"startupProbe", "livenessProbe", "readinessProbe", "lifecycle", "ports"}
    (container,) = rendered["spec"]["containers"]
    expected = {key: value for key, value in container.items() if key not in left_out}
    assert left_out < set(container)
    assert pod["metadata"] == {"name": "web-gateway-0", "labels": rendered["metadata"]["labels"]}
    assert pod["spec"] == rendered["spec"] | {"containers": [expected], "volumes": []}


def test_another_image_changes_the_image_alone(found: dict[str, Workload]) -> None:
    for workload in found.values():
        pod, other = pod_of(workload), pod_of(workload, image="other")
        assert other["spec"]["containers"][0].pop("image") == "other"
        assert pod["spec"]["containers"][0].pop("image") != "other"
        assert other == pod


def test_a_secret_is_read_as_before_under_the_same_name_and_key(
    found: dict[str, Workload], manifests: list[Document]
) -> None:
    (secret,) = of_kind(manifests, "Secret")
    name = secret["metadata"]["name"]
    documents = found["game-service"].pod(0)
    (opened,) = [each for each in of_kind(documents, "ConfigMap") if each["metadata"]["name"] == name]
    assert opened["data"]["redis-url"] == base64.b64decode(secret["data"]["redis-url"]).decode()
    variables = {
        each["name"]: each.get("valueFrom") for each in documents[-1]["spec"]["containers"][0]["env"]
    }
    assert variables["TILERACE_REDIS_URL"] == {"configMapKeyRef": {"name": name, "key": "redis-url"}}


def test_the_stores_pod_has_the_volume_that_its_claim_names_and_its_files(
    found: dict[str, Workload], manifests: list[Document]
) -> None:
    documents = found["store"].pod(0)
    (claim,) = of_kind(documents, "PersistentVolumeClaim")
    assert claim["metadata"]["name"] == "data-store-0"
    assert claim["spec"] == found["store"].claims[0]["spec"]
    volumes = {each.pop("name"): each for each in pod_of(found["store"])["spec"]["volumes"]}
    (secret,) = of_kind(manifests, "Secret")
    assert volumes["data"] == {"persistentVolumeClaim": {"claimName": "data-store-0"}}
    assert volumes["access"] == {
        "configMap": {
            "name": secret["metadata"]["name"],
            "items": [{"key": "users.acl", "path": "users.acl"}],
        }
    }
    assert volumes["config"]["configMap"]["name"].startswith("store-config-")


def test_making_a_pod_changes_nothing_of_what_was_rendered(found: dict[str, Workload]) -> None:
    for workload in found.values():
        before = repr(workload)
        workload.pod(0, image="other")
        assert repr(workload) == before
