"""What whoever runs it sees and gets."""

import contextlib
import socket
from pathlib import Path

import pytest
from tests.play.one_machine import SERVICES, STORE, OneMachine, started


def test_it_prints_the_address_at_which_the_page_is_served(machine: OneMachine) -> None:
    assert f"http://127.0.0.1:{machine.port}/" in machine.said
    assert machine.answer("/") == 200
    assert machine.answer("/readyz") == 200


def test_it_says_how_to_let_friends_in_when_only_this_machine_can_reach_it(machine: OneMachine) -> None:
    assert "make play TILERACE_HOST=0.0.0.0" in machine.said


def test_it_says_what_it_does_while_it_does_it(machine: OneMachine) -> None:
    said = machine.said
    assert (
        said.index("Starting the store")
        < said.index("Starting the services")
        < said.index("tilerace is running")
    )


@pytest.mark.parametrize("name", [STORE, *SERVICES])
def test_the_process_list_shows_each_by_its_name(machine: OneMachine, name: str) -> None:
    assert machine.find(name)


def test_the_stores_file_is_written_anew_before_reading_it_takes_long(machine: OneMachine) -> None:
    with machine.store() as store:
        assert store.config_get("auto-aof-rewrite-min-size") == {"auto-aof-rewrite-min-size": str(4 * 2**20)}


def test_the_store_syncs_before_it_answers_and_drops_nothing(machine: OneMachine) -> None:
    with machine.store() as store:
        chosen = store.config_get("append*", "maxmemory-policy", "bind")
    assert chosen["appendonly"] == "yes"
    assert chosen["appendfsync"] == "always"
    assert chosen["maxmemory-policy"] == "noeviction"
    assert chosen["bind"] == "127.0.0.1"


def test_the_store_syncs_every_second_where_that_is_set(tmp_path: Path) -> None:
    with started(tmp_path, FSYNC="everysec") as machine, machine.store() as store:
        assert store.config_get("appendfsync") == {"appendfsync": "everysec"}


def test_an_outside_store_is_used_instead_of_the_embedded_one(tmp_path: Path, store_url: str) -> None:
    with started(tmp_path, REDIS_URL=store_url) as machine:
        assert machine.answer("/readyz") == 200
        assert not machine.find(STORE)
        assert not (tmp_path / "data").exists()


def test_nobody_else_on_the_machine_can_read_what_is_stored(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir(mode=0o755)
    with started(tmp_path) as machine:
        machine.open_table()
        stored = [each for each in data.rglob("*") if each.is_file()]
        assert any(".aof" in each.name for each in stored)
        assert [each for each in stored if each.stat().st_mode & 0o077] == []


def test_a_page_in_somebodys_browser_gives_the_store_no_commands(machine: OneMachine) -> None:
    command = b"SET {b00}:planted 1\r\n"
    head = b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: %d\r\n\r\n" % len(command)
    with machine.store() as store:
        port = store.connection_pool.connection_kwargs["port"]
        with socket.create_connection(("127.0.0.1", port), timeout=10) as page:
            page.sendall(head + command)
            with contextlib.suppress(ConnectionResetError):
                assert page.recv(100) == b""
        assert not store.exists("{b00}:planted")


@pytest.mark.parametrize("name", [STORE, *SERVICES])
def test_what_crashes_leaves_no_image_of_its_memory(machine: OneMachine, name: str) -> None:
    limits = Path(f"/proc/{machine.find(name)}/limits").read_text()
    (core,) = [line.split() for line in limits.splitlines() if line.startswith("Max core file size")]
    assert core[-3:-1] == ["0", "0"]
