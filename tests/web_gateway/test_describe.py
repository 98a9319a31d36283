"""The pages that describe the interface are those that the types give."""

import json
from pathlib import Path

from web_gateway import describe

DOCS = Path(__file__).parents[2] / "docs"
AGAIN = "out of date: run `python -m web_gateway.describe` in the repository"


def test_the_socket_is_described_as_it_is() -> None:
    assert (DOCS / "socket.md").read_text(encoding="utf-8") == describe.socket_page(), AGAIN


def test_the_http_interface_is_described_as_it_is() -> None:
    assert (DOCS / "openapi.json").read_text(encoding="utf-8") == describe.openapi(), AGAIN


def test_every_reference_in_the_description_leads_somewhere() -> None:
    text = describe.openapi()
    known = {f"#/components/schemas/{name}" for name in json.loads(text)["components"]["schemas"]}
    used = {
        line.partition('"$ref": "')[2].partition('"')[0] for line in text.splitlines() if '"$ref"' in line
    }
    assert used
    assert used <= known
