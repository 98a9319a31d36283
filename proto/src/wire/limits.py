"""Limits of every gRPC connection here: sizes, calls at once, and how soon a dead peer is noticed."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from inspect import isasyncgenfunction
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
CONNECTIONS = 1_000
"""How many connections a port has at most; more are closed as they come."""
CALL_S = 10.0
"""How long a call may take, whatever deadline it came with, in seconds: past those that our own calls have."""
HEADERS_BYTES = 16 * 1024
"""The most that a call's headers may hold."""
SHAKE_HANDS_MS = 5_000
"""How long a connection may take to begin as HTTP/2 does."""

_SIZES = [
    ("grpc.max_receive_message_length", MESSAGE_BYTES),
    ("grpc.max_send_message_length", MESSAGE_BYTES),
]
SERVER = [
    *_SIZES,
    ("grpc.so_reuseport", 0),  # two servers on one port would share its calls without a word
    ("grpc.max_concurrent_streams", RPCS),
    ("grpc.max_allowed_incoming_connections", CONNECTIONS),
    ("grpc.server_handshake_timeout_ms", SHAKE_HANDS_MS),
    ("grpc.http2.settings_timeout", SHAKE_HANDS_MS),
    ("grpc.max_metadata_size", HEADERS_BYTES // 2),
    ("grpc.absolute_max_metadata_size", HEADERS_BYTES),
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


class Deadlines(grpc.aio.ServerInterceptor):
    """Ends every call after `CALL_S`, also where its caller would wait for ever; streams of our own services live long."""

    def __init__(self, services: Collection[str]) -> None:
        """Name the services, in full, whose streams have no deadline: they end those that fall silent."""
        self._services = frozenset(services)

    async def intercept_service(
        self,
        continuation: "Callable[[grpc.HandlerCallDetails], Awaitable[Handler[Request, Response] | None]]",
        handler_call_details: grpc.HandlerCallDetails,
    ) -> "Handler[Request, Response] | None":
        """Put the deadline around a call's handler."""
        handler = await continuation(handler_call_details)
        service = handler_call_details.method.split("/")[1]
        if handler is None or (_is_stream(handler) and service in self._services):
            return handler
        return _within(handler)


def _is_stream(handler: "Handler[Request, Response]") -> bool:
    return bool(handler.request_streaming or handler.response_streaming)


def _within(handler: "Handler[Request, Response]") -> "Handler[Request, Response]":
    """Give the handler with a deadline of ours around its one behaviour."""
    for kind in ("unary_unary", "unary_stream", "stream_unary", "stream_stream"):
        behaviour = getattr(handler, kind)
        if behaviour is not None:
            make = getattr(grpc, f"{kind}_rpc_method_handler")
            bounded = _generating(behaviour) if isasyncgenfunction(behaviour) else _answering(behaviour)
            found: Handler[Request, Response] = make(
                bounded, handler.request_deserializer, handler.response_serializer
            )
            return found
    return handler


def _answering(behaviour: Callable[..., Awaitable[Response]]) -> Callable[..., Awaitable[Response | None]]:
    async def bounded(
        asked: object, context: "grpc.aio.ServicerContext[Request, Response]"
    ) -> Response | None:
        try:
            async with asyncio.timeout(CALL_S):
                return await behaviour(asked, context)
        except TimeoutError:
            await context.abort(*_TOO_LONG)

    return bounded


def _generating(behaviour: Callable[..., AsyncIterator[Response]]) -> Callable[..., AsyncIterator[Response]]:
    async def bounded(
        asked: object, context: "grpc.aio.ServicerContext[Request, Response]"
    ) -> AsyncIterator[Response]:
        try:
            async with asyncio.timeout(CALL_S):
                async for response in behaviour(asked, context):
                    yield response
        except TimeoutError:
            await context.abort(*_TOO_LONG)

    return bounded


_TOO_LONG = (grpc.StatusCode.DEADLINE_EXCEEDED, f"a call takes {CALL_S:g} seconds at most")
