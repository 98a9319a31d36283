"""Asking what probes ask, of real servers: what passes, what does not, and what is said then."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import grpc
import pytest
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from tests.kube.probes import Asked, ask, passes
from tests.kube.rendering import Document
from tests.stack import free_port

PATIENCE = {"periodSeconds": 0, "timeoutSeconds": 2, "failureThreshold": 3}


class Answers(BaseHTTPRequestHandler):
    """Answers with the status that the path is."""

    def do_GET(self) -> None:
        self.send_response(int(self.path[1:]))
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing of it."""


@pytest.fixture
def web() -> Iterator[int]:
    with HTTPServer(("127.0.0.1", 0), Answers) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield server.server_address[1]
        server.shutdown()
        thread.join()


@pytest.fixture
def health_port() -> Iterator[int]:
    """Serve the health of one that drains: alive, and not ready."""
    servicer = health.HealthServicer()
    servicer.set("liveness", health_pb2.HealthCheckResponse.SERVING)
    servicer.set("", health_pb2.HealthCheckResponse.NOT_SERVING)
    server = grpc.server(ThreadPoolExecutor(2))
    health_pb2_grpc.add_HealthServicer_to_server(servicer, server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    yield port
    server.stop(None).wait()


def asked(**ports: int) -> Asked:
    return Asked("127.0.0.1", ports, refuse)


def refuse(command: Sequence[str]) -> None:
    if command != ["ping"]:
        raise AssertionError(f"{command} ended with 1")


def http(path: str, port: str | int = "http") -> Document:
    return {"httpGet": {"port": port, "path": path}, **PATIENCE}


@pytest.mark.parametrize(("path", "why"), [("/200", None), ("/302", None), ("/404", "404"), ("/503", "503")])
def test_an_http_probe_passes_by_its_status(web: int, path: str, why: str | None) -> None:
    for said in (ask(http(path), asked(http=web)), ask(http(path, web), asked())):
        assert said is None if why is None else said is not None and why in said


@pytest.mark.parametrize(
    "probe",
    [
        http("/200"),
        {"tcpSocket": {"port": "http"}, **PATIENCE},
    ],
)
def test_where_nobody_listens_no_probe_passes(probe: Document) -> None:
    assert "refused" in str(passes(probe, asked(http=free_port())))


@pytest.mark.parametrize(
    ("service", "why"), [("liveness", None), (None, "NOT_SERVING"), ("other", "NOT_FOUND")]
)
def test_a_grpc_probe_asks_for_the_service_that_it_names(
    health_port: int, service: str | None, why: str | None
) -> None:
    named = {} if service is None else {"service": service}
    said = ask({"grpc": {"port": health_port, **named}, **PATIENCE}, asked())
    assert said is None if why is None else said is not None and why in said


def test_a_probe_by_a_command_passes_where_it_ends_well() -> None:
    assert ask({"exec": {"command": ["ping"]}, **PATIENCE}, asked()) is None
    assert "ended with 1" in str(ask({"exec": {"command": ["pong"]}, **PATIENCE}, asked()))


def test_a_probe_is_asked_again_as_often_as_it_may_fail() -> None:
    calls: list[Sequence[str]] = []

    def third(command: Sequence[str]) -> None:
        calls.append(command)
        if len(calls) < 3:
            raise AssertionError("not yet")

    probe = {"exec": {"command": ["ping"]}, **PATIENCE}
    assert passes(probe, Asked("127.0.0.1", {}, third)) is None
    calls.clear()
    assert passes(probe | {"failureThreshold": 2}, Asked("127.0.0.1", {}, third)) == "not yet"
