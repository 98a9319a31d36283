"""docs/operations.md: its settings are those that are read, its alerts those that ring, and all that it names exists."""

import importlib
import io
import json
import logging
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import yaml
from bench.scaling import Measured, need
from prometheus_client import REGISTRY

import game_service.settings
import play.settings
import table_service.settings
import web_gateway.settings
from wire import log, metrics
from wire.settings import KNOWN, Environment, SettingsError

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "operations.md").read_text()
NO_VALUE = "?!"
MUST_BE = re.compile(r"must be (.+?)(?:; its value is not shown)?\.$")
PARTS = ["Players notice.", "Look first.", "Likely.", "Do.", "Over."]


class Asked(Environment):
    """An environment that notes what it is asked for, and the defaults."""

    def __init__(self, variables: Mapping[str, str]) -> None:
        super().__init__(variables)
        self.defaults: dict[str, str] = {}

    def text(self, name: str, default: str) -> str:
        self.defaults[name] = self.defaults.get(name) or default
        return super().text(name, default)


def of_every_service(env: Asked) -> None:
    log.set_up(env, io.StringIO())
    with metrics.served(env, service="any"):
        pass


def of_play(env: Asked) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(play.settings, "Environment", lambda _: env)
        play.settings.Settings.from_env(env._values)
    for name in play.settings.PASSED_ON:
        env.defaults.setdefault(f"TILERACE_{name}", "")


READERS: Mapping[str, tuple[Callable[[Asked], object], ...]] = {
    "web-gateway": (of_every_service, web_gateway.settings.Settings.from_env),
    "game-service": (of_every_service, game_service.settings.Settings.from_env),
    "table-service": (of_every_service, table_service.settings.Settings.from_env),
    "`make play`": (of_play,),
}


@dataclass
class Read:
    """How a setting is read: by whom, with which defaults, and what may stand in it by the words of its refusal."""

    by: list[str] = field(default_factory=list)
    defaults: dict[str, str] = field(default_factory=dict)
    takes: str = ""


def read_by(reader: str, variables: Mapping[str, str]) -> dict[str, str]:
    env = Asked(variables)
    for ask in READERS[reader]:
        ask(env)
    return env.defaults


def all_read() -> dict[str, Read]:
    found: dict[str, Read] = {}
    for reader in READERS:
        for name, default in read_by(reader, {}).items():
            words = refusal(reader, name)
            if words and not MUST_BE.search(words):
                continue  # asked for only to be refused, whatever it is
            read = found.setdefault(name, Read())
            read.by.append(reader)
            read.defaults[reader] = default
            read.takes = MUST_BE.findall(words)[0] if words else ""
    return found


def refusal(reader: str, name: str) -> str:
    """What a reader says where a setting cannot be used, or nothing where it takes anything."""
    try:
        read_by(reader, {name: NO_VALUE})
    except SettingsError as refused:
        return str(refused)
    return ""


@pytest.fixture(scope="module")
def read() -> Iterator[dict[str, Read]]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    try:
        yield all_read()
    finally:
        root.handlers[:] = handlers
        root.setLevel(level)
        logging.captureWarnings(capture=False)
        sys.excepthook = sys.__excepthook__


@dataclass(frozen=True)
class Row:
    """A row of the page's table of settings."""

    what: str
    by: str
    default: str
    takes: str


ROWS = {
    name: Row(*(cell.strip() for cell in cells.split(" | ")))
    for name, cells in re.findall(r"^\| `(TILERACE_[A-Z_]+)` \| (.+) \|$", PAGE, re.MULTILINE)
}


def section(heading: str) -> str:
    """What stands under a heading of the second level."""
    return PAGE.split(f"\n## {heading}\n")[1].split("\n## ")[0]


def first_code(cell: str) -> str:
    code = re.match(r"`([^`]*)`", cell)
    return code[1] if code else ""


def test_the_table_has_every_setting_once() -> None:
    assert sorted(ROWS) == sorted(KNOWN)
    assert PAGE.count("\n| `TILERACE_") == len(KNOWN)


def test_every_setting_is_read_by_somebody(read: dict[str, Read]) -> None:
    assert read.keys() == KNOWN


@pytest.mark.parametrize("name", sorted(KNOWN))
def test_a_setting_is_read_by_those_and_has_the_default_that_the_table_names(
    name: str, read: dict[str, Read]
) -> None:
    row, asked = ROWS[name], read[name]
    services = [reader for reader in asked.by if reader != "`make play`"]
    every = ["all"] if len(services) == 3 else services
    assert row.by.split(", ") == every + asked.by[len(services) :]
    assert row.default
    assert first_code(row.default) == asked.defaults[asked.by[0]]


@pytest.mark.parametrize("name", sorted(KNOWN))
def test_a_setting_takes_what_the_table_says(name: str, read: dict[str, Read]) -> None:
    assert ROWS[name].takes
    if read[name].takes:
        assert ROWS[name].takes == read[name].takes


def test_the_front_page_names_the_same_defaults(read: dict[str, Read]) -> None:
    front = re.findall(
        r"^\| `(TILERACE_[A-Z_]+)` \| .+ \| (.+) \|$", (ROOT / "README.md").read_text(), re.MULTILINE
    )
    assert len(front) > 4
    for name, default in front:
        ours = read[name].defaults["`make play`"]
        assert not ours or default.strip("`").rstrip("/") == ours


def alerts() -> dict[str, str]:
    """Every alert, and where it says that its entry stands."""
    spec = yaml.safe_load((ROOT / "k8s" / "components" / "monitoring" / "alerts.yaml").read_text())["spec"]
    return {
        rule["alert"]: rule["annotations"]["runbook_url"]
        for group in spec["groups"]
        for rule in group["rules"]
    }


ENTRIES = dict(
    re.findall(
        r"^### (\w+)\n(.*?)(?=\n##)", section("When an alert rings") + "\n##", re.DOTALL | re.MULTILINE
    )
)


def anchors(page: str) -> set[str]:
    """The anchors of a page's headings, as forges make them."""
    headings = re.findall(
        r"^#+ (.+)$", re.sub(r"^```.*?^```", "", page, flags=re.DOTALL | re.MULTILINE), re.MULTILINE
    )
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_alert_has_its_entry_and_every_entry_its_alert() -> None:
    assert list(ENTRIES) == list(alerts())


@pytest.mark.parametrize("alert", alerts())
def test_an_alert_leads_to_its_entry(alert: str) -> None:
    page, _, anchor = alerts()[alert].partition("#")
    assert page == "docs/operations.md"
    assert anchor in anchors(PAGE)
    assert anchor == alert.lower()


@pytest.mark.parametrize("alert", alerts())
def test_an_entry_says_what_is_noticed_where_to_look_why_what_to_do_and_when_it_is_over(alert: str) -> None:
    assert re.findall(r"^- \*\*(.+?)\*\*", ENTRIES[alert], re.MULTILINE) == PARTS


def test_an_entry_leads_to_panels_of_the_dashboard_that_exist() -> None:
    dashboard = json.loads((ROOT / "k8s" / "components" / "monitoring" / "dashboard.json").read_text())
    looks = [re.findall(r"\*\*Look first\.\*\*(.+?)\n- ", entry, re.DOTALL)[0] for entry in ENTRIES.values()]
    named = {" ".join(panel.split()) for look in looks for panel in re.findall(r"(?<!\*)\*([^*]+)\*", look)}
    assert named - {panel["title"] for panel in dashboard["panels"]} == set()
    assert len(named) > 4


def test_what_players_are_said_to_read_is_what_they_read() -> None:
    sources = [file for kind in ("*.js", "*.html", "*.py") for file in ROOT.glob(f"*/src/**/{kind}")]
    told = "\n".join(file.read_text() for file in sources)
    noticed = " ".join(" ".join(entry.split("\n- ")[1] for entry in ENTRIES.values()).split())
    named = re.findall(r"(?<!\*)\*([^*]+)\*(?!\*)", noticed)
    assert len(named) > 2
    assert [words for words in named if words not in told] == []


def links() -> list[tuple[str, str]]:
    return [
        (path, anchor) for path, anchor in re.findall(r"\]\(([^)#]*)#?([^)]*)\)", PAGE) if "://" not in path
    ]


def test_every_link_leads_somewhere() -> None:
    assert len(links()) > 10
    for path, anchor in links():
        target = (ROOT / "docs" / path).resolve() if path else ROOT / "docs" / "operations.md"
        assert target.exists(), path
        assert not anchor or anchor in anchors(target.read_text()), f"{path}#{anchor}"


def test_every_file_and_every_command_that_the_page_names_exists() -> None:
    files = set(re.findall(r"(?<![\w/.-])(?:k8s|bench|proto|docs|requirements)/[\w./-]*\w", PAGE))
    assert [file for file in sorted(files) if not (ROOT / file).exists()] == []
    assert len(files) > 5
    targets = re.findall(r"^([a-z0-9-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert set(re.findall(r"`make ([a-z0-9-]+)", PAGE)) - set(targets) == set()


def test_every_place_in_components_that_is_an_operators_to_change_is_named_here_and_in_the_overlay() -> None:
    marked = [
        f"components/{file.relative_to(ROOT / 'k8s' / 'components')}"
        for file in sorted((ROOT / "k8s" / "components").rglob("*.yaml"))
        if "CHANGE" in file.read_text()
    ]
    head = (ROOT / "k8s/overlays/production/kustomization.yaml").read_text().partition("apiVersion:")[0]
    assert sorted(re.findall(r"^#   (components/\S+)", head, re.MULTILINE)) == marked
    install = section("Install in five minutes")
    assert sorted(re.findall(r"`k8s/(components/[\w/-]+\.yaml)`", install.split("3. **")[0])) == marked


def test_logs_of_many_pods_are_asked_for_whole() -> None:
    asked = re.findall(r"kubectl [^`\n]*\blogs -l [^`\n]+", PAGE)
    assert [each for each in asked if "--tail=-1 --max-log-requests=30" not in each] == []
    assert len(asked) > 2


def test_the_images_that_are_built_are_those_that_the_overlay_takes() -> None:
    overlay = yaml.safe_load((ROOT / "k8s" / "overlays" / "production" / "kustomization.yaml").read_text())
    [gateway] = [each for each in overlay["images"] if each["name"] == "tilerace/web-gateway"]
    install = section("Install in five minutes")
    assert f"push {gateway['newName']}:{gateway['newTag']} " in install
    prefix = gateway["newName"].removesuffix("web-gateway")
    assert f"PREFIX={prefix} TAG={gateway['newTag']} make images" in install


def test_every_metric_that_the_page_names_is_counted() -> None:
    for service in ("game_service", "table_service", "web_gateway"):
        importlib.import_module(f"{service}.metrics")
    named = set(re.findall(r"\b(tilerace_[a-z_]+)", PAGE))
    counted = {name for family in REGISTRY.collect() for name in (family.name, f"{family.name}_total")}
    assert named - counted == set()
    assert "tilerace_sockets" in named


def test_every_event_that_the_page_names_is_logged() -> None:
    source = "\n".join(file.read_text() for file in ROOT.glob("*/src/**/*.py"))
    events = re.findall(r"^\| `([^`]+)` \|", section("Logs"), re.MULTILINE)
    assert len(events) > 8
    assert [event for event in events if f'"{event}"' not in source] == []


def requested() -> tuple[float, int]:
    """Cores and MiB that all pods of the base ask for."""
    cores, mebibytes = 0.0, 0
    for file in ("web-gateway", "game-service", "table-service", "store"):
        for each in yaml.safe_load_all((ROOT / "k8s" / "base" / f"{file}.yaml").read_text()):
            if each["kind"] in {"Deployment", "StatefulSet"}:
                [container] = each["spec"]["template"]["spec"]["containers"]
                asked = container["resources"]["requests"]
                cores += each["spec"]["replicas"] * int(asked["cpu"].removesuffix("m")) / 1000
                memory = int(asked["memory"][:-2]) * {"Mi": 1, "Gi": 1024}[asked["memory"][-2:]]
                mebibytes += each["spec"]["replicas"] * memory
    return cores, mebibytes


def test_the_worked_example_asks_for_what_the_base_does() -> None:
    cores, mebibytes = requested()
    assert f"requests {cores:g} cores and {mebibytes:,} MiB;" in section("Limits and costs").replace(
        "\n", " "
    )


def test_what_a_thousand_racers_take_is_what_the_sums_say() -> None:
    thousand = need(1_000, Measured())
    costs = section("Limits and costs")
    assert f"| processor | {thousand.cores:.1f} cores in use" in costs
    assert f"| memory of the store | {thousand.kept_bytes / 2**30:.1f} GiB after a day" in costs
    down, up = thousand.down_a_second * 8e-6, thousand.up_a_second * 8e-6
    assert f"| network | {down:.0f} Mbit/s to players, {up:.0f} from them" in costs
    assert f"Ten thousand take {need(10_000, Measured()).cores:.1f} cores" in costs
