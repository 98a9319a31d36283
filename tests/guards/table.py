"""The table of guards: what each keeps out, how it is taken out, and which tests then fail."""

import contextlib
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

HERE = Path(__file__).parent


class FaultyRow(Exception):
    """A row that shows nothing, and why."""


@dataclass(frozen=True, slots=True)
class Guard:
    """One row: `old`, which stands once in `file`, becomes `new`, and each of `tests` fails."""

    area: str
    what: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]

    @contextlib.contextmanager
    def taken_out_of(self, tree: Path) -> Iterator[Path]:
        """Have the file of a tree be as it is without the guard for a while; give it.

        Raises:
            FaultyRow: there is no such file, or `old` does not stand in it exactly once.
        """
        path = tree / self.file
        if not path.is_file():
            raise FaultyRow(f"there is no {self.file}")
        text = path.read_text()
        if (count := text.count(self.old)) != 1:
            raise FaultyRow(f"`old` stands {count} times in {self.file}, and is to stand there once")
        try:
            _write(path, text.replace(self.old, self.new))
            yield path
        finally:
            _write(path, text)


def _write(path: Path, text: str) -> None:
    """Write a file, and forget its bytecode, which is told from another's by size and second alone."""
    path.write_text(text)
    for bytecode in path.parent.glob(f"__pycache__/{path.stem}.*.pyc"):
        bytecode.unlink()


def guards_of(area: str, text: str) -> list[Guard]:
    """Read the rows of one area.

    Raises:
        FaultyRow: a row has not exactly the fields of a guard, or names no test.
    """
    return [_guard(area, row) for row in tomllib.loads(text)["guard"]]


def all_guards(only: Sequence[str] = ()) -> list[Guard]:
    """Read the table, or the areas named of it.

    Raises:
        FaultyRow: an area has no file, or a row is none.
    """
    files = {file.stem: file for file in sorted(HERE.glob("*.toml"))}
    if unknown := set(only) - set(files):
        raise FaultyRow(f"no area is called {', '.join(sorted(unknown))}; there are {', '.join(files)}")
    return [guard for area in only or files for guard in guards_of(area, files[area].read_text())]


def _guard(area: str, row: dict[str, str | list[str]]) -> Guard:
    asked = {field.name for field in fields(Guard)} - {"area"}
    if set(row) != asked:
        raise FaultyRow(f"a row of {area}.toml has {sorted(row)}, and is to have {sorted(asked)}")
    if not row["tests"]:
        raise FaultyRow(f"no test is named for: {row['what']}")
    words = {name: str(row[name]) for name in asked - {"tests"}}
    return Guard(area, tests=tuple(row["tests"]), **words)
