"""The lines that say where the page is, and who can reach it."""

import pytest

from play.addresses import told
from play.settings import Settings


def lines(**settings: str) -> str:
    return "\n".join(told(Settings.from_env({f"TILERACE_{name}": value for name, value in settings.items()})))


def test_the_port_is_8048_on_this_machine_unless_set_otherwise() -> None:
    assert "http://127.0.0.1:8048/" in lines()


@pytest.mark.parametrize("host", ["127.0.0.1", "127.1.2.3", "localhost", "::1", "[::1]"])
def test_on_the_loopback_it_says_how_to_let_friends_in(host: str) -> None:
    assert "make play TILERACE_HOST=0.0.0.0" in lines(HOST=host)


def test_the_command_that_lets_friends_in_keeps_port_and_data() -> None:
    said = lines(PORT="9000", DATA="/var/lib/my tables")
    assert "make play TILERACE_HOST=0.0.0.0 TILERACE_PORT=9000 TILERACE_DATA='/var/lib/my tables'" in said
    assert "make play TILERACE_HOST=0.0.0.0\n" in lines()


def test_the_command_that_lets_friends_in_keeps_all_else_that_was_set_and_tells_no_password() -> None:
    said = lines(LIMITS="5", CLOCKS_S="60,90", REDIS_URL="redis://ann:hidden@127.0.0.1:6379/0")
    assert (
        "make play TILERACE_HOST=0.0.0.0 TILERACE_CLOCKS_S=60,90 TILERACE_LIMITS=5 TILERACE_REDIS_URL=…\n"
        in said
    )
    assert "hidden" not in said
    assert "TILERACE_FSYNC=everysec\n" in lines(FSYNC="everysec")


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.7"])
def test_on_the_network_it_does_not(host: str) -> None:
    assert "TILERACE_HOST" not in lines(HOST=host)


def test_an_address_of_the_network_is_told_to_friends() -> None:
    assert "Friends open:        http://192.0.2.7:8048/" in lines(HOST="192.0.2.7")


def test_all_addresses_are_called_by_one_that_works_here() -> None:
    assert "http://127.0.0.1:8048/" in lines(HOST="0.0.0.0")
    assert "http://[::1]:8048/" in lines(HOST="::")


def test_the_public_address_is_told_to_friends_whatever_it_listens_on() -> None:
    told_lines = lines(PUBLIC_URL="https://tiles.example")
    assert "https://tiles.example" in told_lines
    assert "TILERACE_HOST" not in told_lines


def test_with_an_outside_store_no_folder_is_named() -> None:
    assert "kept in" not in lines(REDIS_URL="redis://127.0.0.1:6379/0")
