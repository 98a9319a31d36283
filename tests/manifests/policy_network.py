"""Who may reach whom, as NetworkPolicies say it: each pair that is needed, and no other."""

import ipaddress
import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from tests.manifests.policy_pods import NAMESPACE
from tests.manifests.reading import Document
from tests.manifests.resources import NAME, SERVICES, Resources

ANYWHERE = "203.0.113.9"
"""An address outside of the cluster."""
STORE, BUS, METRICS, DNS = 6379, 16379, 9100, 53
CHALLENGE, CONTROL = 8089, 15012


@dataclass(frozen=True)
class Peer:
    """One end: a pod with its labels and its namespace's name, or an address outside of the cluster."""

    name: str
    labels: Mapping[str, str] = field(default_factory=dict)
    namespace: str = NAMESPACE
    address: str = ""

    def __str__(self) -> str:
        return self.name


OUTSIDE = Peer("the internet", address=ANYWHERE, namespace="")
MONITORING = Peer("Prometheus", {NAME: "prometheus"}, "monitoring")
CLUSTER_DNS = Peer("DNS", {"k8s-app": "kube-dns"}, "kube-system")
STRANGER = Peer("a pod elsewhere", {NAME: "web-gateway"}, "default")
NEIGHBOUR = Peer("a pod of no name", {}, NAMESPACE)
SOLVER = Peer("cert-manager's solver", {"acme.cert-manager.io/http01-solver": "true"}, NAMESPACE)
PROXY = Peer("a Gateway's proxy", {"gateway.networking.k8s.io/gateway-name": "tilerace"}, NAMESPACE)
OTHERS = (OUTSIDE, MONITORING, CLUSTER_DNS, STRANGER, NEIGHBOUR)
Edge = tuple[str, str, int]


def enforced(resources: Resources) -> Iterator[str]:
    """See that each who needs to reach another may, and nobody else, where there are policies that deny all."""
    policies = resources.of("NetworkPolicy")
    if not any(each["spec"]["podSelector"] == {} for each in policies):
        return
    pods = [Peer(each.name, each.labels) for each in resources.workloads]
    needed, ports = set(_needed(resources)), {METRICS, DNS, STORE, BUS, 443}
    ports |= {port for each in resources.workloads for port in each.ports.values()}
    for source, target in itertools.permutations([*pods, *OTHERS], 2):
        yield from _compare(policies, source, target, ports=ports, needed=needed)
    for pod in pods:
        yield from _compare(policies, pod, pod, ports=ports, needed=needed)
    for source, target, port in _ways_in(resources, pods):
        if not allowed(policies, source, target, port):
            yield f"{source} may not reach {target} at {port}"


def allowed(policies: Sequence[Document], source: Peer, target: Peer, port: int) -> bool:
    """Tell whether a connection is let out and let in (https://kubernetes.io/docs/concepts/services-networking/network-policies/)."""
    return _lets(policies, "egress", source, target, port) and _lets(
        policies, "ingress", target, source, port
    )


def _compare(
    policies: Sequence[Document], source: Peer, target: Peer, *, ports: set[int], needed: set[Edge]
) -> Iterator[str]:
    if NAMESPACE not in {source.namespace, target.namespace}:
        return
    for port in sorted(ports):
        may = allowed(policies, source, target, port)
        if may != ((source.name, target.name, port) in needed):
            yield f"{source} may {'' if may else 'not '}reach {target} at {port}"


def _needed(resources: Resources) -> Iterator[Edge]:
    for source in OTHERS:
        if source.namespace != NAMESPACE:
            yield source.name, "web-gateway", 8000
    yield "web-gateway", "game-service", 8101
    yield "table-service", "game-service", 8101
    yield "web-gateway", "table-service", 8102
    for name in SERVICES:
        yield MONITORING.name, name, METRICS
        yield name, CLUSTER_DNS.name, DNS
    for name in ("game-service", "table-service"):
        yield name, "store" if resources.store else OUTSIDE.name, STORE
    if any(each.name == "store-keeper" for each in resources.workloads):
        yield "store-keeper", "store", STORE
        yield "store-keeper", CLUSTER_DNS.name, DNS
        yield from (("store", "store", port) for port in (STORE, BUS))


def _ways_in(resources: Resources, pods: Sequence[Peer]) -> Iterator[tuple[Peer, Peer, int]]:
    """Give who else has to be reached: pods of others that are made in our namespace, for certificates and for a Gateway."""
    yield OUTSIDE, SOLVER, CHALLENGE
    if resources.of("Gateway"):
        yield OUTSIDE, PROXY, 443
        yield PROXY, OUTSIDE, CONTROL
        yield from ((PROXY, pod, 8000) for pod in pods if pod.name == "web-gateway")


def _lets(policies: Sequence[Document], way: str, pod: Peer, other: Peer, port: int) -> bool:
    if pod.namespace != NAMESPACE:
        return True  # ours say nothing of others' pods
    binding = [
        each
        for each in policies
        if way.capitalize() in each["spec"]["policyTypes"]
        and _selects(each["spec"]["podSelector"], pod.labels)
    ]
    rules = [rule for each in binding for rule in each["spec"].get(way, [])]
    return not binding or any(_rule(rule, "to" if way == "egress" else "from", other, port) for rule in rules)


def _rule(rule: Document, side: str, other: Peer, port: int) -> bool:
    ports, peers = rule.get("ports"), rule.get(side)
    at = ports is None or any(each["port"] == port for each in ports)
    return at and (peers is None or any(_peer(each, other) for each in peers))


def _peer(peer: Document, other: Peer) -> bool:
    if "ipBlock" in peer:
        block = ipaddress.ip_network(peer["ipBlock"]["cidr"])
        return bool(other.address) and ipaddress.ip_address(other.address) in block
    if other.address:
        return False
    if "namespaceSelector" in peer:
        name = {"kubernetes.io/metadata.name": other.namespace}
        return _selects(peer["namespaceSelector"], name) and _selects(
            peer.get("podSelector", {}), other.labels
        )
    return other.namespace == NAMESPACE and _selects(peer["podSelector"], other.labels)


def _selects(selector: Document, labels: Mapping[str, str]) -> bool:
    plain: Mapping[str, str] = selector.get("matchLabels", {})
    return plain.items() <= labels.items() and all(
        each["operator"] == "In" and labels.get(each["key"]) in each["values"]
        for each in selector.get("matchExpressions", [])
    )
