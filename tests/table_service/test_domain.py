"""Tables as pure transitions: every refusal, the host's part, names, rematches (docs/rules.md §4)."""

import contextlib
import doctest
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from table_service import record
from table_service.domain import commands, names, presence, races
from table_service.domain.races import Result
from table_service.domain.table import FreedWhy, Leases, Phase, Rules, Table
from table_service.effects import effects
from wire.ids import BrowserHash, TableId
from wire.refusal import Refusal, Refused

ID = TableId("K7QM2XWP")
ANN, BO, CY, DI, ED = (BrowserHash(bytes([letter]) * 32) for letter in b"abcde")
NOW, GRACE = 1_000_000, 60_000
ALL: Leases = dict.fromkeys(range(1, 5), NOW + 20_000)


def seated(*browsers: BrowserHash, ready: bool = True) -> Table:
    table = commands.open_table(ID, browsers[0], name="Ann", rules=Rules(), since=1)
    for since, browser in enumerate(browsers[1:], start=2):
        table = commands.sit(table, browser, name=f"P{since}", connection=since, since=since)
        if ready:
            table = commands.set_ready(table, browser, ready=True)
    return table


def racing(*browsers: BrowserHash) -> Table:
    table = races.start(seated(*browsers), browsers[0], starts_at=NOW)
    return races.record_deal(table, number=table.number, starts_at=NOW, deadline=0, commitment="c0")


def finished(*browsers: BrowserHash, winner: int = 1) -> Table:
    return races.settle(racing(*browsers), number=1, result=Result(NOW, {winner: 2}))


def refusal_of(call: object, *args: object, **kwargs: object) -> Refusal:
    with pytest.raises(Refused) as caught:
        call(*args, **kwargs)  # type: ignore[operator]
    return caught.value.refusal


def test_the_examples_in_the_docs_hold() -> None:
    assert doctest.testmod(names).failed == 0


class TestNames:
    @pytest.mark.parametrize(
        ("given_name", "kept"),
        [("Ann", "Ann"), ("  Ann  Lee ", "Ann Lee"), ("e\u0301", "é"), ("日本", "日本"), ("\u3000Ann\u00a0 Lee\n", "Ann Lee"), ("x" * 20, "x" * 20), ("👩‍", None),
         ("", None), ("   ", None), ("x" * 21, None), ("a\u202eb", None), ("a\u200bb", None), ("a\nb", None),
         ("\u3164", None), ("\u0301", None), ("\ue000", None), ("\ud800", None), ("x" * 10_000, None)],
    )  # fmt: skip
    def test_a_name_is_made_plain_or_refused(self, given_name: str, kept: str | None) -> None:
        if kept is None:
            assert refusal_of(names.plain, given_name) is Refusal.BAD_NAME
        else:
            assert names.plain(given_name) == kept

    @pytest.mark.parametrize(
        "joined",
        [
            "👨\u200d👩\u200d👧",
            "❤\ufe0f\u200d🔥",
            "👩🏽\u200d🚀",
            "🙂\u200d↔\ufe0f",
            "می\u200cبینم",
            "क्\u200dष",
        ],
    )
    def test_what_joins_emoji_or_letters_is_kept(self, joined: str) -> None:
        assert names.plain(joined) == joined

    @pytest.mark.parametrize("emoji", ["\U0001fae8", "\U0001fae9", "\U0001f6d8", "\U0001faff"])
    def test_an_emoji_that_came_or_comes_after_pythons_tables_is_kept(self, emoji: str) -> None:
        assert names.plain(emoji) == emoji
        assert names.plain(f"👩\u200d{emoji}\u200d🚀")

    @pytest.mark.parametrize("unassigned", ["\u0378", "\U0001f0ff", "\U0003fffd"])
    def test_any_other_character_that_is_none_is_refused(self, unassigned: str) -> None:
        assert refusal_of(names.plain, unassigned) is Refusal.BAD_NAME

    @pytest.mark.parametrize(
        "hidden",
        ["A\u200dnn", "Ann\u200d", "\u200d👩", "👩\u200d\u200d🚀", "👩\u200dA", "\u200c", "日\u200b本"],
    )
    def test_what_joins_nothing_is_hidden_and_refused(self, hidden: str) -> None:
        assert refusal_of(names.plain, hidden) is Refusal.BAD_NAME

    @pytest.mark.parametrize(
        ("name", "alike"),
        [
            ("日\u200c本", "日本"),
            ("❤\ufe0f", "❤"),
            ("Ann\u034f", "Ann"),
            ("Ann \u3164", "ann"),
            ("A\u17b4nn", "Ann"),
            ("Ann\u2800", "Ann"),
        ],
    )
    def test_what_is_not_seen_makes_no_other_name(self, name: str, alike: str) -> None:
        assert names.distinct(alike, [name]) == f"{alike} 2"

    @given(st.text(max_size=40))
    def test_what_is_kept_is_1_to_20_characters_and_stays_as_it_is(self, name: str) -> None:
        try:
            kept = names.plain(name)
        except Refused:
            return
        assert 1 <= len(kept) <= 20
        assert names.plain(kept) == kept

    @given(st.lists(st.sampled_from(["Ann", "ann", "ANN", "Ann 2", "x" * 20]), max_size=4))
    def test_no_two_at_a_table_have_names_that_look_alike(self, wanted: list[str]) -> None:
        taken: list[str] = []
        for name in wanted:
            taken.append(names.distinct(name, taken))
        assert len({name.casefold() for name in taken}) == len(taken)
        assert all(len(name) <= 20 for name in taken)


class TestGathering:
    def test_who_sits_gets_the_lowest_free_seat(self) -> None:
        table = commands.leave(seated(ANN, BO, CY), BO)
        assert commands.sit(table, DI, name="Di", connection=9, since=9).seat_of(DI) == 2

    def test_a_browser_sits_once(self) -> None:
        table = seated(ANN, BO)
        assert refusal_of(commands.sit, table, BO, name="B", connection=1, since=9) is Refusal.ALREADY_SEATED

    def test_a_fifth_finds_the_table_full(self) -> None:
        table = seated(ANN, BO, CY, DI)
        assert refusal_of(commands.sit, table, ED, name="E", connection=1, since=9) is Refusal.TABLE_FULL

    def test_only_the_host_starts_frees_and_chooses(self) -> None:
        table = seated(ANN, BO)
        assert refusal_of(races.start, table, BO, starts_at=NOW) is Refusal.NOT_HOST
        assert refusal_of(commands.free_seat, table, BO, seat=1) is Refusal.NOT_HOST
        assert refusal_of(commands.set_rules, table, BO, rules=Rules(None, None)) is Refusal.NOT_HOST
        assert refusal_of(races.start, table, ED, starts_at=NOW) is Refusal.NOT_SEATED

    def test_a_start_needs_a_friend_and_everyone_ready(self) -> None:
        assert refusal_of(races.start, seated(ANN), ANN, starts_at=NOW) is Refusal.NO_FRIEND_SEATED
        assert (
            refusal_of(races.start, seated(ANN, BO, ready=False), ANN, starts_at=NOW) is Refusal.NOT_ALL_READY
        )

    def test_other_rules_take_every_ready_back_and_the_same_rules_do_not(self) -> None:
        table = seated(ANN, BO)
        assert commands.set_rules(table, ANN, rules=table.rules) == table
        changed = commands.set_rules(table, ANN, rules=Rules(64, None))
        assert refusal_of(races.start, changed, ANN, starts_at=NOW) is Refusal.NOT_ALL_READY

    @pytest.mark.parametrize("rules", [Rules(100, None), Rules(32, None), Rules(None, 5), Rules(16384, None)])
    def test_rules_that_no_race_can_have_are_refused(self, rules: Rules) -> None:
        assert refusal_of(commands.check_rules, rules, {60_000}) is Refusal.BAD_RULES

    def test_a_freed_friend_is_told_why(self) -> None:
        table = commands.free_seat(seated(ANN, BO), ANN, seat=2)
        assert table.at(2) is None
        assert [(freed.browser, freed.why) for freed in table.freed] == [(BO, FreedWhy.HOST)]

    def test_an_empty_seat_and_ones_own_cannot_be_freed(self) -> None:
        for seat in (1, 3, 0, 5, -1):
            assert refusal_of(commands.free_seat, seated(ANN, BO), ANN, seat=seat) is Refusal.SEAT_EMPTY

    def test_while_racing_seats_names_and_rules_are_fixed(self) -> None:
        table = racing(ANN, BO)
        for call in (
            lambda: commands.sit(table, ED, name="E", connection=1, since=1),
            lambda: commands.rename(table, BO, name="Bob"),
            lambda: commands.set_ready(table, BO, ready=False),
            lambda: commands.free_seat(table, ANN, seat=2),
            lambda: commands.set_rules(table, ANN, rules=Rules(None, None)),
            lambda: races.start(table, ANN, starts_at=NOW),
        ):
            assert refusal_of(call) is Refusal.NOT_GATHERING


class TestHost:
    def test_a_host_who_leaves_hands_on_to_the_connected_one_seated_longest(self) -> None:
        table = seated(ANN, BO, CY)
        away = table.with_seat(2, replace(table.at(2), connected=False))  # type: ignore[type-var]
        assert commands.leave(table, ANN).host == BO
        assert commands.leave(away, ANN).host == CY

    def test_a_table_without_a_host_gives_the_part_to_the_next_who_sits(self) -> None:
        empty = commands.leave(seated(ANN), ANN)
        assert empty.host is None
        assert commands.sit(empty, BO, name="Bo", connection=1, since=5).host == BO

    @pytest.mark.parametrize("make", [seated, racing, finished])
    def test_a_host_away_past_grace_is_succeeded_in_any_phase(self, make: object) -> None:
        table: Table = make(ANN, BO, CY)  # type: ignore[operator]
        leases = {1: NOW - GRACE, 2: NOW + 1, 3: NOW + 1}
        assert presence.tick(table, {**leases, 1: NOW - GRACE + 1}, now=NOW, grace_ms=GRACE).host == ANN
        after = presence.tick(table, leases, now=NOW, grace_ms=GRACE)
        assert after.host == BO
        assert (after.seat_of(ANN) is None) == (table.phase is Phase.GATHERING)

    def test_an_absent_host_stays_one_while_nobody_else_is_connected(self) -> None:
        after = presence.tick(racing(ANN, BO), {1: 0, 2: 0}, now=NOW, grace_ms=GRACE)
        assert after.host == ANN

    def test_a_friend_away_past_grace_loses_the_seat_only_while_gathering(self) -> None:
        leases = {1: NOW + 1, 2: NOW - GRACE}
        assert presence.tick(seated(ANN, BO), leases, now=NOW, grace_ms=GRACE).at(2) is None
        assert presence.tick(racing(ANN, BO), leases, now=NOW, grace_ms=GRACE).at(2) is not None

    def test_a_host_alone_and_gone_is_looked_at_again_only_when_somebody_comes(self) -> None:
        table = presence.tick(seated(ANN), {1: NOW - GRACE}, now=NOW, grace_ms=GRACE)
        assert table.host == ANN
        assert presence.next_tick(table, {1: NOW - GRACE}, now=NOW, grace_ms=GRACE) is None
        assert presence.next_tick(table, {1: NOW - 5}, now=NOW, grace_ms=GRACE) == NOW - 5 + GRACE

    def test_a_friend_who_comes_takes_over_from_a_host_long_gone_at_once(self) -> None:
        table = racing(ANN, BO)
        leases = {1: NOW - GRACE, 2: NOW - 1}
        away = presence.tick(table, leases, now=NOW, grace_ms=GRACE)
        assert away.host == ANN
        after = presence.come(away, BO, 50, leases=leases, until=NOW + 20_000, now=NOW, grace_ms=GRACE)
        assert after.host == BO
        assert [at.connected for _, at in after.occupied()] == [False, True]

    def test_a_lease_that_was_renewed_just_now_is_not_taken_back_by_a_change_of_anothers(self) -> None:
        table = presence.tick(seated(ANN, BO), {1: NOW + 9, 2: NOW - 1}, now=NOW, grace_ms=GRACE)
        renewed = {1: NOW + 9, 2: NOW + 20_000}
        changed = commands.rename(table, ANN, name="Anna")
        made = effects(table, changed, renewed, now=NOW + 1, away_ms=20_000, grace_ms=GRACE, expire_ms=1)
        assert made.lease == []
        assert ("presence:K7QM2XWP", NOW + 1) in made.due

    def test_the_next_look_at_presence_comes_when_a_lease_or_grace_runs_out(self) -> None:
        table = seated(ANN, BO)
        assert presence.next_tick(table, {1: 500, 2: 300}, now=200, grace_ms=GRACE) == 300
        away = presence.tick(table, {1: NOW + 9, 2: NOW - 5}, now=NOW, grace_ms=GRACE)
        leases = {1: NOW + 99_999, 2: NOW - 5}
        assert presence.next_tick(away, leases, now=NOW, grace_ms=GRACE) == NOW - 5 + GRACE


class TestSockets:
    def test_the_newest_socket_holds_the_seat(self) -> None:
        table = presence.connect(seated(ANN, BO), BO, 50)
        assert presence.connect(table, BO, 40) == table
        assert presence.disconnect(table, BO, 40) == table
        closed = presence.disconnect(table, BO, 50)
        assert closed.at(2).connected is False  # type: ignore[union-attr]

    def test_a_socket_without_a_seat_changes_nothing(self) -> None:
        table = seated(ANN)
        assert presence.connect(table, BO, 5) == presence.disconnect(table, BO, 5) == table


class TestRaces:
    def test_a_race_is_dealt_for_exactly_those_seated_and_readies_are_taken_back(self) -> None:
        table = racing(ANN, BO, CY)
        assert table.race is not None
        assert [(entrant.seat, entrant.browser) for entrant in table.race.entrants] == [
            (1, ANN),
            (2, BO),
            (3, CY),
        ]
        assert not any(at.ready for _, at in table.occupied())

    def test_a_deal_is_recorded_once(self) -> None:
        table = racing(ANN, BO)
        assert races.record_deal(table, number=1, starts_at=5, deadline=6, commitment="other") == table

    def test_a_verdict_is_taken_once(self) -> None:
        table = finished(ANN, BO)
        assert (table.halves(ANN), table.halves(BO)) == (2, 0)
        assert races.settle(table, number=1, result=Result(NOW, {1: 2})) == table

    def test_a_tie_is_half_a_win_for_each(self) -> None:
        table = races.settle(racing(ANN, BO), number=1, result=Result(NOW, {1: 1, 2: 1}))
        assert (table.halves(ANN), table.halves(BO)) == (1, 1)

    def test_who_left_while_racing_loses_the_seat_at_the_end_and_keeps_the_tally(self) -> None:
        left = commands.leave(racing(ANN, BO), ANN)
        assert left.seat_of(ANN) == 1
        assert left.host == BO
        table = races.settle(left, number=1, result=Result(NOW, {1: 2}))
        assert table.seat_of(ANN) is None
        assert table.halves(ANN) == 2

    def test_a_finished_table_whose_last_seat_is_freed_gathers_again(self) -> None:
        table = commands.leave(commands.leave(finished(ANN, BO), ANN), BO)
        assert (table.phase, table.race, table.number) == (Phase.GATHERING, None, 1)

    @pytest.mark.parametrize("size", [2, 3, 4])
    def test_twenty_rematches_move_everyone_round(self, size: int) -> None:
        browsers = (ANN, BO, CY, DI)[:size]
        table = finished(*browsers)
        for number in range(1, 21):
            before = {browser: table.seat_of(browser) for browser in browsers}
            table = races.play_again(table, BO, number=number, leases=ALL, now=NOW, starts_at=NOW)
            assert {browser: table.seat_of(browser) for browser in browsers} == {
                browser: (seat or 0) % size + 1 for browser, seat in before.items()
            }
            assert table.host == ANN
            table = races.settle(table, number=number + 1, result=Result(NOW, {1: 2}))
        assert sum(table.halves(browser) for browser in browsers) == 2 * 21

    def test_play_again_twice_makes_one_race(self) -> None:
        table = races.play_again(finished(ANN, BO), ANN, number=1, leases=ALL, now=NOW, starts_at=NOW)
        assert races.play_again(table, BO, number=1, leases=ALL, now=NOW, starts_at=NOW) == table

    def test_play_again_is_done_only_by_a_play_again_of_the_same_race(self) -> None:
        gathering = races.change_settings(finished(ANN, BO), ANN, number=1)
        ready = commands.set_ready(gathering, BO, ready=True)
        started = races.start(ready, ANN, starts_at=NOW)
        assert started.number == 2
        again = refusal_of(races.play_again, started, BO, number=1, leases=ALL, now=NOW, starts_at=NOW)
        first = refusal_of(
            races.play_again, racing(ANN, BO), BO, number=0, leases=ALL, now=NOW, starts_at=NOW
        )
        assert (again, first) == (Refusal.RACE_MOVED_ON, Refusal.RACE_MOVED_ON)

    def test_a_host_who_is_not_dealt_again_hands_the_part_on(self) -> None:
        leases = {1: NOW - 1, 2: NOW + 1, 3: NOW + 1}
        table = races.play_again(finished(ANN, BO, CY), BO, number=1, leases=leases, now=NOW, starts_at=NOW)
        assert (table.host, table.seat_of(ANN)) == (BO, None)

    def test_play_again_frees_who_is_away_and_their_tally_comes_back(self) -> None:
        leases = {1: NOW + 1, 2: NOW - 1, 3: NOW + 1}
        table = races.play_again(
            finished(ANN, BO, CY, winner=2), CY, number=1, leases=leases, now=NOW, starts_at=NOW
        )
        assert (table.seat_of(ANN), table.seat_of(BO), table.seat_of(CY)) == (3, None, 1)
        assert [(freed.browser, freed.why) for freed in table.freed] == [(BO, FreedWhy.NOT_DEALT)]
        assert table.halves(BO) == 2

    def test_play_again_is_refused_alone_too_early_too_late_and_to_watchers(self) -> None:
        def asked(table: Table, browser: BrowserHash, number: int, leases: Leases = ALL) -> Refusal:
            return refusal_of(
                races.play_again, table, browser, number=number, leases=leases, now=NOW, starts_at=NOW
            )

        assert asked(finished(ANN, BO), ANN, 1, {1: NOW + 1, 2: NOW}) is Refusal.ALONE
        assert asked(racing(ANN, BO), ANN, 1) is Refusal.RACE_NOT_OVER
        assert asked(finished(ANN, BO), ANN, 2) is Refusal.RACE_MOVED_ON
        assert asked(seated(ANN, BO), ANN, 1) is Refusal.RACE_MOVED_ON
        assert asked(finished(ANN, BO), ED, 1) is Refusal.NOT_A_RACER
        assert asked(commands.leave(finished(ANN, BO, CY), CY), CY, 1) is Refusal.NOT_SEATED

    def test_change_settings_is_the_hosts_keeps_seats_and_may_be_repeated(self) -> None:
        assert refusal_of(races.change_settings, finished(ANN, BO), BO, number=1) is Refusal.NOT_HOST
        assert refusal_of(races.change_settings, finished(ANN, BO), ANN, number=2) is Refusal.RACE_MOVED_ON
        assert refusal_of(races.change_settings, racing(ANN, BO), ANN, number=1) is Refusal.RACE_NOT_OVER
        table = races.change_settings(finished(ANN, BO), ANN, number=1)
        assert (table.phase, table.race, table.halves(ANN)) == (Phase.GATHERING, None, 2)
        assert races.change_settings(table, ANN, number=1) == table


class TestRecord:
    @pytest.mark.parametrize("make", [seated, racing, finished])
    def test_a_table_is_read_back(self, make: object) -> None:
        table: Table = make(ANN, BO, CY)  # type: ignore[operator]
        table = table.with_outcome(b"x" * 16)
        assert record.decode(record.encode(table)) == table

    @given(st.binary(max_size=64))
    def test_what_is_no_table_is_refused(self, raw: bytes) -> None:
        with pytest.raises(record.BadRecord):
            record.decode(raw)

    @given(st.data())
    def test_a_damaged_table_is_refused_or_read_as_a_table(self, data: st.DataObject) -> None:
        raw = bytearray(record.encode(racing(ANN, BO)))
        raw[data.draw(st.integers(0, len(raw) - 1))] ^= data.draw(st.integers(1, 255))
        with contextlib.suppress(record.BadRecord):
            assert isinstance(record.decode(bytes(raw)), Table)
