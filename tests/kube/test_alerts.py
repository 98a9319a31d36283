"""The alerts of k8s/components/monitoring, by promtool itself: on which series each rings, in which words, and on which not."""

import json
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from tests.kube.rendering import ROOT, of_kind, rendered

FOLDER = ROOT / "k8s" / "components" / "monitoring"
EVERY = "15s"
NONE = (
    "Prometheus' own promtool is needed, and Debian's package prometheus, which has it, cannot be fetched: {}"
)
FETCHED = """
fetch() { apt-get download --quiet prometheus; }
fetch || { apt-get update --quiet; fetch; }
dpkg-deb --extract prometheus_*.deb .
"""

HERE = 'namespace="tilerace"'
ALL_THERE = {
    f'tilerace_build_info{{{HERE}, service="{service}", release="1"}}': "1x80"
    for service in ("web-gateway", "game-service", "table-service")
}
SLIDING = {f'tilerace_slides_total{{{HERE}, outcome="applied"}}': "0+150x80"}
"""Ten slides a second."""
SELDOM = {f'tilerace_slides_total{{{HERE}, outcome="applied"}}': "0+1x80"}


def lasting(series: str, *, below: str, up_to: str, labels: str = HERE) -> dict[str, str]:
    """A histogram whose values all lie between two edges."""
    return {
        f'{series}_bucket{{{labels}, le="{below}"}}': "0x80",
        f'{series}_bucket{{{labels}, le="{up_to}"}}': "0+150x80",
        f'{series}_bucket{{{labels}, le="+Inf"}}': "0+150x80",
    }


@dataclass(frozen=True, kw_only=True)
class Case:
    """Series, a value every 15 s, and what an alert makes of them after a while."""

    alert: str
    series: Mapping[str, str]
    after: str = "12m"
    rings: Sequence[tuple[Mapping[str, str], str, str]] = field(default=())
    """The labels, the summary and the description of each."""


SLOW = lasting("tilerace_slide_seconds", below="0.25", up_to="0.5")
QUICK = lasting("tilerace_slide_seconds", below="0.005", up_to="0.01")
LATE = lasting("tilerace_sweep_lag_seconds", below="2.5", up_to="5.0")
HELD_UP = lasting(
    "tilerace_event_loop_lag_seconds", below="0.25", up_to="0.5", labels=f'{HERE}, pod="web-gateway-1"'
)
MEMORY = f'container_memory_rss{{{HERE}, container="store", pod="store-0"}}'
LIMIT = f'kube_pod_container_resource_limits{{{HERE}, container="store", pod="store-0", resource="memory"}}'
USED = f'kubelet_volume_stats_used_bytes{{{HERE}, persistentvolumeclaim="data-store-0"}}'
CAPACITY = f'kubelet_volume_stats_capacity_bytes{{{HERE}, persistentvolumeclaim="data-store-0"}}'
AWAY = "A replica has heard nothing of the store for 3 s, or calls of it go wrong again and again."
LATELY = (
    "Deals, deadlines and tallies come more than 2 s late, or the store does not hand them out. Verdicts are still those of "
    "the deadline."
)


def refused(code: str) -> dict[str, str]:
    return {f'tilerace_refusals_total{{{HERE}, of="slide", code="{code}"}}': "0+3x80"}


def cut(sockets: int) -> dict[str, str]:
    return {
        f'tilerace_dropped_total{{{HERE}, what="socket"}}': "0+1x80",
        f"tilerace_sockets{{{HERE}}}": f"{sockets}x80",
    }


def available(deployment: str, number: int) -> dict[str, str]:
    return {f'kube_deployment_status_replicas_available{{{HERE}, deployment="{deployment}"}}': f"{number}x80"}


CASES = {
    "slides of half a second ring": Case(
        alert="TileraceSlowSlides", series=SLIDING | SLOW,
        rings=[({"namespace": "tilerace", "severity": "warning"}, "Slides in tilerace are slow",
                "One slide in a hundred takes 497.5ms or longer, where 0.25 s is the most.")],
    ),
    "quick slides do not ring": Case(alert="TileraceSlowSlides", series=SLIDING | QUICK),
    "slow slides do not ring at once": Case(alert="TileraceSlowSlides", series=SLIDING | SLOW, after="3m"),
    "a few slow slides do not ring": Case(alert="TileraceSlowSlides", series=SELDOM | SLOW),
    "a fiftieth of slides that cannot be made now rings": Case(
        alert="TileraceRefusals", series=SLIDING | refused("UNAVAILABLE"),
        rings=[({"namespace": "tilerace", "severity": "critical"}, "Slides in tilerace are refused",
                "2% of all slides are answered UNAVAILABLE, where 1 % is the most.")],
    ),
    "refusals that are over do not ring, though they were many": Case(
        alert="TileraceRefusals",
        series=SLIDING | {f'tilerace_refusals_total{{{HERE}, of="slide", code="UNAVAILABLE"}}': "0x39 0+100x2 200x38"},
        after="13m",
    ),
    "slides that are refused for the player's own fault do not ring": Case(
        alert="TileraceRefusals", series=SLIDING | refused("OUT_OF_ORDER")
    ),
    "refusals where hardly anybody slides do not ring": Case(
        alert="TileraceRefusals", series=SELDOM | refused("UNAVAILABLE")
    ),
    "late entries ring": Case(
        alert="TileraceLateTimers", series=LATE,
        rings=[({"namespace": "tilerace", "severity": "warning"}, "The clocks of tables in tilerace run late", LATELY)],
    ),
    "sweeps that fail ring, though no entry is late": Case(
        alert="TileraceLateTimers", series={f"tilerace_sweeps_failed_total{{{HERE}}}": "0+15x80"},
        rings=[({"namespace": "tilerace", "severity": "warning"}, "The clocks of tables in tilerace run late", LATELY)],
    ),
    "twenty sockets of a thousand that are cut ring": Case(
        alert="TileraceSocketsDropped", series=cut(1_000),
        rings=[({"namespace": "tilerace", "severity": "warning"}, "Connections in tilerace are dropped",
                "20 sockets or streams were cut in five minutes, as who reads them is too slow.")],
    ),
    "twenty of ten thousand do not ring": Case(alert="TileraceSocketsDropped", series=cut(10_000)),
    "a service that nobody hears of any more rings": Case(
        alert="TileraceNoReplica",
        series=ALL_THERE | {f'tilerace_build_info{{{HERE}, service="game-service", release="1"}}': "1x20 stale"},
        rings=[({"namespace": "tilerace", "service": "game-service", "severity": "critical"},
                "No replica of game-service is there", "In tilerace none of game-service is ready or counted.")],
    ),
    "a service that is counted and of which no pod is ready rings": Case(
        alert="TileraceNoReplica", series=ALL_THERE | available("table-service", 0),
        rings=[({"namespace": "tilerace", "service": "table-service", "severity": "critical"},
                "No replica of table-service is there", "In tilerace none of table-service is ready or counted.")],
    ),
    "a deployment of others does not ring": Case(
        alert="TileraceNoReplica", series=ALL_THERE | available("grafana", 0) | available("web-gateway", 2)
    ),
    "services of which nobody ever heard ring": Case(
        alert="TileraceNoReplica", series={"up": "1x80"},
        rings=[({"severity": "critical"}, "No replica of any service is there",
                "None of all services is ready or counted.")],
    ),
    "a pod whose loop is held up rings": Case(
        alert="TileraceEventLoopSlow", series=HELD_UP,
        rings=[({"namespace": "tilerace", "pod": "web-gateway-1", "severity": "warning"},
                "web-gateway-1 in tilerace is too busy",
                "What is due there waits 497.5ms for its turn, where 0.1 s is the most.")],
    ),
    "a store that one replica does not hear rings": Case(
        alert="TileraceStoreAway",
        series={f'tilerace_store_silent{{{HERE}, pod="game-service-1"}}': "1x80",
                f'tilerace_store_silent{{{HERE}, pod="game-service-2"}}': "0x80"},
        rings=[({"namespace": "tilerace", "severity": "critical"}, "The store of tilerace is away or fails", AWAY)],
    ),
    "a store that refuses rings": Case(
        alert="TileraceStoreAway", series={f'tilerace_store_errors_total{{{HERE}, kind="refused"}}': "0+3x80"},
        rings=[({"namespace": "tilerace", "severity": "critical"}, "The store of tilerace is away or fails", AWAY)],
    ),
    "a store that was away for half a minute does not ring": Case(
        alert="TileraceStoreAway", series={f"tilerace_store_silent{{{HERE}}}": "0x40 1x2 0x40"}, after="11m"
    ),
    "a store whose calls went wrong for a moment does not ring": Case(
        alert="TileraceStoreAway",
        series={f'tilerace_store_errors_total{{{HERE}, kind="unknown"}}': "0x40 0+50x1 50x40"},
        after="12m",
    ),
    "a store with more than four fifths of its memory rings": Case(
        alert="TileraceStoreMemory", series=ALL_THERE | {MEMORY: "9e8x80", LIMIT: "2e9x80"},
        rings=[({"namespace": "tilerace", "pod": "store-0", "severity": "warning"},
                "The store's memory in tilerace fills up",
                "store-0 uses 45% of its container's memory; at some 50 % it is full.")],
    ),
    "somebody else's store does not ring": Case(
        alert="TileraceStoreMemory", series={MEMORY: "9e8x80", LIMIT: "2e9x80"}
    ),
    "a volume that is three quarters full rings": Case(
        alert="TileraceStoreDisk", series=ALL_THERE | {USED: "6e9x80", CAPACITY: "8e9x80"},
        rings=[({"namespace": "tilerace", "persistentvolumeclaim": "data-store-0", "severity": "warning"},
                "The store's volume in tilerace fills up", "data-store-0 is 75% full.")],
    ),
    "a volume that is half full does not ring": Case(
        alert="TileraceStoreDisk", series=ALL_THERE | {USED: "4e9x80", CAPACITY: "8e9x80"}
    ),
}  # fmt: skip


@pytest.fixture(scope="session")
def promtool(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Give promtool, out of its package where it is not installed: to install that would start a Prometheus."""
    if installed := shutil.which("promtool"):
        return installed
    folder = tmp_path_factory.mktemp("promtool")
    ran = subprocess.run(
        ["sh", "-ec", FETCHED], cwd=folder, capture_output=True, text=True, check=False, timeout=600
    )
    assert ran.returncode == 0, NONE.format(ran.stderr)
    return str(folder / "usr" / "bin" / "promtool")


@pytest.fixture(scope="session")
def groups() -> list[dict[str, Any]]:
    """Give the groups of rules, those that record first."""
    found = of_kind(rendered(FOLDER), "PrometheusRule")
    assert {rule["metadata"]["name"] for rule in found} == {"tilerace-recorded", "tilerace-alerts"}
    ordered = sorted(found, key=lambda rule: str(rule["metadata"]["name"]), reverse=True)
    return [group for rule in ordered for group in rule["spec"]["groups"]]


def test_promtool_finds_no_fault_in_the_rules(
    promtool: str, groups: list[dict[str, Any]], tmp_path: Path
) -> None:
    rules = tmp_path / "rules.json"
    rules.write_text(json.dumps({"groups": groups}))
    ran = subprocess.run(
        [promtool, "check", "rules", "--lint=all", "--lint-fatal", rules],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr


@pytest.mark.parametrize("name", CASES)
def test_an_alert_rings_and_is_silent_as_it_should(
    name: str, promtool: str, groups: list[dict[str, Any]], tmp_path: Path
) -> None:
    case = CASES[name]
    runbook = f"docs/operations.md#{case.alert.lower()}"
    expected = [
        {
            "exp_labels": labels,
            "exp_annotations": {"summary": summary, "description": description, "runbook_url": runbook},
        }
        for labels, summary, description in case.rings
    ]
    test = {
        "rule_files": ["rules.json"],
        "evaluation_interval": EVERY,
        "group_eval_order": [group["name"] for group in groups],
        "tests": [
            {
                "interval": EVERY,
                "input_series": [{"series": each, "values": values} for each, values in case.series.items()],
                "alert_rule_test": [
                    {"eval_time": case.after, "alertname": case.alert, "exp_alerts": expected}
                ],
            }
        ],
    }
    (tmp_path / "rules.json").write_text(json.dumps({"groups": groups}))
    (tmp_path / "test.json").write_text(json.dumps(test))
    ran = subprocess.run(
        [promtool, "test", "rules", "test.json"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_every_alert_is_seen_to_ring(groups: list[dict[str, Any]]) -> None:
    alerts = {rule["alert"] for group in groups for rule in group["rules"] if "alert" in rule}
    assert {case.alert for case in CASES.values() if case.rings} == alerts
