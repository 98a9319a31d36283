"""Files as they are served: each of a type, as it is and compressed, with a tag for either form."""

import gzip
import hashlib
import mimetypes
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources.abc import Traversable
from typing import Self

from starlette.requests import Request
from starlette.responses import Response

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
_COMPRESSED = ("text/", "application/", "image/svg+xml")
_LEAST_SAVED = 100
"""Fewer bytes than this saved are not worth a header that says so and the work to unpack them."""


@dataclass(frozen=True, slots=True)
class Form:
    """What is sent, and its tag."""

    body: bytes
    etag: str


@dataclass(frozen=True, slots=True)
class Asset:
    """One file: its type, what it is, and the same compressed where that is worth it."""

    media_type: str
    plain: Form
    gzipped: Form | None

    @classmethod
    def of(cls, path: str, body: bytes) -> Self:
        """Make one of a file's body; its type goes by its name."""
        ending = path.rpartition(".")[2]
        media_type = _TYPES.get(ending) or mimetypes.guess_type(path)[0] or "application/octet-stream"
        tag = hashlib.sha256(body).hexdigest()[:32]
        packed = gzip.compress(body, 9, mtime=0) if media_type.startswith(_COMPRESSED) else body
        worth = len(packed) + _LEAST_SAVED <= len(body)
        return cls(media_type, Form(body, f'"{tag}"'), Form(packed, f'"{tag}-gzip"') if worth else None)


def read(folder: Traversable) -> Mapping[str, bytes]:
    """Read all files of a folder, by their path in it; hidden ones are left out."""
    found: dict[str, bytes] = {}
    _read(folder, "", found)
    return found


def _read(folder: Traversable, at: str, found: dict[str, bytes]) -> None:
    for entry in sorted(folder.iterdir(), key=lambda each: each.name):
        if entry.name.startswith("."):
            continue
        if entry.is_dir():
            _read(entry, f"{at}{entry.name}/", found)
        else:
            found[at + entry.name] = entry.read_bytes()


def answer(request: Request, asset: Asset, *, headers: Mapping[str, str], status: int = 200) -> Response:
    """Give a file in the form that the browser takes, or say that the browser has it already."""
    form, said = asset.plain, dict(headers)
    if asset.gzipped is not None:
        said["vary"] = "accept-encoding"
        if takes_gzip(request.headers.get("accept-encoding", "")):
            form, said["content-encoding"] = asset.gzipped, "gzip"
    said["etag"] = form.etag
    if status == 200 and _has(request.headers.get("if-none-match"), form.etag):
        said.pop("content-encoding", None)
        return Response(status_code=304, headers=said)
    return Response(form.body, status, said | {"content-type": asset.media_type})


def takes_gzip(accepted: str) -> bool:
    """Whether an Accept-Encoding header lets an answer be compressed.

    >>> [takes_gzip(accepted) for accepted in ("gzip, br", "br;q=1, GZip;q=0.5", "*", "br, gzip;q=0", "")]
    [True, True, True, False, False]
    """
    weights: dict[str, bool] = {}
    for coding in accepted.lower().split(","):
        name, _, weight = coding.partition(";")
        weights[name.strip()] = weight.replace(" ", "").rstrip("0") not in {"q=", "q=0."}
    return weights.get("gzip", weights.get("*", False))


def _has(header: str | None, etag: str) -> bool:
    if header is None:
        return False
    tags = [tag.strip().removeprefix("W/") for tag in header.split(",")]
    return etag in tags or "*" in tags
