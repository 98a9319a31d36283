"""A build of the page: named by all that is served of it, every file under that name, one build never in another."""

import doctest
import json
import re
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from web_gateway.page import Page, load
from web_gateway.settings import Settings
from wire.settings import Environment

SOURCES = {
    "_head.html": '<meta name="build" content="{{release}}" />\n<link rel="stylesheet" href="/css/a.css" />\n',
    "index.html": '<head>\n<!-- head -->\n<link rel="stylesheet" href="/css/b.css" />\n'
    '<script src="/boot.js"></script>\n<script type="module" src="/js/one.js"></script>\n</head>\n',
    "offline.html": "<p>Offline</p>\n",
    "table.html": "<p>A table</p>\n",
    "css/a.css": "a {}\n",
    "css/b.css": "b {}\n",
    "js/one.js": 'import "./two.js";\nimport("./late.js");\n',
    "js/two.js": "",
    "js/late.js": "",
    "boot.js": "// boot\n",
    "sw.js": 'const RELEASE = { build: "" };\n',
    "icons/icon.png": "png",
}  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write(tmp_path, SOURCES)


def write(folder: Path, sources: dict[str, str]) -> Path:
    for path, text in sources.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return folder


def text(page: Page, path: str) -> str:
    return page.assets[path].plain.body.decode()


def kept(page: Page) -> dict[str, Any]:
    """Read what the service worker is told."""
    line = re.search(r"^const RELEASE = (.*);$", text(page, "sw.js"), re.MULTILINE)
    assert line is not None
    told: dict[str, Any] = json.loads(line[1])
    return told


@pytest.mark.parametrize("name", ["assets", "build", "compose", "drawn", "imports"])
def test_the_examples_of_every_module_hold(name: str) -> None:
    result = doctest.testmod(import_module(f"web_gateway.{name}"))
    assert (result.failed, result.attempted > 0) == (0, True)


def test_the_same_page_is_the_same_build_and_any_change_another(folder: Path) -> None:
    first = load(folder).build
    assert re.fullmatch("[0-9a-f]{8}", first)
    assert load(folder).build == first
    write(folder, {"js/late.js": "late()"})
    assert load(folder).build != first


def test_a_file_under_another_name_is_another_build(folder: Path) -> None:
    first = load(folder).build
    (folder / "js/late.js").rename(folder / "js/later.js")
    assert load(folder).build != first


def test_another_name_or_address_of_the_site_is_another_build_since_pages_tell_them(folder: Path) -> None:
    assert len({load(folder, release=name, site=site).build for name in ("", "r1") for site in ("", "s")}) > 1
    assert load(folder, release="r1").build != load(folder, release="r2").build


def test_whoever_builds_it_may_name_it_and_pages_and_sockets_say_that_name(folder: Path) -> None:
    assert Settings.from_env(Environment({"TILERACE_BUILD": "abc1234"})).build == "abc1234"
    page = load(folder, release="abc1234")
    assert page.release == "abc1234"
    assert '<meta name="build" content="abc1234" />' in text(page, "index.html")


def test_a_build_without_a_name_is_called_by_version_and_digest(folder: Path) -> None:
    page = load(folder)
    assert re.fullmatch(rf"\d+\.\d+\.\d+\+{page.build}", page.release)
    assert f'<meta name="build" content="{page.release}" />' in text(page, "index.html")


def test_a_page_names_its_files_under_its_build(folder: Path) -> None:
    page = load(folder)
    assert f'src="/at/{page.build}/js/one.js"' in text(page, "index.html")
    assert f'src="/boot.js?{page.build}"' in text(page, "index.html")


def test_a_page_preloads_what_its_entry_imports_and_not_what_may_come_later(folder: Path) -> None:
    page = load(folder)
    html = text(page, "index.html")
    assert f'<link rel="modulepreload" href="/at/{page.build}/js/two.js" />' in html
    assert html.count("modulepreload") == 1


def test_a_page_asks_for_its_stylesheets_at_once_in_their_order(folder: Path) -> None:
    page = load(folder)
    html = text(page, "index.html")
    assert html.count("stylesheet") == 1
    assert f'href="/at/{page.build}/css/a+b.css"' in html
    assert text(page, "css/a+b.css") == "a {}\nb {}\n"


def test_the_worker_keeps_every_file_of_the_build_but_what_is_asked_for_at_other_times(folder: Path) -> None:
    page = load(folder)
    at = f"/at/{page.build}/"
    assert set(kept(page)["files"]) == {
        f"/boot.js?{page.build}",
        *(at + path for path in ("index.html", "offline.html", "table.html", "css/a+b.css")),
        *(at + path for path in ("js/one.js", "js/two.js", "js/late.js")),
    }
    assert kept(page)["build"] == page.build
    assert kept(page)["offline"] == at + "offline.html"


def shell(page: Page, address: str) -> str | None:
    """Find what the worker answers an address with."""
    found = [name for pattern, name in kept(page)["shells"] if re.search(pattern, address)]
    return found[0].removeprefix(f"/at/{page.build}/") if found else None


def test_the_worker_knows_which_page_answers_which_address(folder: Path) -> None:
    page = load(folder)
    assert shell(page, "/") == "index.html"
    assert shell(page, "/t/K7QM2XWP") == "table.html"
    assert {shell(page, path) for path in ("/nothing", "/t/", "/t/K7QM2XWP/replay/1")} == {None}
    write(folder, {"replay.html": "<p>Replay</p>\n"})
    assert shell(load(folder), "/t/K7QM2XWP/replay/1") == "replay.html"


REAL = load()


def pages() -> Iterable[str]:
    return [path for path in REAL.assets if path.endswith(".html")]


@pytest.mark.parametrize("path", pages())
def test_every_file_that_a_page_names_is_there(path: str) -> None:
    named = re.findall(r' (?:href|src)="/at/[0-9a-f]{8}/([^"]+)"', text(REAL, path))
    assert named
    assert [name for name in named if name not in REAL.assets] == []
    assert not re.search(r'(?:src|stylesheet" href)="/(?:js|css)/', text(REAL, path))


@pytest.mark.parametrize("path", pages())
def test_every_page_has_a_title_and_words_of_its_own_for_those_who_link_to_it(path: str) -> None:
    html = text(REAL, path)
    title = re.search(r"<title>([^<]+)</title>", html)
    words = re.search(r'<meta name="description" content="([^"]+)" />', html)
    assert title is not None
    assert words is not None
    assert f'<meta property="og:title" content="{title[1]}" />' in html
    assert f'<meta property="og:description" content="{words[1]}" />' in html
    assert "{{" not in html
    assert "<!--" not in html


def test_every_import_finds_its_module() -> None:
    imports = re.compile(
        r"""^(?:import|export)\b[^"';]*["'](\.[^"']+)["']|\bimport\(["'](\.[^"']+)["']\)""", re.MULTILINE
    )
    lost = [
        (path, found)
        for path in REAL.assets
        if path.endswith(".js")
        for pair in imports.findall(re.sub(r"/\*\*.*?\*/", "", text(REAL, path), flags=re.DOTALL))
        for found in pair
        if found and str((Path("/") / path).parent.joinpath(found).resolve())[1:] not in REAL.assets
    ]
    assert lost == []


def test_the_social_card_is_named_by_the_whole_address_where_that_is_known() -> None:
    page = load(site="https://race.example")
    assert '<meta property="og:image" content="https://race.example/icons/card.png" />' in text(
        page, "index.html"
    )
    assert '<meta property="og:image" content="/icons/card.png" />' in text(REAL, "index.html")


def test_the_manifest_names_icons_and_pages_that_are_there() -> None:
    manifest = json.loads(text(REAL, "manifest.webmanifest"))
    icons = [icon["src"] for part in (manifest, *manifest["shortcuts"]) for icon in part["icons"]]
    assert [icon for icon in icons if icon[1:] not in REAL.assets] == []
    assert {"192x192", "512x512"} <= {icon["sizes"] for icon in manifest["icons"]}
    assert {icon["purpose"] for icon in manifest["icons"]} == {"any", "maskable"}
    assert [part["url"] for part in manifest["shortcuts"] if shell(REAL, part["url"]) is None] == []


def fetched(path: str, *, at_once: bool) -> list[str]:
    """Name what a page has a browser fetch, or only what the first slide waits for."""
    lines = text(REAL, path).splitlines()
    named = [line for line in lines if "/at/" in line and not (at_once and 'fetchpriority="low"' in line)]
    return [found[1] for line in named for found in [re.search(r'"/at/[0-9a-f]{8}/([^"]+)"', line)] if found]


def test_a_first_visit_fetches_little() -> None:
    files = {"index.html", "boot.js", *fetched("index.html", at_once=False)}
    sizes = [len((REAL.assets[path].gzipped or REAL.assets[path].plain).body) for path in files]
    headers = 1024 * len(files)
    assert sum(sizes) + headers < 150 * 1024


def test_the_first_slide_waits_for_few_files() -> None:
    # Six come at a time: each further six cost a round trip (bench/page.py).
    assert len(fetched("index.html", at_once=True)) <= 20
