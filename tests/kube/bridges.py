"""What stands in for those parts of Kubernetes that podman lacks: from rendered manifests to the pods that podman plays.

Each bridge is listed with its reason in k8s/overlays/rehearsal/README.md, by the names in `BRIDGES`; all that no bridge
names is played as it was rendered.
"""

import base64
import copy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tests.kube.rendering import Document, of_kind

BRIDGES = (
    "images",
    "scheduling",
    "replicas",
    "Service names",
    "Service address",
    "ports",
    "Secrets",
    "probes",
    "preStop",
    "volume claims",
    "fsGroup",
    "restarts",
)
LEFT_OUT = frozenset({"startupProbe", "livenessProbe", "readinessProbe", "lifecycle", "ports"})
"""What podman is not told of a container."""
PROBES = ("startupProbe", "livenessProbe", "readinessProbe")


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """A Deployment or a StatefulSet, and all that its pods need.

    Attributes:
        services: the names of the Services that lead to its pods.
        template: what its pods are made from, as rendered.
        claims: the templates of its volume claims, as rendered.
        settings: the ConfigMaps that podman is given with each pod, those that stand in for Secrets among them.
    """

    name: str
    replicas: int
    min_ready_s: int
    services: tuple[str, ...]
    template: Document
    claims: tuple[Document, ...]
    settings: tuple[Document, ...]

    @property
    def container(self) -> Document:
        """The one container of a pod, as rendered."""
        (container,) = self.template["spec"]["containers"]
        found: Document = container
        return found

    @property
    def ports(self) -> dict[str, int]:
        """The container's ports by their names."""
        return {each["name"]: each["containerPort"] for each in self.container["ports"]}

    @property
    def grace_s(self) -> int:
        """How long after SIGTERM its pods are killed; the time of preStop counts too, as in Kubernetes."""
        return int(self.template["spec"]["terminationGracePeriodSeconds"])

    @property
    def pre_stop_s(self) -> int:
        """How long a pod that goes waits before it is told to stop."""
        lifecycle = self.container.get("lifecycle", {"preStop": {"sleep": {"seconds": 0}}})
        return int(lifecycle["preStop"]["sleep"]["seconds"])

    def pod(self, number: int, *, image: str | None = None) -> list[Document]:
        """Give what podman plays for one pod: its settings, its claims, and itself; `image` replaces the rendered one."""
        spec = copy.deepcopy(self.template["spec"])
        name = f"{self.name}-{number}"
        claims = [_claim(each, name) for each in self.claims]
        spec["volumes"] = [
            *map(_volume, spec.get("volumes", [])),
            *(_claimed(*each) for each in zip(self.claims, claims, strict=True)),
        ]
        spec["containers"] = [_container(each, image) for each in spec["containers"]]
        metadata = {"name": name, "labels": self.template["metadata"]["labels"]}
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}
        return [*self.settings, *claims, pod]


def workloads(documents: Sequence[Document]) -> list[Workload]:
    """Find the workloads in rendered manifests, in their order."""
    settings = (*of_kind(documents, "ConfigMap"), *map(_opened, of_kind(documents, "Secret")))
    return [
        Workload(
            name=each["metadata"]["name"],
            replicas=each["spec"]["replicas"],
            min_ready_s=each["spec"].get("minReadySeconds", 0),
            services=tuple(_services(documents, each["spec"]["template"]["metadata"]["labels"])),
            template=each["spec"]["template"],
            claims=tuple(each["spec"].get("volumeClaimTemplates", ())),
            settings=settings,
        )
        for each in documents
        if each["kind"] in {"Deployment", "StatefulSet"}
    ]


def _services(documents: Sequence[Document], labels: dict[str, str]) -> Iterator[str]:
    for each in of_kind(documents, "Service"):
        if each["spec"]["selector"].items() <= labels.items():
            yield each["metadata"]["name"]


def _opened(secret: Document) -> Document:
    """Make a ConfigMap of a Secret, of the same name and with the same keys."""
    data = {key: base64.b64decode(value).decode() for key, value in secret.get("data", {}).items()}
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": secret["metadata"]["name"]},
        "data": data | secret.get("stringData", {}),
    }


def _container(rendered: Document, image: str | None) -> Document:
    kept = {key: value for key, value in rendered.items() if key not in LEFT_OUT}
    if image is not None:
        kept["image"] = image
    if "env" in kept:
        kept["env"] = [_variable(each) for each in kept["env"]]
    if "envFrom" in kept:
        kept["envFrom"] = [_renamed(each, "secretRef", "configMapRef") for each in kept["envFrom"]]
    return kept


def _variable(rendered: Document) -> Document:
    if "valueFrom" not in rendered:
        return rendered
    return rendered | {"valueFrom": _renamed(rendered["valueFrom"], "secretKeyRef", "configMapKeyRef")}


def _volume(rendered: Document) -> Document:
    if "secret" not in rendered:
        return rendered
    secret = rendered["secret"]
    opened: dict[str, Any] = {"name": secret["secretName"]}
    if "items" in secret:
        opened["items"] = secret["items"]
    return {"name": rendered["name"], "configMap": opened}


def _claim(template: Document, pod: str) -> Document:
    """Make the claim of one pod, by the name that a StatefulSet would give it."""
    claim = copy.deepcopy(template)
    claim["metadata"]["name"] = f"{template['metadata']['name']}-{pod}"
    return {**claim, "apiVersion": "v1", "kind": "PersistentVolumeClaim"}


def _claimed(template: Document, claim: Document) -> Document:
    return {
        "name": template["metadata"]["name"],
        "persistentVolumeClaim": {"claimName": claim["metadata"]["name"]},
    }


def _renamed(rendered: Document, old: str, new: str) -> Document:
    return {new if key == old else key: value for key, value in rendered.items()}
