"""Logging: an event's text and fields arrive as they were given, and tracebacks keep values to themselves."""

import asyncio
import io
import json
import logging
import sys
from collections.abc import Callable, Iterator
from datetime import datetime

import pytest

from wire import log
from wire.settings import Environment, SettingsError


@pytest.fixture(autouse=True)
def _logging_as_it_was() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
    logging.captureWarnings(capture=False)
    sys.excepthook = sys.__excepthook__


Written = Callable[[], str]


def written_as(style: str) -> Written:
    stream = io.StringIO()
    log.set_up(Environment({"TILERACE_LOG": style}), stream)
    return stream.getvalue


def fail_with(error: Exception) -> Exception:
    try:
        raise error
    except type(error) as raised:
        return raised


def test_json_holds_the_event_and_its_fields_in_one_line() -> None:
    written = written_as("json")
    log.events("game_service").info("race dealt", race="K7QM2XWP.1", version=3)
    line = json.loads(written())
    assert datetime.fromisoformat(line.pop("ts")).tzinfo is not None
    assert line == {
        "level": "info",
        "logger": "game_service",
        "event": "race dealt",
        "race": "K7QM2XWP.1",
        "version": 3,
    }


def test_a_field_cannot_pose_as_the_event() -> None:
    written = written_as("json")
    log.events("game_service").info("race dealt", event="race over", level="error")
    assert json.loads(written())["event"] == "race dealt"


def test_what_is_logged_within_a_block_says_what_it_is_about() -> None:
    written = written_as("json")
    with log.about(table="K7QM2XWP"), log.about(request="0123456789abcdef"):
        log.events("table_service").info("in it", seat=1)
        logging.getLogger("grpc").warning("in it, too")
    log.events("table_service").info("behind it")
    ours, theirs, behind = map(json.loads, written().splitlines())
    assert (ours["table"], ours["request"], ours["seat"]) == ("K7QM2XWP", "0123456789abcdef", 1)
    assert (theirs["table"], theirs["request"]) == ("K7QM2XWP", "0123456789abcdef")
    assert not {"table", "request"} & behind.keys()


def test_a_line_s_own_field_counts_before_that_of_its_block() -> None:
    written = written_as("json")
    with log.about(table="K7QM2XWP"):
        log.events("table_service").info("another", table="AAAAAAAA")
    assert json.loads(written())["table"] == "AAAAAAAA"


async def test_what_tasks_log_is_about_what_each_of_them_does() -> None:
    written = written_as("json")

    async def work(table: str) -> None:
        with log.about(table=table):
            await asyncio.sleep(0)
            log.events("table_service").info(table)

    await asyncio.gather(work("K7QM2XWP"), work("AAAAAAAA"))
    told = [json.loads(line) for line in written().splitlines()]
    assert [line["event"] for line in told] == [line["table"] for line in told]


def test_text_is_one_line_a_person_can_read() -> None:
    written = written_as("text")
    log.events("game_service").warning("race dealt", race="K7QM2XWP.1", why="two words", last=None)
    assert written().split(" ", 1)[1] == (
        'warning game_service  race dealt race=K7QM2XWP.1 why="two words" last=None\n'
    )


def test_a_line_break_in_a_field_stays_within_the_line() -> None:
    written = written_as("text")
    log.events("web_gateway").info("frame refused", why="a\nb")
    assert written().count("\n") == 1


def test_what_is_not_a_terminal_gets_json() -> None:
    stream = io.StringIO()
    log.set_up(Environment({}), stream)
    log.events("game_service").info("listening", port=1)
    assert json.loads(stream.getvalue())["port"] == 1


def test_debugging_events_are_not_written() -> None:
    written = written_as("json")
    log.events("game_service").debug("batch written", size=1)
    assert written() == ""


def test_another_style_is_refused() -> None:
    with pytest.raises(SettingsError, match="TILERACE_LOG is 'xml'"):
        written_as("xml")


@pytest.mark.parametrize("style", ["json", "text"])
def test_a_traceback_says_where_and_what(style: str) -> None:
    written = written_as(style)
    log.events("game_service").exception("commit failed", fail_with(OSError("no route")), race="K7QM2XWP.1")
    assert "in fail_with: raise error" in written()
    assert "OSError: no route" in written()


@pytest.mark.parametrize("style", ["json", "text"])
@pytest.mark.parametrize("kind", [ValueError, KeyError, UnicodeError])
def test_a_traceback_does_not_tell_the_values_of_a_value_error(style: str, kind: type[Exception]) -> None:
    written = written_as(style)
    group = ExceptionGroup("both", [fail_with(kind("hidden-7f3a")), OSError("no route")])
    wrapped = RuntimeError("outer")
    wrapped.__cause__ = group
    log.events("game_service").exception("commit failed", wrapped)
    assert "hidden-7f3a" not in written()
    assert kind.__name__ in written()
    assert "OSError: no route" in written()
    assert "RuntimeError: outer" in written()


def test_a_cause_that_was_suppressed_is_not_told() -> None:
    error = RuntimeError("outer")
    error.__context__ = OSError("inner")
    error.__suppress_context__ = True
    assert list(log.traceback_lines(error)) == ["RuntimeError: outer"]


def test_libraries_write_the_same_lines() -> None:
    written = written_as("json")
    logging.getLogger("grpc._cython.cygrpc").error("Unexpected [%s] raised", "OSError")
    assert json.loads(written())["event"] == "Unexpected [OSError] raised"


async def test_an_error_of_a_lost_task_is_told_without_its_values() -> None:
    written = written_as("json")
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(log.loop_failure)
    loop.call_soon(fail_with_value, "hidden-7f3a")
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    line = json.loads(written())
    assert (line["event"], line["logger"]) == ("error outside of any task", "asyncio")
    assert "in fail_with_value" in line["traceback"]
    assert "hidden-7f3a" not in written()


async def test_trouble_of_the_loop_without_an_error_is_told() -> None:
    written = written_as("json")
    log.loop_failure(asyncio.get_running_loop(), {"message": "Task was destroyed but it is pending!"})
    assert json.loads(written())["loop_says"] == "Task was destroyed but it is pending!"


def fail_with_value(value: str) -> None:
    raise ValueError(value)
