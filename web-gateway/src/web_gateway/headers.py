"""What every answer says besides its body: who may show it, and what its page may load."""

from collections.abc import Mapping

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; "
    "media-src 'self'; connect-src 'self'; manifest-src 'self'; worker-src 'self'; base-uri 'none'; "
    "form-action 'self'; frame-ancestors 'none'"
)
"""Everything comes from the gateway itself (docs/rules.md §5)."""

ALWAYS: Mapping[str, str] = {
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "cross-origin-resource-policy": "same-origin",
}
SHOWN: Mapping[str, str] = {
    "content-security-policy": CONTENT_SECURITY_POLICY,
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
}
"""What only an answer heeds that is shown by itself or runs by itself, as a page, a picture or a worker does."""
TRUSTED: Mapping[str, str] = {"cross-origin-opener-policy": "same-origin"}
"""What browsers heed over https only; anywhere else they complain of it on the console."""
_PARTS = ("text/javascript", "text/css")
"""What is only ever a part of a page; there are so many of them that these headers would outweigh their bodies."""


class SafeHeaders:
    """Adds to every HTTP answer what it does not say otherwise of these."""

    def __init__(self, app: ASGIApp, *, secure: bool) -> None:
        """Wrap an app; `secure` is whether the public address is https."""
        self._app = app
        self._shown = {**ALWAYS, **SHOWN, **(TRUSTED if secure else {})}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in self._added(scope["path"], headers.get("content-type", "")).items():
                    headers.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, with_headers if scope["type"] == "http" else send)

    def _added(self, path: str, media_type: str) -> Mapping[str, str]:
        is_part = path.startswith("/at/") and media_type.startswith(_PARTS)
        return ALWAYS if is_part else self._shown
