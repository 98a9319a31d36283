"""Limits of every gRPC connection here: sizes, calls at once, and how soon a dead peer is noticed."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

import grpc
from google.protobuf.message import Message
from grpc import RpcMethodHandler as Handler

Request = TypeVar("Request")
Response = TypeVar("Response")

UNARY_BYTES = 64 * 1024
"""The most that a request outside of a stream may hold."""
MESSAGE_BYTES = 4 * 1024 * 1024
"""The most that a message of a stream, or an answer, may hold."""
RPCS = 1_000
"""How many calls and streams a server has under way at once; more are refused with RESOURCE_EXHAUSTED."""

_SIZES = [
    ("grpc.max_receive_message_length", MESSAGE_BYTES),
    ("grpc.max_send_message_length", MESSAGE_BYTES),
]
SERVER = [
    *_SIZES,
    ("grpc.so_reuseport", 0),  # two servers on one port would share its calls without a word
    ("grpc.max_concurrent_streams", RPCS),
    ("grpc.keepalive_time_ms", 10_000),
    ("grpc.keepalive_timeout_ms", 5_000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.min_ping_interval_without_data_ms", 4_000),  # CHANNEL pings every 10 s
]
"""Options of a server."""
CHANNEL = [
    *_SIZES,
    ("grpc.enable_retries", 0),  # docs/architecture.md, rule 4
    ("grpc.enable_http_proxy", 0),
    ("grpc.use_local_subchannel_pool", 1),
    ("grpc.keepalive_time_ms", 10_000),
    ("grpc.keepalive_timeout_ms", 5_000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.max_pings_without_data", 0),
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.min_reconnect_backoff_ms", 1_000),  # which is also how long one attempt to connect may take
    ("grpc.max_reconnect_backoff_ms", 1_000),
]
"""Options of a channel: no retries, dead peers found within 15 s, connected again within 1 s."""


class SmallRequests(grpc.aio.ServerInterceptor):
    """Refuses requests outside of streams that are too large; gRPC's own bound is one for all of a server."""

    async def intercept_service(
        self,
        continuation: "Callable[[grpc.HandlerCallDetails], Awaitable[Handler[Request, Response] | None]]",
        handler_call_details: grpc.HandlerCallDetails,
    ) -> "Handler[Request, Response] | None":
        """Put the bound in front of a unary call's handler."""
        handler = await continuation(handler_call_details)
        if handler is None or handler.unary_unary is None:
            return handler
        answer: Callable[..., Awaitable[Response]] = handler.unary_unary  # type: ignore[assignment]

        async def bounded(
            request: Request, context: "grpc.aio.ServicerContext[Request, Response]"
        ) -> Response:
            if isinstance(request, Message) and request.ByteSize() > UNARY_BYTES:
                await context.abort(
                    grpc.StatusCode.RESOURCE_EXHAUSTED, f"a request holds at most {UNARY_BYTES} bytes"
                )
            return await answer(request, context)

        return grpc.unary_unary_rpc_method_handler(
            bounded, handler.request_deserializer, handler.response_serializer
        )
