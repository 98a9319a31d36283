"""Every kind of answer has the headers that guard it, and none lets another site read it; asked behind https."""

import contextlib
import http.client
import socket
from collections.abc import Iterator
from dataclasses import dataclass, replace

import pytest
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Message, Scope
from tests.stack import free_port
from tests.web_gateway.test_process import started, until_served

from web_gateway.app import make_app
from web_gateway.gateway import Gateway
from web_gateway.headers import ALWAYS, guarding
from web_gateway.page import Page, load
from web_gateway.settings import Settings
from wire.settings import Environment

SITE = "https://race.example.org"
FOREIGN = {"Origin": "https://other.example.org"}
SOCKET = "/api/tables/K7QM2XWP/socket"
UPGRADE = {
    "Connection": "Upgrade",
    "Upgrade": "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
}
GUARDING = guarding(secure=True)


@dataclass
class Ask:
    """A request, and the status that it is answered with."""

    status: int
    method: str
    path: str
    headers: dict[str, str]
    body: bytes = b""

    def __str__(self) -> str:
        return f"{self.status} {self.method} {self.path} {' '.join(self.headers)}"


ASKS = [
    Ask(200, "GET", "/", {}),
    Ask(200, "HEAD", "/", {}),
    Ask(200, "GET", "/rules", {}),
    Ask(200, "GET", "/t/K7QM2XWP", {}),
    Ask(308, "GET", "/t/k7qm-2xwp", {}),
    Ask(304, "GET", "/", {"If-None-Match": "*"}),
    Ask(200, "GET", "/boot.js", {}),
    Ask(200, "GET", "/sw.js", {}),
    Ask(200, "GET", "/manifest.webmanifest", {}),
    Ask(200, "GET", "/icons/icon-192.png", {}),
    Ask(200, "GET", "/api/tables/K7QM2XWP/qr.svg", {}),
    Ask(404, "GET", "/nothing", {}),
    Ask(404, "GET", "/at/0/js/dom.js", {}),
    Ask(404, "GET", "/api/nothing", {}),
    Ask(404, "GET", "/api/tables/", {}),
    Ask(404, "GET", "/api/tables/none", {}),
    Ask(405, "POST", "/", {}),
    Ask(405, "PUT", "/api/tables", {}),
    Ask(405, "OPTIONS", "/api/tables", {"Access-Control-Request-Method": "POST"}),
    Ask(400, "POST", "/api/tables", {}, b"["),
    Ask(400, "POST", "/api/tables", {}, b"{" * 5000),
    Ask(403, "POST", "/api/tables", FOREIGN),
    Ask(403, "POST", "/api/tables", {"Sec-Fetch-Site": "cross-site"}),
    Ask(503, "GET", "/api/tables/K7QM2XWP", {}),
    Ask(200, "GET", "/healthz", {}),
    Ask(503, "GET", "/readyz", {}),
    Ask(403, "GET", SOCKET, UPGRADE | FOREIGN),
    Ask(403, "GET", SOCKET, UPGRADE | {"Sec-Fetch-Site": "cross-site"}),
    Ask(403, "GET", "/nothing", UPGRADE),
    Ask(400, "GET", SOCKET, UPGRADE | {"Sec-WebSocket-Version": "8"}),
    Ask(405, "POST", SOCKET, UPGRADE),
]


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    """Run a gateway behind https, with no services to ask."""
    listen, game, table = free_port(), free_port(), free_port()
    addresses = {"LISTEN": listen, "GAME_TARGET": game, "TABLE_TARGET": table}
    settings = {name: f"127.0.0.1:{port}" for name, port in addresses.items()}
    with started(PUBLIC_URL=SITE, **settings):
        until_served(f"http://127.0.0.1:{listen}/healthz")
        yield listen


def answer_to(port: int, ask: Ask) -> tuple[int, dict[str, str]]:
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", port, timeout=10)) as connection:
        connection.request(ask.method, ask.path, ask.body, ask.headers)
        answer = connection.getresponse()
        answer.read()
        return answer.status, {name.lower(): value for name, value in answer.getheaders()}


def guards_missing(headers: dict[str, str]) -> set[str]:
    """Name the guards that an answer lacks; how long it may be kept is its own affair."""
    return {
        name
        for name, value in GUARDING.items()
        if name not in headers or (name != "cache-control" and headers[name] != value)
    }


@pytest.mark.parametrize("ask", ASKS, ids=str)
def test_every_kind_of_answer_is_guarded(port: int, ask: Ask) -> None:
    status, headers = answer_to(port, ask)
    assert (status, guards_missing(headers)) == (ask.status, set())


@pytest.mark.parametrize(
    "request_bytes", [b"GET\r\n\r\n", b"GET / HTTP/1.1\r\n\r\n", b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", b"\x16\x03\x01"]
)  # fmt: skip
def test_what_is_no_request_is_answered_with_the_same_guards(port: int, request_bytes: bytes) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        connection.sendall(request_bytes)
        connection.shutdown(socket.SHUT_WR)
        answer = http.client.HTTPResponse(connection)
        answer.begin()
        headers = {name.lower(): value for name, value in answer.getheaders()}
    assert (answer.status, guards_missing(headers)) == (400, set())


@pytest.mark.parametrize("origin", [{}, {"Origin": SITE}, FOREIGN, {"Origin": "null"}], ids=str)
def test_no_answer_lets_another_site_read_it(port: int, origin: dict[str, str]) -> None:
    for ask in ASKS:
        _, headers = answer_to(port, replace(ask, headers=ask.headers | origin))
        assert not [name for name in headers if name.startswith("access-control-")], ask
        assert "server" not in headers


def test_a_part_of_a_page_says_what_is_heeded_of_a_part(port: int) -> None:
    page = load(site=SITE)
    _, headers = answer_to(port, Ask(200, "GET", f"/at/{page.build}/js/dom.js", {}))
    assert headers["cache-control"] == "public, max-age=31536000, immutable"
    assert guards_missing(headers) == set(GUARDING) - set(ALWAYS)


async def test_what_fails_here_is_guarded_too() -> None:
    class Failing(Page):
        def shell(self, request: Request, name: str) -> Response:  # noqa: ARG002  the same as the whole one
            raise RuntimeError(name)

    whole = load()
    app = make_app(
        Gateway(Settings.from_env(Environment({"TILERACE_PUBLIC_URL": SITE}))),
        Failing(whole.build, whole.release, whole.assets),
    )
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        sent.append(message)

    scope: Scope = {"type": "http", "method": "GET", "path": "/", "headers": [], "query_string": b""}
    with pytest.raises(RuntimeError):
        await app(scope, receive, send)
    headers = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    assert (sent[0]["status"], guards_missing(headers)) == (500, set())


@pytest.mark.parametrize(
    "path", ["/api/tables/K7QM2XWP/qr.svg", "/t/k7qm-2xwp", "/t/K7QM2XWP", "/", "/rules"]
)
def test_a_forged_host_changes_no_answer(port: int, path: str) -> None:
    def answer(**headers: str) -> tuple[int, str | None, bytes]:
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", port, timeout=10)) as connection:
            connection.request("GET", path, headers=headers)
            found = connection.getresponse()
            return found.status, found.getheader("location"), found.read()

    forged = {"Host": "evil.example", "X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "gopher"}
    assert answer(**forged) == answer()
