"""An installation put together from the plain manifests, without kustomize: near enough to see that each policy bites.

What kustomize truly makes of them, with all its patches, is for tests/kube/test_rendered.py to see.
"""

import base64
import copy
import importlib.machinery
import importlib.util
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import urlsplit

from tests.manifests.policy_pods import NAMESPACE
from tests.manifests.reading import K8S, KUSTOMIZATION, Document, read, resources_of
from tests.manifests.resources import PART_OF, Resources, Workload

COMPONENTS = ("network-policies", "gateway", "ingress", "monitoring", "autoscaling")
URL = "https://race.example.org"
PROXIES = "10.0.0.0/8"
SUFFIX = "-0123456789"
_REFERENCES = {"configMapRef", "configMapKeyRef", "secretRef", "secretKeyRef", "configMap", "secret"}


def make_secrets() -> ModuleType:
    """Load k8s/make-secrets, which is a program and no module."""
    path = str(K8S / "make-secrets")
    loader = importlib.machinery.SourceFileLoader("make_secrets", path)
    spec = importlib.util.spec_from_loader("make_secrets", loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def assembled() -> Resources:
    """Give base and components as one installation at `URL`."""
    folders = [K8S / "base", *(K8S / "components" / name for name in COMPONENTS)]
    documents = [copy.deepcopy(each) for folder in folders for each in resources_of(folder)]
    generated = [
        _config_map("settings", _settings() | {"TILERACE_PUBLIC_URL": URL, "TILERACE_PROXIES": PROXIES}),
        _config_map("store-config", {"store.conf": (K8S / "base/store.conf").read_text()}),
        _secret(make_secrets()),
    ]
    names = {each["metadata"]["name"] for each in generated}
    for document in [*documents, *generated]:
        _finish(document, names)
    scaled = {each["metadata"]["name"] for each in documents if each["kind"] == "HorizontalPodAutoscaler"}
    for document in documents:
        if document["kind"] == "Deployment" and document["metadata"]["name"] in scaled:
            del document["spec"]["replicas"]
    return Resources([*documents, *generated])


def _finish(document: Document, names: set[str]) -> None:
    """Do what overlays do: namespace, labels, images, hosts, classes, and names with a hash."""
    document["metadata"]["namespace"] = NAMESPACE
    document["metadata"].setdefault("labels", {})[PART_OF] = NAMESPACE
    if document["kind"] in {"ConfigMap", "Secret"} and document["metadata"]["name"] in names:
        document["metadata"]["name"] += SUFFIX
    if document["kind"] in {"Deployment", "StatefulSet"}:
        workload = Workload(document)
        workload.template["metadata"]["labels"][PART_OF] = NAMESPACE
        for container in workload.containers:
            container["image"] += ":0.1.0"
    _point(document, names)
    _host(document, urlsplit(URL).hostname or "")


def _point(part: Any, names: set[str], above: str = "") -> None:
    match part:
        case dict():
            for key in ("name", "secretName"):
                if above in _REFERENCES and part.get(key) in names:
                    part[key] += SUFFIX
            for key, value in part.items():
                _point(value, names, key)
        case list():
            for value in part:
                _point(value, names, above)
        case _:
            pass


def _host(document: Document, host: str) -> None:
    spec = document.get("spec", {})
    match document["kind"]:
        case "Gateway":
            spec["gatewayClassName"] = "public"
            for listener in spec["listeners"]:
                listener["hostname"] = host
        case "HTTPRoute":
            spec["hostnames"] = [host]
        case "Ingress":
            spec["ingressClassName"] = "nginx"
            spec["rules"][0]["host"], spec["tls"][0]["hosts"] = host, [host]
        case _:
            pass


def _settings() -> dict[str, str]:
    return dict(_lines(K8S / "base/settings.env"))


def _lines(path: Path) -> Iterator[tuple[str, str]]:
    for line in path.read_text().splitlines():
        if line and not line.startswith("#"):
            name, _, value = line.partition("=")
            yield name, value


def _config_map(name: str, data: Mapping[str, str]) -> Document:
    (kustomization,) = read((K8S / "base" / KUSTOMIZATION).read_text())
    assert name in {each["name"] for each in kustomization["configMapGenerator"]}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": dict(data)}


def _secret(module: ModuleType) -> Document:
    files = module.made()
    data = {name: base64.b64encode(files[name].encode()).decode() for name in module.FILES}
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "store-access"},
        "type": "Opaque",
        "data": data,
    }
