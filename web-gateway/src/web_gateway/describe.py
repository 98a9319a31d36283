"""Writes docs/socket.md and docs/openapi.json from the types: `python -m web_gateway.describe` in the repository.

A test holds the two files to what this writes.
"""

import json
import sys
from collections.abc import Iterable, Mapping
from inspect import cleandoc
from pathlib import Path
from typing import get_args

import msgspec

from web_gateway import api, replay
from web_gateway.frames import client, server
from web_gateway.frames.examples import example_of
from wire.refusal import WORDS, NameFault

VERSION = "1"
_ROOT = Path("docs")
_INTRODUCTION = """\
# The socket

`WS /api/tables/{table}/socket`. Frames are JSON objects with a `type`. This page is written from the types in
`web-gateway/src/web_gateway/frames/` by `python -m web_gateway.describe`.

Times are milliseconds since the epoch on the store's clock. `race` in frames is the race's number at this table, seats
are 1 to 4, cells are 0 to 15 row by row from the top left.

## In which order

- On connecting there come `hello`, `table`, then `race` if there is one, then the seat's own `board`, then `reveal` if
  the race is over. Afterwards `table` and `race` come in either order.
- On one connection `table` grows by `version` (of equal ones the later counts: at `starts_at` it comes again, with the
  phase `racing`), and `race` by (`race`, `version`).
- A client frame may carry an `id`, a string of at most 64 characters or a whole number; what answers it carries `re`
  with the same value. `table` and `race` carry none: `done` follows the frame that shows the change.
- A slide has exactly one answer, in the order of the slides: a `board` with its `re`, or `refused` with its `n`, and
  then a `board` as a snapshot. A client may have 8 slides unanswered, and sends them again after a reconnect.
- A socket may slide 60 times a second on average and 120 times at once, and send 20 other frames a second, 60 at once;
  what is more is refused with `TOO_FAST`, and who goes on and on all the same is closed. All sockets of a browser, and of
  an address, have limits together, too (docs/operations.md, "Limits"); races and offers that are asked for too often are
  refused with `TOO_MANY_REQUESTS`.
- A frame that is out of shape is refused with `BAD_FRAME`, one with a field that is not named here too; ten in a row close
  the socket.

## Close codes

| code | why |
| --- | --- |
| 1003 | bytes, where only text is understood |
| 1008 | ten frames in a row out of shape, or far too many at once, pings, pongs and fragments too |
| 1009 | a message of more than 4096 bytes |
| 1012 | the server goes away, or the store fell back: come back after what `bye` says |
| 1013 | there are too many sockets, or ids that were tried, from there; `refused` with `TOO_MANY_REQUESTS` came before: come back \
later |
| 4001 | another tab of this browser has the seat now; `moved` came before |
| 4404 | there is no such table; `refused` with `TABLE_UNKNOWN` came before |
| 4408 | pings were not answered, or a message took longer than 10 seconds to come |
"""


_DESCRIPTION = """\
Tables, replays and the link of a table. The socket is described in socket.md. Every answer has an X-Request-Id, by which \
the logs tell of its request: the request's own, where that is 8 to 64 letters, digits, dots, dashes and underscores, else \
a new one."""


def socket_page() -> str:
    """Write docs/socket.md."""
    parts = [
        _INTRODUCTION,
        "\n## From the client\n",
        *(_section(frame) for frame in get_args(client.ClientFrame)),
        "\n## From the server\n",
        *(_section(frame) for frame in get_args(server.ServerFrame)),
        "\n## Why something is refused\n\n| code | message |\n| --- | --- |\n",
        *(f"| `{refusal}` | {words} |\n" for refusal, words in WORDS.items()),
        "\nThe message may say more than that. That of a `BAD_NAME` says what is wrong with the name:\n\n",
        *(f"- {words}\n" for words in NameFault),
    ]
    return "".join(parts)


def openapi() -> str:
    """Write docs/openapi.json (OpenAPI 3.1)."""
    shown = [api.OpenTable, api.Opened, api.Error, server.Table, replay.Replay]
    _, schemas = msgspec.json.schema_components(shown, ref_template="#/components/schemas/{name}")
    document = {
        "openapi": "3.1.0",
        "info": {
            "title": "tilerace",
            "version": VERSION,
            "description": _DESCRIPTION,
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "paths": _paths(),
        "components": {"schemas": dict(sorted(schemas.items()))},
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def main(root: Path = _ROOT) -> None:
    """Write both files."""
    (root / "socket.md").write_text(socket_page(), encoding="utf-8")
    (root / "openapi.json").write_text(openapi(), encoding="utf-8")


def _section(frame: type[msgspec.Struct]) -> str:
    definitions: Mapping[str, Mapping[str, object]] = msgspec.json.schema(frame)["$defs"]
    schema = definitions[frame.__name__]
    required, properties = schema["required"], schema["properties"]
    if not isinstance(required, list) or not isinstance(properties, dict):
        raise TypeError(frame)
    lines = [f"\n### `{frame.__struct_config__.tag}`\n\n{cleandoc(frame.__doc__ or '')}\n"]
    fields = [(name, kind) for name, kind in properties.items() if name not in {"type", "id"}]
    if fields:
        lines.append("\n| field | what |\n| --- | --- |\n")
    for name, kind in fields:
        optional = "" if name in required else " (may be left out)"
        lines.append(f"| `{name}`{optional} | {_shown(kind, definitions)} |\n")
    lines.append(f"\n```json\n{example_of(frame)}\n```\n")
    return "".join(lines)


def _shown(schema: Mapping[str, object], definitions: Mapping[str, Mapping[str, object]]) -> str:
    match schema:
        case {"$ref": str(ref)}:
            return _shown(definitions[ref.rpartition("/")[2]], definitions)
        case {"anyOf": list(options)}:
            shown = list(dict.fromkeys(_shown(option, definitions) for option in options))
            return " or ".join(each for each in shown if each != "integer" or "number" not in shown)
        case {"enum": list(words)}:
            return " or ".join("null" if word is None else f'`"{word}"`' for word in words)
        case {"type": "object", "properties": dict(properties)}:
            inside = ", ".join(
                f"{name}: {_shown(inner, definitions)}"
                for name, inner in properties.items()
                if name != "type"
            )
            return f"{{{inside}}}"
        case {"type": "array", "prefixItems": list(items)}:
            return f"[{', '.join(_shown(item, definitions) for item in items)}]"
        case {"type": "array", "items": dict(items)}:
            return f"[{_shown(items, definitions)}, …]"
        case {"type": str(name)}:
            return name + _bounds(schema)
        case _:
            return "anything"


def _bounds(schema: Mapping[str, object]) -> str:
    least, most = schema.get("minimum"), schema.get("maximum")
    if least is not None and most is not None:
        return f" from {least} to {most}"
    longest = schema.get("maxLength")
    return f" of at most {longest} characters" if longest is not None else ""


def _paths() -> dict[str, object]:
    table = _parameter(
        "table", "The table's id: 8 characters of Crockford's base 32, a dash in the middle allowed."
    )
    number = _parameter("number", "The race's number at its table, from 1.")
    return {
        "/api/tables": {
            "post": {
                "operationId": "openTable",
                "summary": "Open a table, and sit in seat 1 as its host. An empty body is allowed.",
                "requestBody": {"required": False, "content": _json("OpenTable")},
                "responses": {
                    "201": _answer("The table; the cookie that is set holds the seat.", "Opened"),
                    **_errors(400, 403, 429, 503),
                },
            }
        },
        "/api/tables/{table}": {
            "get": {
                "operationId": "showTable",
                "summary": "Show a table as a watcher sees it.",
                "parameters": [table],
                "responses": {"200": _answer("The table.", "Table"), **_errors(403, 404, 429, 503)},
            }
        },
        "/api/tables/{table}/qr.svg": {
            "get": {
                "operationId": "drawLink",
                "summary": "Draw the table's link as a QR code.",
                "parameters": [table],
                "responses": {
                    "200": {
                        "description": "The picture.",
                        "content": {"image/svg+xml": {"schema": {"type": "string"}}},
                    },
                    **_errors(403, 404, 429),
                },
            }
        },
        "/api/tables/{table}/races/{number}/replay": {
            "get": {
                "operationId": "replayRace",
                "summary": "Give a race that is over, slide by slide.",
                "parameters": [table, number],
                "responses": {"200": _answer("The race.", "Replay"), **_errors(403, 404, 409, 429, 503)},
            }
        },
        "/healthz": _probe("isAlive", "Say that the process is alive."),
        "/readyz": _probe("isReady", "Say whether browsers can be served.", 503),
    }


_WHY = {
    400: "The request is out of shape: BAD_REQUEST, BAD_NAME, BAD_RULES.",
    403: "A page of another site asked: FORBIDDEN.",
    404: "TABLE_UNKNOWN, or RACE_UNKNOWN.",
    409: "RACE_NOT_OVER.",
    429: "TOO_MANY_REQUESTS.",
    503: "UNAVAILABLE: try again in a moment.",
}


def _errors(*statuses: int) -> dict[str, object]:
    return {str(status): _answer(_WHY[status], "Error") for status in statuses}


def _answer(description: str, schema: str) -> dict[str, object]:
    return {"description": description, "content": _json(schema)}


def _json(schema: str) -> dict[str, object]:
    return {"application/json": {"schema": {"$ref": f"#/components/schemas/{schema}"}}}


def _parameter(name: str, description: str) -> dict[str, object]:
    return {
        "name": name,
        "in": "path",
        "required": True,
        "description": description,
        "schema": {"type": "string"},
    }


def _probe(operation: str, summary: str, *others: int) -> dict[str, object]:
    answers: Iterable[tuple[str, str]] = [("200", "Yes."), *((str(status), "Not now.") for status in others)]
    plain = {"text/plain": {"schema": {"type": "string"}}}
    responses = {status: {"description": words, "content": plain} for status, words in answers}
    return {"get": {"operationId": operation, "summary": summary, "responses": responses}}


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else _ROOT)
