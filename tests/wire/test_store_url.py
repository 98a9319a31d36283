"""An address of the store is whole, or refused in one sentence that shows no password of it."""

from pathlib import Path

import pytest
from tests.tls import Papers

from wire import store_url
from wire.settings import Environment, SettingsError

HIDDEN = "hidden-7f3a"
AT = f"racer:{HIDDEN}@store:6379/0"


@pytest.fixture(scope="module")
def papers(tmp_path_factory: pytest.TempPathFactory) -> Papers:
    return Papers.made(tmp_path_factory.mktemp("papers"))


def read(url: str) -> str:
    return store_url.read(Environment({store_url.NAME: url}))


def refused(url: str) -> str:
    with pytest.raises(SettingsError) as told:
        read(url)
    words = str(told.value)
    assert HIDDEN not in words
    assert words.startswith("TILERACE_REDIS_URL ")
    assert words.endswith(".")
    return words


@pytest.mark.parametrize(
    "url",
    [
        "redis://127.0.0.1:6379/0",
        f"redis://{AT}",
        f"redis://:{HIDDEN}@store:6379/0",
        f"redis://store/0?username=racer&password={HIDDEN}",
        f"rediss://{AT}",
        f"rediss://{AT}?ssl_cert_reqs=required&ssl_check_hostname=true",
        "unix:///tmp/store.sock?db=1",
    ],
)
def test_a_whole_address_is_taken_as_it_is(url: str) -> None:
    assert read(url) == url


def test_one_with_all_files_of_tls_is_taken(papers: Papers) -> None:
    url = f"rediss://{AT}?ssl_ca_certs={papers.ca}&ssl_certfile={papers.client}&ssl_keyfile={papers.client}"
    assert read(url) == url


@pytest.mark.parametrize(
    "url", ["redis://racer@store", "redis://racer:@store", "rediss://store?username=racer"]
)
def test_a_user_without_a_password_is_refused(url: str) -> None:
    assert "names a user without a password" in refused(url)


@pytest.mark.parametrize("scheme", ["redis", "unix"])
def test_options_of_tls_without_tls_are_refused(papers: Papers, scheme: str) -> None:
    at = AT if scheme == "redis" else "/tmp/store.sock"  # noqa: S108  nothing is there
    assert "asks for no TLS" in refused(f"{scheme}://{at}?ssl_ca_certs={papers.ca}")


@pytest.mark.parametrize(
    "option", ["ssl_cert_reqs=none", "ssl_cert_reqs=optional", "ssl_cert_reqs=any", "ssl_check_hostname=no"]
)
def test_tls_that_believes_anybody_is_refused(option: str) -> None:
    assert "would believe any store" in refused(f"rediss://{AT}?{option}")


@pytest.mark.parametrize("option", ["ssl_ca_certs", "ssl_certfile", "ssl_keyfile"])
def test_a_file_that_is_not_there_is_named(option: str, tmp_path: Path) -> None:
    missing = tmp_path / "missing.pem"
    assert f"names a file by {option} that cannot be read, {missing}" in refused(
        f"rediss://{AT}?{option}={missing}"
    )


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ({"ssl_keyfile": "client.pem"}, "ssl_keyfile without ssl_certfile"),
        ({"ssl_certfile": "ca.pem"}, "a certificate by ssl_certfile without its key"),
        (
            {"ssl_certfile": "ca.pem", "ssl_keyfile": "client.pem"},
            "a certificate by ssl_certfile without its key",
        ),
        ({"ssl_ca_certs": "empty.pem"}, "ssl_ca_certs that holds no certificate"),
    ],
)
def test_files_that_do_not_make_a_whole_are_refused(papers: Papers, files: dict[str, str], why: str) -> None:
    (papers.folder / "empty.pem").write_text("no certificate")
    options = "&".join(f"{option}={papers.folder / name}" for option, name in files.items())
    assert why in refused(f"rediss://{AT}?{options}")


def test_a_socket_in_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    assert "in a folder that is not there" in refused(f"unix://{tmp_path}/missing/store.sock")


def test_an_option_of_no_use_is_refused() -> None:
    assert "an option that cannot be used" in refused(f"redis://{AT}?socket_timeout=soon")


CLEAR, OPEN = "the store is spoken to in clear", "the store is open to whoever reaches it"


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("redis://store:6379/0", [CLEAR, OPEN]),
        (f"redis://{AT}", [CLEAR]),
        ("rediss://192.0.2.1:6379/0", [OPEN]),
        (f"rediss://{AT}", []),
        ("redis://127.0.0.1:6379/0", []),
        ("redis://[::1]:6379/0", []),
        ("redis://localhost:6379/0", []),
        ("unix:///tmp/store.sock", []),
    ],
)
def test_what_anybody_may_read_or_reach_is_warned_of(
    url: str, told: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    store_url.tell_what_is_open(url)
    assert caplog.messages == told
