"""One build of the page: everything that is served, made of the sources, and named by the digest of it all."""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from web_gateway.compose import compose, join_styles, preload, readdress
from web_gateway.drawn import draw_boards
from web_gateway.imports import reached

PAGES = {
    "/": "index.html",
    "/rules": "rules.html",
    "/how-to-win": "how-to-win.html",
}
TABLE_PAGES = {
    "/t/{code}": "table.html",
    "/t/{code}/replay/{number}": "replay.html",
}
"""Pages by their address; the service worker, too, answers these addresses with these pages."""
MISSING, OFFLINE = "404.html", "offline.html"
BOOT, WORKER = "boot.js", "sw.js"
_RELEASE = re.compile(r"^const RELEASE = .*$", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """What a build is called: by its digest, by its sockets and pages, and the public address of the site, if any."""

    build: str
    release: str
    site: str


def name(sources: Mapping[str, bytes], *, version: str, release: str, site: str) -> Named:
    """Name a build by all that would be served of it; a release without a name is called by version and build."""
    nameless = Named(build="", release=release or version, site=site)
    build = _digest(make(sources, nameless))
    return replace(nameless, build=build, release=release or f"{version}+{build}")


def make(sources: Mapping[str, bytes], named: Named) -> dict[str, bytes]:
    """Make all files of a build, by their path."""
    parts = {path[1:-5]: body.decode() for path, body in sources.items() if path.startswith("_")}
    files = {path: body for path, body in sources.items() if not path.startswith("_")}
    pages: dict[str, str] = {}
    joined: dict[str, list[str]] = {}
    for path in [path for path in files if path.endswith(".html")]:
        page = compose(draw_boards(files[path].decode()), parts, _values(path, named))
        pages[path], found = join_styles(page)
        joined |= found
    for path in {path for styles in joined.values() for path in styles}:
        files.pop(path, None)
    files |= {path: b"".join(sources[style] for style in styles) for path, styles in joined.items()}
    for path, page in pages.items():
        files[path] = _finish(page, files, named.build)
    if WORKER in files:
        files[WORKER] = _worker(files, named.build)
    return files


def is_lasting(path: str) -> bool:
    """Whether a file has one address for all builds, since it is asked for at other times than its page."""
    return ("/" not in path and not path.endswith(".html")) or path.endswith(".png")


def address_of(path: str, build: str) -> str:
    """Give the address under which a page names a file.

    >>> [address_of(path, "3f8a2c91") for path in ("js/dom.js", "boot.js", "favicon.ico")]
    ['/at/3f8a2c91/js/dom.js', '/boot.js?3f8a2c91', '/favicon.ico']
    """
    if path == BOOT:
        # Any build answers it, which heals a page whose own build is not there; the kept one is found by its build.
        return f"/{path}?{build}"
    return f"/{path}" if is_lasting(path) else f"/at/{build}/{path}"


def _values(path: str, named: Named) -> dict[str, str]:
    address = next((address for address, page in PAGES.items() if page == path), "")
    return {"release": named.release, "site": named.site, "address": address}


def _finish(page: str, files: Mapping[str, bytes], build: str) -> bytes:
    preloading = preload(page, lambda entry: reached(entry, files))
    return readdress(preloading, lambda path: address_of(path, build) if path in files else None).encode()


def _worker(files: Mapping[str, bytes], build: str) -> bytes:
    """Write into the service worker what it keeps, and which page answers which address."""
    kept = [path for path in files if path == BOOT or not is_lasting(path)]
    shells = {_pattern(address): page for address, page in (PAGES | TABLE_PAGES).items() if page in files}
    release = {
        "build": build,
        "files": [address_of(path, build) for path in kept],
        "shells": [[pattern, address_of(page, build)] for pattern, page in shells.items()],
        "offline": address_of(OFFLINE, build),
    }
    line = f"const RELEASE = {json.dumps(release)};"
    return _RELEASE.sub(lambda _: line, files[WORKER].decode()).encode()


def _pattern(address: str) -> str:
    return f"^{re.sub('{[a-z]+}', '[^/]+', address)}$"


def _digest(files: Mapping[str, bytes]) -> str:
    lines = "".join(f"{path} {hashlib.sha256(body).hexdigest()}\n" for path, body in sorted(files.items()))
    return hashlib.sha256(lines.encode()).hexdigest()[:8]
