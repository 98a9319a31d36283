"""What every pod is: how much it takes, what it may do, who it is."""

import re
from collections.abc import Iterator

from bench.scaling import Measured
from tests.manifests.reading import CLUSTER_WIDE, Document
from tests.manifests.resources import NAME, PART_OF, Resources, quantity

from web_gateway.room import MOST_SOCKETS, SHARE

NAMESPACE = "tilerace"
USER = 10_001
RESIDENT = 60 * 2**20
"""What a service is resident with at least, in a container of its own, where it shares nothing (bench/results/race.md)."""
KERNEL_SOCKET = 4 * 2**10
"""What the kernel has for a socket, in bytes, which counts as its process's: slab of 8,000 on Linux 6, a file for each."""
CALLER = 20 * 2**10
"""What a connection takes whose request does not end, in bytes: 3,000 with half a body made a gateway 60 MiB larger."""
LIVE_RACES = 25_000
"""How many live races one game-service is to hold."""
_TAKES = {
    "web-gateway": RESIDENT
    + MOST_SOCKETS * (Measured().socket + KERNEL_SOCKET)
    + MOST_SOCKETS // SHARE * (CALLER + KERNEL_SOCKET),
    "game-service": RESIDENT + LIVE_RACES * Measured().live_race,
    "table-service": RESIDENT,
}


def measured(resources: Resources) -> Iterator[str]:
    """See that what is requested and allowed is said, and holds what was measured."""
    for workload in resources.workloads:
        for container in workload.containers:
            given = container.get("resources", {})
            requests, limits = given.get("requests", {}), given.get("limits", {})
            if not {"cpu", "memory"} <= requests.keys():
                yield f"{workload} does not say what it needs"
            if "cpu" in limits:
                yield f"{workload} is throttled by a limit of processor time"
            if "memory" not in limits:
                yield f"{workload} has no memory limit"
            elif quantity(limits["memory"]) < max(
                quantity(requests.get("memory", 0)), _TAKES.get(workload.name, 0)
            ):
                yield f"{workload} may not have the memory that it takes"


def restricted(resources: Resources) -> Iterator[str]:
    """See that pods keep to https://kubernetes.io/docs/concepts/security/pod-security-standards/, and to less still."""
    for workload in resources.workloads:
        for fault in (
            *_pod_faults(workload.pod),
            *(fault for each in workload.containers for fault in _faults(each)),
        ):
            yield f"{workload} {fault}"


def without_token(resources: Resources) -> Iterator[str]:
    """See that no pod can talk to the cluster's API."""
    for workload in resources.workloads:
        name = workload.pod.get("serviceAccountName", "default")
        account = resources.find("ServiceAccount", name)
        if name != workload.name or account is None:
            yield f"{workload} has no account of its own"
        elif account.get("automountServiceAccountToken") is not False:
            yield f"the account of {workload} mounts a token"
        if workload.pod.get("automountServiceAccountToken") is not False:
            yield f"{workload} mounts a token"
        if workload.pod.get("enableServiceLinks") is not False:
            yield f"{workload} is told of all Services by variables"


def pinned(resources: Resources) -> Iterator[str]:
    """See that each image is of one release."""
    for workload in resources.workloads:
        for container in workload.containers:
            image = container["image"]
            tag = re.search(r":([\w.-]+)$|@sha256:[0-9a-f]{64}$", image)
            if tag is None or tag[1] == "latest":
                yield f"{workload} runs whatever {image} is at the moment"


def labelled(resources: Resources) -> Iterator[str]:
    """See that everything says whose it is, and pods and their makers what they are."""
    for document in resources.documents:
        if document["metadata"].get("labels", {}).get(PART_OF) != NAMESPACE:
            yield f"{document['kind']} {document['metadata']['name']} does not say whose it is"
    for workload in resources.workloads:
        own = workload.document["metadata"].get("labels", {})
        if own.get(NAME) != workload.name or workload.labels.get(NAME) != workload.name:
            yield f"{workload} is labelled as something else"
        if workload.labels.get(PART_OF) != NAMESPACE:
            yield f"pods of {workload} do not say whose they are"


def in_one_namespace(resources: Resources) -> Iterator[str]:
    """See that all is where its policies are."""
    for document in resources.documents:
        inside = document["metadata"].get("namespace") == NAMESPACE
        if document["kind"] not in CLUSTER_WIDE and not inside:
            yield f"{document['kind']} {document['metadata']['name']} is in no namespace of ours"


def _pod_faults(pod: Document) -> Iterator[str]:
    context = pod.get("securityContext", {})
    if context.get("runAsNonRoot") is not True:
        yield "may run as root"
    if (context.get("runAsUser"), context.get("runAsGroup")) != (USER, USER):
        yield "runs as another user than the images are made for"
    if context.get("seccompProfile") != {"type": "RuntimeDefault"}:
        yield "may make any call of the system"
    for shared in ("hostNetwork", "hostPID", "hostIPC"):
        if pod.get(shared):
            yield f"has {shared}"
    for volume in pod.get("volumes", []):
        if not volume.keys() - {"name"} <= {"configMap", "secret", "emptyDir", "projected"}:
            yield f"has a volume of another kind, {volume['name']}"


def _faults(container: Document) -> Iterator[str]:
    context = container.get("securityContext", {})
    if context.get("allowPrivilegeEscalation") is not False or context.get("privileged"):
        yield "may gain privileges"
    if context.get("capabilities") != {"drop": ["ALL"]}:
        yield "has capabilities"
    if context.get("readOnlyRootFilesystem") is not True:
        yield "may write to its image"
    if any("hostPort" in port for port in container.get("ports", [])):
        yield "takes a port of the node"
    if {"runAsUser", "runAsNonRoot", "seccompProfile"} & context.keys():
        yield "says again, for a container, what holds for the pod"
