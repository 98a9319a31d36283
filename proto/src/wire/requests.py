"""Requests: one name for what somebody asked for, in the logs of every service that had a part in it.

web-gateway gives it: a command's is the command's own id (docs/architecture.md, rule 4), an HTTP request's comes in its
X-Request-Id header or is made. It goes along with unary calls between services as metadata, and stands as `request` in
whatever is logged meanwhile. It is no label of any metric.
"""

import re
import secrets
from collections.abc import Awaitable, Callable
from typing import TypeVar

import grpc
from grpc import RpcMethodHandler as Handler

from wire import log

HEADER = "x-request-id"
_SANE = re.compile(r"[A-Za-z0-9._-]{8,64}")

Request = TypeVar("Request")
Response = TypeVar("Response")


def new_request() -> str:
    """Make an id: 128 bits in hex, as of a command."""
    return secrets.token_hex(16)


def sane(text: str | bytes | None) -> str | None:
    """Give an id that came from outside, or None where it is none that may stand in a log.

    >>> sane("0b7c-41ea.9d_2")
    '0b7c-41ea.9d_2'
    >>> sane("a b") is None
    True
    """
    return text if isinstance(text, str) and _SANE.fullmatch(text) else None


def metadata() -> tuple[tuple[str, str], ...]:
    """Give what tells a call's other end for which request it is made."""
    request = log.meant().get("request")
    return ((HEADER, request),) if isinstance(request, str) else ()


class Requests(grpc.aio.ServerInterceptor):
    """Has all that is logged while a unary call is answered say for which request it was made."""

    async def intercept_service(
        self,
        continuation: "Callable[[grpc.HandlerCallDetails], Awaitable[Handler[Request, Response] | None]]",
        handler_call_details: grpc.HandlerCallDetails,
    ) -> "Handler[Request, Response] | None":
        """Put the request's id around a unary call's handler, where the caller told it."""
        handler = await continuation(handler_call_details)
        told = dict(handler_call_details.invocation_metadata or ())
        request_id = sane(told.get(HEADER))
        if handler is None or handler.unary_unary is None or request_id is None:
            return handler
        answer: Callable[..., Awaitable[Response]] = handler.unary_unary  # type: ignore[assignment]

        async def named(request: Request, context: "grpc.aio.ServicerContext[Request, Response]") -> Response:
            with log.about(request=request_id):
                return await answer(request, context)

        return grpc.unary_unary_rpc_method_handler(
            named, handler.request_deserializer, handler.response_serializer
        )


__all__ = ["HEADER", "Requests", "metadata", "new_request", "sane"]
