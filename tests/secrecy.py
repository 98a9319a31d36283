"""What frames may carry before the end of a race: no other's board or slides, and no seed (docs/rules.md §2, §4)."""

from collections.abc import Iterator

from tests.friend import Frame

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
