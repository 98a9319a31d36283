"""The page of licences is true, and a licence that does not suit stops it."""

import json
import re
from email.message import Message
from importlib.metadata import PackageMetadata
from typing import cast

import pytest
from supply.licences import PAGE, Unknown, licence_of, page
from supply.locks import ROOT


def package(**told: str) -> PackageMetadata:
    message = Message()
    for field, words in told.items():
        message[field.replace("_", "-")] = words
    return cast("PackageMetadata", message)


def test_the_page_of_the_game_has_no_code_of_others() -> None:
    """Node's packages are tools alone, and what the page imports it finds beside itself."""
    assert "dependencies" not in json.loads((ROOT / "package.json").read_text())
    sources = list((ROOT / "web-gateway" / "src" / "web_gateway" / "page").rglob("*.js"))
    imported = [name for file in sources for name in re.findall(r'from "([^"]+)"', file.read_text())]
    assert imported
    assert [name for name in imported if not name.startswith((".", "/"))] == []


def test_the_page_says_what_is_installed() -> None:
    assert PAGE.read_text() == page(), "make licences writes it anew"


@pytest.mark.parametrize(
    ("told", "licence"),
    [
        ({"License_Expression": "MIT OR Apache-2.0"}, "MIT OR Apache-2.0"),
        ({"License": "3-Clause BSD License"}, "BSD-3-Clause"),
        ({"License": "UNKNOWN", "Classifier": "License :: OSI Approved :: MIT License"}, "MIT"),
    ],
)
def test_a_licence_is_read_as_it_is_told(told: dict[str, str], licence: str) -> None:
    assert licence_of("a-package", package(**told)) == licence


@pytest.mark.parametrize(
    "told",
    [
        {"License_Expression": "GPL-3.0-only"},
        {"License_Expression": "MIT AND AGPL-3.0-or-later"},
        {"Classifier": "License :: OSI Approved :: GNU General Public License v3 (GPLv3)"},
        {"License": "as you like"},
        {},
    ],
)
def test_another_licence_or_none_is_refused(told: dict[str, str]) -> None:
    with pytest.raises(Unknown, match="a-package"):
        licence_of("a-package", package(**told))
