"""It stops within five seconds, in order, leaving nothing; started again, what was there is there."""

import os
import signal
import sys
from pathlib import Path

import pytest
from tests.play.one_machine import SERVICES, STOP_S, STORE, session, started

MAKE = ("make", "--no-print-directory", "play", f"PYTHON={sys.executable}")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_stops_it_and_nothing_is_left(tmp_path: Path, number: signal.Signals) -> None:
    with started(tmp_path) as machine:
        assert machine.stop(number) == 0
        assert not session(machine.process.pid)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_to_make_alone_stops_it_too(tmp_path: Path, number: signal.Signals) -> None:
    with started(tmp_path, MAKE) as machine:
        machine.stop(number)
        assert not session(machine.process.pid)
        assert "Stopped; the tables are kept." in machine.said


def test_ctrl_c_at_the_terminal_stops_it_once(tmp_path: Path) -> None:
    with started(tmp_path, MAKE) as machine:
        # The terminal sends it to the whole foreground group: make and us.
        os.killpg(machine.process.pid, signal.SIGINT)
        machine.process.wait(STOP_S)
        assert not session(machine.process.pid)
        assert machine.said.count("Stopping") == 1


def test_who_calls_stops_before_who_is_called(tmp_path: Path) -> None:
    with started(tmp_path) as machine:
        machine.stop()
    ends = {name: machine.said.index(f"{name} stopped.") for name in (*SERVICES, STORE)}
    assert ends["web_gateway"] < min(ends["game_service"], ends["table_service"])
    assert max(ends["game_service"], ends["table_service"]) < ends[STORE]


def test_a_signal_while_it_starts_leaves_nothing(tmp_path: Path) -> None:
    with started(tmp_path, until_ready=False) as machine:
        while "Starting the services" not in machine.said:
            assert machine.process.poll() is None
        assert machine.stop() == 0
        assert not session(machine.process.pid)


def test_a_table_is_there_after_a_stop_and_a_start(tmp_path: Path) -> None:
    with started(tmp_path) as machine:
        path = f"/api/tables/{machine.open_table()}"
        machine.stop()
    with started(tmp_path) as again:
        assert again.answer(path) == 200
