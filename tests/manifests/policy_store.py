"""What the store is told: to keep everything, to let in whom it knows, and in a Cluster to be one."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tests.manifests.reading import Document
from tests.manifests.resources import Resources, Workload, environment, quantity

SHARDS = 3
KEEPS = {
    "appendonly": "yes",
    "appendfsync": "always",
    "no-appendfsync-on-rewrite": "no",
    "maxmemory-policy": "noeviction",
    "protected-mode": "yes",
}
CLUSTER = {
    "cluster-require-full-coverage": "no",
    "cluster-allow-replica-migration": "no",
    "shutdown-on-sigterm": "failover",
}
_NODE_TIMEOUT_MS = range(2_000, 5_001)
_UNITS = {"kb": 2**10, "mb": 2**20, "gb": 2**30}


@dataclass(frozen=True)
class Told:
    """A store's whole configuration: what its files and arguments say, later ones over earlier ones."""

    directives: Mapping[str, str]
    files: Mapping[str, str]
    """What is mounted, by its path."""


def told(workload: Workload, resources: Resources) -> Told:
    """Read all that a store's container is told."""
    (container,) = workload.containers
    files = dict(_mounted(workload, container, resources))
    first, *arguments = container.get("args") or [""]
    lines = files.get(first, "").splitlines()
    for option, value in zip(arguments[::2], arguments[1::2], strict=True):
        if option == "--include":
            lines += files.get(value, "missing yes").splitlines()
        else:
            lines.append(f"{option.removeprefix('--')} {value}")
    plain = [line.split(maxsplit=1) for line in lines if line.strip() and not line.startswith("#")]
    return Told(dict(plain), files)


def keeps_everything(resources: Resources) -> Iterator[str]:
    """See that what was answered is on disk, and that nothing is thrown away."""
    workload = resources.store
    if workload is None:
        return
    (container,) = workload.containers
    says = told(workload, resources).directives
    for name, value in KEEPS.items():
        if says.get(name) != value:
            yield f"the store has {name} {says.get(name)}, not {value}"
    claims = {each["metadata"]["name"] for each in workload.spec.get("volumeClaimTemplates", [])}
    mounts = {each["mountPath"]: each["name"] for each in container["volumeMounts"]}
    if mounts.get(says.get("dir", "")) not in claims:
        yield "the store keeps its file on no volume of its own"
    if (
        workload.spec.get("persistentVolumeClaimRetentionPolicy", {"whenDeleted": "Retain"})["whenDeleted"]
        != "Retain"
    ):
        yield "the store's volume goes with its StatefulSet"
    most = _bytes(says.get("maxmemory", "0"))
    if not 0 < 2 * most <= quantity(container["resources"]["limits"]["memory"]):
        yield "the store may be killed for memory while it writes its file anew"


def guarded(resources: Resources) -> Iterator[str]:
    """See that nobody does anything in the store without a password, and nobody more than their part."""
    workload = resources.store
    if workload is None:
        return
    says = told(workload, resources)
    users = dict(_users(says.files.get(says.directives.get("aclfile", ""), "")))
    if users.get("default") != ["off"]:
        yield "the store lets in whoever gives no name"
    if users.keys() != {"default", "probe", "tilerace", "replica", "operator"}:
        yield f"the store knows {sorted(users)}"
    for name, rules in users.items():
        if name != "default" and ("-@all" not in rules or any(each.startswith("+@") for each in rules)):
            yield f"the store's user {name} may do more than is listed"
        if "nopass" in rules and (
            name != "probe" or [each for each in rules if each[0] in "+~&"] != ["+ping"]
        ):
            yield f"the store's user {name} needs no password"
        if any(each.startswith(">") for each in rules):
            yield f"the password of the store's user {name} can be read"
        if any(each in {"allkeys", "~*", "allchannels", "&*", "allcommands"} for each in rules):
            yield f"the store's user {name} may touch everything"


def clustered(resources: Resources) -> Iterator[str]:
    """See that a Cluster has a replica for each primary, gets through as its nodes go, and is made one."""
    workload = resources.store
    if workload is None:
        return
    says = told(workload, resources).directives
    if workload.spec["replicas"] == 1:
        if "cluster-enabled" in says:
            yield "one node is no Cluster"
        return
    yield from _cluster_faults(workload, says)
    yield from _keeper_faults(workload, resources)


def _cluster_faults(workload: Workload, says: Mapping[str, str]) -> Iterator[str]:
    if workload.spec["replicas"] != 2 * SHARDS or says.get("cluster-enabled") != "yes":
        yield f"{workload.spec['replicas']} stores are no Cluster with a replica for each primary"
    for name, value in CLUSTER.items():
        if says.get(name) != value:
            yield f"the Cluster has {name} {says.get(name)}, not {value}"
    if int(says.get("cluster-node-timeout", 15_000)) not in _NODE_TIMEOUT_MS:
        yield "a replica takes over late, or for nothing"
    if says.get("cluster-announce-ip") != "$(POD_IP)":
        yield "nodes do not say where they are"
    if not says.get("primaryuser") or not says.get("primaryauth"):
        yield "replicas have no password for their primaries"
    if {says.get("port"), says.get("cluster-port")} != {str(port) for port in workload.ports.values()}:
        yield "nodes talk to each other at ports that are not theirs"


def _keeper_faults(workload: Workload, resources: Resources) -> Iterator[str]:
    service = resources.find("Service", str(workload.spec["serviceName"])) or {"spec": {}}
    if service["spec"].get("clusterIP") != "None" or not service["spec"].get("publishNotReadyAddresses"):
        yield "nodes are not found by their names before they are ready"
    keeper = next((each for each in resources.workloads if each.name == "store-keeper"), None)
    if keeper is None:
        yield "nobody makes a Cluster of the nodes"
        return
    name, port = workload.spec["serviceName"], workload.ports["redis"]
    nodes = ",".join(f"store-{number}.{name}:{port}" for number in range(workload.spec["replicas"]))
    found = environment(keeper.containers[0], resources)
    if found.get("STORE_NODES") != nodes or not found.get("OPERATOR_URL", "").startswith("redis://operator:"):
        yield "who keeps the Cluster looks for other nodes"


def _mounted(workload: Workload, container: Document, resources: Resources) -> Iterator[tuple[str, str]]:
    volumes = {each["name"]: each for each in workload.pod.get("volumes", [])}
    for mount in container.get("volumeMounts", []):
        volume = volumes.get(mount["name"], {})
        for field, kind, named in (("configMap", "ConfigMap", "name"), ("secret", "Secret", "secretName")):
            if field in volume:
                source = volume[field]
                data = resources.referred(kind, source[named])
                paths = {item["key"]: item["path"] for item in source.get("items", [])} or {
                    key: key for key in data
                }
                for key, path in paths.items():
                    yield f"{mount['mountPath']}/{path}", data.get(key, "")


def _users(acl: str) -> Iterator[tuple[str, list[str]]]:
    for line in acl.splitlines():
        _, name, *rules = line.split()
        yield name, rules


def _bytes(text: str) -> int:
    found = re.fullmatch(r"(\d+)(kb|mb|gb)?", text)
    return int(found[1]) * _UNITS.get(found[2], 1) if found else 0
