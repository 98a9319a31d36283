"""What frames may carry before the end of a race: no other's board or slides, and no seed (docs/rules.md §2, §4)."""

import base64
import hashlib
from collections.abc import Iterator

from tests.friend import Frame

_URL_SAFE = str.maketrans("+/", "-_")

FIELDS = {
    "hello": {"type", "build", "link", "reach", "clocks_s", "countdown_ms", "ping_ms", "grace_ms", "now"},
    "table": {
        "type", "version", "table", "phase", "host", "seats", "watchers", "rules", "race", "you", "now",
    },
    "race": {"type", "race", "version", "standings", "offer", "last_offer", "verdict", "now"},
    "board": {"type", "race", "n", "cells", "score", "stuck", "slide", "tile", "re"},
    "refused": {"type", "re", "of", "code", "message", "n"},
    "done": {"type", "re"},
    "pong": {"type", "t", "now", "re"},
    "moved": {"type"},
    "freed": {"type", "why"},
    "bye": {"type", "retry_ms"},
}  # fmt: skip
"""All fields of each frame that may come before the end."""
STANDING = {"seat", "score", "biggest", "slides", "state", "out"}


def before_the_end(frames: list[Frame]) -> Iterator[Frame]:
    """Give the frames up to the verdict."""
    for frame in frames:
        if frame["type"] == "reveal" or (frame["type"] == "race" and frame["verdict"]):
            return
        yield frame


def check_fields(frame: Frame) -> None:
    """See that a frame from before the end has no field but those it may have."""
    kind = frame["type"]
    assert set(frame) <= FIELDS[kind], f"{kind} has {set(frame) - FIELDS[kind]}"
    for standing in frame["standings"] if kind == "race" else ():
        assert set(standing) <= STANDING, f"a standing has {set(standing) - STANDING}"


def texts(value: object) -> Iterator[str]:
    """Give all that a frame says: its keys and values as texts."""
    match value:
        case dict():
            for key, inner in value.items():
                yield str(key)
                yield from texts(inner)
        case list():
            for inner in value:
                yield from texts(inner)
        case _:
            yield str(value)


def secrets_in(cookie: str) -> tuple[bytes, bytes]:
    """Give the secret that a cookie holds, and its hash, by which the services know the browser."""
    secret = base64.urlsafe_b64decode(cookie.partition("=")[2] + "==")
    return secret, hashlib.sha256(secret).digest()


def guises(secret: bytes) -> tuple[str, ...]:
    """Give the texts that some bytes may be written as."""
    encoded = base64.b64encode(secret).decode()[:20]
    return (
        secret.hex(), secret.hex().upper(), encoded, encoded.translate(_URL_SAFE), repr(secret)[2:14], str(list(secret))[1:30],
    )  # fmt: skip
