"""Asking what a manifest's probe asks, as the kubelet would, of a pod that runs."""

import contextlib
import http.client
import socket
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import grpc
from grpc_health.v1 import health_pb2
from tests.kube.rendering import Document

SERVING = health_pb2.HealthCheckResponse.SERVING


@dataclass(frozen=True, slots=True)
class Asked:
    """A pod to ask: where it is, its ports by their names, and what runs a command in it, or raises AssertionError."""

    address: str
    ports: Mapping[str, int]
    execute: Callable[[Sequence[str]], object]


def passes(probe: Document, asked: Asked) -> str | None:
    """Ask as often as the probe may fail; give None once it passes, else what was said last."""
    said = ask(probe, asked)
    for _ in range(probe["failureThreshold"] - 1):
        if said is None:
            break
        time.sleep(probe["periodSeconds"])
        said = ask(probe, asked)
    return said


def ask(probe: Document, asked: Asked) -> str | None:
    """Ask once; give None where the probe passes, else what was said."""
    timeout_s = float(probe["timeoutSeconds"])
    match probe:
        case {"grpc": {"port": int(port), **more}}:
            return _grpc(f"{asked.address}:{port}", str(more.get("service", "")), timeout_s)
        case {"httpGet": {"port": port, "path": str(path)}}:
            return _http(asked.address, _number(port, asked), path, timeout_s)
        case {"tcpSocket": {"port": port}}:
            return _tcp(asked.address, _number(port, asked), timeout_s)
        case {"exec": {"command": command}}:
            return _exec(command, asked)
        case _:
            raise AssertionError(f"no such probe: {probe}")


def _number(port: str | int, asked: Asked) -> int:
    return port if isinstance(port, int) else asked.ports[port]


def _grpc(target: str, service: str, timeout_s: float) -> str | None:
    try:
        with grpc.insecure_channel(target) as channel:
            check = channel.unary_unary(
                "/grpc.health.v1.Health/Check",
                request_serializer=health_pb2.HealthCheckRequest.SerializeToString,
                response_deserializer=health_pb2.HealthCheckResponse.FromString,
            )
            answer = check(health_pb2.HealthCheckRequest(service=service), timeout=timeout_s)
    except grpc.RpcError as error:
        return f"{target} {service!r}: {error}"
    return None if answer.status == SERVING else f"{target} {service!r}: {answer}"


def _http(host: str, port: int, path: str, timeout_s: float) -> str | None:
    try:
        with contextlib.closing(http.client.HTTPConnection(host, port, timeout=timeout_s)) as connection:
            connection.request("GET", path)
            status = connection.getresponse().status
    except (OSError, http.client.HTTPException) as error:
        return f"{host}:{port}{path}: {error!r}"
    return None if 200 <= status < 400 else f"{host}:{port}{path}: {status}"


def _tcp(host: str, port: int, timeout_s: float) -> str | None:
    try:
        socket.create_connection((host, port), timeout_s).close()
    except OSError as error:
        return f"{host}:{port}: {error!r}"
    return None


def _exec(command: Sequence[str], asked: Asked) -> str | None:
    try:
        asked.execute(command)
    except AssertionError as error:
        return str(error)
    return None
