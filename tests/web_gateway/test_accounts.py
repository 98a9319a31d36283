"""What addresses and browsers have asked for, each against its limits."""

import pytest

from web_gateway import accounts
from web_gateway.accounts import Accounts, Notable
from web_gateway.limits import OF_ADDRESS, OF_BROWSER, Limit, Limits, What

LIMITS = Limits({what: Limit(1.0, 10.0) for what in What}, sockets=8)


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def notable() -> Notable:
    return Notable()


@pytest.fixture
def known(clock: Clock, notable: Notable) -> Accounts:
    return Accounts("address", LIMITS, notable=notable, monotonic=clock)


def test_a_burst_passes_and_what_is_beyond_it_comes_back_with_time(known: Accounts, clock: Clock) -> None:
    account = known.of(b"ann")
    assert [account.allows(What.TABLES) for _ in range(11)] == [True] * 10 + [False]
    clock.now += 2.0
    assert [account.allows(What.TABLES) for _ in range(3)] == [True, True, False]


def test_each_is_judged_by_what_it_asked_for_itself(known: Accounts) -> None:
    while known.of(b"ann").allows(What.TABLES):
        pass
    assert known.of(b"ann").has_spent(What.TABLES)
    assert known.of(b"bo").allows(What.TABLES)
    assert known.of(b"ann").allows(What.TRIES)


def test_an_account_that_never_asked_has_spent_nothing(known: Accounts) -> None:
    assert not known.of(b"ann").has_spent(What.TRIES)


def test_an_account_is_full_with_as_many_sockets_as_it_may_have_here_and_elsewhere(known: Accounts) -> None:
    account = known.of(b"ann")
    for _ in range(5):
        account.opened()
    fulls = [account.is_full]
    account.elsewhere = 3
    fulls.append(account.is_full)
    account.closed()
    assert [*fulls, account.is_full] == [False, True, False]


def test_only_those_who_ask_for_much_are_notable(known: Accounts, notable: Notable) -> None:
    account = known.of(b"ann")
    for _ in range(2):
        assert account.allows(What.TABLES)
        account.opened()
    assert {account} == notable.crowds
    assert not notable.buckets
    assert account.allows(What.TABLES)
    assert [bucket.what for bucket in notable.buckets] == [What.TABLES]
    account.closed()
    assert not notable.crowds


def test_what_was_spent_elsewhere_counts_here_with_what_was_spent_since(
    known: Accounts, notable: Notable, clock: Clock
) -> None:
    account = known.of(b"ann")
    for _ in range(3):
        account.allows(What.TABLES)
    (bucket,) = notable.buckets
    assert bucket.take_spent() == 3
    account.allows(What.TABLES)
    bucket.heard(8.0)
    assert [account.allows(What.TABLES) for _ in range(2)] == [True, False]
    clock.now += 10.0
    assert account.allows(What.TABLES)


def test_what_came_back_before_it_was_told_is_not_told(known: Accounts, clock: Clock) -> None:
    account = known.of(b"ann")
    for _ in range(3):
        account.allows(What.TABLES)
        clock.now += 100.0
    account.allows(What.TABLES)
    assert account.bucket(What.TABLES).take_spent() <= 2


def test_idle_accounts_are_forgotten_and_others_kept(known: Accounts, clock: Clock) -> None:
    spent, open_, idle = known.of(b"spent"), known.of(b"open"), known.of(b"idle")
    idle.allows(What.TABLES)
    open_.opened()
    clock.now += 1.0
    spent.allows(What.TABLES)
    clock.now += 0.5
    known.tidy()
    assert (known.of(b"spent"), known.of(b"open")) == (spent, open_)
    assert known.of(b"idle") is not idle


def test_too_many_share_what_they_have(known: Accounts, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(accounts, "MOST_ACCOUNTS", 500)
    kept = [known.of(b"%d" % number) for number in range(2_000)]
    assert len(known) == 500
    assert len(set(kept)) <= 500 + accounts.SHARED
    assert kept[-1].limits.paces[What.TABLES].burst == 2 * LIMITS.paces[What.TABLES].burst
    assert known.of(b"0") is kept[0]


def test_keys_tell_nothing_and_differ_by_kind(known: Accounts, notable: Notable) -> None:
    other = Accounts("browser", LIMITS, notable=notable)
    assert b"ann" not in known.of(b"ann").key
    assert known.of(b"ann").key != other.of(b"ann").key


@pytest.mark.parametrize("limits", [OF_ADDRESS, OF_BROWSER])
def test_everything_is_limited(limits: Limits) -> None:
    assert set(limits.paces) == set(What)
    assert all(limit.a_second > 0 and limit.burst >= 1 for limit in limits.paces.values())


@pytest.mark.parametrize("what", What)
def test_an_address_has_room_for_several_browsers(what: What) -> None:
    assert OF_ADDRESS.paces[what].burst >= 2 * OF_BROWSER.paces[what].burst
