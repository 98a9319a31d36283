"""What a service says of its health."""

import grpc
from grpc_health.v1 import health_pb2
from tests.stack import Service


async def serves(service: Service) -> bool:
    """Ask a service for its health, as an orchestrator does."""
    at = next(
        at
        for name, at in service.environment.items()
        if name in {"TILERACE_GAME_LISTEN", "TILERACE_TABLE_LISTEN"}
    )
    async with grpc.aio.insecure_channel(at) as channel:
        ask = channel.unary_unary(
            "/grpc.health.v1.Health/Check",
            request_serializer=health_pb2.HealthCheckRequest.SerializeToString,
            response_deserializer=health_pb2.HealthCheckResponse.FromString,
        )
        told = [
            await ask(health_pb2.HealthCheckRequest(service=name), timeout=1) for name in ("", "liveness")
        ]
    return all(each.status == health_pb2.HealthCheckResponse.SERVING for each in told)
