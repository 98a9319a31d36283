"""What refers to what: selectors, ports, ConfigMaps, Secrets and monitors."""

import re
from collections.abc import Iterator, Mapping

from tests.manifests.reading import Document
from tests.manifests.resources import NAME, SERVICES, Resources, Workload, as_text, references

HASH = re.compile(r"-[a-z0-9]{10}$")
SPEAKS = {"table-service": "kubernetes.io/h2c", "game-service": "tcp"}
"""What a mesh is told of a port: the Link is no HTTP/2, and comes to game-service's (docs/decisions/0012)."""
METRICS = 9100


def selecting(resources: Resources) -> Iterator[str]:
    """See that every selector finds the pods that it is named for, and none of others."""
    for workload in resources.workloads:
        labels = workload.spec.get("selector", {}).get("matchLabels", {})
        if workload.lives_on and (not labels or not labels.items() <= workload.labels.items()):
            yield f"{workload} does not select its own pods"
        if workload.lives_on and resources.selected(labels) not in ([], [workload]):
            yield f"{workload} selects pods of others"
    for kind, name, labels in _selectors(resources):
        found = [each.name for each in resources.selected(labels)]
        if not labels or len(found) != 1 or not name.startswith(found[0]):
            yield f"{kind} {name} selects {found or 'nothing'}"


def ports_exist(resources: Resources) -> Iterator[str]:
    """See that what is named by Services and probes is a port of the pods, and that numbers agree."""
    for workload in resources.workloads:
        for container in workload.containers:
            for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
                port = _port(container.get(probe, {}))
                if port is not None and port not in {*workload.ports, *workload.ports.values()}:
                    yield f"{workload}'s {probe} asks at {port}, which is no port of it"
    for service in resources.of("Service"):
        for workload in resources.selected(service["spec"].get("selector") or {"": ""}):
            for port in service["spec"]["ports"]:
                if port["targetPort"] not in workload.ports:
                    yield f"Service {service['metadata']['name']} leads to {port['targetPort']}, which is no port of {workload}"
                elif (
                    service["spec"].get("clusterIP") == "None"
                    and port["port"] != workload.ports[port["targetPort"]]
                ):
                    yield f"Service {service['metadata']['name']} is headless and gives another port than {workload} has"


def headless(resources: Resources) -> Iterator[str]:
    """See that clients of gRPC find every pod that is ready, and that others find one address."""
    for name in ("game-service", "table-service"):
        spec = (resources.find("Service", name) or {"spec": {}})["spec"]
        if spec.get("clusterIP") != "None":
            yield f"Service {name} hides its pods behind one address"
        if spec.get("publishNotReadyAddresses"):
            yield f"Service {name} leads to pods that wait for the store"
        if any(port.get("appProtocol") != SPEAKS[name] for port in spec.get("ports", [{"appProtocol": "?"}])):
            yield f"Service {name} says that it speaks something else"
    for name in ("web-gateway", *(["store"] if resources.store else [])):
        spec = (resources.find("Service", name) or {"spec": {}})["spec"]
        if spec.get("type") != "ClusterIP" or "clusterIP" in spec:
            yield f"Service {name} is no plain ClusterIP"


def hashed(resources: Resources) -> Iterator[str]:
    """See that ConfigMaps and Secrets that pods read are there, under names that change with what they hold."""
    for workload in resources.workloads:
        for kind, name, key in references(workload.pod):
            if resources.find(kind, name) is None:
                yield f"{workload} reads {kind} {name}, which is not there"
            elif key and key not in resources.referred(kind, name):
                yield f"{workload} reads {key} of {kind} {name}, which has none"
            if not HASH.search(name):
                yield f"{workload} is not rolled when {kind} {name} changes"


def secret(resources: Resources) -> Iterator[str]:
    """See that no password, nor its hash, stands where many may read it."""
    values = {
        word
        for each in resources.of("Secret")
        for text in resources.referred("Secret", each["metadata"]["name"]).values()
        for word in re.findall(r"[\w-]{32,}", text)
    }
    for document in resources.documents:
        if document["kind"] == "Secret":
            continue
        text = as_text(document)
        if any(value in text for value in values) or re.search(r"rediss?://[^/\"\s]*:[^/\"\s]*@", text):
            yield f"{document['kind']} {document['metadata']['name']} holds a secret"


def monitored(resources: Resources) -> Iterator[str]:
    """See that each service shows its metrics, and that a monitor that there is finds them."""
    for workload in resources.services:
        if workload.ports.get("metrics") != METRICS:
            yield f"{workload} has no port for metrics"
    for monitor in resources.of("PodMonitor"):
        found = {each.name for each in resources.workloads if _matches(monitor["spec"]["selector"], each)}
        if found != set(SERVICES):
            yield f"PodMonitor {monitor['metadata']['name']} finds {sorted(found)}"
        for endpoint in monitor["spec"]["podMetricsEndpoints"]:
            if any(endpoint["port"] not in each.ports for each in resources.services):
                yield f"PodMonitor {monitor['metadata']['name']} asks at {endpoint['port']}, which is no port of some"


def _matches(selector: Document, workload: Workload) -> bool:
    labels: Mapping[str, str] = selector.get("matchLabels", {})
    wanted = selector.get("matchExpressions", [])
    return labels.items() <= workload.labels.items() and all(
        each["operator"] == "In" and workload.labels.get(each["key"]) in each["values"] for each in wanted
    )


def _selectors(resources: Resources) -> Iterator[tuple[str, str, Mapping[str, str]]]:
    for each in resources.of("Service"):
        yield "Service", each["metadata"]["name"], each["spec"].get("selector", {})
    for each in resources.of("PodDisruptionBudget"):
        yield each["kind"], each["metadata"]["name"], each["spec"]["selector"]["matchLabels"]
    for workload in resources.workloads:
        for each in workload.pod.get("topologySpreadConstraints", []):
            yield str(workload), workload.labels[NAME], each["labelSelector"]["matchLabels"]


def _port(probe: Document) -> str | int | None:
    for how in ("grpc", "httpGet", "tcpSocket"):
        if how in probe:
            found: str | int = probe[how]["port"]
            return found
    return None
