"""Audits fail on what is known to be vulnerable, and say where nobody could be asked; the service here is the test's own."""

import json
import threading
import zipfile
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from supply.audit import CLEAN, NOT_ASKED, VULNERABLE, audit_python, judged
from tests.stack import free_port

LOCK = "pawn==1.0 \\\n    --hash=sha256:" + "0" * 64 + "\n"
ADVISORY = {"id": "TEST-1", "modified": "2026-01-01T00:00:00Z", "summary": "as a test", "affected": []}


class Service(BaseHTTPRequestHandler):
    """What OSV's interface answers: an advisory on each package of `vulnerable`."""

    vulnerable: frozenset[str] = frozenset()

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["queries"]
        hits = [each["package"]["name"] in self.vulnerable for each in asked]
        self.answer({"results": [{"vulns": [ADVISORY]} if hit else {} for hit in hits]})

    def do_GET(self) -> None:
        self.answer(ADVISORY)

    def answer(self, told: Mapping[str, object]) -> None:
        body = json.dumps(told).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def service() -> Iterator[HTTPServer]:
    with HTTPServer(("127.0.0.1", 0), type("Mine", (Service,), {})) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture(autouse=True)
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the only package there is in a folder, so that no index is asked."""
    with zipfile.ZipFile(tmp_path / "pawn-1.0-py3-none-any.whl", "w") as wheel:
        told = {
            "METADATA": "Metadata-Version: 2.1\nName: pawn\nVersion: 1.0\n",
            "WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
            "RECORD": "",
        }
        for name, text in told.items():
            wheel.writestr(f"pawn-1.0.dist-info/{name}", text)
    monkeypatch.setenv("UV_NO_INDEX", "1")
    monkeypatch.setenv("UV_FIND_LINKS", str(tmp_path))


@pytest.mark.parametrize(
    ("vulnerable", "code"), [({"pawn"}, VULNERABLE), ({"another"}, CLEAN)], ids=["vulnerable", "clean"]
)
def test_what_is_known_to_be_vulnerable_fails_and_is_named(
    service: HTTPServer, capsys: pytest.CaptureFixture[str], vulnerable: set[str], code: int
) -> None:
    service.RequestHandlerClass.vulnerable = frozenset(vulnerable)  # type: ignore[attr-defined]
    assert audit_python(LOCK, f"http://127.0.0.1:{service.server_port}/") == code
    assert ("TEST-1" in capsys.readouterr().out) is (code == VULNERABLE)


def test_a_service_that_does_not_answer_is_no_clean_audit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UV_HTTP_RETRIES", "0")
    assert audit_python(LOCK, f"http://127.0.0.1:{free_port()}/") == NOT_ASKED


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        ('{"vulnerabilities": {}}', CLEAN),
        ('{"vulnerabilities": {"ws": {"range": "<8", "severity": "high"}}}', VULNERABLE),
        ('{"message": "405 Method Not Allowed", "error": {}}', NOT_ASKED),
        ("", NOT_ASKED),
    ],
)
def test_what_npm_answers_is_read(answer: str, code: int) -> None:
    assert judged(answer) == code
