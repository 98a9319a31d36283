"""The three services as children: where each listens, whom it calls, and how one sees that it is ready."""

import asyncio
import sys
from dataclasses import dataclass

import grpc
from grpc_health.v1 import health_pb2

import game_service.settings
import table_service.settings
import web_gateway.settings
from play.child import Child
from play.settings import Settings
from wire.serving import channel
from wire.settings import Address, Environment

ANSWER_S = 2.0
LOCAL = "127.0.0.1"

Check = grpc.aio.UnaryUnaryMultiCallable[health_pb2.HealthCheckRequest, health_pb2.HealthCheckResponse]


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """The services of one `make play`."""

    game: Child
    table: Child
    gateway: Child


def check_settings(settings: Settings) -> None:
    """Read what is passed on as each service will, which else refuses it only once all are being started.

    Raises:
        SettingsError: one of them cannot be used.
    """
    env = Environment(settings.environment)
    game_service.settings.Settings.from_env(env)
    table_service.settings.Settings.from_env(env)
    web_gateway.settings.Settings.from_env(env)


def services(settings: Settings, redis_url: str, *, game_port: int, table_port: int) -> Services:
    """Describe the services, which find each other by the ports given and the store by its address."""
    game, table = f"{LOCAL}:{game_port}", f"{LOCAL}:{table_port}"
    return Services(
        game=Child(
            name="game_service",
            command=_module("game_service"),
            environment={
                **settings.environment,
                "TILERACE_GAME_LISTEN": game,
                "TILERACE_REDIS_URL": redis_url,
            },
            is_ready=lambda: serves(game),
        ),
        table=Child(
            name="table_service",
            command=_module("table_service"),
            environment={
                **settings.environment,
                "TILERACE_TABLE_LISTEN": table,
                "TILERACE_GAME_TARGET": game,
                "TILERACE_REDIS_URL": redis_url,
            },
            is_ready=lambda: serves(table),
        ),
        gateway=Child(
            name="web_gateway",
            command=_module("web_gateway"),
            environment={
                **settings.environment,
                "TILERACE_LISTEN": str(settings.listen),
                "TILERACE_GAME_TARGET": game,
                "TILERACE_TABLE_TARGET": table,
            },
            is_ready=lambda: is_open(settings.listen),
        ),
    )


async def serves(target: str) -> bool:
    """Look whether a service says by grpc.health.v1 that it serves."""
    async with channel(target) as opened:
        check: Check = opened.unary_unary(
            "/grpc.health.v1.Health/Check",
            request_serializer=health_pb2.HealthCheckRequest.SerializeToString,
            response_deserializer=health_pb2.HealthCheckResponse.FromString,
        )
        try:
            answer = await check(health_pb2.HealthCheckRequest(), timeout=ANSWER_S)
        except grpc.aio.AioRpcError:
            return False
        return bool(answer.status == health_pb2.HealthCheckResponse.SERVING)


async def is_open(listen: Address) -> bool:
    """Look whether the gateway says on /readyz that it is ready."""
    # An address that means all of this machine's is called by its loopback.
    host = {"0.0.0.0": LOCAL, "::": "::1"}.get(listen.host, listen.host)
    try:
        async with asyncio.timeout(ANSWER_S):
            reader, writer = await asyncio.open_connection(host, listen.port)
            try:
                writer.write(b"GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                return b" 200 " in await reader.readline()
            finally:
                writer.close()
    except (OSError, TimeoutError):
        return False


def _module(name: str) -> tuple[str, ...]:
    return (sys.executable, "-m", name)
