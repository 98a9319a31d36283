"""Settings: what is allowed is read, and all else stops the start with one sentence."""

import pytest

from wire.settings import KNOWN, Address, Environment, SettingsError, Timings


def test_an_unknown_setting_is_refused_with_the_nearest_known_name() -> None:
    with pytest.raises(
        SettingsError,
        match=r"^TILERACE_REDISURL is no setting of tilerace; did you mean TILERACE_REDIS_URL\?$",
    ):
        Environment({"TILERACE_REDISURL": "redis://store"})


def test_even_a_name_like_no_other_gets_a_suggestion() -> None:
    with pytest.raises(SettingsError, match="did you mean TILERACE_"):
        Environment({"TILERACE_": "1"})


def test_variables_of_other_programs_are_passed_over() -> None:
    assert Environment({"PATH": "/bin", "TILE_RACE": "1"}).text("TILERACE_DATA", ".data") == ".data"


def test_settings_of_other_services_are_passed_over() -> None:
    assert Environment(dict.fromkeys(KNOWN, "anything")).used == set()


def test_used_names_are_collected() -> None:
    env = Environment({})
    env.text("TILERACE_DATA", "")
    env.integer("TILERACE_PORT", 8000, least=1, most=65535)
    assert env.used == {"TILERACE_DATA", "TILERACE_PORT"}


def test_a_name_that_is_not_listed_is_a_slip_of_ours() -> None:
    with pytest.raises(KeyError, match="TILERACE_NEW"):
        Environment({}).text("TILERACE_NEW", "")


def test_an_address_may_be_left_out() -> None:
    assert Environment({}).optional_address("TILERACE_METRICS_LISTEN") is None
    env = Environment({"TILERACE_METRICS_LISTEN": ":9100"})
    assert env.optional_address("TILERACE_METRICS_LISTEN") == Address("0.0.0.0", 9100)


def test_an_empty_value_counts_as_none() -> None:
    assert Environment({"TILERACE_PORT": " "}).integer("TILERACE_PORT", 8000, least=1, most=65535) == 8000


def test_space_around_a_value_is_dropped() -> None:
    assert Environment({"TILERACE_PORT": " 80\n"}).integer("TILERACE_PORT", 8000, least=1, most=65535) == 80


@pytest.mark.parametrize("value", ["0", "65536", "eighty", "8_0", "8e1", "+80", "٨٠", "80.0", "9" * 30])
def test_a_number_that_cannot_be_used_is_told_with_its_bounds(value: str) -> None:
    with pytest.raises(SettingsError) as told:
        Environment({"TILERACE_PORT": value}).integer("TILERACE_PORT", 8000, least=1, most=65535)
    assert str(told.value) == f"TILERACE_PORT is {value!r}, but must be a whole number from 1 to 65535."


def test_a_word_that_is_not_on_offer_is_told_with_those_that_are() -> None:
    with pytest.raises(SettingsError, match=r"^TILERACE_LOG is 'xml', but must be one of json, text\.$"):
        Environment({"TILERACE_LOG": "xml"}).choice("TILERACE_LOG", "text", options=["text", "json"])


@pytest.mark.parametrize(
    ("value", "address"),
    [
        ("127.0.0.1:8000", ("127.0.0.1", 8000)),
        ("game-service:0", ("game-service", 0)),
        ("[::1]:9", ("::1", 9)),
        ("[fe80::1%eth0]:9", ("fe80::1%eth0", 9)),
        (":80", ("0.0.0.0", 80)),
    ],
)
def test_an_address_has_host_and_port(value: str, address: tuple[str, int]) -> None:
    assert Environment({"TILERACE_LISTEN": value}).address("TILERACE_LISTEN", "") == address


@pytest.mark.parametrize(
    "value", ["8000", "host", "host:", "host:65536", "::1:80", "http://host:80", "a b:80"]
)
def test_an_address_that_cannot_be_used_is_told_with_examples(value: str) -> None:
    with pytest.raises(SettingsError, match=r"must be host:port, such as 127\.0\.0\.1:8000"):
        Environment({"TILERACE_LISTEN": value}).address("TILERACE_LISTEN", "")


def test_a_target_may_be_several_addresses() -> None:
    env = Environment({"TILERACE_GAME_TARGET": "10.0.0.1:50, [::1]:51,10.0.0.1:50"})
    assert env.target("TILERACE_GAME_TARGET", "") == (Address("10.0.0.1", 50), Address("::1", 51))


@pytest.mark.parametrize("value", ["a:1,", "a:1,b", "a:0", ":80", "dns:///a:1"])
def test_a_target_that_cannot_be_used_is_refused(value: str) -> None:
    with pytest.raises(SettingsError, match="must be host:port, or several set apart by commas"):
        Environment({"TILERACE_GAME_TARGET": value}).target("TILERACE_GAME_TARGET", "")


@pytest.mark.parametrize("value", ["redis://store:6379/0", "rediss://u:p@[::1]:1", "unix:///run/valkey.sock"])
def test_a_url_of_a_wanted_scheme_is_read_as_it_stands(value: str) -> None:
    schemes = ("redis", "rediss", "unix")
    assert Environment({"TILERACE_REDIS_URL": value}).url("TILERACE_REDIS_URL", "", schemes=schemes) == value


@pytest.mark.parametrize(
    "value", ["store:6379", "http://store", "redis://", "redis://store:port", "redis://[::1"]
)
def test_a_url_that_cannot_be_used_is_told_with_the_schemes(value: str) -> None:
    with pytest.raises(SettingsError, match="must be an address that begins with redis://"):
        Environment({"TILERACE_REDIS_URL": value}).url("TILERACE_REDIS_URL", "", schemes=("redis",))


@pytest.mark.parametrize(
    "value", ["https://race.example.org", "http://[::1]:8000/", "https://rännen.example"]
)
def test_the_address_of_a_site_is_read_without_a_slash_at_its_end(value: str) -> None:
    assert Environment({"TILERACE_PUBLIC_URL": value}).site("TILERACE_PUBLIC_URL") == value.rstrip("/")


@pytest.mark.parametrize(
    "value",
    ["https://race.example.org/games", "https://race.example.org//", "https://race.example.org?a", "https://race.example.org/#",
     "https://race.example.org?", "https://race..example.org"],
)  # fmt: skip
def test_an_address_below_that_of_a_site_is_refused(value: str) -> None:
    with pytest.raises(SettingsError) as refused:
        Environment({"TILERACE_PUBLIC_URL": value}).site("TILERACE_PUBLIC_URL")
    wanted = "an address that begins with http://, https:// and ends with its host or port"
    assert str(refused.value) == f"TILERACE_PUBLIC_URL is {value!r}, but must be {wanted}."


def test_a_user_in_the_address_of_a_site_is_refused_and_not_told() -> None:
    with pytest.raises(SettingsError, match="https://…@race") as refused:
        Environment({"TILERACE_PUBLIC_URL": "https://ann:7up@race.example.org"}).site("TILERACE_PUBLIC_URL")
    assert "7up" not in str(refused.value)


def test_a_url_without_a_default_may_be_left_out() -> None:
    assert Environment({}).url("TILERACE_PUBLIC_URL", "", schemes=("https",)) == ""


@pytest.mark.parametrize("value", ["http://ann:7up@store", "redis://ann:up7/x@store", "ann:7@up@store"])
def test_a_password_is_not_told(value: str) -> None:
    env = Environment({"TILERACE_REDIS_URL": value})
    with pytest.raises(SettingsError, match="…@store") as told:
        env.url("TILERACE_REDIS_URL", "", schemes=("redis",))
    assert "ann" not in str(told.value)
    assert "7" not in str(told.value)


@pytest.mark.parametrize(
    "value",
    [
        "http://ann:7up@store",
        "redis://ann:up7",
        "redis://ann:7/up@store:6379",
        "redis://ann:7?up@store:6379",
        "redis://ann:7#up@store:6379",
        "store:6379?password=7up",
    ],
)
def test_of_what_may_hold_a_password_nothing_is_told(value: str) -> None:
    env = Environment({"TILERACE_REDIS_URL": value})
    with pytest.raises(SettingsError, match="its value is not shown") as told:
        env.url("TILERACE_REDIS_URL", "", schemes=("redis",), secret=True)
    assert not any(part in str(told.value) for part in ("ann", "up", "7"))


def test_timings_are_the_products_where_nothing_is_set() -> None:
    timings = Timings.from_env(Environment({}))
    assert timings == Timings()
    assert (timings.grace_ms, timings.away_ms, timings.countdown_ms) == (60_000, 20_000, 3_000)
    assert timings.clocks_s == (60, 120, 180, 300, 600, 900)


def test_timings_may_be_shorter() -> None:
    env = Environment(
        {
            "TILERACE_GRACE_MS": "500",
            "TILERACE_PING_MS": "100",
            "TILERACE_COUNTDOWN_MS": "0",
            "TILERACE_CLOCKS_S": "2, 5,2",
        }
    )
    assert Timings.from_env(env) == Timings(grace_ms=500, ping_ms=100, countdown_ms=0, clocks_s=(2, 5))


@pytest.mark.parametrize("value", ["60,", "60;120", "0", "x"])
def test_clocks_that_cannot_be_used_are_refused(value: str) -> None:
    env = Environment({"TILERACE_CLOCKS_S": value})
    with pytest.raises(SettingsError, match=r"^TILERACE_CLOCKS_S is"):
        Timings.from_env(env)
