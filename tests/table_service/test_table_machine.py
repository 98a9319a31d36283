"""A table through any order of commands, connections and time: what must always hold, holds."""

from dataclasses import replace

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from table_service import record
from table_service.domain import commands, presence, races
from table_service.domain.races import Result
from table_service.domain.table import Phase, Rules, Table
from table_service.effects import effects
from wire import keys
from wire.ids import BrowserHash, TableId
from wire.refusal import Refused

BROWSERS = [BrowserHash(bytes([letter]) * 32) for letter in b"abcdef"]
BROWSER = st.sampled_from(BROWSERS)
GRACE, AWAY = 60_000, 20_000


class TableMachine(RuleBasedStateMachine):
    """Commits every change as the service does: version + 1, leases by the derived effects."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 1_000_000
        self.connection = 0
        self.awarded = 0
        self.settled = 0
        self.leases: dict[int, int] = {}
        self.table = Table(TableId("K7QM2XWP"))
        self.commit(commands.open_table(self.table.id, BROWSERS[0], name="", rules=Rules(), since=0))

    def commit(self, after: Table) -> None:
        if after == self.table:
            return
        before = self.table if self.table.version else None
        made = effects(
            before, after, self.leases, now=self.now, away_ms=AWAY, grace_ms=GRACE, expire_ms=10**9
        )
        for member in made.unlease:
            self.leases.pop(int(member[-1]), None)
        for member, until in made.lease:
            self.leases[int(member[-1])] = until
        self.table = record.decode(record.encode(after))
        self.table = replace(self.table, version=(before.version if before else 0) + 1)
        self.tick()

    def tick(self) -> None:
        self.commit(presence.tick(self.table, self.leases, now=self.now, grace_ms=GRACE))

    def attempt(self, call: object, *args: object, **kwargs: object) -> None:
        before = self.table
        try:
            self.commit(call(self.table, *args, **kwargs))  # type: ignore[operator]
        except Refused:
            assert self.table == before

    @rule(passed=st.sampled_from([1, 5_000, 20_000, 60_000, 90_000]))
    def time_passes(self, passed: int) -> None:
        self.now += passed
        self.tick()

    @rule(browser=BROWSER)
    def connects(self, browser: BrowserHash) -> None:
        self.connection += 1
        came = presence.come(
            self.table, browser, self.connection,
            leases=self.leases, until=self.now + AWAY, now=self.now, grace_ms=GRACE,
        )  # fmt: skip
        self.commit(came)

    @rule(browser=BROWSER)
    def an_older_socket_is_told_again(self, browser: BrowserHash) -> None:
        seat = self.table.seat_of(browser)
        seated = self.table.at(seat) if seat else None
        if seated is not None:
            assert presence.connect(self.table, browser, seated.connection - 1) == self.table

    @rule(browser=BROWSER)
    def disconnects(self, browser: BrowserHash) -> None:
        seat = self.table.seat_of(browser)
        seated = self.table.at(seat) if seat else None
        self.commit(presence.disconnect(self.table, browser, seated.connection if seated else 0))

    @rule()
    def all_answer_their_pings(self) -> None:
        for seat, seated in self.table.occupied():
            if seated.connected:
                self.leases[seat] = self.now + AWAY

    @rule(browser=BROWSER, name=st.sampled_from(["Ann", "ann", "Bo", "", "\u202e"]))
    def sits(self, browser: BrowserHash, name: str) -> None:
        self.connection += 1
        self.attempt(commands.sit, browser, name=name, connection=self.connection, since=self.connection)

    @rule(browser=BROWSER)
    def leaves(self, browser: BrowserHash) -> None:
        self.attempt(commands.leave, browser)

    @rule(browser=BROWSER, name=st.sampled_from(["Ann", "Cy", ""]))
    def renames(self, browser: BrowserHash, name: str) -> None:
        self.attempt(commands.rename, browser, name=name)

    @rule()
    def all_press_ready(self) -> None:
        for browser in BROWSERS:
            self.attempt(commands.set_ready, browser, ready=True)

    @rule(browser=BROWSER, seat=st.integers(0, 5))
    def frees(self, browser: BrowserHash, seat: int) -> None:
        self.attempt(commands.free_seat, browser, seat=seat)

    @rule(browser=BROWSER, tile=st.sampled_from([None, 64, 2048]))
    def chooses(self, browser: BrowserHash, tile: int | None) -> None:
        self.attempt(commands.set_rules, browser, rules=Rules(tile, None))

    @rule(browser=BROWSER)
    def starts(self, browser: BrowserHash) -> None:
        self.attempt(races.start, browser, starts_at=self.now)

    @rule()
    def the_deal_is_recorded(self) -> None:
        number = self.table.number
        self.commit(races.record_deal(self.table, number=number, starts_at=1, deadline=0, commitment="c"))

    @rule(data=st.data())
    def the_race_ends(self, data: st.DataObject) -> None:
        race = self.table.race
        if race is None or self.table.phase is not Phase.RACING or not race.commitment:
            return
        winner = data.draw(st.sampled_from([entrant.seat for entrant in race.entrants]))
        self.commit(races.settle(self.table, number=race.number, result=Result(self.now, {winner: 2})))
        self.settled += 1

    @rule(browser=BROWSER, off=st.integers(-1, 1))
    def plays_again(self, browser: BrowserHash, off: int) -> None:
        self.attempt(
            races.play_again,
            browser,
            number=self.table.number + off,
            leases=self.leases,
            now=self.now,
            starts_at=1,
        )

    @rule(browser=BROWSER)
    def changes_settings(self, browser: BrowserHash) -> None:
        self.attempt(races.change_settings, browser, number=self.table.number)

    @invariant()
    def a_browser_has_at_most_one_seat(self) -> None:
        seated = [at.browser for _, at in self.table.occupied()]
        assert len(seated) == len(set(seated))

    @invariant()
    def no_two_names_look_alike(self) -> None:
        taken = [at.name.casefold() for _, at in self.table.occupied()]
        assert len(taken) == len(set(taken))

    @invariant()
    def exactly_those_who_sit_have_a_lease(self) -> None:
        assert set(self.leases) == {seat for seat, _ in self.table.occupied()}

    @invariant()
    def a_host_sits_and_is_there_whenever_a_connected_friend_is(self) -> None:
        staying = [at for _, at in self.table.occupied() if not at.leaving]
        host = self.table.seat_of(self.table.host)
        assert (host is None) == (not staying)
        if host is not None and any(at.connected for at in staying):
            assert self.now < self.leases[host] + GRACE or not [
                at for at in staying if at.connected and at.browser != self.table.host
            ]

    @invariant()
    def while_racing_every_racer_keeps_the_seat(self) -> None:
        if self.table.phase is Phase.RACING:
            assert self.table.race is not None
            assert {(entrant.seat, entrant.browser) for entrant in self.table.race.entrants} == {
                (seat, at.browser) for seat, at in self.table.occupied()
            }

    @invariant()
    def time_alone_changes_nothing_before_the_next_look(self) -> None:
        due = presence.next_tick(self.table, self.leases, now=self.now, grace_ms=GRACE)
        before = self.now + 10**9 if due is None else due - 1
        if before >= self.now:
            assert presence.tick(self.table, self.leases, now=before, grace_ms=GRACE) == self.table

    @invariant()
    def phase_and_race_agree(self) -> None:
        assert (self.table.race is None) == (self.table.phase is Phase.GATHERING)

    @invariant()
    def the_tallies_add_up_to_the_races_settled(self) -> None:
        assert sum(tally.halves for tally in self.table.tallies) == 2 * self.settled

    @invariant()
    def leases_are_named_by_table_and_seat(self) -> None:
        assert all(keys.lease(self.table.id, seat) == f"K7QM2XWP:{seat}" for seat in self.leases)


TestTable = TableMachine.TestCase
TestTable.settings = settings(max_examples=60, stateful_step_count=60)
