"""A release is named by its version and by its page, so that sockets tell a page of another release."""

from pathlib import Path

from web_gateway import page
from web_gateway.settings import Settings
from wire.settings import Environment


def build(folder: Path, text: str) -> str:
    (folder / "index.html").write_text(text)
    return page.build_of(page.load(folder))


def test_the_same_page_is_the_same_build_and_any_change_another(tmp_path: Path) -> None:
    first = build(tmp_path, "<p>one")
    assert build(tmp_path, "<p>two") != first
    assert build(tmp_path, "<p>one") == first


def test_a_file_under_another_name_is_another_build(tmp_path: Path) -> None:
    first = build(tmp_path, "<p>one")
    (tmp_path / "index.html").rename(tmp_path / "table.html")
    assert page.build_of(page.load(tmp_path)) != first


def test_whoever_builds_it_may_name_it() -> None:
    assert Settings.from_env(Environment({"TILERACE_BUILD": "abc1234"})).build == "abc1234"
    assert Settings.from_env(Environment({})).build == ""
