"""A row that shows nothing is told apart from one that shows what it says."""

import py_compile
from dataclasses import replace
from pathlib import Path

import pytest
from tests.guards.running import judge, judge_whole
from tests.guards.table import FaultyRow, Guard, all_guards, guards_of

DRAWS = "tests/engine/test_draws.py"
OTHER = f"{DRAWS}::test_the_first_two_draws_make_the_start_board"
TEST = f"{DRAWS}::test_a_seed_is_32_bytes_and_is_never_shown"
SAMPLES = "tests/guards/samples.py"
CHECK = "if len(seed) != SEED_BYTES:"
ROW = Guard("none", "a seed is 32 bytes", "engine/src/engine/draws.py", CHECK, "if False:", (TEST,))
PAGE = "tests/page/sha256.test.js::hex that is not hex is refused"
BYTES = "web-gateway/src/web_gateway/page/js/engine/bytes.js"
HEX = "/^([0-9a-f]{2})*$/i"


def test_a_row_whose_test_fails_without_the_guard_is_good(tree: Path) -> None:
    judge(ROW, tree)
    judge_whole([ROW], tree)


def test_a_change_that_changes_nothing_is_a_fault(tree: Path) -> None:
    with pytest.raises(FaultyRow, match=f"did not fail:\n  {TEST}: passed"):
        judge(replace(ROW, new=f"{CHECK}  # still"), tree)


def test_of_several_tests_each_has_to_fail(tree: Path) -> None:
    with pytest.raises(FaultyRow, match=f"{OTHER}: passed"):
        judge(replace(ROW, tests=(TEST, OTHER)), tree)


@pytest.mark.parametrize(("old", "count"), [("no such line", 0), ("self._known", 2)])
def test_what_is_changed_has_to_stand_there_once(old: str, count: int, tree: Path) -> None:
    with pytest.raises(FaultyRow, match=f"`old` stands {count} times in"):
        judge(replace(ROW, old=old), tree)


def test_a_file_that_is_not_there_is_a_fault(tree: Path) -> None:
    with pytest.raises(FaultyRow, match=r"there is no engine/none\.py"):
        judge(replace(ROW, file="engine/none.py"), tree)


@pytest.mark.parametrize("new", ["if len(seed:", "if unheard_of:"])
def test_a_change_that_breaks_the_code_is_a_fault(new: str, tree: Path) -> None:
    with pytest.raises(FaultyRow, match="the change breaks the code"):
        judge(replace(ROW, new=new), tree)


def test_a_change_that_keeps_the_tests_from_being_read_is_a_fault(tree: Path) -> None:
    with pytest.raises(FaultyRow, match="unreadable"):
        judge(replace(ROW, old="def commitment(", new="def committed("), tree)


def test_a_change_over_which_a_test_falls_is_no_failure_of_the_test(tree: Path) -> None:
    with pytest.raises(FaultyRow, match="broken: ModuleNotFoundError"):
        judge(replace(ROW, new=f"import engine.none\n        {CHECK}"), tree)


def test_bytecode_lies_where_it_is_deleted_with_a_change(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, tree: Path
) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    monkeypatch.setenv("PYTHONPYCACHEPREFIX", str(tmp_path))
    judge_whole([ROW], tree)
    draws = tree / ROW.file

    def bytecode() -> list[Path]:
        return list(draws.parent.glob(f"__pycache__/{draws.stem}.*"))

    assert bytecode()
    assert list(tmp_path.iterdir()) == []
    with ROW.taken_out_of(tree):
        assert not bytecode()
        py_compile.compile(str(draws))
        assert bytecode()
    assert not bytecode()


def test_a_test_that_is_not_there_is_a_fault(tree: Path) -> None:
    with pytest.raises(FaultyRow, match=f"(?s)pytest ran no test.*not found: .*{DRAWS}::test_none"):
        judge(replace(ROW, tests=(f"{DRAWS}::test_none", TEST)), tree)


def test_a_test_of_the_page_fails_by_its_name(tree: Path) -> None:
    good = replace(ROW, file=BYTES, old=HEX, new="/^/", tests=(PAGE,))
    judge_whole([good], tree)
    judge(good, tree)


@pytest.mark.parametrize(
    ("name", "outcome"),
    [
        ("test_that_fails", "failed"),
        ("test_that_cannot_begin", "setup failed: RuntimeError"),
        ("test_that_is_skipped", "call skipped"),
    ],
)
def test_a_test_that_does_not_pass_with_the_guard_is_a_fault(name: str, outcome: str, tree: Path) -> None:
    with pytest.raises(FaultyRow, match=f"these do not pass:\n  {SAMPLES}::{name}: {outcome}"):
        judge_whole([replace(ROW, tests=(f"{SAMPLES}::{name}",))], tree)


def test_a_test_that_does_not_begin_without_the_guard_has_not_failed(tree: Path) -> None:
    with pytest.raises(FaultyRow, match="setup failed: RuntimeError"):
        judge(replace(ROW, tests=(f"{SAMPLES}::test_that_cannot_begin",)), tree)


def test_a_row_has_every_field_and_names_a_test() -> None:
    with pytest.raises(FaultyRow, match="is to have"):
        guards_of("none", '[[guard]]\nwhat = "a"\nfile = "b"\nold = "c"\ntests = ["d"]')
    with pytest.raises(FaultyRow, match="no test is named for: a"):
        guards_of("none", '[[guard]]\nwhat = "a"\nfile = "b"\nold = "c"\nnew = ""\ntests = []')


def test_an_area_that_nobody_wrote_is_told_with_those_there_are() -> None:
    with pytest.raises(FaultyRow, match=r"no area is called none; there are .*older"):
        all_guards(["none"])
