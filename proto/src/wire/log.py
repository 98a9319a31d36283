"""Logging: constant event text with fields; a JSON object a line in a container, readable on a terminal.

Fields name things by table, race, seat and version, never by name, secret, board or seed. What is logged within a block
of `about` has the fields given there, too. A traceback shows where, and of the errors only what cannot carry such values:
a ValueError or a LookupError is shown without its words.
"""

import asyncio
import contextlib
import json
import logging
import sys
import traceback
from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from datetime import UTC, datetime
from types import MappingProxyType, TracebackType
from typing import LiteralString, TextIO

from wire.settings import Environment

Field = str | int | float | bool | None

_FIELDS = "tilerace_fields"
_INDENT = "  "
_ABOUT: ContextVar[Mapping[str, Field]] = ContextVar("tilerace_about", default=MappingProxyType({}))


class Events:
    """Writes events of one part of the project; make one with `events`, at the top of a module."""

    __slots__ = ("_logger",)

    def __init__(self, logger: logging.Logger) -> None:
        self._logger = logger

    def debug(self, event: LiteralString, /, **fields: Field) -> None:
        """Tell what only whoever hunts a fault wants to know; not written unless asked for."""
        self._write(logging.DEBUG, event, fields)

    def info(self, event: LiteralString, /, **fields: Field) -> None:
        """Tell what went as it should."""
        self._write(logging.INFO, event, fields)

    def warning(self, event: LiteralString, /, **fields: Field) -> None:
        """Tell what went wrong and is being dealt with."""
        self._write(logging.WARNING, event, fields)

    def error(self, event: LiteralString, /, **fields: Field) -> None:
        """Tell what went wrong and needs somebody."""
        self._write(logging.ERROR, event, fields)

    def exception(self, event: LiteralString, error: BaseException, /, **fields: Field) -> None:
        """Tell what went wrong unexpectedly, with the traceback of `error`."""
        self._write(logging.ERROR, event, fields, error=error)

    def _write(
        self, level: int, event: str, fields: Mapping[str, Field], *, error: BaseException | None = None
    ) -> None:
        if self._logger.isEnabledFor(level):
            self._logger.log(level, event, exc_info=error, extra={_FIELDS: fields})


def events(name: str) -> Events:
    """Give what writes the events of the part called `name`, such as "game_service"."""
    return Events(logging.getLogger(name))


@contextlib.contextmanager
def about(**fields: Field) -> Iterator[None]:
    """Have all that is logged within the block, that of libraries too, say what it is about: a table, a race, a request."""
    before = _ABOUT.set({**_ABOUT.get(), **fields})
    try:
        yield
    finally:
        _ABOUT.reset(before)


def meant() -> Mapping[str, Field]:
    """Give what is logged now is about."""
    return _ABOUT.get()


def set_up(env: Environment, stream: TextIO | None = None) -> None:
    """Send all logging, that of libraries too, to `stream` (standard error), as TILERACE_LOG says: json or text.

    Raises:
        SettingsError: TILERACE_LOG is neither.
    """
    target = stream or sys.stderr
    style = env.choice("TILERACE_LOG", "text" if target.isatty() else "json", options=("json", "text"))
    handler = logging.StreamHandler(target)
    handler.setFormatter(_Json() if style == "json" else _Text())
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
    logging.captureWarnings(capture=True)
    sys.excepthook = _crashed


def loop_failure(_loop: asyncio.AbstractEventLoop, context: Mapping[str, object]) -> None:
    """Tell an error that no task of ours caught; a loop's exception handler.

    The loop's own handler would write out tasks and callbacks with the values they were called with.
    """
    error = context.get("exception")
    if isinstance(error, BaseException):
        _LOOP.exception("error outside of any task", error)
    else:
        _LOOP.error("trouble outside of any task", loop_says=str(context.get("message")))


def _crashed(_kind: type[BaseException], error: BaseException, _traceback: TracebackType | None) -> None:
    """Tell the error that ends the process; Python's own hook would show the words of value errors."""
    _PROCESS.exception("crashed", error)


_LOOP = events("asyncio")
_PROCESS = events("process")


class _Json(logging.Formatter):
    """An object a line: ts (RFC 3339, UTC), level, logger, event, the fields, and traceback where there is one."""

    def format(self, record: logging.LogRecord) -> str:
        head: dict[str, Field] = {
            "ts": _time(record).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": _event(record),
        }
        if error := _error(record):
            head["traceback"] = "\n".join(traceback_lines(error))
        return json.dumps(head | dict(_fields(record)) | head, ensure_ascii=False)


class _Text(logging.Formatter):
    """A line for a person: time of day, level, logger, event, field=value …, with tracebacks indented below."""

    def format(self, record: logging.LogRecord) -> str:
        at = _time(record).astimezone().strftime("%H:%M:%S.%f")[:-3]
        fields = "".join(f" {name}={_shown(value)}" for name, value in _fields(record).items())
        line = f"{at} {record.levelname.lower():<7} {record.name:<13} {_event(record)}{fields}"
        error = _error(record)
        return "\n".join([line, *(_INDENT + told for told in traceback_lines(error))]) if error else line


def traceback_lines(error: BaseException) -> Iterator[str]:
    """Write a traceback with its causes, without values of variables and without the words of value errors."""
    cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if cause is not None:
        yield from traceback_lines(cause)
        yield "then:"
    for frame in traceback.extract_tb(error.__traceback__):
        yield f"{frame.filename}:{frame.lineno} in {frame.name}: {frame.line}"
    yield _named(error)
    if isinstance(error, BaseExceptionGroup):
        for part in error.exceptions:
            yield from (_INDENT + line for line in traceback_lines(part))


def _named(error: BaseException) -> str:
    kind = f"{type(error).__module__}.{type(error).__qualname__}".removeprefix("builtins.")
    words = "" if isinstance(error, ValueError | LookupError) else str(error)
    return f"{kind}: {words}" if words else kind


def _time(record: logging.LogRecord) -> datetime:
    return datetime.fromtimestamp(record.created, UTC)


def _event(record: logging.LogRecord) -> str:
    """Give a record's text, of libraries only the first line: asyncio writes values into those below."""
    return next(iter(record.getMessage().splitlines()), "")


def _fields(record: logging.LogRecord) -> Mapping[str, Field]:
    fields: Mapping[str, Field] = getattr(record, _FIELDS, {})
    return {**_ABOUT.get(), **fields}


def _error(record: logging.LogRecord) -> BaseException | None:
    return record.exc_info[1] if record.exc_info else None


def _shown(value: Field) -> str:
    text = str(value)
    return text if text.isprintable() and text and not set(" ='\"") & set(text) else json.dumps(value)


__all__ = ["Events", "Field", "about", "events", "loop_failure", "meant", "set_up", "traceback_lines"]
