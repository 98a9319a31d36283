"""Manifests as kustomize renders them, read by kubectl itself: no YAML is read here."""

import json
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

Document = dict[str, Any]

ROOT = Path(__file__).resolve().parents[2]


def rendered(overlay: Path) -> list[Document]:
    """Render an overlay, as `kubectl apply -k` would."""
    yaml = _kubectl(["kustomize", str(overlay)])
    # A change of no label: kubectl has no plainer way to print as JSON what it reads, without a cluster.
    return list(_each(_kubectl(["label", "--local", "--filename", "-", "--output", "json", "none-"], yaml)))


def of_kind(documents: Sequence[Document], kind: str) -> list[Document]:
    return [each for each in documents if each["kind"] == kind]


def _kubectl(arguments: list[str], given: str = "") -> str:
    ended = subprocess.run(
        ["kubectl", *arguments], input=given, capture_output=True, text=True, check=False, timeout=60
    )
    assert ended.returncode == 0, f"kubectl {' '.join(arguments)}: {ended.stderr}"
    return ended.stdout


def _each(text: str) -> Iterator[Document]:
    """Read one JSON document after the other."""
    decoder, text = json.JSONDecoder(), text.strip()
    while text:
        document, end = decoder.raw_decode(text)
        yield document
        text = text[end:].lstrip()
