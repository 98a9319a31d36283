"""What every answer says besides its body: who may show it, and what its page may load and do."""

from collections.abc import Mapping

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; "
    "media-src 'self'; connect-src 'self'; manifest-src 'self'; worker-src 'self'; base-uri 'none'; "
    "form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types worker"
)
"""Everything comes from the gateway itself (docs/rules.md §5), and no text becomes markup or a program: the page has one
trusted type, for the address of its service worker (`page/js/offline/register.js`)."""

_NEVER_USED = (
    "accelerometer", "browsing-topics", "camera", "clipboard-read", "display-capture", "encrypted-media", "fullscreen",
    "gamepad", "geolocation", "gyroscope", "hid", "identity-credentials-get", "idle-detection", "keyboard-map",
    "local-fonts", "magnetometer", "microphone", "midi", "otp-credentials", "payment", "picture-in-picture",
    "publickey-credentials-create", "publickey-credentials-get", "serial", "storage-access", "sync-xhr", "usb",
    "window-management", "xr-spatial-tracking",
)  # fmt: skip
PERMISSIONS_POLICY = ", ".join(f"{feature}=()" for feature in _NEVER_USED)
"""What a page may ask of a browser and ours never does; the screen's lock, sharing and copying are left as they are."""

HSTS = "max-age=31536000"
"""For a year, which each visit begins anew; of this host alone, as others of its domain are not ours to decide on."""

ALWAYS: Mapping[str, str] = {
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "cross-origin-resource-policy": "same-origin",
}
SHOWN: Mapping[str, str] = {
    "content-security-policy": CONTENT_SECURITY_POLICY,
    "permissions-policy": PERMISSIONS_POLICY,
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
}
"""What only an answer heeds that is shown by itself or runs by itself, as a page, a picture or a worker does."""
TRUSTED: Mapping[str, str] = {
    "cross-origin-opener-policy": "same-origin",
    "strict-transport-security": HSTS,
}
"""What browsers heed over https only; anywhere else they pass over it, or complain of it on the console."""
_PARTS = ("text/javascript", "text/css")
"""What is only ever a part of a page; there are so many of them that these headers would outweigh their bodies."""


def guarding(*, secure: bool) -> Mapping[str, str]:
    """Give the headers of an answer that may be shown by itself; `secure` is whether the public address is https."""
    return {**ALWAYS, **SHOWN, **(TRUSTED if secure else {})}


class SafeHeaders:
    """Adds to every HTTP answer what it does not say otherwise of these; around all that answers, failures too."""

    def __init__(self, app: ASGIApp, *, secure: bool) -> None:
        """Wrap an app; `secure` is whether the public address is https."""
        self._app = app
        self._shown = guarding(secure=secure)

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
