"""Rendered resources, and what the policies ask of them."""

import base64
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from tests.manifests.reading import Document

NAME = "app.kubernetes.io/name"
PART_OF = "app.kubernetes.io/part-of"
SERVICES = ("game-service", "table-service", "web-gateway")
_UNITS = {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "m": 1e-3, "k": 1e3, "M": 1e6, "G": 1e9}


@dataclass(frozen=True)
class Workload:
    """What makes pods: a Deployment, a StatefulSet or a CronJob."""

    document: Document

    @property
    def kind(self) -> str:
        return str(self.document["kind"])

    @property
    def name(self) -> str:
        return str(self.document["metadata"]["name"])

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"

    @property
    def spec(self) -> Document:
        found: Document = self.document["spec"]
        return found

    @property
    def template(self) -> Document:
        """The pods' template."""
        spec = self.spec["jobTemplate"]["spec"] if self.kind == "CronJob" else self.spec
        found: Document = spec["template"]
        return found

    @property
    def labels(self) -> Mapping[str, str]:
        """The pods' labels."""
        found: Mapping[str, str] = self.template["metadata"]["labels"]
        return found

    @property
    def pod(self) -> Document:
        """The pods' spec."""
        found: Document = self.template["spec"]
        return found

    @property
    def containers(self) -> list[Document]:
        return [*self.pod.get("initContainers", []), *self.pod["containers"]]

    @property
    def ports(self) -> dict[str, int]:
        """The numbers of all ports, by name."""
        return {
            each["name"]: each["containerPort"] for one in self.containers for each in one.get("ports", [])
        }

    @property
    def lives_on(self) -> bool:
        """Whether its pods are to run for ever."""
        return self.kind != "CronJob"


@dataclass(frozen=True)
class Resources:
    """All resources of an installation."""

    documents: Sequence[Document]

    def of(self, *kinds: str) -> list[Document]:
        """Give those of some kinds."""
        return [each for each in self.documents if each["kind"] in kinds]

    def find(self, kind: str, name: str) -> Document | None:
        """Give one by its kind and name."""
        return next((each for each in self.of(kind) if each["metadata"]["name"] == name), None)

    @cached_property
    def workloads(self) -> list[Workload]:
        """Whatever makes pods."""
        return [
            Workload(each)
            for each in self.of("Deployment", "StatefulSet", "DaemonSet", "Job", "CronJob", "Pod")
        ]

    @property
    def services(self) -> list[Workload]:
        """Our three services, those that there are."""
        return [each for each in self.workloads if each.kind == "Deployment" and each.name in SERVICES]

    @property
    def store(self) -> Workload | None:
        """The store; None where it runs elsewhere."""
        return next(
            (each for each in self.workloads if each.kind == "StatefulSet" and each.name == "store"), None
        )

    def selected(self, labels: Mapping[str, str]) -> list[Workload]:
        """Give whose pods have these labels."""
        return [each for each in self.workloads if labels.items() <= each.labels.items()]

    def referred(self, kind: str, name: str) -> Mapping[str, str]:
        """Give what a ConfigMap or a Secret holds, in clear; empty where there is none."""
        found = self.find(kind, name) or {}
        data: Mapping[str, str] = found.get("data", {})
        if kind != "Secret":
            return data
        return {key: base64.b64decode(value).decode() for key, value in data.items()}


def references(pod: Document) -> Iterator[tuple[str, str, str]]:
    """Give kind, name and key of each ConfigMap and Secret that a pod's spec names; the key is empty for all of it."""
    for container in [*pod.get("initContainers", []), *pod["containers"]]:
        for source in container.get("envFrom", []):
            for field, kind in (("configMapRef", "ConfigMap"), ("secretRef", "Secret")):
                if field in source:
                    yield kind, source[field]["name"], ""
        for variable in container.get("env", []):
            value = variable.get("valueFrom", {})
            for field, kind in (("configMapKeyRef", "ConfigMap"), ("secretKeyRef", "Secret")):
                if field in value:
                    yield kind, value[field]["name"], value[field]["key"]
    for volume in pod.get("volumes", []):
        yield from _of_volume(volume)


def _of_volume(volume: Document) -> Iterator[tuple[str, str, str]]:
    for field, kind, named in (("configMap", "ConfigMap", "name"), ("secret", "Secret", "secretName")):
        if field in volume:
            source = volume[field]
            for item in source.get("items", [{"key": ""}]):
                yield kind, source[named], item["key"]


def environment(container: Document, resources: Resources) -> dict[str, str]:
    """Give a container's variables, with what they refer to."""
    found: dict[str, str] = {}
    for source in container.get("envFrom", []):
        found |= resources.referred("ConfigMap", source["configMapRef"]["name"])
    for variable in container.get("env", []):
        found[variable["name"]] = variable.get("value") or _value(variable.get("valueFrom", {}), resources)
    return found


def _value(source: Mapping[str, Any], resources: Resources) -> str:
    for field, kind in (("configMapKeyRef", "ConfigMap"), ("secretKeyRef", "Secret")):
        if field in source:
            return resources.referred(kind, source[field]["name"]).get(source[field]["key"], "")
    return ""


def quantity(text: str | int) -> float:
    """Read a quantity such as 256Mi or 250m.

    >>> quantity("250m"), quantity("1Ki"), quantity("2")
    (0.25, 1024.0, 2.0)
    """
    unit = next((unit for unit in _UNITS if str(text).endswith(unit)), "")
    return float(str(text).removesuffix(unit)) * _UNITS.get(unit, 1)


def as_text(document: Document) -> str:
    """Give all that a document says, to look for words in it."""
    return json.dumps(document, sort_keys=True)
