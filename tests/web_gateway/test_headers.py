"""The headers that every answer has, by whether the public address is https."""

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Message, Scope

from web_gateway.headers import SafeHeaders


async def headers_of(path: str, media_type: str, *, secure: bool) -> dict[str, str]:
    async def serve(_request: Request) -> Response:
        return Response(b"", media_type=media_type)

    app = Starlette(
        routes=[Route("/{path:path}", serve)], middleware=[Middleware(SafeHeaders, secure=secure)]
    )
    scope: Scope = {"type": "http", "method": "GET", "path": path, "headers": [], "query_string": b""}
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        sent.append(message)

    await app(scope, receive, send)
    return {name.decode(): value.decode() for name, value in sent[0]["headers"]}


@pytest.mark.parametrize("secure", [False, True])
async def test_what_is_heeded_over_https_only_is_said_there_only(secure: bool) -> None:  # noqa: FBT001
    headers = await headers_of("/", "text/html", secure=secure)
    assert (headers.get("cross-origin-opener-policy") == "same-origin") is secure
    assert (headers.get("strict-transport-security") == "max-age=31536000") is secure
    assert "frame-ancestors 'none'" in headers["content-security-policy"]


async def test_what_is_only_ever_a_part_of_a_page_says_no_more_than_it_must() -> None:
    headers = await headers_of("/at/0123/js/dom.js", "text/javascript", secure=True)
    assert headers["x-content-type-options"] == "nosniff"
    assert "content-security-policy" not in headers
