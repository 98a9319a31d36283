"""The page as it is served: all of one build under one address, in memory (docs/decisions/0008)."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from importlib.resources import files
from importlib.resources.abc import Traversable

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from web_gateway import build as builds
from web_gateway.assets import Asset, answer, read
from web_gateway.build import MISSING, is_lasting

FOR_EVER = "public, max-age=31536000, immutable"
_NOTHING_THERE = b"""<!doctype html><html lang="en"><head><meta charset="utf-8"><title>tilerace: nothing here</title></head>
<body><h1>There is nothing here</h1><p><a href="/">Play 2048</a></p></body></html>
"""


@dataclass(frozen=True, slots=True)
class Page:
    """All files of one build, by their path; `release` is what its sockets and its pages call it."""

    build: str
    release: str
    assets: Mapping[str, Asset]

    def shell(self, request: Request, name: str) -> Response:
        """Give a page; browsers ask each time, so that a new build is seen at once."""
        asset = self.assets.get(name)
        if asset is None:
            return self.missing(request)
        return answer(request, asset, headers=self._headers("no-cache"))

    def missing(self, request: Request) -> Response:
        """Say in a page that there is nothing here."""
        asset = self.assets.get(MISSING) or Asset.of(MISSING, _NOTHING_THERE)
        return answer(request, asset, headers=self._headers("no-store"), status=404)

    def lasting(self, request: Request, path: str) -> Response | None:
        """Give a file that has one address for all builds, None where there is none."""
        asset = self.assets.get(path)
        if asset is None or not is_lasting(path):
            return None
        return answer(request, asset, headers=self._headers("no-cache"))

    def built(self, request: Request, build: str, path: str) -> Response:
        """Give a file of this build; those of others are not here."""
        asset = self.assets.get(path)
        if build != self.build or asset is None or is_lasting(path):
            return PlainTextResponse("This build has no such file.\n", 404)
        return answer(request, asset, headers=self._headers(FOR_EVER))

    def _headers(self, cache_control: str) -> dict[str, str]:
        return {"cache-control": cache_control, "tilerace-build": self.build}


def load(folder: Traversable | None = None, *, release: str = "", site: str = "") -> Page:
    """Read and compose all files of the page.

    `release` is its name where whoever built it gave one, else it is called as in 0.1.0+3f8a2c91. `site` is its public
    address without a slash at its end, where it has one.
    """
    sources = read(folder or files("web_gateway") / "page")
    named = builds.name(sources, version=version("tilerace-web-gateway"), release=release, site=site)
    made = builds.make(sources, named)
    return Page(named.build, named.release, {path: Asset.of(path, body) for path, body in made.items()})
