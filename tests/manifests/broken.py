"""Installations that are wrong in one place each, and the policy that has to say so."""

from collections.abc import Sequence
from typing import Any

from tests.manifests.breaking import Broken
from tests.manifests.resources import NAME

POD = "spec/template/spec"
ONE = f"{POD}/containers/0"


def _of(policy: str, *changes: tuple[Any, ...]) -> list[Broken]:
    return [Broken(policy, *change) for change in changes]


GAME, TABLE, GATEWAY = (("Deployment", name) for name in ("game-service", "table-service", "web-gateway"))
STORE = ("StatefulSet", "store")

BROKEN: Sequence[Broken] = [
    *_of(
        "two of each service",
        (*TABLE, "spec/replicas", 1),
        (*TABLE, "spec/replicas"),
        (*TABLE, ""),
        ("HorizontalPodAutoscaler", "web-gateway", "spec/minReplicas", 1),
    ),
    *_of(
        "a roll-out takes none away",
        (*GAME, "spec/strategy/rollingUpdate/maxUnavailable", 1),
        (*GAME, "spec/strategy/rollingUpdate/maxSurge", 0),
        (*TABLE, "spec/strategy/type", "Recreate"),
        (*GATEWAY, "spec/minReadySeconds"),
        (*GAME, "spec/minReadySeconds", 30),
    ),
    *_of(
        "one at a time is drained",
        ("PodDisruptionBudget", "game-service", ""),
        ("PodDisruptionBudget", "web-gateway", "spec/selector/matchLabels", {NAME: "web"}),
        ("PodDisruptionBudget", "table-service", "spec/maxUnavailable", 0),
        ("PodDisruptionBudget", "table-service", "spec/unhealthyPodEvictionPolicy"),
    ),
    *_of(
        "pods are spread",
        (*GAME, f"{POD}/topologySpreadConstraints"),
        (*GAME, f"{POD}/topologySpreadConstraints/1"),
        (*TABLE, f"{POD}/topologySpreadConstraints/0/whenUnsatisfiable", "DoNotSchedule"),
        (*GATEWAY, f"{POD}/topologySpreadConstraints/0/labelSelector/matchLabels", {NAME: "web"}),
    ),
    *_of(
        "autoscalers never go below two, and slowly",
        ("HorizontalPodAutoscaler", "game-service", "spec/minReplicas", 1),
        ("HorizontalPodAutoscaler", "game-service", "spec/maxReplicas", 2),
        ("HorizontalPodAutoscaler", "game-service", "spec/scaleTargetRef/name", "game"),
        ("HorizontalPodAutoscaler", "web-gateway", "spec/behavior/scaleDown"),
        ("HorizontalPodAutoscaler", "web-gateway", "spec/behavior/scaleDown/stabilizationWindowSeconds", 30),
        ("HorizontalPodAutoscaler", "web-gateway", "spec/behavior/scaleDown/policies/0/value", 5),
        ("HorizontalPodAutoscaler", "web-gateway", "spec/metrics/0"),
        (*GAME, "spec/replicas", 2),
    ),
    *_of(
        "three probes, and life depends on nobody",
        *(
            (*each, f"{ONE}/{probe}")
            for each in (GAME, GATEWAY, STORE)
            for probe in ("startupProbe", "livenessProbe", "readinessProbe")
        ),
        (*GAME, f"{ONE}/livenessProbe/grpc/service", ""),
        (*GAME, f"{ONE}/startupProbe/grpc/service", "tilerace.game.v1.GameService"),
        (*TABLE, f"{ONE}/readinessProbe/grpc/service", "liveness"),
        (*TABLE, f"{ONE}/livenessProbe", {"exec": {"command": ["true"]}, "failureThreshold": 6}),
        (*GATEWAY, f"{ONE}/livenessProbe/httpGet/path", "/readyz"),
        (*GATEWAY, f"{ONE}/readinessProbe/httpGet/path", "/healthz"),
        (*GATEWAY, f"{ONE}/livenessProbe/failureThreshold", 1),
        (*GAME, f"{ONE}/startupProbe/failureThreshold", 3),
        (
            *STORE,
            f"{ONE}/livenessProbe",
            {"exec": {"command": ["valkey-cli", "-e", "ping"]}, "failureThreshold": 6},
        ),
        (*STORE, f"{ONE}/readinessProbe/exec/command", ["valkey-cli", "ping"]),
    ),
    *_of(
        "a pod is given the time to drain",
        (*GAME, f"{POD}/terminationGracePeriodSeconds", 10),
        (*TABLE, f"{POD}/terminationGracePeriodSeconds"),
        (*GATEWAY, f"{ONE}/lifecycle"),
        (*GATEWAY, f"{ONE}/lifecycle/preStop/sleep/seconds", 1),
        (*GATEWAY, f"{ONE}/lifecycle/preStop/sleep/seconds", 25),
    ),
    *_of(
        "requests, a memory limit that holds what was measured, no processor limit",
        (*GAME, f"{ONE}/resources"),
        (*GAME, f"{ONE}/resources/limits/memory"),
        (*GAME, f"{ONE}/resources/limits/cpu", "1"),
        (*STORE, f"{ONE}/resources/requests/memory"),
        (*GATEWAY, f"{ONE}/resources/limits/memory", "192Mi"),
        (*TABLE, f"{ONE}/resources/limits/memory", "64Mi"),
    ),
    *_of(
        "restricted security",
        *(
            (*each, f"{POD}/securityContext/{name}")
            for each in (TABLE, STORE)
            for name in ("runAsNonRoot", "runAsUser", "seccompProfile")
        ),
        (*GAME, f"{POD}/securityContext/runAsUser", 0),
        (*GAME, f"{POD}/hostNetwork", True),
        (*GAME, f"{POD}/volumes", [{"name": "node", "hostPath": {"path": "/"}}]),
        (*GATEWAY, f"{ONE}/securityContext/allowPrivilegeEscalation", True),
        (*GATEWAY, f"{ONE}/securityContext/capabilities", {"drop": ["ALL"], "add": ["NET_BIND_SERVICE"]}),
        (*GATEWAY, f"{ONE}/securityContext/readOnlyRootFilesystem"),
        (*GATEWAY, f"{ONE}/securityContext/runAsUser", 0),
        (*GATEWAY, f"{ONE}/ports/0/hostPort", 80),
    ),
    *_of(
        "an account of its own, without a token",
        (*GAME, f"{POD}/serviceAccountName"),
        (*GAME, f"{POD}/serviceAccountName", "store"),
        (*STORE, f"{POD}/automountServiceAccountToken"),
        (*STORE, f"{POD}/enableServiceLinks", True),
        ("ServiceAccount", "web-gateway", ""),
        ("ServiceAccount", "web-gateway", "automountServiceAccountToken", True),
    ),
    *_of(
        "images are pinned",
        (*GAME, f"{ONE}/image", "tilerace/game-service"),
        (*GAME, f"{ONE}/image", "tilerace/game-service:latest"),
        (*STORE, f"{ONE}/image", "registry.example.org:5000/valkey"),
    ),
    *_of(
        "labels say what it is",
        (*GAME, f"metadata/labels/{NAME.replace('/', '~1')}", "game"),
        (*STORE, "spec/template/metadata/labels", {NAME: "store"}),
        ("NetworkPolicy", "dns", "metadata/labels"),
    ),
    *_of(
        "all in one namespace",
        ("Service", "store", "metadata/namespace", "default"),
        ("NetworkPolicy", "dns", "metadata/namespace"),
    ),
    *_of(
        "selectors select what they are for",
        ("Service", "web-gateway", "spec/selector", {NAME: "gateway"}),
        ("Service", "store", "spec/selector", {NAME: "game-service"}),
        ("Service", "game-service", "spec/selector", {"app.kubernetes.io/part-of": "tilerace"}),
        ("PodDisruptionBudget", "game-service", "spec/selector/matchLabels", {NAME: "table-service"}),
        (*GAME, "spec/selector/matchLabels", {NAME: "game"}),
        (*GAME, "spec/selector/matchLabels", {"app.kubernetes.io/part-of": "tilerace"}),
    ),
    *_of(
        "ports that are named exist",
        ("Service", "web-gateway", "spec/ports/0/targetPort", "web"),
        ("Service", "game-service", "spec/ports/0/port", 8100),
        (*GATEWAY, f"{ONE}/livenessProbe/httpGet/port", "web"),
        (*GAME, f"{ONE}/readinessProbe/grpc/port", 8102),
        (*STORE, f"{ONE}/ports/0/name", "store"),
    ),
    *_of(
        "gRPC is balanced by its clients",
        ("Service", "game-service", "spec/clusterIP"),
        ("Service", "table-service", ""),
        ("Service", "table-service", "spec/publishNotReadyAddresses", True),
        ("Service", "table-service", "spec/ports/0/appProtocol"),
        ("Service", "game-service", "spec/ports/0/appProtocol", "kubernetes.io/h2c"),
        ("Service", "game-service", "spec/ports/0/appProtocol"),
        ("Service", "web-gateway", "spec/type", "LoadBalancer"),
        ("Service", "store", "spec/clusterIP", "None"),
    ),
    *_of(
        "what is referred to exists, and a change of it rolls the pods",
        ("ConfigMap", "settings", ""),
        ("Secret", "store-access", "data/redis-url"),
        ("Secret", "store-access", "metadata/name", "store-access"),
        (*STORE, f"{POD}/volumes/0/configMap/name", "store-config"),
        (*GAME, f"{ONE}/env/2/valueFrom/secretKeyRef/key", "url"),
    ),
    *_of(
        "no secret outside of a Secret",
        (
            *GAME,
            f"{ONE}/env/2",
            {"name": "TILERACE_REDIS_URL", "value": "redis://tilerace:secret@store:6379/0"},
        ),
        ("ConfigMap", "settings", "data/TILERACE_REDIS_URL", "rediss://:secret@store:6379/0"),
    ),
    *_of(
        "monitors find every service",
        (*GAME, f"{ONE}/ports/1"),
        ("PodMonitor", "tilerace", "spec/podMetricsEndpoints/0/port", "prometheus"),
        ("PodMonitor", "tilerace", "spec/selector/matchLabels", {"app": "tilerace"}),
        ("PodMonitor", "tilerace", "spec/selector/matchExpressions/0/values", ["web-gateway"]),
    ),
    *_of(
        "settings are known, read and right",
        ("ConfigMap", "settings", "data/TILERACE_PUBLIC_ADDRESS", "https://race.example.org"),
        ("ConfigMap", "settings", "data/TILERACE_PORT", "8000"),
        ("ConfigMap", "settings", "data/TILERACE_BUILD", "0.1.0"),
        ("ConfigMap", "settings", "data/TILERACE_PUBLIC_URL", "race.example.org"),
        ("ConfigMap", "settings", "data/TILERACE_PING_MS", "ten"),
        ("ConfigMap", "settings", "data/TILERACE_LOG", "text"),
        ("ConfigMap", "settings", "data/TILERACE_PROXIES", ""),
        ("ConfigMap", "settings", "data/TILERACE_PROXIES", "everybody"),
        (*GAME, f"{ONE}/env/0/value", ":8102"),
        (*GAME, f"{ONE}/env/1/value", ":9101"),
        (*GAME, f"{ONE}/env/0/name", "TILERACE_TABLE_LISTEN"),
        (*GAME, f"{ONE}/envFrom", []),
        (*TABLE, f"{ONE}/env/2/value", "game-service:8102"),
        (*GATEWAY, f"{ONE}/env/3/value", "tables:8102"),
        (*GATEWAY, f"{ONE}/env/0/value", "127.0.0.1:8000"),
        ("Secret", "store-access", "data/redis-url", "@redis:6379", "@store:6379"),
    ),
    *_of(
        "the store keeps everything",
        *(
            ("ConfigMap", "store-config", "data/store.conf", *change)
            for change in (
                ("appendonly no", "appendonly yes"),
                ("appendfsync everysec", "appendfsync always"),
                ("maxmemory-policy allkeys-lru", "maxmemory-policy noeviction"),
                ("protected-mode no", "protected-mode yes"),
                ("maxmemory 2gb", "maxmemory 1gb"),
                ("", "maxmemory 1gb"),
                ("dir /tmp", "dir /data"),
            )
        ),
        (*STORE, "spec/volumeClaimTemplates"),
        (*STORE, f"{ONE}/args", []),
        (*STORE, "spec/persistentVolumeClaimRetentionPolicy/whenDeleted", "Delete"),
    ),
    *_of(
        "the store lets nobody in without a password",
        ("ConfigMap", "store-config", "data/store.conf", "", "aclfile /etc/store-access/users.acl"),
        *(
            ("Secret", "store-access", "data/users.acl", *change)
            for change in (
                ("user default on nopass +@all", "user default off"),
                ("user tilerace on nopass #", "user tilerace on #"),
                ("user tilerace on >secret #", "user tilerace on #"),
                ("-@all +@all", "-@all"),
                ("~*", "~{b*"),
                ("+ping +get", "+ping\n"),
            )
        ),
    ),
    *_of(
        "a Cluster has replicas and is kept",
        (*STORE, "spec/replicas", 2),
        ("ConfigMap", "store-config", "data/store.conf", "cluster-enabled yes\ndir /data", "dir /data"),
    ),
    *_of(
        "who needs to reach whom may, and nobody else",
        ("NetworkPolicy", "dns", ""),
        ("NetworkPolicy", "metrics", ""),
        ("NetworkPolicy", "store", ""),
        ("NetworkPolicy", "web-gateway", "spec/ingress"),
        ("NetworkPolicy", "web-gateway", "spec/egress/1", {}),
        ("NetworkPolicy", "game-service", "spec/ingress/0/from/1"),
        ("NetworkPolicy", "game-service", "spec/egress/0/to"),
        ("NetworkPolicy", "table-service", "spec/ingress/0/from"),
        ("NetworkPolicy", "store", "spec/ingress/0/from/0", {"namespaceSelector": {}}),
        ("NetworkPolicy", "metrics", "spec/ingress/0/from/0/namespaceSelector", {}),
        ("NetworkPolicy", "dns", "spec/egress/0/to", [{"ipBlock": {"cidr": "0.0.0.0/0"}}]),
        ("NetworkPolicy", "certificate", ""),
        ("NetworkPolicy", "gateway-proxies", ""),
        ("NetworkPolicy", "gateway-proxies", "spec/egress"),
        ("NetworkPolicy", "gateway-proxies", "spec/podSelector", {}),
    ),
    *_of(
        "sockets outlive their heartbeat at the entry",
        ("HTTPRoute", "web-gateway", "spec/rules/0/timeouts"),
        ("HTTPRoute", "web-gateway", "spec/rules/0/timeouts/request", "60s"),
        ("HTTPRoute", "web-gateway", "spec/rules/0/timeouts/backendRequest", "1h"),
        ("HTTPRoute", "web-gateway", "spec/rules/0"),
        ("Ingress", "web-gateway", "metadata/annotations"),
        (
            "Ingress",
            "web-gateway",
            "metadata/annotations/nginx.ingress.kubernetes.io~1proxy-read-timeout",
            "30",
        ),
        (
            "Ingress",
            "web-gateway",
            "metadata/annotations/nginx.ingress.kubernetes.io~1proxy-send-timeout",
            "20",
        ),
    ),
    *_of(
        "the entry is at the public address, over TLS",
        ("ConfigMap", "settings", "data/TILERACE_PUBLIC_URL", "https://other.example.org"),
        ("ConfigMap", "settings", "data/TILERACE_PUBLIC_URL", "http://race.example.org"),
        ("Gateway", "tilerace", "spec/gatewayClassName", "set-by-the-overlay"),
        ("Gateway", "tilerace", "spec/listeners/0/hostname", "other.example.org"),
        ("Gateway", "tilerace", "spec/listeners/0/tls/certificateRefs", []),
        ("HTTPRoute", "web-gateway", "spec/hostnames", ["other.example.org"]),
        ("HTTPRoute", "web-gateway", "spec/parentRefs/0/sectionName", "http"),
        ("HTTPRoute", "web-gateway", "spec/parentRefs/0/name", "other"),
        ("HTTPRoute", "web-gateway", "spec/rules/1/backendRefs/0/port", 8000),
        ("Ingress", "web-gateway", "spec/ingressClassName", "set-by-the-overlay"),
        ("Ingress", "web-gateway", "spec/ingressClassName"),
        ("Ingress", "web-gateway", "spec/tls"),
        ("Ingress", "web-gateway", "spec/rules/0/host", "other.example.org"),
        ("Ingress", "web-gateway", "spec/rules/0/http/paths/0/backend/service/port/name", "web"),
    ),
]

BROKEN_CLUSTER: Sequence[Broken] = (
    _of(
        "a Cluster has replicas and is kept",
        (*STORE, "spec/replicas", 3),
        (*STORE, "spec/serviceName", "store"),
        (*STORE, f"{ONE}/args/6", "10.0.0.1"),
        (*STORE, f"{ONE}/ports/1/containerPort", 16380),
        ("CronJob", "store-keeper", ""),
        (
            "CronJob",
            "store-keeper",
            "spec/jobTemplate/spec/template/spec/containers/0/env/0/value",
            "store-0.store-nodes:6379",
        ),
        ("Service", "store-nodes", "spec/publishNotReadyAddresses", False),
        ("Secret", "store-access", "data/replica.conf", "# ", "primaryauth "),
        ("ConfigMap", "store-config", "data/cluster.conf", "cluster-enabled no", "cluster-enabled yes"),
        ("ConfigMap", "store-config", "data/cluster.conf", "", "cluster-node-timeout 3000"),
        ("ConfigMap", "store-config", "data/cluster.conf", "", "shutdown-on-sigterm failover"),
    )
    + _of(
        "who needs to reach whom may, and nobody else",
        ("NetworkPolicy", "store", "spec/egress"),
        ("NetworkPolicy", "store", "spec/ingress/1"),
        ("NetworkPolicy", "store-keeper", "spec/egress/1"),
    )
    + _of(
        "one at a time is drained",
        ("PodDisruptionBudget", "store", ""),
    )
)
"""Of an installation with components/ha-store."""

BROKEN_ELSEWHERE: Sequence[Broken] = [
    *_of(
        "settings are known, read and right",
        ("Secret", "store-access", "data/redis-url", "@store:", "@valkey.example.org:"),
        ("Secret", "store-access", "data/redis-url", "tilerace@", "tilerace:word@"),
    ),
    *_of(
        "who needs to reach whom may, and nobody else",
        ("NetworkPolicy", "game-service", "spec/egress/0/to/0/ipBlock/cidr", "10.0.0.0/8"),
        ("NetworkPolicy", "table-service", "spec/egress/0/ports"),
    ),
]
"""Of an installation with components/external-store."""
