"""k8s/components/monitoring: its rules and its dashboard ask for what services count, and can be read by those they are for."""

import importlib
import itertools
import json
import re
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import promql_parser
import pytest
from prometheus_client import REGISTRY, Metric
from tests.manifests.reading import K8S, ROOT, Document, read

FOLDER = K8S / "components" / "monitoring"
NODE_MODULES = ROOT / "node_modules"
SERVICES = ("web-gateway", "game-service", "table-service")
ROWS = ["Players", "Slides", "Trouble", "Timers", "Machinery"]
DATASOURCE = {"type": "prometheus", "uid": "${datasource}"}

TARGET = frozenset({"namespace", "pod", "container", "job", "instance", "endpoint"})
"""Labels that a scrape of pods gives to everything."""
OTHERS = {
    "kube_deployment_status_replicas_available": {"namespace", "deployment"},
    "kube_pod_container_resource_limits": {"namespace", "pod", "container", "resource", "unit"},
    "container_memory_rss": {"namespace", "pod", "container"},
    "kubelet_volume_stats_used_bytes": {"namespace", "persistentvolumeclaim"},
    "kubelet_volume_stats_capacity_bytes": {"namespace", "persistentvolumeclaim"},
}
"""What kube-state-metrics and the kubelet count, and by which labels."""


def only(file: Path) -> Document:
    [document] = read(file.read_text())
    return document


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A rule of a PrometheusRule: an alert, or what is recorded."""

    name: str
    expression: str
    is_alert: bool
    wait: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    annotations: Mapping[str, str] = field(default_factory=dict)


def rules() -> Iterator[Rule]:
    for file in ("recorded.yaml", "alerts.yaml"):
        spec = only(FOLDER / file)["spec"]
        for rule in itertools.chain.from_iterable(group["rules"] for group in spec["groups"]):
            yield Rule(
                name=rule.get("alert") or rule["record"],
                expression=rule["expr"],
                is_alert="alert" in rule,
                wait=rule.get("for", ""),
                labels=rule.get("labels", {}),
                annotations=rule.get("annotations", {}),
            )


RULES = list(rules())
ALERTS = [rule for rule in RULES if rule.is_alert]
RECORDED = {rule.name: rule for rule in RULES if not rule.is_alert}
DASHBOARD = json.loads((FOLDER / "dashboard.json").read_text())
PANELS = [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]


def shown() -> dict[str, str]:
    """Every expression of the dashboard by its panel and letter, with Grafana's variables filled in."""
    return {
        f"{panel['title']} {target['refId']}": target["expr"]
        .replace("$__rate_interval", "1m")
        .replace("$namespace", "tilerace")
        for panel in PANELS
        for target in panel["targets"]
    }


EXPRESSIONS = {rule.name: rule.expression for rule in RULES} | shown()


def parts(expression: promql_parser.Expr) -> Iterator[promql_parser.Expr]:
    """An expression and all that is within it."""
    yield expression
    for name in ("expr", "lhs", "rhs", "param", "vector_selector"):
        within = getattr(expression, name, None)
        if within is not None:
            yield from parts(within)
    for argument in getattr(expression, "args", ()):
        yield from parts(argument)


def selectors(expression: str) -> list[promql_parser.VectorSelector]:
    return [
        part
        for part in parts(promql_parser.parse(expression))
        if isinstance(part, promql_parser.VectorSelector)
    ]


def families() -> list[Metric]:
    """All that the three services count; none counts yet, but every value of a label that is known is there."""
    for service in ("game_service", "table_service", "web_gateway"):
        importlib.import_module(f"{service}.metrics")
    return list(REGISTRY.collect())


def counted() -> dict[str, dict[str, set[str]]]:
    """Every series that is given out, by the labels that it has of itself, with their values so far."""
    series: dict[str, dict[str, set[str]]] = {}
    for sample in itertools.chain.from_iterable(family.samples for family in families()):
        labels = series.setdefault(sample.name, {})
        for label, value in sample.labels.items():
            labels.setdefault(label, set()).add(value)
    build: dict[str, set[str]] = {"service": set(), "release": set()}  # set when a service starts
    return {"tilerace_build_info": build} | series


COUNTED = counted()


def labels_of(name: str) -> frozenset[str] | None:
    """The labels that a series may have; None where nobody gives it out."""
    if name in RECORDED:
        return frozenset(name.partition(":")[0].split("_"))
    if name in COUNTED:
        return TARGET | COUNTED[name].keys()
    return frozenset(OTHERS[name]) if name in OTHERS else None


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_an_expression_asks_for_series_that_are_given_out_and_by_labels_that_they_have(name: str) -> None:
    for selector in selectors(EXPRESSIONS[name]):
        assert selector.name
        labels = labels_of(selector.name)
        assert labels is not None, f"nobody gives out {selector.name}"
        assert {matcher.name for matcher in selector.matchers.matchers} <= labels, selector.name


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_a_label_is_held_against_a_value_that_it_has(name: str) -> None:
    for selector in selectors(EXPRESSIONS[name]):
        known = COUNTED.get(selector.name or "", {})
        for matcher in selector.matchers.matchers:
            assert matcher.name not in known or matcher.value in known[matcher.name], str(matcher.value)


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_what_is_summed_up_by_a_label_has_it(name: str) -> None:
    for part in parts(promql_parser.parse(EXPRESSIONS[name])):
        if not isinstance(part, promql_parser.AggregateExpr) or part.modifier is None:
            continue
        below = [each for each in parts(part.expr) if isinstance(each, promql_parser.VectorSelector)]
        made = {"service"} if "label_replace" in EXPRESSIONS[name] else set()
        for label in set(part.modifier.labels) - made:
            assert any(label in (labels_of(each.name or "") or ()) for each in below), label


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_a_quantile_is_that_of_all_buckets_of_a_rate(name: str) -> None:
    for part in parts(promql_parser.parse(EXPRESSIONS[name])):
        if isinstance(part, promql_parser.Call) and part.func.name == "histogram_quantile":
            added_up = part.args[1]
            assert isinstance(added_up, promql_parser.AggregateExpr)
            assert added_up.modifier is not None
            assert "le" in added_up.modifier.labels
            assert isinstance(added_up.expr, promql_parser.Call)
            assert added_up.expr.func.name == "rate"
            assert all(
                (each.name or "").endswith("_bucket") for each in selectors(str(added_up.expr.prettify()))
            )


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_a_counter_is_only_asked_how_fast_it_grows(name: str) -> None:
    asked = [
        part.args[0].vector_selector.name
        for part in parts(promql_parser.parse(EXPRESSIONS[name]))
        if isinstance(part, promql_parser.Call) and part.func.name in {"rate", "increase"}
    ]
    counters = [
        each.name or ""
        for each in selectors(EXPRESSIONS[name])
        if (each.name or "").endswith(("_total", "_bucket"))
    ]
    assert sorted(asked) == sorted(counters)


def test_all_that_is_recorded_is_asked_for() -> None:
    asked = {selector.name for name in EXPRESSIONS for selector in selectors(EXPRESSIONS[name])}
    assert RECORDED.keys() - asked == set()


def test_all_that_players_feel_has_an_alert() -> None:
    assert [rule.name for rule in ALERTS] == [
        "TileraceSlowSlides", "TileraceRefusals", "TileraceLateTimers", "TileraceSocketsDropped",
        "TileraceNoReplica", "TileraceEventLoopSlow",
        "TileraceStoreAway", "TileraceStoreMemory", "TileraceStoreDisk",
    ]  # fmt: skip


@pytest.mark.parametrize("alert", ALERTS, ids=lambda rule: rule.name)
def test_an_alert_waits_and_says_how_bad_it_is_what_is_wrong_and_where_to_read_on(alert: Rule) -> None:
    assert re.fullmatch(r"[1-9][0-9]*m", alert.wait)
    assert alert.labels == {"severity": alert.labels["severity"]}
    assert alert.labels["severity"] in {"critical", "warning"}
    assert alert.annotations.keys() == {"summary", "description", "runbook_url"}
    assert alert.annotations["runbook_url"] == f"docs/operations.md#{alert.name.lower()}"
    assert not alert.annotations["summary"].endswith(".")
    assert alert.annotations["description"].endswith(".")


@pytest.mark.parametrize("alert", ["TileraceSlowSlides", "TileraceRefusals"])
def test_where_hardly_anybody_slides_a_share_of_slides_wakes_nobody(alert: str) -> None:
    expression = promql_parser.parse(EXPRESSIONS[alert])
    assert isinstance(expression, promql_parser.BinaryExpr)
    assert "namespace:tilerace_slides:rate5m > 0.2" in str(expression.rhs.prettify())


@pytest.mark.parametrize(
    ("series", "bound"),
    [("tilerace_slide_seconds", "0.25"), ("tilerace_event_loop_lag_seconds", "0.1")],
)
def test_what_an_alert_is_held_against_is_a_bucket_s_edge(series: str, bound: str) -> None:
    edges = COUNTED[f"{series}_bucket"]["le"]
    assert bound in edges


def test_the_store_s_memory_rings_at_four_fifths_of_what_it_may_keep() -> None:
    most = re.search(r"^maxmemory (\d+)gb$", (K8S / "base" / "store.conf").read_text(), re.MULTILINE)
    [store] = [
        each for each in read((K8S / "base" / "store.yaml").read_text()) if each["kind"] == "StatefulSet"
    ]
    [container] = store["spec"]["template"]["spec"]["containers"]
    limit = int(container["resources"]["limits"]["memory"].removesuffix("Gi"))
    share = float(EXPRESSIONS["TileraceStoreMemory"].rpartition(">")[2])
    assert most is not None
    assert share * limit == pytest.approx(0.8 * int(most[1]))


def test_panels_lie_side_by_side_in_their_rows() -> None:
    taken: set[tuple[int, int]] = set()
    for panel in DASHBOARD["panels"]:
        at = panel["gridPos"]
        cells = set(itertools.product(range(at["x"], at["x"] + at["w"]), range(at["y"], at["y"] + at["h"])))
        assert not cells & taken, panel["title"]
        assert at["x"] + at["w"] <= 24
        taken |= cells
    assert {x for x, _ in taken} == set(range(24))
    assert len(taken) == 24 * (1 + max(y for _, y in taken)), "there is a hole"
    rows = [
        (panel["gridPos"]["y"], panel["title"]) for panel in DASHBOARD["panels"] if panel["type"] == "row"
    ]
    assert [title for _, title in sorted(rows)] == ROWS


def test_every_panel_says_what_it_shows_from_the_chosen_prometheus() -> None:
    assert len({panel["id"] for panel in DASHBOARD["panels"]}) == len(DASHBOARD["panels"])
    for panel in PANELS:
        assert panel.keys() == {
            "id", "type", "title", "description", "gridPos", "datasource", "fieldConfig", "targets",
        }  # fmt: skip
        assert panel["type"] == "timeseries"
        assert panel["datasource"] == DATASOURCE
        assert panel["fieldConfig"]["defaults"]["unit"] in {"short", "ops", "s", "bytes"}
        letters = [target["refId"] for target in panel["targets"]]
        assert letters == ["A", "B", "C", "D", "E", "F"][: len(letters)]
        assert all(target.keys() == {"refId", "expr", "legendFormat"} for target in panel["targets"])
        assert all('namespace=~"$namespace"' in target["expr"] for target in panel["targets"])


def test_the_dashboard_is_what_grafana_takes_for_one(tmp_path: Path) -> None:
    types = NODE_MODULES / "@grafana" / "schema" / "dist" / "types" / "raw" / "dashboard" / "x" / "types.gen"
    dashboard = tmp_path / "dashboard.ts"
    dashboard.write_text(
        f'import type {{ Dashboard }} from "{types}";\n'
        f"export const dashboard: Dashboard = {(FOLDER / 'dashboard.json').read_text()};\n"
    )
    ran = subprocess.run(
        [
            ROOT / ".venv" / "bin" / "node", NODE_MODULES / "typescript" / "bin" / "tsc", "--noEmit", "--strict",
            "--skipLibCheck", "--module", "esnext", "--moduleResolution", "bundler", dashboard,
        ],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout


def test_the_dashboard_lets_one_choose_prometheus_and_namespace_and_names_none() -> None:
    assert [variable["name"] for variable in DASHBOARD["templating"]["list"]] == ["datasource", "namespace"]
    assert set(re.findall(r'"uid": "([^"]*)"', (FOLDER / "dashboard.json").read_text())) == {
        "tilerace",
        "${datasource}",
    }


def test_all_files_of_the_component_are_in_use() -> None:
    component = only(FOLDER / "kustomization.yaml")
    [generated] = component["configMapGenerator"]
    used = {*component["resources"], generated["files"][0].partition("=")[2], "kustomization.yaml"}
    assert {file.name for file in FOLDER.iterdir()} == used
    assert generated["options"]["labels"] == {"grafana_dashboard": "1"}


def pod_of(service: str) -> Document:
    """The pods of a deployment of the base, as they are written."""
    every = read((K8S / "base" / f"{service}.yaml").read_text())
    [deployment] = [each for each in every if each["kind"] == "Deployment"]
    pod: Document = deployment["spec"]["template"]
    return pod


def labels_for_all() -> dict[str, str]:
    """The labels that the base gives to all of its pods."""
    base = only(K8S / "base" / "kustomization.yaml")
    [given] = [each["pairs"] for each in base["labels"] if each["includeTemplates"]]
    return dict(given)


def selects(selector: Document, labels: Mapping[str, str]) -> bool:
    return selector["matchLabels"].items() <= labels.items() and all(
        rule["operator"] == "In" and labels.get(rule["key"]) in rule["values"]
        for rule in selector["matchExpressions"]
    )


@pytest.mark.parametrize("service", SERVICES)
def test_the_pods_of_each_service_are_scraped_where_they_tell_what_they_count(service: str) -> None:
    pod = pod_of(service)
    monitor = only(FOLDER / "podmonitor.yaml")["spec"]
    labels = pod["metadata"]["labels"] | labels_for_all()
    assert selects(monitor["selector"], labels)
    ports = {
        port["name"]: port["containerPort"]
        for container in pod["spec"]["containers"]
        for port in container["ports"]
    }
    [endpoint] = monitor["podMetricsEndpoints"]
    assert ports[endpoint["port"]] == 9100
    assert labels[monitor["jobLabel"]] == service
