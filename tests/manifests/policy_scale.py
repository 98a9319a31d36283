"""How many of each there are, where, and how they come and go."""

from collections.abc import Iterator

from tests.manifests.reading import Document
from tests.manifests.resources import SERVICES, Resources, Workload

from wire.routing import RESOLVE_S

LEAST = 2
DNS_S = 30
"""For how long DNS may give the addresses that it knew: kubeadm's CoreDNS before Kubernetes 1.32, and NodeLocal DNSCache."""
TOPOLOGIES = {"kubernetes.io/hostname", "topology.kubernetes.io/zone"}
QUIET_S = 300
"""For how long at least little was asked, before an autoscaler takes one away."""


def two_of_each(resources: Resources) -> Iterator[str]:
    """See that each service is there twice."""
    for name in SERVICES:
        workload = next((each for each in resources.services if each.name == name), None)
        if workload is None:
            yield f"there is no {name}"
        elif _least(workload, resources) < LEAST:
            yield f"{workload} may have fewer than {LEAST}"


def rolls_by_adding(resources: Resources) -> Iterator[str]:
    """See that a new pod comes before an old one goes."""
    for workload in resources.services:
        strategy = workload.spec.get("strategy", {})
        rolling = strategy.get("rollingUpdate", {})
        if (
            strategy.get("type") != "RollingUpdate"
            or rolling.get("maxUnavailable") != 0
            or not rolling.get("maxSurge")
        ):
            yield f"{workload} takes pods away before it adds any"
        if not workload.spec.get("minReadySeconds"):
            yield f"{workload} lets the next go as soon as one is ready"
        elif _is_headless(workload, resources) and workload.spec["minReadySeconds"] < DNS_S + RESOLVE_S:
            yield f"{workload} may be all new before DNS has told of any"


def disrupted_one_at_a_time(resources: Resources) -> Iterator[str]:
    """See that a node's drain takes one, and is never held up by those that serve nobody."""
    for workload in resources.workloads:
        if not workload.lives_on or workload.spec.get("replicas", LEAST) < LEAST:
            continue
        budgets = [each for each in resources.of("PodDisruptionBudget") if _covers(each, workload)]
        if len(budgets) != 1:
            yield f"{workload} has {len(budgets)} PodDisruptionBudgets"
        elif budgets[0]["spec"].get("maxUnavailable") != 1:
            yield f"the PodDisruptionBudget of {workload} allows others than one to go"
        elif (
            workload.name in SERVICES
            and budgets[0]["spec"].get("unhealthyPodEvictionPolicy") != "AlwaysAllow"
        ):
            yield f"pods of {workload} that are not ready keep a node from being drained"


def spread(resources: Resources) -> Iterator[str]:
    """See that pods are spread over nodes and zones, as far as can be."""
    for workload in resources.workloads:
        if not workload.lives_on or workload.spec.get("replicas", LEAST) < LEAST:
            continue
        constraints = workload.pod.get("topologySpreadConstraints", [])
        if {each["topologyKey"] for each in constraints} != TOPOLOGIES:
            yield f"{workload} is not spread over nodes and zones"
        for each in constraints:
            if each["whenUnsatisfiable"] != "ScheduleAnyway":
                yield f"{workload} waits where it cannot be spread"
            if not each["labelSelector"]["matchLabels"].items() <= workload.labels.items():
                yield f"{workload} is spread by the pods of others"


def scaled_slowly(resources: Resources) -> Iterator[str]:
    """See that autoscalers aim at what there is, and keep two."""
    for autoscaler in resources.of("HorizontalPodAutoscaler"):
        name, spec = autoscaler["metadata"]["name"], autoscaler["spec"]
        target = _target(autoscaler, resources)
        if target is None:
            yield f"autoscaler {name} aims at nothing"
        elif "replicas" in target.spec:
            yield f"{target} has a number of replicas beside its autoscaler's"
        if not LEAST <= spec.get("minReplicas", 1) < spec["maxReplicas"]:
            yield f"autoscaler {name} may go below {LEAST}, or has no room"
        down = spec.get("behavior", {}).get("scaleDown", {})
        slow = [each for each in down.get("policies", []) if each["type"] == "Pods" and each["value"] == 1]
        if (
            down.get("stabilizationWindowSeconds", 0) < QUIET_S
            or len(slow) != len(down.get("policies", []))
            or not slow
        ):
            yield f"autoscaler {name} scales down fast"
        if not any(
            each["type"] == "Resource" and each["resource"]["name"] == "cpu"
            for each in spec.get("metrics", [])
        ):
            yield f"autoscaler {name} does not go by processor time"


def _is_headless(workload: Workload, resources: Resources) -> bool:
    return any(
        each["spec"].get("clusterIP") == "None"
        and each["spec"]["selector"].items() <= workload.labels.items()
        for each in resources.of("Service")
    )


def _least(workload: Workload, resources: Resources) -> int:
    for autoscaler in resources.of("HorizontalPodAutoscaler"):
        target = _target(autoscaler, resources)
        if target is not None and target.name == workload.name:
            return int(autoscaler["spec"].get("minReplicas", 1))
    return int(workload.spec.get("replicas", 1))


def _target(autoscaler: Document, resources: Resources) -> Workload | None:
    aim = autoscaler["spec"]["scaleTargetRef"]
    return next(
        (each for each in resources.workloads if (each.kind, each.name) == (aim["kind"], aim["name"])), None
    )


def _covers(budget: Document, workload: Workload) -> bool:
    labels: dict[str, str] = budget["spec"]["selector"]["matchLabels"]
    return labels.items() <= workload.labels.items()
