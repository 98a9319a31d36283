"""Whether two hashes are of one browser is asked in one place, whose answer takes as long whatever is alike."""

import ast
import hashlib
import hmac
from collections.abc import Iterator
from pathlib import Path

import pytest

from wire.ids import BrowserHash, same_browser

ROOT = Path(__file__).parents[2]
SOURCES = sorted(
    path for part in ("proto/src/wire", "game-service/src", "table-service/src", "web-gateway/src/web_gateway")
    for path in (ROOT / part).rglob("*.py")
)  # fmt: skip
ONE, OTHER = (BrowserHash(hashlib.sha256(secret).digest()) for secret in (b"one", b"other"))
COMPARED = {"browser", "secret", "digest"}


def test_a_browser_is_the_same_as_itself_and_no_other() -> None:
    assert same_browser(ONE, BrowserHash(bytes(ONE)))
    assert not same_browser(ONE, OTHER)


def test_no_browser_is_the_same_as_none() -> None:
    assert not same_browser(None, ONE)
    assert not same_browser(ONE, None)
    assert not same_browser(None, None)


def test_hashes_are_compared_in_constant_time(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[bytes, bytes]] = []

    def compare(one: bytes, other: bytes) -> bool:
        asked.append((one, other))
        return True

    monkeypatch.setattr(hmac, "compare_digest", compare)
    assert same_browser(ONE, OTHER)
    assert asked == [(ONE, OTHER)]


def compared(tree: ast.AST) -> Iterator[ast.Compare]:
    """Find where something called a browser is compared, or looked for among others."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare) and not isinstance(node.ops[0], (ast.Is, ast.IsNot)):
            sides = [ast.unparse(side) for side in (node.left, *node.comparators)]
            if any(side.rpartition(".")[2] in COMPARED or side.endswith("table.host") for side in sides):
                yield node


def test_nothing_compares_browsers_otherwise() -> None:
    found = [
        f"{path.relative_to(ROOT)}: {ast.unparse(node)}"
        for path in SOURCES
        for node in compared(ast.parse(path.read_text()))
    ]
    assert found == []
