"""What each service is told by its variables: all of it known, read, and right for the ports and Services there are."""

from collections.abc import Callable, Iterator
from urllib.parse import urlsplit

from tests.manifests.resources import Resources, Workload, environment

import game_service.settings
import table_service.settings
import web_gateway.settings
from wire.settings import KNOWN, PREFIX, Address, Environment, Network, SettingsError

SHARED = {"TILERACE_LOG", "TILERACE_METRICS_LISTEN"}
"""What `wire` reads for every service, before it reads its own."""
IMAGE = {"TILERACE_BUILD"}
"""What images say of themselves, and no manifest for them."""


def understood(resources: Resources) -> Iterator[str]:
    """See that each service can start with what it is told, and that it is told nothing for nothing."""
    read: set[str] = set()
    for workload in resources.services:
        (container,) = workload.containers
        variables = environment(container, resources)
        try:
            env = Environment(variables)
            found = _READ[workload.name](env, workload, resources)
            yield from (f"{workload} {fault}" for fault in found)
        except SettingsError as error:
            yield f"{workload} would not start: {error}"
            continue
        env.optional_address("TILERACE_METRICS_LISTEN")
        read |= env.used | SHARED
        own = {each["name"] for each in container.get("env", [])}
        yield from (f"{workload} does not read {name}" for name in sorted(own - env.used - SHARED))
        yield from (
            f"{workload} is told {name}, which its image says" for name in sorted(IMAGE & variables.keys())
        )
        yield from _told(workload, variables)
    yield from _settings(resources, read)


def _told(workload: Workload, variables: dict[str, str]) -> Iterator[str]:
    if variables.get("TILERACE_LOG") != "json":
        yield f"{workload} logs what no machine reads"
    if variables.get("TILERACE_METRICS_LISTEN") != f":{workload.ports.get('metrics')}":
        yield f"{workload} shows its metrics elsewhere than its port says"


def _settings(resources: Resources, read: set[str]) -> Iterator[str]:
    """See that all services share one ConfigMap, and that somebody reads each of its settings."""
    names = {
        source["configMapRef"]["name"]
        for workload in resources.services
        for container in workload.containers
        for source in container.get("envFrom", [])
    }
    if len(names) != 1:
        yield f"services take their settings from {sorted(names)}"
    for name in names:
        for key in resources.referred("ConfigMap", name):
            if not key.startswith(PREFIX) or key not in KNOWN & read:
                yield f"nobody reads {key} of {name}"


def _game(env: Environment, workload: Workload, resources: Resources) -> list[str]:
    settings = game_service.settings.Settings.from_env(env)
    return [*_listens(settings.listen, workload, "grpc"), *_store(settings.redis_url, resources)]


def _table(env: Environment, workload: Workload, resources: Resources) -> list[str]:
    settings = table_service.settings.Settings.from_env(env)
    return [
        *_listens(settings.listen, workload, "grpc"),
        *_store(settings.redis_url, resources),
        *_finds(settings.game_target, "game-service", resources),
    ]


def _gateway(env: Environment, workload: Workload, resources: Resources) -> list[str]:
    settings = web_gateway.settings.Settings.from_env(env)
    return [
        *_listens(settings.listen, workload, "http"),
        *_finds(settings.game, "game-service", resources),
        *_finds(settings.table, "table-service", resources),
        *_believes(settings.proxies, resources),
    ]


_READ: dict[str, Callable[[Environment, Workload, Resources], list[str]]] = {
    "game-service": _game,
    "table-service": _table,
    "web-gateway": _gateway,
}


def _listens(listen: Address, workload: Workload, port: str) -> Iterator[str]:
    if listen != Address("0.0.0.0", workload.ports.get(port, 0)):
        yield f"listens at {listen}, not at its port {port}"


def _finds(target: tuple[Address, ...], name: str, resources: Resources) -> Iterator[str]:
    service = resources.find("Service", name) or {"spec": {"ports": []}}
    if target not in [(Address(name, port["port"]),) for port in service["spec"]["ports"]]:
        yield f"looks for {name} at {', '.join(map(str, target))}"


def _believes(proxies: tuple[Network, ...], resources: Resources) -> Iterator[str]:
    """See that proxies in front are listed; by default only those of the same machine are, and there are none in a pod."""
    default = web_gateway.settings.Settings.from_env(Environment({})).proxies
    if resources.of("HTTPRoute", "Ingress") and proxies == default:
        yield "gives all players the limits of one address, as it believes no proxy"


def _store(url: str, resources: Resources) -> Iterator[str]:
    parts = urlsplit(url)
    if not parts.password:
        yield "comes to the store without a password"
    if resources.store is None:
        if parts.hostname == "store":
            yield "looks for a store that is not there"
    else:
        service = resources.find("Service", "store") or {"spec": {"ports": []}}
        if (parts.hostname, parts.port) not in [("store", port["port"]) for port in service["spec"]["ports"]]:
            yield f"looks for the store at {parts.hostname}:{parts.port}"
