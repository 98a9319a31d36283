"""What keeps it from starting is said in one sentence, with exit code 1, and nothing is left running."""

import socket
from pathlib import Path

import pytest
from tests.play.one_machine import WAIT_S, OneMachine, session, started
from tests.stack import free_port


def refusal(machine: OneMachine) -> str:
    """Wait for the end, and give the last thing that was said."""
    assert machine.process.wait(WAIT_S) == 1
    assert not session(machine.process.pid)
    return machine.said.splitlines()[-1]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PORT", "eighty"),
        ("PORT", "0"),
        ("PORT", "65536"),
        ("HOST", "no.such.host.invalid"),
        ("HOST", "192.0.2.1"),
        ("PUBLIC_URL", "tilerace.example"),
        ("FSYNC", "never"),
        ("LOG", "xml"),
        ("GRACE_MS", "-1"),
        ("PING_MS", "soon"),
        ("COUNTDOWN_MS", "3s"),
        ("CLOCKS_S", "60;120"),
        ("DATA", "/dev/null/data"),
    ],
)
def test_a_setting_that_cannot_be_used_is_named_with_its_value(tmp_path: Path, name: str, value: str) -> None:
    with started(tmp_path, until_ready=False, **{name: value}) as machine:
        words = refusal(machine)
    assert f"TILERACE_{name}" in words
    assert value in words
    assert "Traceback" not in machine.said


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PROXIES", "10.0.0.1/8"),
        ("LIMITS", "many"),
        ("MOST_TABLES", "0"),
        ("GRACE_MS", "-1"),
        ("CLOCKS_S", "0"),
    ],
)
def test_what_only_a_service_reads_is_refused_before_anything_is_started(
    tmp_path: Path, name: str, value: str
) -> None:
    with started(tmp_path, until_ready=False, **{name: value}) as machine:
        words = refusal(machine)
    assert words.startswith(f"TILERACE_{name} is {value!r}, but must be ")
    assert machine.said == f"{words}\n"
    assert not (tmp_path / "data").exists()


def test_an_unknown_variable_is_named_with_the_one_that_may_be_meant(tmp_path: Path) -> None:
    with started(tmp_path, until_ready=False, PROT="9000") as machine:
        words = refusal(machine)
    assert "TILERACE_PROT" in words
    assert "TILERACE_PORT" in words


def test_of_an_outside_store_s_address_nothing_is_told_as_it_may_hold_a_password(tmp_path: Path) -> None:
    with started(tmp_path, until_ready=False, REDIS_URL="http://ann:hidden@127.0.0.1") as machine:
        words = refusal(machine)
    assert words.startswith("TILERACE_REDIS_URL must be an address that begins with redis://")
    assert "hidden" not in machine.said


def test_what_syncs_the_embedded_store_does_not_go_with_another_store(tmp_path: Path) -> None:
    url = f"redis://127.0.0.1:{free_port()}/0"
    with started(tmp_path, until_ready=False, REDIS_URL=url, FSYNC="everysec") as machine:
        assert refusal(machine).startswith("TILERACE_FSYNC is of the embedded store")


def test_metrics_are_said_to_be_those_of_one_service(tmp_path: Path) -> None:
    with started(tmp_path, until_ready=False, METRICS_LISTEN="127.0.0.1:9100") as machine:
        assert "those of make play could not share it" in refusal(machine)


def test_a_variable_that_it_sets_itself_is_refused(tmp_path: Path) -> None:
    with started(tmp_path, until_ready=False, GAME_LISTEN="127.0.0.1:9000") as machine:
        assert refusal(machine).startswith("TILERACE_GAME_LISTEN is chosen by make play itself")


def test_a_port_that_is_taken_is_said_to_be(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with started(tmp_path, until_ready=False, PORT=str(port)) as machine:
            words = refusal(machine)
    assert str(port) in words
    assert "another program listens there" in words


def test_an_outside_store_that_cannot_be_reached_is_said_to_be(tmp_path: Path) -> None:
    url = f"redis://127.0.0.1:{free_port()}/0"
    with started(tmp_path, until_ready=False, REDIS_URL=url) as machine:
        assert "cannot be reached" in refusal(machine)


def test_a_second_one_on_the_same_data_is_refused_and_the_first_goes_on(
    machine: OneMachine, tmp_path: Path
) -> None:
    data = str(machine.log.parent / "data")
    with started(tmp_path, until_ready=False, DATA=data) as second:
        words = refusal(second)
    assert data in words
    assert str(machine.process.pid) in words
    assert machine.answer("/readyz") == 200


def test_data_that_the_store_cannot_read_is_said_to_be(tmp_path: Path) -> None:
    spoilt = tmp_path / "data" / "appendonlydir"
    spoilt.mkdir(parents=True)
    (spoilt / "appendonly.aof.manifest").write_text("no manifest\n")
    with started(tmp_path, until_ready=False) as machine:
        words = refusal(machine)
    assert words.startswith("valkey-server ended while starting")
    assert "valkey.log" in words
