"""Requests that are no message of their kind: refused as any other that is out of shape.

gRPC takes one for a fault of the handler: it answers UNKNOWN, and writes an error with a traceback into the log, so that
whoever reaches the port could fill that.
"""

from collections.abc import Awaitable, Callable
from typing import TypeVar, cast

import grpc
from google.protobuf.message import DecodeError
from grpc import RpcMethodHandler as Handler

from wire.refusal import Refusal, Refused, abort

Request = TypeVar("Request")
Response = TypeVar("Response")
_UNREADABLE = object()


class Readable(grpc.aio.ServerInterceptor):
    """Refuses calls outside of streams whose request cannot be read, with BAD_REQUEST."""

    async def intercept_service(
        self,
        continuation: "Callable[[grpc.HandlerCallDetails], Awaitable[Handler[Request, Response] | None]]",
        handler_call_details: grpc.HandlerCallDetails,
    ) -> "Handler[Request, Response] | None":
        """Put the reading of a unary call's request in front of its handler."""
        handler = await continuation(handler_call_details)
        if handler is None or handler.unary_unary is None or handler.request_deserializer is None:
            return handler
        answer: Callable[..., Awaitable[Response]] = handler.unary_unary  # type: ignore[assignment]
        read: Callable[[bytes], Request] = handler.request_deserializer

        def readable(raw: bytes) -> Request:
            try:
                return read(raw)
            except DecodeError:
                return cast("Request", _UNREADABLE)

        async def answered(
            request: Request, context: "grpc.aio.ServicerContext[Request, Response]"
        ) -> Response:
            if request is _UNREADABLE:
                refused = Refused(Refusal.BAD_REQUEST, "That request is no message of its kind.")
                await abort(cast("grpc.aio.ServicerContext[object, object]", context), refused)
            return await answer(request, context)

        return grpc.unary_unary_rpc_method_handler(answered, readable, handler.response_serializer)


__all__ = ["Readable"]
