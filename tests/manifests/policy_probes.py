"""How the kubelet sees whether a pod started, lives and is ready, and what time it gives one that is to go."""

from collections.abc import Iterator, Mapping

from tests.manifests.reading import Document
from tests.manifests.resources import Resources, Workload

from web_gateway.__main__ import CLOSE_S, DRAIN_S
from wire.serving import FLUSH_S, GRACE_S, LIVENESS

PROBES = ("startupProbe", "livenessProbe", "readinessProbe")
_GRPC = {"startupProbe": LIVENESS, "livenessProbe": LIVENESS, "readinessProbe": ""}
_HTTP = {"startupProbe": "/healthz", "livenessProbe": "/healthz", "readinessProbe": "/readyz"}
START_S, HUNG_S = 20, 30
"""How long a process may take to start, and to say nothing, before it is killed."""
WITHDRAWN_S = 3
"""How long at least it takes until nobody is sent to a pod that goes."""
DRAIN = {
    # Peers go elsewhere, and then what is under way is finished, each for so long at most; what is written still arrives.
    "game-service": 2 * GRACE_S + FLUSH_S,
    "table-service": 2 * GRACE_S,
    # Sockets, then requests, then streams.
    "web-gateway": 2 * CLOSE_S + DRAIN_S,
}
ROOM_S = 5


def probed(resources: Resources) -> Iterator[str]:
    """See that each pod is asked the right questions, and that its life depends on nobody else's."""
    for workload in resources.workloads:
        if not workload.lives_on:
            continue
        for container in workload.containers:
            for probe in PROBES:
                if probe not in container:
                    yield f"{workload} has no {probe}"
                elif fault := _fault(workload, container, probe):
                    yield f"{workload}'s {probe} {fault}"
            yield from _patience(workload, container)


def given_time(resources: Resources) -> Iterator[str]:
    """See that a pod that goes is first withdrawn, and then killed only after it has drained."""
    for workload in resources.services:
        (container,) = workload.containers
        sleep = container.get("lifecycle", {}).get("preStop", {}).get("sleep", {}).get("seconds", 0)
        if sleep < WITHDRAWN_S:
            yield f"{workload} ends before it is withdrawn"
        grace = workload.pod.get("terminationGracePeriodSeconds", 0)
        if grace < sleep + DRAIN[workload.name] + ROOM_S:
            yield f"{workload} is killed after {grace} s, while it may still drain"


def _fault(workload: Workload, container: Document, name: str) -> str:
    probe = container[name]
    match probe:
        case {"grpc": {**grpc}} if workload.name in {"game-service", "table-service"}:
            return "asks for another health" if grpc.get("service", "") != _GRPC[name] else ""
        case {"httpGet": {"path": path}} if workload.name == "web-gateway":
            return "asks for another health" if path != _HTTP[name] else ""
        case {"tcpSocket": _} if workload.name == "store" and name != "readinessProbe":
            return ""
        case {"exec": {"command": [*words]}} if workload.name == "store" and name == "readinessProbe":
            return "" if words[-1] == "ping" and "-e" in words else "takes a store that is loading for ready"
    return "asks in a way that is not for this pod"


def _patience(workload: Workload, container: Document) -> Iterator[str]:
    for name, least in (("startupProbe", START_S), ("livenessProbe", HUNG_S)):
        if _lasts(container.get(name, {})) < least:
            yield f"{workload} is killed by its {name} within {least} s"


def _lasts(probe: Mapping[str, int]) -> int:
    return probe.get("periodSeconds", 10) * probe.get("failureThreshold", 3)
