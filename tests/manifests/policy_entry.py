"""How requests come in: at the public address, over TLS, and with patience for sockets."""

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

from tests.manifests.reading import Document
from tests.manifests.resources import Resources, environment

from wire.settings import Timings

SOCKET = "/api/tables/K7QM2XWP/socket"
BEATS = 3
"""How many pings at least fit into the time after which a silent socket is given up; two that were missed are our own."""
NGINX = "nginx.ingress.kubernetes.io/"
UNSET = "set-by-the-overlay"
"""What stands in a component where the overlay has to say the class."""
PATIENCE_S = BEATS * Timings().ping_ms / 1000
_UNITS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001}


def patient(resources: Resources) -> Iterator[str]:
    """See that whatever passes sockets on bears their silence for longer than they are ever silent."""
    for route in resources.of("HTTPRoute"):
        rule = _rule_of_socket(route)
        timeouts = {} if rule is None else rule.get("timeouts", {})
        for name in ("request", "backendRequest"):
            # A time limit for a request is one for the whole life of a socket.
            if rule is not None and _seconds(timeouts.get(name, "1s")) != 0:
                yield f"HTTPRoute {route['metadata']['name']} cuts sockets by its {name} timeout"
    for ingress in resources.of("Ingress"):
        marks = ingress["metadata"].get("annotations", {})
        for name in ("proxy-read-timeout", "proxy-send-timeout"):
            if int(marks.get(f"{NGINX}{name}", 0)) <= PATIENCE_S:
                yield f"Ingress {ingress['metadata']['name']} cuts sockets by its {name}"


def at_public_url(resources: Resources) -> Iterator[str]:
    """See that hosts are that of the address which friends are given, served over TLS by a class that was chosen."""
    if not resources.of("HTTPRoute", "Ingress"):
        return
    url = next((_public_url(resources)), "")
    host = urlsplit(url).hostname
    if urlsplit(url).scheme != "https":
        yield f"friends are given {url or 'no address'}"
    for gateway in resources.of("Gateway"):
        yield from _gateway_faults(gateway, host)
    for route in resources.of("HTTPRoute"):
        yield from _route_faults(route, host, resources)
    for ingress in resources.of("Ingress"):
        yield from _ingress_faults(ingress, host, resources)


def _public_url(resources: Resources) -> Iterator[str]:
    for workload in resources.services:
        if workload.name == "web-gateway":
            yield environment(workload.containers[0], resources).get("TILERACE_PUBLIC_URL", "")


def _gateway_faults(gateway: Document, host: str | None) -> Iterator[str]:
    if gateway["spec"]["gatewayClassName"] == UNSET:
        yield f"Gateway {gateway['metadata']['name']} is of no class"
    for listener in gateway["spec"]["listeners"]:
        name = f"listener {listener['name']}"
        if listener.get("hostname") != host:
            yield f"{name} is for {listener.get('hostname')}"
        if listener["protocol"] == "HTTPS" and not listener.get("tls", {}).get("certificateRefs"):
            yield f"{name} has no certificate"


def _route_faults(route: Document, host: str | None, resources: Resources) -> Iterator[str]:
    name = f"HTTPRoute {route['metadata']['name']}"
    if route["spec"].get("hostnames") != [host]:
        yield f"{name} is for {route['spec'].get('hostnames')}"
    protocols = {
        protocol for parent in route["spec"]["parentRefs"] for protocol in _protocols(parent, resources)
    }
    served = [backend for rule in route["spec"]["rules"] for backend in rule.get("backendRefs", [])]
    if not protocols:
        yield f"{name} hangs on no listener"
    if served and protocols != {"HTTPS"}:
        yield f"{name} serves without TLS"
    for backend in served:
        if not _has_port(resources, backend["name"], backend["port"]):
            yield f"{name} leads to {backend['name']}:{backend['port']}, which is not there"


def _ingress_faults(ingress: Document, host: str | None, resources: Resources) -> Iterator[str]:
    name, spec = f"Ingress {ingress['metadata']['name']}", ingress["spec"]
    if spec.get("ingressClassName", UNSET) == UNSET:
        yield f"{name} is of no class"
    if [rule.get("host") for rule in spec["rules"]] != [host]:
        yield f"{name} is for another host"
    if [each["hosts"] for each in spec.get("tls", [])] != [[host]] or not spec["tls"][0].get("secretName"):
        yield f"{name} serves without TLS"
    for rule in spec["rules"]:
        for path in rule["http"]["paths"]:
            backend = path["backend"]["service"]
            if not _has_port(resources, backend["name"], backend["port"]["name"]):
                yield f"{name} leads to {backend['name']}:{backend['port']['name']}, which is not there"


def _protocols(parent: Document, resources: Resources) -> Iterator[str]:
    gateway = resources.find("Gateway", parent["name"]) or {"spec": {"listeners": []}}
    for listener in gateway["spec"]["listeners"]:
        if listener["name"] == parent.get("sectionName"):
            yield listener["protocol"]


def _has_port(resources: Resources, name: str, port: str | int) -> bool:
    service = resources.find("Service", name) or {"spec": {"ports": []}}
    return any(port in {each["port"], each["name"]} for each in service["spec"]["ports"])


def _rule_of_socket(route: Document) -> Document | None:
    """Find the rule that a socket comes by, if one serves it: the longest prefix counts."""
    found: list[tuple[int, Document]] = []
    for rule in route["spec"]["rules"]:
        for match in rule.get("matches", [{"path": {"value": "/"}}]):
            prefix = match["path"]["value"].rstrip("/")
            if rule.get("backendRefs") and SOCKET.startswith(f"{prefix}/"):
                found.append((len(prefix), rule))
    return max(found, key=lambda each: each[0])[1] if found else None


def _seconds(text: str) -> float:
    """Read a duration such as 1m30s (https://gateway-api.sigs.k8s.io/geps/gep-2257/)."""
    return sum(int(number) * _UNITS[unit] for number, unit in re.findall(r"(\d+)(h|ms|m|s)", text))
