"""The page: every file of it in memory, with a type and a tag, so that browsers fetch only what has changed."""

import hashlib
import mimetypes
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from importlib.resources import files
from importlib.resources.abc import Traversable

from starlette.requests import Request
from starlette.responses import Response

from web_gateway.compose import compose

_TYPES = {
    "css": "text/css; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "json": "application/json",
    "svg": "image/svg+xml",
    "txt": "text/plain; charset=utf-8",
    "webmanifest": "application/manifest+json",
    "woff2": "font/woff2",
}
PAGES = {"/": "index.html", "/rules": "rules.html", "/how-to-win": "how-to-win.html"}
"""Pages by their address; that of a table is served under /t/."""
TABLE, MISSING = "table.html", "404.html"
_NOTHING_THERE = b"""<!doctype html><html lang="en"><head><meta charset="utf-8"><title>tilerace: nothing here</title></head>
<body><h1>There is nothing here</h1><p><a href="/">Play 2048</a></p></body></html>
"""


@dataclass(frozen=True, slots=True)
class Asset:
    """One file: what it holds, of what type, and its tag."""

    body: bytes
    media_type: str
    etag: str


def load(folder: Traversable | None = None) -> Mapping[str, Asset]:
    """Read all files of the page, by their path in it."""
    found: dict[str, bytes] = {}
    _read(folder or files("web_gateway") / "page", "", found)
    parts = {path[1:-5]: body.decode() for path, body in found.items() if path.startswith("_")}
    return {
        path: _asset(path, _composed(path, body, parts) if path.endswith(".html") else body)
        for path, body in found.items()
        if not path.startswith("_")
    }


def build_of(assets: Mapping[str, Asset]) -> str:
    """Name this release and exactly this page, as in 0.1.0+3f8a2c91."""
    tags = "".join(f"{path} {asset.etag}\n" for path, asset in sorted(assets.items()))
    return f"{version('tilerace-web-gateway')}+{hashlib.sha256(tags.encode()).hexdigest()[:8]}"


def _read(folder: Traversable, at: str, found: dict[str, bytes]) -> None:
    for entry in sorted(folder.iterdir(), key=lambda each: each.name):
        if entry.name.startswith("."):
            continue
        if entry.is_dir():
            _read(entry, f"{at}{entry.name}/", found)
        else:
            found[at + entry.name] = entry.read_bytes()


def _composed(path: str, body: bytes, parts: Mapping[str, str]) -> bytes:
    address = next((address for address, name in PAGES.items() if name == path), None)
    return compose(body.decode(), parts, address=address).encode()


def _asset(name: str, body: bytes) -> Asset:
    ending = name.rpartition(".")[2]
    media_type = _TYPES.get(ending) or mimetypes.guess_type(name)[0] or "application/octet-stream"
    return Asset(body, media_type, f'"{hashlib.sha256(body).hexdigest()[:32]}"')


def answer(request: Request, asset: Asset) -> Response:
    """Give a file, or say that the browser has it already; it asks each time, so that a new version is seen at once."""
    headers = {"etag": asset.etag, "cache-control": "no-cache"}
    if _has(request.headers.get("if-none-match"), asset.etag):
        return Response(status_code=304, headers=headers)
    return Response(asset.body, headers=headers | {"content-type": asset.media_type})


def missing(assets: Mapping[str, Asset]) -> Response:
    """Say in a page that there is nothing here."""
    page = assets.get(MISSING)
    return Response(
        _NOTHING_THERE if page is None else page.body,
        404,
        {"content-type": _TYPES["html"], "cache-control": "no-store"},
    )


def _has(header: str | None, etag: str) -> bool:
    if header is None:
        return False
    tags = [tag.strip().removeprefix("W/") for tag in header.split(",")]
    return etag in tags or "*" in tags
