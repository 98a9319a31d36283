"""What kustomize makes of every overlay with every combination of components keeps to schemas and policies."""

import json
from functools import cache
from pathlib import Path

import pytest
from tests.kube.combinations import (
    ENTRIES,
    Combination,
    NotRendered,
    beside,
    built,
    combinations,
    copied,
    rendered,
)
from tests.manifests import schemas
from tests.manifests.breaking import Broken
from tests.manifests.broken import BROKEN, BROKEN_CLUSTER, BROKEN_ELSEWHERE
from tests.manifests.policy import POLICIES, violations
from tests.manifests.reading import K8S, KUSTOMIZATION, read
from tests.manifests.resources import Resources, as_text

COMBINATIONS = list(combinations())
FULL = Combination("production", ("gateway", "network-policies", "autoscaling", "monitoring"))
ON_CLUSTER = Combination("production", ("ingress", "network-policies", "ha-store"))
ON_ANOTHERS_STORE = Combination("production", ("gateway", "network-policies", "external-store"))
BRIDGED = {
    "rehearsal": [
        f"a roll-out takes none away: Deployment {name} may be all new before DNS has told of any"
        for name in ("game-service", "table-service")
    ]
}
"""What an overlay does otherwise, and says why."""
SHIPPED = sorted(path.parent.name for path in (K8S / "overlays").glob(f"*/{KUSTOMIZATION}"))


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copied(tmp_path_factory.mktemp("rendered"))


@pytest.fixture(scope="module")
def all_rendered(copy: Path) -> dict[str, Resources]:
    return {str(each): rendered(copy, each) for each in COMBINATIONS}


@cache
def faults(document: str) -> tuple[str, ...]:
    """Give a document's faults; most are the same in most combinations."""
    return tuple(schemas.faults(json.loads(document)))


@pytest.mark.parametrize("name", SHIPPED)
def test_each_overlay_as_it_is_shipped_keeps_to_schemas_and_policies(copy: Path, name: str) -> None:
    resources = Resources(built(copy / "overlays" / name))
    assert violations(resources) == BRIDGED.get(name, [])
    assert [fault for each in resources.documents for fault in faults(as_text(each))] == []


@pytest.mark.parametrize("combination", COMBINATIONS, ids=str)
def test_each_combination_is_as_the_last_three_minors_say(
    all_rendered: dict[str, Resources], combination: Combination
) -> None:
    documents = all_rendered[str(combination)].documents
    assert [fault for each in documents for fault in faults(as_text(each))] == []


@pytest.mark.parametrize("policy", POLICIES)
def test_each_combination_is_as_each_policy_wants_it(all_rendered: dict[str, Resources], policy: str) -> None:
    found = [(name, fault) for name, each in all_rendered.items() for fault in POLICIES[policy](each)]
    assert found == []


def there(broken: Broken) -> bool:
    """Tell whether what is to be broken is in the full combination, whose autoscalers have taken two numbers away."""
    return broken.kind != "Ingress"


@pytest.mark.parametrize("broken", [each for each in BROKEN if there(each)], ids=str)
def test_what_is_rendered_and_wrong_in_one_place_is_refused(
    all_rendered: dict[str, Resources], broken: Broken
) -> None:
    assert list(POLICIES[broken.policy](broken.of(all_rendered[str(FULL)])))


@pytest.mark.parametrize("broken", BROKEN_CLUSTER, ids=str)
def test_a_cluster_that_is_wrong_in_one_place_is_refused(
    all_rendered: dict[str, Resources], broken: Broken
) -> None:
    assert list(POLICIES[broken.policy](broken.of(all_rendered[str(ON_CLUSTER)])))


@pytest.mark.parametrize("broken", BROKEN_ELSEWHERE, ids=str)
def test_a_store_elsewhere_that_is_wrong_in_one_place_is_refused(
    all_rendered: dict[str, Resources], broken: Broken
) -> None:
    assert list(POLICIES[broken.policy](broken.of(all_rendered[str(ON_ANOTHERS_STORE)])))


def test_without_secrets_an_overlay_is_not_rendered_and_the_file_that_is_missing_is_named(copy: Path) -> None:
    folder = copy / "overlays" / "bare"
    folder.mkdir()
    (folder / KUSTOMIZATION).write_text((K8S / "overlays/production" / KUSTOMIZATION).read_text())
    with pytest.raises(NotRendered, match=r"users\.acl"):
        built(folder)


def test_the_public_address_is_written_once_and_all_hosts_follow_it(copy: Path) -> None:
    path = copy / "overlays/production" / KUSTOMIZATION
    text = path.read_text()
    assert text.count("https://race.example.org") == 1
    path.write_text(text.replace("https://race.example.org", "https://2048.test"))
    try:
        for entry in ("gateway", "ingress"):
            resources = rendered(copy, Combination("production", (entry,)))
            assert violations(resources) == []
            assert not any("race.example.org" in as_text(each) for each in resources.documents)
    finally:
        path.write_text(text)


@pytest.mark.parametrize(
    ("entry", "kind", "field"),
    [("gateway", "Gateway", "gatewayClassName"), ("ingress", "Ingress", "ingressClassName")],
)
def test_the_class_that_serves_requests_is_set_in_the_overlay(
    copy: Path, entry: str, kind: str, field: str
) -> None:
    combination = Combination("production", (entry,))
    path = copy / "overlays/production" / KUSTOMIZATION
    text = path.read_text()
    (before,) = rendered(copy, combination).of(kind)
    assert text.count(f"value: {before['spec'][field]}\n") == 1
    path.write_text(text.replace(f"value: {before['spec'][field]}\n", "value: mine\n"))
    try:
        (after,) = rendered(copy, combination).of(kind)
    finally:
        path.write_text(text)
    assert after["spec"][field] == "mine"


def test_what_the_page_shows_puts_an_address_before_the_runbooks_of_all_alerts(copy: Path) -> None:
    page = (K8S.parent / "docs/operations.md").read_text()
    (shown,) = [part for part in page.split("```")[1::2] if "runbook_url" in part]
    (added,) = read(shown)
    folder = copy / "overlays/production"
    (kustomization,) = read((folder / KUSTOMIZATION).read_text())
    for name, items in added.items():
        kustomization[name] += items
    kustomization["components"].append("../../components/monitoring")
    resources = Resources(built(beside(folder, kustomization)))
    rules = [
        rule
        for each in resources.of("PrometheusRule")
        for group in each["spec"]["groups"]
        for rule in group["rules"]
        if "alert" in rule
    ]
    address = added["configMapGenerator"][0]["literals"][0].partition("=")[2]
    assert [rule["annotations"]["runbook_url"] for rule in rules] == [
        f"{address}/docs/operations.md#{rule['alert'].lower()}" for rule in rules
    ]
    assert len(rules) > 5
    assert violations(resources) == []


def test_a_changed_setting_and_a_changed_password_each_give_another_name(copy: Path) -> None:
    overlay = copy / "overlays/local"
    before = {each["metadata"]["name"] for each in Resources(built(overlay)).of("ConfigMap", "Secret")}
    (copy / "base/settings.env").write_text("TILERACE_LOG=json\nTILERACE_GRACE_MS=30000\n")
    url = (overlay / "redis-url").read_text()
    (overlay / "redis-url").write_text(url.replace("redis://", "rediss://"))
    try:
        after = {each["metadata"]["name"] for each in Resources(built(overlay)).of("ConfigMap", "Secret")}
    finally:
        (copy / "base/settings.env").write_text((K8S / "base/settings.env").read_text())
        (overlay / "redis-url").write_text(url)
    assert {name.rpartition("-")[0] for name in after ^ before} == {"settings", "store-access"}


@pytest.mark.parametrize("overlay", ENTRIES)
def test_with_a_store_elsewhere_nothing_of_ours_stores_anything(copy: Path, overlay: str) -> None:
    resources = rendered(copy, Combination(overlay, ("network-policies", "external-store")))
    assert not resources.of("StatefulSet", "PersistentVolumeClaim")
    assert not [each for each in resources.documents if each["metadata"]["name"].startswith("store-config")]
    assert resources.find("Service", "store") is None


def test_an_overlay_holds_no_namespace_and_the_namespace_lets_in_only_what_is_restricted(copy: Path) -> None:
    assert not [
        each for name in SHIPPED for each in Resources(built(copy / "overlays" / name)).of("Namespace")
    ]
    (namespace,) = built(copy / "namespace")
    labels = namespace["metadata"]["labels"]
    assert list(schemas.faults(namespace)) == []
    assert {labels[f"pod-security.kubernetes.io/{mode}"] for mode in ("enforce", "audit", "warn")} == {
        "restricted"
    }
